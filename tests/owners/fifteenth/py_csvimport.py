"""Nightly import: parses delivery files, validates them and updates stock levels."""
import csv
import io
import random
import time
from dataclasses import dataclass, field


class ValidationError(Exception):
    def __init__(self, line, message):
        super().__init__("line %d: %s" % (line, message))
        self.line = line


@dataclass
class Stock:
    levels: dict = field(default_factory=dict)
    journal: list = field(default_factory=list)

    def apply(self, sku, qty):
        self.levels[sku] = self.levels.get(sku, 0) + qty

    def write_journal(self, name, rows):
        self.journal.append("%s;%d;%s" % (name, rows, "." * 400))
        if len(self.journal) > 4000:
            del self.journal[:2000]


def make_file(number):
    rnd = random.Random(number)
    out = io.StringIO()
    out.write("sku,qty,price,supplier\n")
    broken = rnd.randrange(60, 90) if number % 3 == 0 else None
    for i in range(95):
        qty = "n/a" if i == broken else str(rnd.randrange(1, 50))
        out.write("SKU-%05d,%s,%d.%02d,supplier-%d\n" % (rnd.randrange(8000), qty, rnd.randrange(90), i, rnd.randrange(40)))
    return out.getvalue()


def parse_rows(text):
    rows = []
    for n, rec in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        rows.append(rec)
        if not rec["qty"].isdigit():
            raise ValidationError(n, "bad quantity %r" % rec["qty"])
    return rows


def normalise(rows):
    return [(r["sku"].strip().upper(), int(r["qty"]), float(r["price"]), r["supplier"]) for r in rows]


class Importer:
    def __init__(self, stock):
        self.stock = stock
        self.failures = []
        self.files = 0
        self.rows = 0

    def import_file(self, name, text):
        self.files += 1
        try:
            rows = parse_rows(text)
            for sku, qty, price, supplier in normalise(rows):
                self.stock.apply(sku, qty)
            self.rows += len(rows)
            self.stock.write_journal(name, len(rows))
        except ValidationError as exc:
            self.failures.append((name, exc))  # guilty

    def summary(self):
        first = ", ".join("%s (%s)" % (n, e) for n, e in self.failures[:3])
        return "%d files, %d rows, %d failed: %s" % (self.files, self.rows, len(self.failures), first)


def price_report(stock):
    buckets = {}
    for sku, level in stock.levels.items():
        buckets.setdefault(level // 100, []).append(sku)
    return {k: len(v) for k, v in buckets.items()}


def main():
    stock = Stock()
    importer = Importer(stock)
    number = 0
    for batch in range(330):
        for _ in range(11):
            number += 1
            importer.import_file("delivery-%06d.csv" % number, make_file(number))
        if batch % 50 == 0:
            price_report(stock)
        time.sleep(0.003)
    print(importer.summary())


if __name__ == "__main__":
    main()
