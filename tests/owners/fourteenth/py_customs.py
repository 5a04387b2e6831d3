"""Clears declarations at customs: lines through a pipeline of generators, tariffs, matching with manifests of ships, and duties."""
import random
import re
from collections import Counter, namedtuple

Goods = namedtuple("Goods", "container code description kilos value")
Declaration = namedtuple("Declaration", "number trader goods")
Arrival = namedtuple("Arrival", "ship container seal")

LINE = re.compile(r"(?P<kind>DEC|ARR)\|(?P<rest>.*)")


def started(function):
    """A generator that takes values is run up to where it waits for the first."""

    def start(*arguments):
        generator = function(*arguments)
        next(generator)
        return generator

    return start


class Tariff:
    def __init__(self, chapters):
        self.rates = {f"{chapter:02d}": (chapter * 7 % 13) / 100 for chapter in range(chapters)}

    def duty(self, goods):
        return goods.value * self.rates.get(goods.code[:2], 0.1)


class Port:
    """What comes in over the line: declarations, and the arrivals of containers, in any order."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def lines(self, count):
        names = ["cotton shirts", "roasted coffee", "ball bearings", "garden chairs", "toys of plastic"]
        for number in range(count):
            container = f"MSKU{self.random.randrange(10**6):06d}"
            goods = ";".join(
                f"{self.random.randrange(90):02d}{self.random.randrange(10**4):04d},{self.random.choice(names)},{self.random.randrange(20000)},{self.random.randrange(90000)}"
                for _ in range(1 + self.random.randrange(4))
            )
            yield f"DEC|{number}|trader {self.random.randrange(300)}|{container}|{goods}"
            if self.random.random() < 0.45:
                yield f"ARR|ship {number // 900}|{container}|{self.random.randrange(10**7)}"
            elif self.random.random() < 0.01:
                yield "ARR|broken"


def parse(lines):
    for line in lines:
        match = LINE.match(line)
        fields = match["rest"].split("|")
        if match["kind"] == "ARR":
            yield Arrival(*fields) if len(fields) == 3 else None
            continue
        number, trader, container, goods = fields
        items = []
        for item in goods.split(";"):
            code, description, kilos, value = item.split(",")
            items.append(Goods(container, code, description, int(kilos), int(value)))
        yield Declaration(int(number), trader, items)


@started
def matcher(target):
    """Sends on a declaration with the arrival of its container, whichever was first."""
    declared, arrived = {}, {}
    pair = None
    while True:
        item = yield pair
        pair = None
        if isinstance(item, Declaration):
            container = item.goods[0].container
            if container in arrived:
                pair = (item, arrived.pop(container))
            else:
                declared[container] = item  # guilty
        elif item.container in declared:
            pair = (declared[item.container], item)
        elif len(arrived) < 1000:
            arrived[item.container] = item
        if pair:
            target.send(pair)


@started
def assessor(tariff, totals):
    cleared = 0
    while True:
        declaration, arrival = yield cleared
        cleared += 1
        totals[declaration.trader] += sum(tariff.duty(goods) for goods in declaration.goods)
        totals[arrival.ship] += 1


@started
def sampler(every, stack):
    """Each so many lines one is put on the desk of an officer, who sees the last ten."""
    count = 0
    while True:
        item = yield
        count += 1
        if count % every == 0:
            stack.append(item)
            del stack[:-10]


def main():
    totals, stack = Counter(), []
    matching = matcher(assessor(Tariff(97), totals))
    sampling = sampler(500, stack)
    broken = 0
    for item in parse(Port(6).lines(60000)):
        if item is None:
            broken += 1
            continue
        matching.send(item)
        sampling.send(item)
    print(f"{broken} broken lines, {len(stack)} on the desk")
    for name, total in totals.most_common(3):
        print(f"{name}: {total:.0f}")


if __name__ == "__main__":
    main()
