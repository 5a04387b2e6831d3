"""Electricity meters send readings; one task checks them, one bills them, and one puts what looks wrong aside."""

import asyncio
import json
import random


class Meter:
    def __init__(self, number, rng):
        self.number = number
        self.rng = rng
        self.total = rng.uniform(100, 9000)

    def message(self, hour):
        self.total += abs(self.rng.gauss(0.4, 0.3))
        faulty = self.rng.random() < 0.12
        reading = {
            "meter": f"DE-{self.number:08d}",
            "hour": hour,
            "kwh": round(self.total if not faulty else self.total * 10, 3),
            "voltage": [round(self.rng.gauss(230, 3), 1) for _ in range(3)],
            "firmware": "4.1.%d" % self.rng.randint(0, 9),
        }
        return json.dumps(reading)


class Checker:
    """Compares a reading with the one before."""

    def __init__(self):
        self.last = {}

    def plausible(self, reading):
        before = self.last.get(reading["meter"])
        if before is not None and not 0 <= reading["kwh"] - before < 20:
            return False
        self.last[reading["meter"]] = reading["kwh"]
        return True


class Billing:
    def __init__(self, price):
        self.price = price
        self.billed = {}

    def bill(self, reading):
        first, _ = self.billed.get(reading["meter"], (reading["kwh"], 0))
        self.billed[reading["meter"]] = (first, (reading["kwh"] - first) * self.price)

    def total(self):
        return sum(amount for _, amount in self.billed.values())


class Review:
    """People look at what is doubtful, some readings an hour."""

    def __init__(self):
        self.queue = asyncio.Queue()
        self.reviewed = 0

    async def submit(self, reading, reason):
        await self.queue.put({"reading": reading, "reason": reason, "tries": 0})  # guilty

    async def look(self, count):
        for _ in range(min(count, self.queue.qsize())):
            entry = await self.queue.get()
            entry["tries"] += 1
            self.reviewed += 1


class Intake:
    def __init__(self, checker, billing, review):
        self.checker = checker
        self.billing = billing
        self.review = review
        self.lines = asyncio.Queue(maxsize=500)

    async def receive(self, line):
        await self.lines.put(line)

    async def run(self):
        while True:
            line = await self.lines.get()
            if line is None:
                return
            reading = json.loads(line)
            if self.checker.plausible(reading):
                self.billing.bill(reading)
            else:
                await self.review.submit(reading, "jump of the counter")


async def send(intake, review, hours):
    rng = random.Random(2)
    meters = [Meter(number, rng) for number in range(1500)]
    for hour in range(hours):
        for meter in meters:
            await intake.receive(meter.message(hour))
        await review.look(25)
    await intake.receive(None)


async def run():
    review = Review()
    billing = Billing(0.31)
    intake = Intake(Checker(), billing, review)
    await asyncio.gather(send(intake, review, 110), intake.run())
    print(f"{billing.total():.2f} billed, {review.reviewed} reviewed, {review.queue.qsize()} wait")


def main():
    asyncio.run(run())


if __name__ == "__main__":
    main()
