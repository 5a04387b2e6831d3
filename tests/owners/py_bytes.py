# Large objects, which CPython leaves to malloc.
import os

pages = []


def fetch(number):
    return bytes([number % 256]) * 4000  # guilty


def crawl():
    for number in range(20000):
        pages.append(fetch(number))


crawl()
os._exit(0)
