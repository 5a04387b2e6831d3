# Loads rows into a store; what was looked up for a row is remembered by a decorator, under a key that is never asked for again.
import functools
import itertools
import os
from dataclasses import dataclass, field


def memoize(function):
    cache = {}

    @functools.wraps(function)
    def wrapper(*key):
        if key not in cache:
            cache[key] = function(*key)
        return cache[key]

    wrapper.cache = cache
    return wrapper


@dataclass(frozen=True)
class Row:
    number: int
    country: str
    amount: float


@dataclass
class Totals:
    by_country: dict = field(default_factory=dict)
    rows: int = 0

    def add(self, row):
        self.by_country[row.country] = self.by_country.get(row.country, 0) + row.amount
        self.rows += 1


@memoize
def country_names(code):
    return ["name of %s in language %d" % (code, language) for language in range(400)]


@memoize
def enrich(row):
    names = country_names(row.country)
    return {"id": row.number, "names": [name.title() for name in names[:12]], "amount": "%.2f" % row.amount}  # guilty


def read_rows(count):
    countries = itertools.cycle("de fr it es pl cz at dk se no".split())
    for number, country in zip(range(count), countries):
        yield Row(number, country, number * 1.25)


class Batch:
    def __init__(self, size):
        self.size, self.items, self.written = size, [], 0

    def put(self, item):
        self.items.append(item)
        if len(self.items) == self.size:
            self.flush()

    def flush(self):
        text = "\n".join(repr(item) for item in self.items)
        self.written += len(text)
        self.items.clear()


def load(count):
    totals, batch = Totals(), Batch(500)
    for row in read_rows(count):
        totals.add(row)
        batch.put(enrich(row))
    batch.flush()
    return totals, batch


def main():
    totals, batch = load(40000)
    print(totals.rows, batch.written)
    os._exit(0)


if __name__ == "__main__":
    main()
