"""Matches the statements of a bank with the entries of a ledger, and leaves what does not match to people."""
import csv
import io
import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal


class Statement:
    """The lines of one day, as the bank sends them."""

    def __init__(self, text):
        self.reader = csv.DictReader(io.StringIO(text), delimiter=";")

    def __iter__(self):
        for row in self.reader:
            row["amount"] = Decimal(row["amount"])
            row["booked"] = date.fromisoformat(row["booked"])
            yield row


class Ledger:
    def __init__(self):
        self.open = defaultdict(list)
        self.closed = 0

    def post(self, reference, amount, due):
        self.open[amount].append((reference, due))

    def candidates(self, amount, booked):
        return [e for e in self.open.get(amount, ()) if abs((e[1] - booked).days) <= 10]

    def close(self, amount, entry):
        entries = self.open[amount]
        entries.remove(entry)
        if not entries:
            del self.open[amount]
        self.closed += 1

    def write_off(self, before):
        old = 0
        for amount in list(self.open):
            kept = [e for e in self.open[amount] if e[1] >= before]
            old += len(self.open[amount]) - len(kept)
            if kept:
                self.open[amount] = kept
            else:
                del self.open[amount]
        return old


class Worklist:
    """For the people of the accounts department."""

    def __init__(self):
        self.items = []
        self.looked_at = 0

    def suspend(self, line, candidates):
        self.items.append({"line": line, "candidates": list(candidates), "note": None})  # guilty

    def work(self, most):
        done = 0
        for item in self.items[self.looked_at:self.looked_at + most]:
            item["note"] = "asked the customer" if item["candidates"] else "sent back"
            done += 1
        self.looked_at += done
        return done

    def oldest(self):
        if self.looked_at == len(self.items):
            return None
        return self.items[self.looked_at]["line"]["booked"]


class Matcher:
    def __init__(self, ledger, worklist):
        self.ledger, self.worklist = ledger, worklist
        self.matched = 0

    def score(self, line, entry):
        reference, due = entry
        words = line["text"].split()
        return (reference in words) * 10 + sum(w[:4] == reference[:4] for w in words) - abs((due - line["booked"]).days) / 10

    def match(self, line):
        found = self.ledger.candidates(line["amount"], line["booked"])
        best = max(found, key=lambda e: self.score(line, e), default=None)
        if best is None or self.score(line, best) < 5:
            self.worklist.suspend(line, found)
            return False
        self.ledger.close(line["amount"], best)
        self.matched += 1
        return True


class Bank:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def day(self, ledger, today):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=";")
        writer.writerow(["booked", "account", "name", "text", "amount"])
        for _ in range(400):
            self.number += 1
            reference = f"R{today.year % 100}-{self.number:06d}"
            amount = f"{self.random.randrange(10, 4000)}.{self.random.randrange(0, 100, 5):02d}"
            if self.random.random() < 0.8:
                ledger.post(reference, Decimal(amount), today + timedelta(days=self.random.randrange(-5, 5)))
            said = reference if self.random.random() < 0.5 else f"invoice of {today:%B}"
            name = self.random.choice(["Ahlers", "Brandt and Sons", "Clinic North", "Deniz", "Eklund AB"])
            writer.writerow([today.isoformat(), f"DE{self.random.randrange(10**18):020d}", name, f"payment {said} thanks", amount])
        return out.getvalue()


def main():
    ledger, worklist = Ledger(), Worklist()
    matcher, bank = Matcher(ledger, worklist), Bank(14)
    today, written_off, asked = date(2026, 1, 2), 0, 0
    for day in range(130):
        for line in Statement(bank.day(ledger, today)):
            matcher.match(line)
        asked += worklist.work(12)
        if day % 10 == 9:
            written_off += ledger.write_off(today - timedelta(days=20))
        today += timedelta(days=1)
    print(f"{matcher.matched} matched, {len(worklist.items)} suspended, {asked} asked, {written_off} written off, oldest {worklist.oldest()}")


if __name__ == "__main__":
    main()
