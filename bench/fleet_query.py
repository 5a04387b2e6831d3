#!/usr/bin/env python3
"""How long the questions of `heapflame fleet` take, by nodes, stacks and hours; made by tests/fleet/make_store.c.

usage: fleet_query.py [NODES STACKS USED HOURS ...]      (default: three sizes)

Of STACKS stacks, USED are in use in any hour. The store lies where TMPDIR is; each question is asked five times, and the
median of the processor's seconds is printed, with all that went into memory."""

import os
import sys
import tempfile
from pathlib import Path

from _measure import Runs, expect

BUILD = Path(os.environ.get("BUILD", "build"))
SIZES = [(25, 5000, 1250, 24), (100, 5000, 1250, 24), (100, 5000, 1250, 72)]
GOAL = (100, 5000, 1250, 24)
GOAL_S = 5.0


def measure(size, folder):
    store, is_met = Path(folder) / "fleet.db", True
    Runs([str(BUILD / "tests/make-store"), str(store), *map(str, size)], keeps_output=False).once()
    print("{} nodes, {} stacks, {} in use, {} hours: {:.1f} MiB".format(*size, store.stat().st_size / (1 << 20)), flush=True)
    for question in ["nodes", "top", "trend", "outliers"]:
        runs = Runs([str(BUILD / "heapflame"), "fleet", question, "--store", str(store), "--since", f"{size[3]}h"], keeps_output=False)
        for _ in range(5):
            runs.once()
        cpu, wall, peak = runs.medians()
        text = f"{question:9} {cpu:7.2f} s of CPU, {wall:7.2f} s, {peak:6.0f} MiB"
        if size == GOAL:
            is_met = expect(cpu <= GOAL_S, f"{text}; goal: {GOAL_S} s") and is_met
        else:
            print(text, flush=True)
    for path in Path(folder).iterdir():
        path.unlink()
    return is_met


def main():
    numbers = [int(word) for word in sys.argv[1:]]
    sizes = [tuple(numbers[i : i + 4]) for i in range(0, len(numbers), 4)] or SIZES
    with tempfile.TemporaryDirectory() as folder:
        return 0 if all([measure(size, folder) for size in sizes]) else 1


if __name__ == "__main__":
    sys.exit(main())
