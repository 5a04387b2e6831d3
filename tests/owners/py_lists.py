# Lists of small objects, in a module of the program.
import os

kept = []


def read_settings():
    return {str(number): number for number in range(1000)}


def parse(line):
    kept.append([field + "!" for field in line.split(",")])  # guilty


def main():
    read_settings()
    line = ",".join("field%d" % number for number in range(20))
    for _ in range(40000):
        parse(line)
    os._exit(0)


main()
