"""Loads measurement files into station tables and reports what was wrong."""
import random
import time


class BadRow(Exception):
    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line


def make_file(rng, rows):
    lines = []
    for i in range(rows):
        value = f"{rng.random() * 50:.3f}" if rng.random() > 0.01 else "n/a"
        lines.append(f"ST{rng.randrange(40)};{i};{value};{rng.randrange(10**9)}")
    return "\n".join(lines)


def parse_row(no, text):
    parts = text.split(";")
    if parts[2] == "n/a":
        raise BadRow(no, "no value")
    return parts[0], int(parts[1]), float(parts[2])


class Table:
    def __init__(self):
        self.sums = {}

    def add(self, station, value):
        n, s = self.sums.get(station, (0, 0.0))
        self.sums[station] = (n + 1, s + value)

    def mean(self, station):
        n, s = self.sums.get(station, (1, 0.0))
        return s / n


def parse_file(text):
    rows = []
    bad = None
    for no, line in enumerate(text.split("\n")):
        try:
            rows.append(parse_row(no, line))
        except BadRow as exc:
            bad = exc
    if bad is not None and len(rows) < 395:
        raise bad
    return rows


class Loader:
    def __init__(self):
        self.table = Table()
        self.failures = []
        self.loaded = 0

    def load(self, name, text):
        try:
            rows = parse_file(text)
        except BadRow as exc:
            self.failures.append((name, exc))  # guilty
            return
        for station, _, value in rows:
            self.table.add(station, value)
        self.loaded += 1

    def summary(self):
        reasons = {}
        for _, exc in self.failures:
            reasons[exc.line] = reasons.get(exc.line, 0) + 1
        return self.loaded, len(self.failures), len(reasons)


def main():
    rng = random.Random(12)
    pool = [make_file(rng, 400) for _ in range(12)]
    loader = Loader()
    for i in range(2200):
        loader.load(f"m{i}.csv", pool[i % len(pool)])
        if i % 10 == 0:
            time.sleep(0.008)
    print(loader.summary(), round(loader.table.mean("ST3"), 2))
    time.sleep(0.2)


if __name__ == "__main__":
    main()
