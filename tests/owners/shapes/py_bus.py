from collections import defaultdict
from functools import partial

class Bus:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, topic, handler):
        self.handlers[topic].append(handler)

    def publish(self, topic, *args):
        for handler in self.handlers[topic]:
            handler(*args)

class Meter:
    def __init__(self):
        self.n = 0

    def read(self):
        self.n += 1
        return {"kwh": self.n * 0.25, "phase": [self.n % 3, self.n % 5, self.n % 7], "text": f"meter reading {self.n}"}

def bill(totals, reading):
    totals["kwh"] = totals.get("kwh", 0) + reading["kwh"]

def archive(store, kind, reading):
    store.setdefault(kind, []).append(reading)  # guilty

def warn(limit, reading):
    if reading["kwh"] > limit:
        return "too much"

def main():
    bus, store, totals, meter = Bus(), {}, {}, Meter()
    bus.on("reading", partial(bill, totals))
    bus.on("reading", partial(archive, store, "raw"))
    bus.on("reading", partial(warn, 1e9))
    for _ in range(60000):
        bus.publish("reading", meter.read())
    print(totals, len(store["raw"]))

main()
