#!/usr/bin/env python3
"""Does the 95 % interval of a sampled peak hold what was in use at it? 200 runs of each shape of tests/programs/peaks.c with
the usual sampling, as `run` and `top FILE@peak` have it. What was in use, exact mode says."""

import os
import statistics
import sys
import tempfile

from _measure import expect
from _peaks import SHAPES, build, held, intervals

RUNS = 200
GOAL = 0.93


def main():
    met, sums = True, [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        program = build()
        print(f"{'shape':8} {'at the peak':>12} {'mean of estimates':>18} {'off by':>7} {'below':>6} {'above':>6} {'held':>10}")
        for shape in SHAPES:
            truth, found = intervals(program, shape, range(1, RUNS + 1))
            mean = statistics.mean(estimate for estimate, _, _ in found)
            below, above = sum(high < truth for _, _, high in found), sum(low > truth for _, low, _ in found)
            inside = held(truth, found)
            sums[0], sums[1] = sums[0] + inside, sums[1] + RUNS
            print(f"{shape:8} {truth / 1e6:9.2f} MB {mean / 1e6:15.2f} MB {mean / truth - 1:+7.1%} {below:6} {above:6} {inside / RUNS:10.1%}", flush=True)
            met &= inside >= GOAL * RUNS
        os.chdir("/")
    print()
    expect(sums[0] >= GOAL * sums[1], f"{sums[0] / sums[1]:.1%} of {sums[1]} intervals hold the peak; the goal is {GOAL:.0%}")
    return 0 if expect(met, f"each shape reaches {GOAL:.0%}") else 1


if __name__ == "__main__":
    sys.exit(main())
