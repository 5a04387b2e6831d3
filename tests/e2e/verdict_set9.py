#!/usr/bin/env python3
# sanitized: no, verdict.py runs the same code
"""The ninth set of labelled programs: scripts and labels fit each other, and what is said to stay does, from its onset on. What
verdicts say of the set is in bench/soak.d/verdict_set9.py."""

import sys

from _set4 import LEAKERS, check_labels, count_seen_leaks, labels_of
from _suite import run_tests


def test_each_script_has_its_labels():
    rows = check_labels(9)
    assert len({row.program for row in rows}) >= 61
    assert sum(row.is_leak for row in rows) >= 26
    assert all(row.every == other.every for row in rows for other in rows if row.program == other.program)


def test_leaks_begin_as_labelled():
    moving = "geometric buffers"  # each block is given back, for a larger one
    rows = [row for row in labels_of(9) if row.is_leak and row.shape != moving]
    seen = count_seen_leaks(rows)
    assert seen == len(rows), f"only {seen} leaks of {len(rows)} have 25 samples that stay"


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
