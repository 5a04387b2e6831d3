"""A small mapper of rows to objects: what was loaded in a session is the same object when it is loaded again."""

import itertools
import operator
import random
from contextlib import contextmanager


class Column:
    def __init__(self, convert=str, default=None):
        self.convert, self.default = convert, default

    def __set_name__(self, owner, name):
        self.name = name
        owner.columns = getattr(owner, "columns", ()) + (name,)

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.__dict__.get(self.name, self.default)

    def __set__(self, instance, value):
        instance.__dict__[self.name] = self.convert(value)


class Model:
    table = ""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.table = kwargs.get("table", cls.__name__.lower())


class Customer(Model):
    id = Column(int)
    name = Column()
    city = Column()


class Invoice(Model):
    id = Column(int)
    customer = Column(int)
    text = Column()
    cents = Column(int, 0)


class Backend:
    """Stands for the database."""

    def __init__(self, customers, invoices):
        self.sizes = {"customer": customers, "invoice": invoices}

    def fetch(self, table, start, count):
        for i in range(start, min(start + count, self.sizes[table])):
            if table == "customer":
                yield {"id": str(i), "name": f"Customer {i}", "city": random.choice(["Ulm", "Bern", "Graz"])}
            else:
                yield {"id": str(i), "customer": str(i % 500), "text": f"For what was delivered on day {i % 365} by number {i}", "cents": str(i * 7)}


class Session:
    def __init__(self, backend):
        self.backend = backend
        self.identities = {}
        self.dirty = []

    def materialize(self, model, row):
        key = model, row["id"]
        if key not in self.identities:
            self.identities[key] = model(**row)  # guilty
        return self.identities[key]

    def page(self, model, start, count):
        return [self.materialize(model, row) for row in self.backend.fetch(model.table, start, count)]

    def get(self, model, key):
        return next(iter(self.page(model, key, 1)), None)

    def stream(self, model, size=200):
        for start in itertools.count(0, size):
            objects = self.page(model, start, size)
            if not objects:
                return
            yield from objects

    @contextmanager
    def transaction(self):
        try:
            yield self
        finally:
            self.dirty.clear()

    def touch(self, thing):
        self.dirty.append((thing, dict(vars(thing))))


def revenue(session):
    sums = {}
    for invoice in session.stream(Invoice):
        customer = session.get(Customer, invoice.customer)
        with session.transaction():
            if invoice.cents % 5 == 0:
                session.touch(invoice)
            sums[customer.city] = sums.get(customer.city, 0) + invoice.cents
    return sorted(sums.items(), key=operator.itemgetter(1))


def main():
    random.seed(1)
    session = Session(Backend(500, 60_000))
    for city, cents in revenue(session):
        print(city, cents)


if __name__ == "__main__":
    main()
