"""Cleans tables in steps, each of which takes rows and gives rows."""

import csv
import hashlib
import io
import re
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Row:
    number: int
    cells: tuple
    notes: tuple = ()

    def noting(self, text):
        return replace(self, notes=self.notes + (text,))


@dataclass
class Pipeline:
    steps: list = field(default_factory=list)

    def __or__(self, step: Callable[[Iterator[Row]], Iterator[Row]]):
        return Pipeline(self.steps + [step])

    def run(self, rows: Iterable[Row]) -> Iterator[Row]:
        for step in self.steps:
            rows = step(rows)
        return rows


def strip(rows):
    for row in rows:
        yield replace(row, cells=tuple(cell.strip() for cell in row.cells))


class Rename:
    def __init__(self, pattern, by):
        self.pattern, self.by = re.compile(pattern), by

    def __call__(self, rows):
        for row in rows:
            cells = tuple(self.pattern.sub(self.by, c) for c in row.cells)
            yield replace(row, cells=cells) if cells == row.cells else replace(row, cells=cells).noting("renamed")


def fingerprint(row):
    return hashlib.sha256("\x1f".join(row.cells).encode()).hexdigest()


class Unique:
    """Drops rows that came before; what they were is kept to tell which."""

    def __init__(self, key=fingerprint):
        self.key, self.dropped, self._seen = key, 0, {}

    def filter(self, row):
        key = self.key(row)
        if key in self._seen:
            self.dropped += 1
            return None
        self._seen[key] = f"row {row.number}: " + " | ".join(cell.ljust(80) for cell in row.cells)  # guilty
        return row

    def __call__(self, rows):
        return filter(None, map(self.filter, rows))


class Batches:
    def __init__(self, size, write):
        self.size, self.write = size, write

    def __call__(self, rows):
        batch = []
        for row in rows:
            batch.append(row)
            if len(batch) == self.size:
                self.write(batch)
                batch = []
            yield row
        self.write(batch)


class Output:
    def __init__(self):
        self.bytes = 0

    def write(self, batch):
        text = io.StringIO()
        csv.writer(text).writerows(row.cells + row.notes for row in batch)
        self.bytes += len(text.getvalue())


def read(count):
    for i in range(count):
        line = f" item-{i * 7 % 45_000} , the thing of shelf {i % 45_000 % 90}, {i % 45_000 % 13} pcs, stock "
        yield Row(i, tuple(next(csv.reader([line]))))


def main():
    output, unique = Output(), Unique()
    pipeline = Pipeline() | strip | Rename(r"pcs$", "pieces") | unique | Batches(500, output.write)
    count = sum(1 for _ in pipeline.run(read(60_000)))
    print(count, unique.dropped, output.bytes)


if __name__ == "__main__":
    main()
