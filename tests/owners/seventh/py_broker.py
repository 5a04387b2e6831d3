"""Sends events of devices to those who subscribed, by topics with wildcards; who is slow gets them later."""

import contextlib
import itertools
import struct
import weakref
from abc import ABC, abstractmethod
from collections import deque


class Subscriber(ABC):
    def __init__(self, name):
        self.name = name

    @abstractmethod
    def deliver(self, topic, payload):
        """True if it was taken."""


class Counter(Subscriber):
    def __init__(self, name):
        super().__init__(name)
        self.count = 0

    def deliver(self, topic, payload):
        self.count += 1
        return True


class Slow(Counter):
    """Takes one of each few."""

    def __init__(self, name, each):
        super().__init__(name)
        self.turn = itertools.cycle([True] + [False] * (each - 1))

    def deliver(self, topic, payload):
        return next(self.turn) and super().deliver(topic, payload)


def matches(pattern, topic):
    for wanted, part in itertools.zip_longest(pattern, topic):
        if wanted == "#":
            return True
        if wanted != "+" and wanted != part:
            return False
    return True


class Link:
    """The way to one subscriber: what it did not take waits here."""

    def __init__(self, subscriber, pattern):
        self.subscriber = weakref.proxy(subscriber)
        self.pattern, self.waiting = tuple(pattern.split("/")), deque()

    def postpone(self, topic, payload):
        self.waiting.append((topic, bytes(payload)))  # guilty

    def send(self, topic, payload):
        if not self.subscriber.deliver(topic, payload):
            self.postpone(topic, payload)

    def drain(self, most):
        for _ in range(min(most, len(self.waiting))):
            topic, payload = self.waiting.popleft()
            if not self.subscriber.deliver(topic, payload):
                self.waiting.appendleft((topic, payload))
                return


class Broker:
    def __init__(self):
        self.links, self.retained = [], {}

    @contextlib.contextmanager
    def subscribed(self, subscriber, *patterns):
        mine = [Link(subscriber, pattern) for pattern in patterns]
        self.links += mine
        try:
            yield mine
        finally:
            self.links = [link for link in self.links if link not in mine]

    def retain(self, topic, payload):
        self.retained[topic] = bytes(payload)

    def publish(self, topic, payload):
        self.retain(topic, payload)
        for link in self.links:
            if matches(link.pattern, topic):
                link.send(topic, payload)


def measurements(count):
    frame = bytearray(600)
    for i in range(count):
        struct.pack_into("<Idd", frame, 0, i, i * 0.25, (i * 31 % 977) / 10)
        yield ("plant", f"line{i % 6}", "oven" if i % 4 else "press", f"sensor{i % 25}"), memoryview(frame)


def main():
    broker, board, archive = Broker(), Counter("board"), Slow("archive", 3)
    with broker.subscribed(board, "plant/#"), broker.subscribed(archive, "plant/+/oven/#", "plant/line1/press/+") as links:
        for i, (topic, payload) in enumerate(measurements(150_000)):
            broker.publish(topic, payload)
            if i % 40 == 0:
                for link in links:
                    link.drain(5)
        print(board.count, archive.count, len(broker.retained))


if __name__ == "__main__":
    main()
