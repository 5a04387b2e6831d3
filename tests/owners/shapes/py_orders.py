from dataclasses import dataclass, field
import itertools

@dataclass
class Line:
    sku: str
    count: int
    note: str = ""

@dataclass
class Order:
    number: int
    lines: list = field(default_factory=list)
    audit: list = field(default_factory=list)

    def add(self, sku, count):
        self.lines.append(Line(sku, count))

    def total(self):
        return sum(line.count for line in self.lines)

class Warehouse:
    def __init__(self):
        self.open = {}
        self.shipped = []
        self.numbers = itertools.count(1)

    def take(self, skus):
        order = Order(next(self.numbers))
        for sku in skus:
            order.add(sku, len(sku))
        self.open[order.number] = order
        return order.number

    def ship(self, number):
        order = self.open.pop(number)
        self.shipped.append(order)  # guilty

    def quote(self, skus):
        order = Order(0)
        for sku in skus:
            order.add(sku, 1)
        return order.total()

def customer(seed):
    return [f"article-{seed}-{i}" for i in range(8)]

def main():
    warehouse, quoted = Warehouse(), 0
    for seed in range(12000):
        skus = customer(seed)
        quoted += warehouse.quote(skus)
        warehouse.ship(warehouse.take(skus))
    print(quoted, len(warehouse.shipped))

main()
