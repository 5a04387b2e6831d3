"""A service that imports orders; its status page shows the last log lines of each part of it."""

import collections
import logging
import random

log = logging.getLogger("orders")


class RecentLines(logging.Handler):
    """Keeps formatted records for the status page, by the logger that wrote them."""

    def __init__(self, shown=50):
        super().__init__()
        self.shown = shown
        self.lines = collections.defaultdict(list)

    def emit(self, record):
        self.lines[record.name].append(self.format(record))  # guilty

    def page(self):
        parts = []
        for name in sorted(self.lines):
            parts.append(f"== {name}")
            parts.extend(self.lines[name][-self.shown :])
        return "\n".join(parts)


class RequestContext(logging.Filter):
    def __init__(self):
        super().__init__()
        self.tenant = "-"

    def filter(self, record):
        record.tenant = self.tenant
        return True


class Articles:
    """The catalogue, which is read once."""

    def __init__(self, count):
        self.by_number = {}
        for number in range(count):
            self.by_number[f"A-{number:06d}"] = {"title": f"Article {number} of the autumn catalogue", "price": number % 900 + 0.95}

    def price(self, number):
        article = self.by_number.get(number)
        if article is None:
            raise KeyError(number)
        return article["price"]


class Importer:
    def __init__(self, articles, context):
        self.articles = articles
        self.context = context
        self.log = logging.getLogger("orders.import")
        self.totals = collections.Counter()

    def order(self, tenant, number, lines):
        self.context.tenant = f"{tenant} trace={number}-4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7 instance=orders-7d9f"
        total = 0
        for article, amount in lines:
            try:
                total += self.articles.price(article) * amount
            except KeyError:
                self.log.warning("order %s has an article that is not in the catalogue: %s", number, article)
                continue
            self.log.debug("order %s: %d of %s, together %.2f so far", number, amount, article, total)
        self.totals[tenant] += total
        self.log.info("order %s of %d lines is booked: %.2f EUR", number, len(lines), total)


class Stock:
    def __init__(self):
        self.log = logging.getLogger("orders.stock")
        self.reserved = collections.Counter()

    def reserve(self, lines):
        for article, amount in lines:
            self.reserved[article] += amount
            if self.reserved[article] % 40 == 0:
                self.log.info("%s is reserved %d times; a new delivery is ordered", article, self.reserved[article])


def configure():
    recent = RecentLines()
    recent.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s [%(tenant)s] %(message)s"))
    context = RequestContext()
    recent.addFilter(context)
    log.addHandler(recent)
    log.setLevel(logging.DEBUG)
    return recent, context


def orders(count):
    rng = random.Random(3)
    for number in range(count):
        lines = [(f"A-{rng.randrange(16050):06d}", rng.randrange(1, 9)) for _ in range(1 + number % 7)]
        yield f"tenant-{number % 37}", f"2023-{number:07d}", lines


def main():
    recent, context = configure()
    importer = Importer(Articles(16000), context)
    stock = Stock()
    for tenant, number, lines in orders(16000):
        importer.order(tenant, number, lines)
        stock.reserve(lines)
    page = recent.page()
    print(len(page.splitlines()), "lines,", len(importer.totals), "tenants,", len(stock.reserved), "articles")


if __name__ == "__main__":
    main()
