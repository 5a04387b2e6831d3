# Threads whose results are collected and never dropped.
import os
import threading

results = []
lock = threading.Lock()


def download(number):
    return b"%d" % number + bytes(20000)  # guilty


def worker(first):
    for number in range(first, first + 700):
        page = download(number)
        with lock:
            results.append(page)


def main():
    threads = [threading.Thread(target=worker, args=(number * 1000,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os._exit(0)


main()
