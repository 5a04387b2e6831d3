#!/usr/bin/env python3
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""Sampled, attach's estimates of leaks of known count in 4 threads are within 4 sigma of the truth."""

import math
import re
import signal
import sys

from _attach import WAYS, Attached, Target, need_root
from _heap import need
from _suite import run_tests

need("gcc")
need_root()

COUNT = 400  # of each leak, in each thread
PERIOD = 1024


def check_estimates(way):
    with Target("threads", COUNT) as target:
        attached = Attached(target.pid, "-d", "60s", "--period", PERIOD, "--seed", 1, way=way)
        target.go_on()
        target.heard("done")
        stacks = attached.end(signal=signal.SIGINT)
    assert re.search(r" estimated from samples, 95 %: \d+\.\d MiB to \d+\.\d MiB; nothing was lost\n", attached.said), attached.said
    rows = re.findall(r" (\d+\.\d KiB) +(\d+\.\d KiB to \d+\.\d KiB) .* leak_(?:small|aligned) < ", attached.said)
    for estimate, interval in rows:
        low, high = (float(end.split()[0]) for end in interval.split(" to "))
        assert low < float(estimate.split()[0]) < high, attached.said
    assert len(rows) == 2, attached.said
    for name, size in (("leak_small", 48), ("leak_aligned", 320), ("leak_grown", 70000)):
        truth, found = 4 * COUNT * size, sum(value for frames, value in stacks if name in frames)
        seen = 1 - math.exp(-size / PERIOD)  # the chance of one block
        sigma = size * math.sqrt(4 * COUNT * (1 - seen) / seen)
        assert abs(found - truth) <= 4 * sigma, f"{way}: {name}: {found}, and not {truth} +- 4 * {sigma:.0f}"


def test_estimates():
    for way in WAYS[1:]:
        check_estimates(way)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
