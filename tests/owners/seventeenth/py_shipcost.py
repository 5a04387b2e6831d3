"""Freight rates for parcels over a network of hubs."""
import functools
import heapq
import random
import time


def remembered(fn):
    results = {}

    @functools.wraps(fn)
    def lookup(*args):
        if args not in results:
            results[args] = fn(*args)  # guilty
        return results[args]

    lookup.size = lambda: len(results)
    return lookup


HUBS = {}


def build_network(n, seed):
    rng = random.Random(seed)
    for i in range(n):
        HUBS[i] = [(rng.randrange(n), rng.randint(1, 30)) for _ in range(3)]
        HUBS[i].append(((i + 1) % n, 12))


@remembered
def route(src, dst):
    heap = [(0, src, (src,))]
    done = set()
    while heap:
        dist, at, path = heapq.heappop(heap)
        if at == dst:
            return dist, path
        if at in done:
            continue
        done.add(at)
        for to, d in HUBS[at]:
            if to not in done:
                heapq.heappush(heap, (dist + d, to, path + (to,)))
    return None


@remembered
def quote(src, dst, grams, customer, stamp):
    dist, path = route(src, dst)
    base = 2.9 + dist * 0.05 * grams / 1000
    legs = [{"from": a, "to": b, "share": round(base / len(path), 4)}
            for a, b in zip(path, path[1:])]
    return {"price": round(base, 2), "legs": legs}


class Desk:
    def __init__(self, rng):
        self.rng = rng
        self.recent = []

    def serve(self, stamp):
        src, dst = self.rng.sample(range(24), 2)
        q = quote(src, dst, self.rng.randint(100, 30000), self.rng.randrange(4000), stamp)
        self.recent.append(q["price"])
        if len(self.recent) > 100:
            self.recent.pop(0)
        return q["price"]


def main():
    build_network(24, 8)
    desk = Desk(random.Random(2))
    total = 0.0
    for i in range(42000):
        total += desk.serve(1700000000 + i // 3)
        if i % 400 == 0:
            time.sleep(0.013)
    print(round(total, 2), route.size(), quote.size())
    time.sleep(0.2)


if __name__ == "__main__":
    main()
