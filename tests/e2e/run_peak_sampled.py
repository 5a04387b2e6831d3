#!/usr/bin/env python3
"""The 95 % interval of a sampled peak holds what was in use; bench/soak.d/peak_sampled.py looks at 200 runs of each shape."""

import sys

from _peaks import build, held, intervals
from _suite import run_tests

PROGRAM = build()
SEEDS = range(1, 41)


def test_intervals_hold():
    """Seeds make the same samples in each run, so this is no matter of luck. 93 % of 40 are 37.2."""
    for shape in "even", "mixed", "churn":
        truth, found = intervals(PROGRAM, shape, SEEDS)
        assert len({estimate for estimate, _, _ in found}) > len(SEEDS) / 2, (shape, found)
        assert held(truth, found) >= 38, (shape, truth, found)
        assert all(high < (4 if shape == "churn" else 2) * low for _, low, high in found), (shape, found)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
