# Rows that a generator reads; the caller keeps all of them.
import os


def read_rows(count):
    for number in range(count):
        yield bytearray(1000 + number % 7)  # guilty


def column_names():
    return ["column%d" % number for number in range(2000)]


def load_table():
    names = column_names()
    return names, list(read_rows(60000))


table = load_table()
os._exit(0)
