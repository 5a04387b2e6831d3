"""Tiny WSGI-like app with request tracing, driven by a fake load generator."""
import random
import time
from collections import OrderedDict


class Span:
    __slots__ = ("trace_id", "name", "start", "end", "tags", "children")

    def __init__(self, trace_id, name):
        self.trace_id = trace_id
        self.name = name
        self.start = time.perf_counter()
        self.end = None
        self.tags = {}
        self.children = []


class Tracer:
    def __init__(self, sample_every=1):
        self.sample_every = sample_every
        self.slow_threshold = 0.002
        self._traces = {}
        self._count = 0

    def start_span(self, name, parent=None):
        trace_id = parent.trace_id if parent else "%032x" % random.getrandbits(128)
        span = Span(trace_id, name)
        if parent is not None:
            parent.children.append(span)
        return span

    def finish_span(self, span):
        span.end = time.perf_counter()
        if span.name != "request":
            return
        self._count += 1
        if self._count % self.sample_every == 0:
            self._traces[span.trace_id] = {  # guilty
                "duration": span.end - span.start,
                "tags": dict(span.tags),
                "timeline": [
                    (c.name, c.start - span.start, (c.end or c.start) - span.start, "%s/%s" % (span.name, c.name))
                    for c in span.children
                ],
            }

    def slow_traces(self):
        return sum(1 for t in self._traces.values() if t["duration"] > self.slow_threshold)


class FragmentCache:
    def __init__(self, limit=250):
        self.limit = limit
        self._items = OrderedDict()

    def get_or_render(self, key, render):
        if key in self._items:
            self._items.move_to_end(key)
            return self._items[key]
        value = self._items[key] = render(key)
        if len(self._items) > self.limit:
            self._items.popitem(last=False)
        return value


class App:
    def __init__(self, tracer):
        self.tracer = tracer
        self.fragments = FragmentCache()
        self.routes = {
            "/": self.home,
            "/search": self.search,
            "/item": self.item,
        }

    def __call__(self, path, query):
        span = self.tracer.start_span("request")
        span.tags["path"] = path
        span.tags["query"] = query
        span.tags["client"] = "10.0.%d.%d" % (random.randrange(256), random.randrange(256))
        try:
            body = self.routes[path](span, query)
            span.tags["length"] = str(len(body))
            return body
        finally:
            self.tracer.finish_span(span)

    def _step(self, span, name, n):
        child = self.tracer.start_span(name, span)
        rows = [{"id": i, "title": "row %d" % i} for i in range(n)]
        self.tracer.finish_span(child)
        return rows

    def home(self, span, query):
        rows = self._step(span, "db.latest", 20)
        side = self.fragments.get_or_render("side-%s" % (len(query) % 7), lambda k: (k + " ") * 1500)
        return side + "".join(r["title"] for r in rows)

    def search(self, span, query):
        found = []
        for shard in range(5):
            found += self._step(span, "shard.%d" % shard, 12)
        return "\n".join("%(id)d %(title)s" % r for r in found)

    def item(self, span, query):
        self._step(span, "db.item", 3)
        self._step(span, "db.related", 10)
        return self.fragments.get_or_render(query, lambda k: ("<item %s>" % k) * 900)


def main():
    random.seed(4)
    tracer = Tracer()
    app = App(tracer)
    sent = 0
    for second in range(400):
        for _ in range(60):
            path = random.choice(("/", "/search", "/item"))
            sent += len(app(path, "q=%d" % random.randrange(600)))
        time.sleep(0.005)
    print("sent", sent, "slow", tracer.slow_traces())


if __name__ == "__main__":
    main()
