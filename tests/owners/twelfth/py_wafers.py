"""Tests chips on wafers: probes every die, sorts it into a bin, and maps where a wafer fails."""
import array
import itertools
import random
from collections import Counter, namedtuple

Limits = namedtuple("Limits", "low high")
Die = namedtuple("Die", "x y bin values")

TESTS = {
    "idd": Limits(1.0, 9.0),
    "vref": Limits(1.17, 1.23),
    "fmax": Limits(80, 400),
    "leak": Limits(0, 2.5),
    "gain": Limits(38, 44),
}


class Prober:
    """Moves over a wafer and measures."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def positions(self, radius):
        for x, y in itertools.product(range(-radius, radius + 1), repeat=2):
            if x * x + y * y <= radius * radius:
                yield x, y

    def measure(self, x, y, quality):
        edge = (x * x + y * y) / 600
        spread = self.random.gauss
        return [
            5 + spread(0, 1.2) + edge,
            1.2 + spread(0, 0.012 / quality),
            220 + spread(0, 50) - 40 * edge,
            abs(spread(0.5, 0.8)) * (1 + edge),
            41 + spread(0, 0.9 / quality),
        ]


class Sorter:
    def __init__(self, limits):
        self.limits = list(limits.items())
        self.failures = Counter()

    def sort(self, values):
        for number, ((name, limit), value) in enumerate(zip(self.limits, values)):
            if not limit.low <= value <= limit.high:
                self.failures[name] += 1
                return 10 + number
        return 1 if values[2] > 230 else 2


class WaferMap:
    def __init__(self, lot, number, radius):
        self.lot, self.number, self.radius = lot, number, radius
        self.dies = []

    def add(self, die):
        self.dies.append(die)

    def good(self):
        return sum(1 for die in self.dies if die.bin < 10)

    def good_share(self):
        return self.good() / len(self.dies)

    def clusters(self):
        """Dies that failed beside one that failed."""
        failed = {(d.x, d.y) for d in self.dies if d.bin >= 10}
        return sum(1 for x, y in failed if (x + 1, y) in failed or (x, y + 1) in failed)

    def picture(self):
        side = 2 * self.radius + 1
        cells = array.array("B", bytes(side * side))
        for die in self.dies:
            cells[(die.y + self.radius) * side + die.x + self.radius] = die.bin
        return cells


class Lot:
    def __init__(self, name):
        self.name = name
        self.shares = []

    def record(self, share):
        self.shares.append(share)

    def mean(self):
        return sum(self.shares) / len(self.shares)


class Floor:
    """The test floor; engineers may ask for a wafer that failed."""

    def __init__(self, prober, sorter):
        self.prober, self.sorter = prober, sorter
        self.held = {}
        self.lots = []
        self.pictures = Counter()

    def test(self, lot, number, radius, quality):
        wafer = WaferMap(lot.name, number, radius)
        for x, y in self.prober.positions(radius):
            values = self.prober.measure(x, y, quality)
            wafer.add(Die(x, y, self.sorter.sort(values), values))
        lot.record(wafer.good_share())
        return wafer

    def hold(self, wafer, reason):
        self.held[wafer.lot, wafer.number] = (wafer, reason)  # guilty

    def judge(self, wafer):
        share = wafer.good_share()
        if share < 0.9:
            self.hold(wafer, f"only {share:.0%} good")
        elif wafer.clusters() > 25:
            self.hold(wafer, f"{wafer.clusters()} in clusters")
        else:
            self.pictures.update(wafer.picture())

    def run(self, lots):
        for number in range(lots):
            lot = Lot(f"L{7000 + number}")
            for wafer in range(12):
                self.judge(self.test(lot, wafer, 13, 0.55 + (number + wafer) % 5 * 0.1))
            self.lots.append(lot)


def main():
    floor = Floor(Prober(31), Sorter(TESTS))
    floor.run(18)
    worst = min(floor.lots, key=Lot.mean)
    reasons = Counter(reason.split()[-1] for _, reason in floor.held.values())
    print(f"{len(floor.lots)} lots, worst {worst.name} {worst.mean():.3f}, held {dict(reasons)}, failed {floor.sorter.failures.most_common(2)}")


if __name__ == "__main__":
    main()
