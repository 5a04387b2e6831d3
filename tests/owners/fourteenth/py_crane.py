"""Moves containers in a yard: stacks, a crane whose commands are traced by a decorator, plans of a ship, and rehandles counted."""
import functools
import random
import time


class Trace:
    """What was called with what, for the screen of the foreman and for the hour after an accident."""

    def __init__(self):
        self.calls = []
        self.slow = 0

    def recorded(self, function):
        @functools.wraps(function)
        def run(*arguments, **named):
            begin = time.perf_counter()
            result = function(*arguments, **named)
            seconds = time.perf_counter() - begin
            self.calls.append((function.__name__, repr(arguments[1:]), named, result, seconds))  # guilty
            if seconds > 0.05:
                self.slow += 1
            return result

        return run

    def last(self, most):
        return [f"{name}{arguments} -> {result}" for name, arguments, _, result, _ in self.calls[-most:]]


trace = Trace()


class Container:
    def __init__(self, number, tons, port):
        self.number = number
        self.tons = tons
        self.port = port

    def __repr__(self):
        return f"{self.number} ({self.tons} t to {self.port})"


class Yard:
    def __init__(self, rows, highest):
        self.stacks = [[] for _ in range(rows)]
        self.highest = highest

    def lowest(self, without=None):
        free = [i for i, stack in enumerate(self.stacks) if i != without and len(stack) < self.highest]
        return min(free, key=lambda i: len(self.stacks[i]))

    def find(self, container):
        for row, stack in enumerate(self.stacks):
            if container in stack:
                return row
        raise LookupError(container)


class Crane:
    def __init__(self, yard):
        self.yard = yard
        self.at = 0
        self.metres = 0.0
        self.rehandled = 0

    @trace.recorded
    def drive(self, row):
        distance = abs(row - self.at) * 6.5
        self.metres += distance
        self.at = row
        return distance

    @trace.recorded
    def lift(self, row):
        self.drive(row)
        return self.yard.stacks[row].pop()

    @trace.recorded
    def put(self, container, row):
        self.drive(row)
        self.yard.stacks[row].append(container)
        return len(self.yard.stacks[row])

    def fetch(self, container):
        row = self.yard.find(container)
        while self.yard.stacks[row][-1] is not container:
            self.put(self.lift(row), self.yard.lowest(without=row))
            self.rehandled += 1
        return self.lift(row)


class Ship:
    def __init__(self, name, ports):
        self.name = name
        self.bays = {port: [] for port in ports}

    def load(self, container):
        self.bays[container.port].append(container)

    def tons(self):
        return sum(c.tons for bay in self.bays.values() for c in bay)


class Terminal:
    PORTS = ("Santos", "Durban", "Colombo", "Pusan", "Callao")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.yard = Yard(40, 5)
        self.crane = Crane(self.yard)
        self.here = []
        self.numbers = iter(range(10**6, 10**7))
        self.heaviest = 0

    def take_in(self, count):
        for _ in range(count):
            container = Container(f"HLXU{next(self.numbers)}", self.random.randrange(3, 31), self.random.choice(self.PORTS))
            self.crane.put(container, self.yard.lowest())
            self.here.append(container)

    def load_ship(self, number, count):
        ship = Ship(f"ship {number}", self.PORTS)
        plan = sorted(self.random.sample(self.here, count), key=lambda c: (c.port, -c.tons))
        for container in plan:
            ship.load(self.crane.fetch(container))
            self.here.remove(container)
        self.heaviest = max(self.heaviest, ship.tons())
        return ship


def main():
    terminal = Terminal(14)
    terminal.take_in(100)
    for number in range(380):
        terminal.take_in(50)
        terminal.load_ship(number, 50)
    crane = terminal.crane
    print(f"{crane.metres / 1000:.1f} km, {crane.rehandled} moved twice, heaviest ship {terminal.heaviest} t, {trace.slow} slow")
    print("\n".join(trace.last(3)))


if __name__ == "__main__":
    main()
