"""Stores for tests of `heapflame fleet`, and what least squares say of the same profiles."""

import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

from _heap import HEAPFLAME, SOURCE
from _schemas import held

MAKE = Path(os.environ["BUILD"]).resolve() / "tests/make-store"
START_MS = 1764374400000  # 2025-11-29 00:00 UTC
HOUR_MS = 3600000
__all__ = ["HOUR_MS", "MAKE", "SOURCE", "START_MS", "Instance", "ask", "ask_json", "make"]


class Instance:
    """One run of a process: its profiles are (ms, {place: bytes})."""

    def __init__(self, name, node, service="shop", build="2.4.1", profiles=()):
        self.name, self.node, self.service, self.build, self.profiles = name, node, service, build, list(profiles)

    def points(self, place=None, since=0, until=1 << 62):
        """(ms, bytes) of a place, or of all; absent means zero."""
        return [(ms, held.get(place, 0) if place is not None else sum(held.values()))
                for ms, held in self.profiles if since <= ms < until]

    def slope(self, place=None, **span):
        """Bytes a second, by exact arithmetic."""
        points = self.points(place, **span)
        n = len(points)
        mean_t, mean_y = Fraction(sum(t for t, _ in points), n), Fraction(sum(y for _, y in points), n)
        tt = sum((t - mean_t) ** 2 for t, _ in points)
        return sum((t - mean_t) * (y - mean_y) for t, y in points) / tt * 1000

    def ran_ms(self):
        return self.profiles[-1][0] - self.profiles[0][0]


def make(path, *instances, batch=13):
    lines = []
    for one in instances:
        lines.append("\t".join(["instance", one.name, one.service, one.build, one.node]))
        for number, (ms, places) in enumerate(one.profiles):
            words = [str(word) for item in places.items() for word in item]
            lines.append("\t".join(["profile", str(ms), *words]))
            if number % batch == batch - 1:
                lines.append("batch")
    subprocess.run([MAKE, path], input="\n".join(lines) + "\n", text=True, check=True)
    return path


def ask(what, store, *options, status=0):
    done = subprocess.run([HEAPFLAME, "fleet", what, "--store", store, *options], capture_output=True, text=True, check=False)
    assert done.returncode == status, (what, options, done.returncode, done.stderr)
    return done.stdout if status in (0, 4) else done.stderr


def ask_json(what, store, *options, status=0):
    return held(json.loads(ask(what, store, "--json", *options, status=status)))
