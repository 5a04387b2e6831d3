"""crumbs - web workers with a logging handler that attaches recent log lines to error reports."""
import contextvars
import itertools
import logging
import random
import threading
import time

request_id = contextvars.ContextVar("request_id", default=None)
log = logging.getLogger("shop")


class Breadcrumbs(logging.Handler):
    """Remembers what each request logged, for the report if it fails."""

    def __init__(self):
        super().__init__()
        self.trail = {}

    def emit(self, record):
        rid = request_id.get()
        if rid is None:
            return
        self.trail.setdefault(rid, []).append((record.created, record.levelname, record.getMessage(), record.funcName))  # guilty

    def take(self, rid):
        return self.trail.pop(rid, [])


class Reporter:
    def __init__(self, crumbs, keep=100):
        self.crumbs = crumbs
        self.keep = keep
        self.reports = []
        self.lock = threading.Lock()

    def failure(self, rid, exc):
        lines = [f"{lvl} {fn}: {msg}" for _, lvl, msg, fn in self.crumbs.take(rid)]
        with self.lock:
            self.reports.append({"id": rid, "error": repr(exc), "trail": lines})
            del self.reports[:-self.keep]


class Catalog:
    def __init__(self):
        self.prices = {f"sku-{i}": 100 + i * 7 % 900 for i in range(2000)}

    def price(self, sku):
        p = self.prices[sku]
        log.debug("price of %s is %d", sku, p)
        return p


class Checkout:
    def __init__(self, catalog, rng):
        self.catalog = catalog
        self.rng = rng

    def basket(self):
        return [f"sku-{self.rng.randrange(2000)}" for _ in range(self.rng.randint(2, 9))]

    def charge(self, total):
        if self.rng.random() < 0.02:
            log.error("card refused for %d", total)
            raise RuntimeError("payment refused")
        log.info("charged %d", total)

    def run(self):
        skus = self.basket()
        log.info("basket with %d items: %s", len(skus), ", ".join(skus))
        total = sum(self.catalog.price(s) for s in skus)
        self.charge(total)
        return total


class Worker(threading.Thread):
    def __init__(self, ids, checkout, reporter, count):
        super().__init__()
        self.ids, self.checkout, self.reporter, self.count = ids, checkout, reporter, count
        self.revenue = 0

    def serve_one(self):
        rid = f"req-{next(self.ids):08d}"
        token = request_id.set(rid)
        try:
            self.revenue += self.checkout.run()
        except RuntimeError as e:
            self.reporter.failure(rid, e)
        finally:
            request_id.reset(token)

    def run(self):
        for n in range(self.count):
            self.serve_one()
            if n % 50 == 0:
                time.sleep(0.01)


def main():
    crumbs = Breadcrumbs()
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(crumbs)
    reporter = Reporter(crumbs)
    ids = itertools.count(1)
    catalog = Catalog()
    workers = [Worker(ids, Checkout(catalog, random.Random(s)), reporter, 7000) for s in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    print(sum(w.revenue for w in workers), "revenue", len(reporter.reports), "reports")


main()
