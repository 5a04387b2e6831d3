"""A colony of ants as a simulation of events: closures in a queue, in the order of time."""

import heapq
import itertools
import random


class Simulation:
    def __init__(self):
        self.now = 0.0
        self._queue = []
        self._order = itertools.count()

    def after(self, delay, action):
        heapq.heappush(self._queue, (self.now + delay, next(self._order), action))

    def run(self, until):
        while self._queue and self._queue[0][0] <= until:
            self.now, _, action = heapq.heappop(self._queue)
            action()

    @property
    def waiting(self):
        return len(self._queue)


class Field:
    def __init__(self, size):
        self.size = size
        self.scent = [[0.0] * size for _ in range(size)]

    def around(self, x, y):
        return [((x + dx) % self.size, (y + dy) % self.size) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]

    def fade(self, x, y, amount):
        self.scent[x][y] -= amount


class Ant:
    def __init__(self, number, field):
        self.number = number
        self.x = self.y = field.size // 2
        self.trips = []

    def step(self, field, rng):
        places = field.around(self.x, self.y)
        self.x, self.y = max(places, key=lambda p: field.scent[p[0]][p[1]] + rng.random())
        if rng.random() < 0.01:
            self.trips.append((self.x, self.y))


class Colony:
    def __init__(self, simulation, field, ants):
        self.simulation = simulation
        self.field = field
        self.rng = random.Random(5)
        self.ants = [Ant(number, field) for number in range(ants)]

    def leave_scent(self, x, y, amount):
        """The scent goes after a while; with as many drops as this there is one closure for each that waits."""
        self.field.scent[x][y] += amount
        places = self.field.around(x, y)

        def fade():
            for px, py in places:
                self.field.fade(px, py, amount / 9)

        self.simulation.after(5000 + self.rng.random(), fade)  # guilty

    def move(self, ant):
        ant.step(self.field, self.rng)
        self.leave_scent(ant.x, ant.y, 0.1)
        self.simulation.after(1, lambda: self.move(ant))

    def start(self):
        for ant in self.ants:
            self.simulation.after(ant.number / len(self.ants), lambda ant=ant: self.move(ant))


def main():
    simulation = Simulation()
    colony = Colony(simulation, Field(120), 60)
    colony.start()
    simulation.run(600)
    print(simulation.waiting, "events wait;", sum(len(ant.trips) for ant in colony.ants), "trips")


if __name__ == "__main__":
    main()
