#!/usr/bin/env python3
"""Verdicts on the labelled programs (tests/leakers/LABELS.md), 50 seeds of the sampler each: are they right, is no cache
that levels off called a leak, are leaks decided, do intervals hold the true slope? Beside them, as they come out, those
of the second set (LABELS-2.md), made after the method was fixed. See tests/e2e/_verdicts.py."""

import os
import sys
import tempfile
from pathlib import Path

from _measure import expect
from _verdicts import Sums, judge, labels, table

SEEDS = range(1, 51)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = judge(labels(), SEEDS)
        second = judge(labels(Path(os.environ["HEAPFLAME_SRC"], "tests/leakers/LABELS-2.md")), SEEDS)
        os.chdir("/")
    sums, more = Sums(rows), Sums(second)
    print(f"{len(rows)} labels, {len(SEEDS)} runs of each program, one sample in 512 KiB\n")
    print(table(rows))
    print(f"\nThe second set: {len(second)} labels\n")
    print(table(second))
    print(
        f"\nof the second set {more.right:.2%} are right, {more.false_leaks} caches that level off are called a leak, "
        f"{more.unsure:.2%} of the leaks are not decided, {more.covered:.2%} of the intervals hold the true slope\n"
    )
    met = expect(sums.right >= 0.95, f"{sums.right:.2%} of the verdicts are right; the goal is 95 %")
    met &= expect(sums.false_leaks == 0, f"{sums.false_leaks} caches that level off are called a leak; the goal is none")
    met &= expect(sums.unsure <= 0.10, f"{sums.unsure:.2%} of the leaks are undecided or too little data; the goal is at most 10 %")
    met &= expect(sums.covered >= 0.93, f"{sums.covered:.2%} of the intervals hold the true slope; the goal is 93 %")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
