"""Reads files of customers in two formats, checks each row, and says what is wrong with them."""

import csv
import io
import json
import traceback


class Invalid(Exception):
    def __init__(self, message, row):
        super().__init__(message)
        self.row = row


class CsvSource:
    def __init__(self, text):
        self.text = text

    def rows(self):
        yield from csv.DictReader(io.StringIO(self.text))


class JsonSource:
    def __init__(self, text):
        self.text = text

    def rows(self):
        for line in self.text.splitlines():
            yield json.loads(line)


def check_mail(row):
    if "@" not in row["mail"]:
        raise Invalid("no address", row)


def check_age(row):
    if not 0 < int(row["age"]) < 130:
        raise Invalid("no such age", row)


class Report:
    def __init__(self):
        self.counts = {}
        self.problems = []

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def reject(self, source, error):
        """With the exception, its traceback and the row: more than the mail at the end says of it."""
        frames = traceback.extract_tb(error.__traceback__)
        self.problems.append((source, error, frames.format()))  # guilty
        self.count(str(error))

    def mail(self):
        return "\n".join(f"{source}: {error}" for source, error, _ in self.problems[:5])


class Importer:
    checks = (check_mail, check_age)

    def __init__(self, report):
        self.report = report
        self.by_town = {}

    def accept(self, row):
        town = self.by_town.setdefault(row["town"], [])
        town.append(int(row["age"]))

    def load(self, name, source):
        for row in source.rows():
            try:
                for check in self.checks:
                    check(row)
                self.accept(row)
            except Invalid as error:
                self.report.reject(name, error)


def customers(start, count):
    for number in range(start, start + count):
        yield {
            "name": f"Customer {number}",
            "mail": f"c{number}@example.org" if number % 2 else "unknown",
            "age": str(number % 140),
            "town": f"Town {number % 90}",
        }


def csv_text(start, count):
    out = io.StringIO()
    writer = csv.DictWriter(out, ["name", "mail", "age", "town"])
    writer.writeheader()
    writer.writerows(customers(start, count))
    return out.getvalue()


def main():
    report = Report()
    importer = Importer(report)
    for part in range(13):
        importer.load(f"part{part}.csv", CsvSource(csv_text(part * 2000, 1000)))
        importer.load(f"part{part}.json", JsonSource("\n".join(map(json.dumps, customers(part * 2000, 1000)))))
    print(report.counts, len(importer.by_town), "towns")
    print(report.mail())


if __name__ == "__main__":
    main()
