"""orderrepo - nightly reconciliation of orders, reading them page by page from SQLite."""
import datetime
import sqlite3
import time
from dataclasses import dataclass, field


@dataclass
class Line:
    sku: str
    qty: int
    cents: int


@dataclass
class Order:
    id: int
    customer: int
    placed: datetime.date
    state: str
    lines: list = field(default_factory=list)
    dirty: bool = False

    def total(self):
        return sum(l.qty * l.cents for l in self.lines)


@dataclass(frozen=True)
class Customer:
    id: int
    name: str
    vip: bool


def create_schema(db):
    db.execute("create table customer(id integer primary key, name text, vip int)")
    db.execute("create table orders(id integer primary key, customer int, placed text, state text)")
    db.execute("create table line(order_id int, sku text, qty int, cents int)")
    db.execute("create index line_order on line(order_id)")


def add_sample_day(db, day, first, count):
    placed = (datetime.date(2024, 1, 1) + datetime.timedelta(days=day)).isoformat()
    db.executemany("insert or ignore into customer values(?,?,?)", ((c, f"Customer {c}", c % 10 == 0) for c in range(300)))
    db.executemany("insert into orders values(?,?,?,?)", ((first + i, (first + i) % 300, placed, "new") for i in range(count)))
    db.executemany(
        "insert into line values(?,?,?,?)",
        ((first + i, f"SKU-{(first + i) * 13 % 700}-{k}", 1 + k, 100 + (i * 37 + k) % 9000) for i in range(count) for k in range(4)),
    )


class Repository:
    def __init__(self, db):
        self.db = db
        self._customers = {}
        self._by_id = {}

    def customer(self, cid):
        if cid not in self._customers:
            row = self.db.execute("select id, name, vip from customer where id=?", (cid,)).fetchone()
            self._customers[cid] = Customer(row[0], row[1], bool(row[2]))
        return self._customers[cid]

    def _lines(self, oid):
        return [Line(*r) for r in self.db.execute("select sku, qty, cents from line where order_id=?", (oid,))]

    def _hydrate(self, row):
        oid, customer, placed, state = row
        order = self._by_id.get(oid)
        if order is None:
            order = Order(oid, customer, datetime.date.fromisoformat(placed), state, self._lines(oid))
            self._by_id[oid] = order  # guilty
        return order

    def page(self, after, size=100):
        sql = "select id, customer, placed, state from orders where id > ? and state='new' order by id limit ?"
        return [self._hydrate(r) for r in self.db.execute(sql, (after, size)).fetchall()]

    def save(self, orders):
        changed = [(o.state, o.id) for o in orders if o.dirty]
        self.db.executemany("update orders set state=? where id=?", changed)
        for o in orders:
            o.dirty = False
        return len(changed)

    def purge(self):
        self.db.execute("delete from line where order_id in (select id from orders where state!='new')")
        self.db.execute("delete from orders where state!='new'")


class Reconciler:
    def __init__(self, repo):
        self.repo = repo
        self.totals = {}

    def settle(self, order):
        vip = self.repo.customer(order.customer).vip
        order.state = "priority" if vip else "settled"
        order.dirty = True
        self.totals[order.customer] = self.totals.get(order.customer, 0) + order.total()

    def run_day(self):
        after, n = 0, 0
        while orders := self.repo.page(after):
            for o in orders:
                self.settle(o)
            n += self.repo.save(orders)
            after = orders[-1].id
        self.repo.purge()
        return n


def main():
    db = sqlite3.connect(":memory:")
    create_schema(db)
    rec = Reconciler(Repository(db))
    done = first = 0
    for day in range(60):
        add_sample_day(db, day, first + 1, 500)
        first += 500
        done += rec.run_day()
        time.sleep(0.03)
    print(done, "orders reconciled", sum(rec.totals.values()))


main()
