"""Plans of houses: rooms with dimensions that are computed from each other, as in a CAD."""


class Signal:
    def __init__(self):
        self.handlers = []

    def connect(self, handler):
        self.handlers.append(handler)
        return handler

    def emit(self, *args):
        for handler in list(self.handlers):
            handler(*args)


class Dimension:
    def __init__(self, name, value=0.0):
        self.name = name
        self.changed = Signal()
        self.before = []
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        # Never cut, and written also when nothing changes.
        self.before.append({"name": self.name, "old": self._value, "new": new, "by": "user"})  # guilty
        if new != self._value:
            self._value = new
            self.changed.emit(self)

    def __repr__(self):
        return f"{self.name}={self._value:g}"


class Rule:
    """One dimension follows others."""

    def __init__(self, target, function, *sources):
        self.target = target
        self.function = function
        self.sources = sources
        for source in sources:
            source.changed.connect(self.apply)
        self.apply(None)

    def apply(self, _source):
        self.target.value = self.function(*(s.value for s in self.sources))


class Room:
    def __init__(self, name, width, depth):
        self.name = name
        self.width = Dimension(f"{name}.width", width)
        self.depth = Dimension(f"{name}.depth", depth)
        self.area = Dimension(f"{name}.area")
        self.rules = [Rule(self.area, lambda w, d: w * d, self.width, self.depth)]

    def describe(self):
        return {"name": self.name, "area": self.area.value, "walls": 2 * (self.width.value + self.depth.value)}


class House:
    def __init__(self, rooms):
        self.rooms = [Room(f"room{n}", 3 + n % 4, 4 + n % 3) for n in range(rooms)]
        self.total = Dimension("total")
        self.rule = Rule(self.total, lambda *areas: sum(areas), *(room.area for room in self.rooms))
        self.log = []
        self.total.changed.connect(self.note)

    def note(self, total):
        self.log.append(round(total.value, 2))
        del self.log[:-50]

    def snapshot(self):
        return [room.describe() for room in self.rooms]


def drag(house, steps):
    kept = []
    for step in range(steps):
        room = house.rooms[step % len(house.rooms)]
        room.width.value = 3 + step % 17 / 10
        room.depth.value = 4 + step % 5 / 10
        if step % 1000 == 0:
            kept.append(house.snapshot())
    return kept


def main():
    house = House(40)
    kept = drag(house, 21000)
    print(house.total, len(kept), "snapshots,", house.log[-1])


main()
