#!/usr/bin/env python3
"""Verdicts on the labelled programs (tests/leakers/LABELS.md), 50 seeds of the sampler each: are they right, is no cache
that levels off called a leak, are leaks decided, do intervals hold the true slope? Beside them, as they come out, those
of the second and the third set (LABELS-2.md, LABELS-3.md), made after the method was fixed. See tests/e2e/_verdicts.py.

usage: verdict.py [--seeds N]
"""

import argparse
import os
import sys
import tempfile

from _measure import expect
from _verdicts import LABELS, Sums, judge, labels, outcome, table

GOALS_OF_OTHERS = (0.90, 0.93)  # of sets 2 and 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=50)
    seeds = range(1, parser.parse_args().seeds + 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows, *others = [judge(labels(path), seeds) for path in LABELS]
        os.chdir("/")
    sums = Sums(rows)
    print(f"{len(rows)} labels, {len(seeds)} runs of each program, one sample in 512 KiB\n")
    print(table(rows))
    for number, more in enumerate(others, 2):
        print(f"\nSet {number}: {len(more)} labels\n\n{table(more)}\n\nof set {number} {outcome(more)}\n")
    met = expect(sums.right >= 0.97, f"{sums.right:.2%} of the verdicts are right; the goal is 97 %")
    for number, (more, goal) in enumerate(zip(others, GOALS_OF_OTHERS), 2):
        right = Sums(more).right
        met &= expect(right >= goal, f"{right:.2%} of the verdicts on set {number} are right; the goal is {goal:.0%}")
    met &= expect(sums.false_leaks == 0, f"{sums.false_leaks} caches that level off are called a leak; the goal is none")
    met &= expect(sums.unsure <= 0.10, f"{sums.unsure:.2%} of the leaks are undecided or too little data; the goal is at most 10 %")
    met &= expect(sums.covered >= 0.93, f"{sums.covered:.2%} of the intervals hold the true slope; the goal is 93 %")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
