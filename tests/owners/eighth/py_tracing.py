"""A service that traces its requests: spans are timed, and those of slow requests are handed to an exporter."""

import asyncio
import contextlib
import contextvars
import itertools
import random
import time

REQUESTS = 9000
SLOW_S = 0.9

current = contextvars.ContextVar("current", default=None)
numbers = itertools.count(1)


class Span:
    __slots__ = ("name", "number", "parent", "began", "took", "attributes", "events")

    def __init__(self, name, parent, attributes):
        self.name = name
        self.number = next(numbers)
        self.parent = parent
        self.began = time.perf_counter()
        self.took = None
        self.attributes = attributes
        self.events = []

    def event(self, text):
        self.events.append((time.perf_counter() - self.began, text))

    @property
    def root(self):
        span = self
        while span.parent is not None:
            span = span.parent
        return span


class Exporter:
    """Sends spans in batches; whoever receives them wants whole requests."""

    def __init__(self, batch=200):
        self.batch = batch
        self.waiting = []
        self.sent = 0

    def offer(self, span):
        self.waiting.append({"name": span.name, "took": span.took, "attributes": dict(span.attributes)})
        if len(self.waiting) >= self.batch:
            self.flush()

    def flush(self):
        self.sent += len(self.waiting)
        self.waiting.clear()


class Tracer:
    def __init__(self, exporter):
        self.exporter = exporter
        self.finished = {}

    @contextlib.contextmanager
    def span(self, name, **attributes):
        span = Span(name, current.get(), attributes)
        token = current.set(span)
        try:
            yield span
        finally:
            current.reset(token)
            span.took = time.perf_counter() - span.began
            self.finish(span)

    def finish(self, span):
        """Spans wait by their request, until it is known whether that was slow."""
        record = {
            "name": span.name,
            "parent": span.parent and span.parent.number,
            "took": span.took,
            "attributes": {key: str(value) for key, value in span.attributes.items()},
            "events": [f"{at:.6f} {text}" for at, text in span.events],  # guilty
        }
        self.finished.setdefault(span.root.number, []).append(record)
        if span.parent is None and span.took > SLOW_S:
            self.finished.pop(span.number)
            self.exporter.offer(span)


class Catalogue:
    """Articles, which the service has in memory for all requests."""

    def __init__(self, count):
        self.articles = {number: self.article(number) for number in range(count)}

    def article(self, number):
        return {"number": number, "title": f"Article {number} of the catalogue", "price": number % 977, "stock": number % 13}

    def price(self, number):
        return self.articles[number % len(self.articles)]["price"]


class Service:
    def __init__(self, tracer, catalogue):
        self.tracer = tracer
        self.catalogue = catalogue
        self.total = 0

    async def lookup(self, number):
        with self.tracer.span("lookup", article=number, table="articles") as span:
            price = self.catalogue.price(number)
            span.event(f"read article {number}")
            await asyncio.sleep(0)
            return price

    async def basket(self, customer, numbers):
        with self.tracer.span("basket", customer=customer) as span:
            prices = [await self.lookup(number) for number in numbers]
            span.event(f"{len(prices)} articles for customer {customer}")
            return sum(prices)

    async def handle(self, request):
        with self.tracer.span("request", path=f"/baskets/{request}", agent="shop/2.1") as span:
            rng = random.Random(request)
            total = await self.basket(request, [rng.randrange(100000) for _ in range(4)])
            span.event(f"answered {total}")
            self.total += total


async def serve(service):
    for first in range(0, REQUESTS, 100):
        await asyncio.gather(*(service.handle(request) for request in range(first, first + 100)))


def main():
    tracer = Tracer(Exporter())
    service = Service(tracer, Catalogue(18000))
    asyncio.run(serve(service))
    tracer.exporter.flush()
    print(service.total, tracer.exporter.sent)


main()
