"""Simulates robots of a warehouse that fetch shelves, to see how many are needed; what happens is an event with a time."""
import heapq
import random
from dataclasses import dataclass, field


@dataclass(order=True)
class Event:
    time: float
    number: int
    action: object = field(compare=False)


class Clock:
    def __init__(self):
        self.now = 0.0
        self.queue = []
        self.count = 0

    def after(self, seconds, action):
        self.count += 1
        heapq.heappush(self.queue, Event(self.now + seconds, self.count, action))

    def run(self, until):
        while self.queue and self.queue[0].time <= until:
            event = heapq.heappop(self.queue)
            self.now = event.time
            event.action()


@dataclass
class Position:
    x: float
    y: float

    def distance(self, other):
        return abs(self.x - other.x) + abs(self.y - other.y)


class Statistics:
    def __init__(self):
        self.samples = {}

    def observe(self, name, time, robot, value):
        self.samples.setdefault(name, []).append({"time": time, "robot": robot, "value": value})  # guilty

    def mean(self, name):
        values = [sample["value"] for sample in self.samples.get(name, ())]
        return sum(values) / len(values) if values else 0.0

    def worst(self, name):
        return max(self.samples[name], key=lambda sample: sample["value"])


class Robot:
    def __init__(self, number, floor):
        self.number = number
        self.floor = floor
        self.position = Position(0.0, float(number))
        self.charge = 1.0
        self.orders_done = 0

    def idle(self):
        if self.charge < 0.2:
            self.floor.statistics.observe("charging", self.floor.clock.now, self.number, 1 - self.charge)
            self.charge = 1.0
            self.floor.clock.after(600, self.idle)
            return
        shelf = self.floor.next_shelf()
        way = self.position.distance(shelf)
        self.charge -= way / 40000
        self.floor.statistics.observe("way", self.floor.clock.now, self.number, way)
        self.floor.clock.after(way / 1.5, lambda: self.arrived(shelf))

    def arrived(self, shelf):
        self.position = shelf
        self.orders_done += 1
        wait = self.floor.station_wait()
        self.floor.statistics.observe("wait", self.floor.clock.now, self.number, wait)
        self.floor.clock.after(20 + wait, self.idle)


class Floor:
    def __init__(self, robots, seed):
        self.random = random.Random(seed)
        self.clock = Clock()
        self.statistics = Statistics()
        self.shelves = [Position(x * 1.2, y * 2.0) for x in range(60) for y in range(50)]
        self.robots = [Robot(number, self) for number in range(robots)]
        self.busy_until = [0.0] * 6

    def next_shelf(self):
        return self.shelves[int(self.random.paretovariate(1.2)) * 17 % len(self.shelves)]

    def station_wait(self):
        station = min(range(len(self.busy_until)), key=self.busy_until.__getitem__)
        start = max(self.busy_until[station], self.clock.now)
        self.busy_until[station] = start + 6
        return start - self.clock.now

    def simulate(self, hours):
        for robot in self.robots:
            self.clock.after(robot.number * 0.5, robot.idle)
        self.clock.run(hours * 3600)
        return sum(robot.orders_done for robot in self.robots)


def main():
    floor = Floor(robots=90, seed=4)
    done = floor.simulate(hours=20)
    statistics = floor.statistics
    print(done, "orders, way", round(statistics.mean("way"), 1), "wait", round(statistics.mean("wait"), 1))
    print("worst wait", round(statistics.worst("wait")["value"]), "of robot", statistics.worst("wait")["robot"])


if __name__ == "__main__":
    main()
