#!/usr/bin/env python3
# sanitized: no, verdict.py runs the same code
"""The seventh set of labelled programs: scripts and labels fit each other, what is said to stay does, from its onset on, and profiles
may come twice a minute. What verdicts say of the set is in bench/soak.d/verdict_set7.py."""

import sys
from pathlib import Path

from _set4 import LEAKERS, SAMPLE_BYTES, check_labels, count_seen_leaks, labels_of, simulate
from _suite import run_tests


def test_each_script_has_its_labels():
    rows = check_labels(7)
    assert len({row.program for row in rows}) >= 80
    assert sum(row.is_leak for row in rows) >= 38
    assert all(row.every == other.every for row in rows for other in rows if row.program == other.program)


def test_leaks_begin_as_labelled():
    seen = count_seen_leaks(labels_of(7))
    assert seen >= 34, f"only {seen} leaks have 25 samples that stay"


def test_profiles_come_twice_a_minute():
    by_minutes = simulate("export_of_an_hour", 1, "profiles", SAMPLE_BYTES, 1)
    assert simulate("export_of_an_hour", 1, "profiles", SAMPLE_BYTES, 0.5) == by_minutes
    assert [path.stem for path in sorted(Path("profiles").iterdir())] == [f"{second:06}" for second in range(30, 3601, 30)]


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
