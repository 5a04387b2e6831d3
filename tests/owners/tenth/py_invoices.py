"""Reads electronic invoices (XML in a flat form), checks them against orders, and exports those that are good to bookkeeping."""
import datetime
import decimal
import hashlib
import re


class Rejected(Exception):
    def __init__(self, number, reason):
        super().__init__(f"{number}: {reason}")
        self.number = number


class Invoice:
    def __init__(self, number, supplier, issued, lines):
        self.number = number
        self.supplier = supplier
        self.issued = issued
        self.lines = lines

    @property
    def total(self):
        return sum((amount * price for _, amount, price in self.lines), decimal.Decimal(0))


class Parser:
    FIELD = re.compile(r"<(\w+)>([^<]*)</\1>")

    def parse(self, document):
        lines, head = [], {}
        for tag, text in self.FIELD.findall(document):
            if tag == "line":
                article, amount, price = text.split(";")
                lines.append((article, int(amount), decimal.Decimal(price)))
            else:
                head[tag] = text
        if "number" not in head:
            raise Rejected("?", "no number")
        issued = datetime.date.fromisoformat(head["issued"])
        return Invoice(head["number"], head["supplier"], issued, lines)


class Orders:
    def __init__(self, count):
        self.open = {f"A-{n}": decimal.Decimal(n % 90 + 1) for n in range(count)}

    def check(self, invoice):
        for article, _, price in invoice.lines:
            expected = self.open.get(article)
            if expected is None:
                raise Rejected(invoice.number, f"{article} was not ordered")
            if price > expected:
                raise Rejected(invoice.number, f"{article} costs {price}, not {expected}")


class Inbox:
    """Takes documents, and keeps of each what came of it, for the page of the clerks."""

    def __init__(self, orders):
        self.parser = Parser()
        self.orders = orders
        self.errors = []
        self.digests = set()

    def receive(self, document, export):
        digest = hashlib.md5(document.encode()).digest()
        if digest in self.digests:
            return
        self.digests.add(digest)
        try:
            invoice = self.parser.parse(document)
            self.orders.check(invoice)
            export.add(invoice)
        except Rejected as error:
            self.errors.append((document, error))  # guilty

    def recent_errors(self, count):
        return [str(error) for _, error in self.errors[-count:]]


class Export:
    def __init__(self):
        self.rows = []
        self.written = 0

    def add(self, invoice):
        self.rows.append(f"{invoice.supplier};{invoice.number};{invoice.issued:%d.%m.%Y};{invoice.total}")
        if len(self.rows) == 500:
            self.flush()

    def flush(self):
        self.written += len("\n".join(self.rows))
        self.rows.clear()


def documents(count):
    for n in range(count):
        lines = "".join(f"<line>A-{(n * 31 + k * 7) % 5200};{k + 1};{(n * 31 + k * 7) % 5200 % 90 + 1}.00</line>" for k in range(2 + n % 24))
        yield f"<invoice><number>R{n:07}</number><supplier>Supplier {n % 80}</supplier><issued>2024-02-{n % 28 + 1:02}</issued>{lines}</invoice>"


def main():
    inbox = Inbox(Orders(4600))
    export = Export()
    for document in documents(20000):
        inbox.receive(document, export)
    export.flush()
    print(len(inbox.errors), "rejected,", export.written, "bytes exported,", inbox.recent_errors(1))


if __name__ == "__main__":
    main()
