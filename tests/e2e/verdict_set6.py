#!/usr/bin/env python3
# sanitized: no, verdict.py runs the same code
"""The sixth set of labelled programs: scripts and labels fit each other, what is said to stay does, from its onset on, and profiles
come as often as is said. What verdicts say of the set is in bench/soak.d/verdict_set6.py."""

import sys
from pathlib import Path

from _set4 import LEAKERS, SAMPLE_BYTES, check_labels, count_seen_leaks, holds_onset, labels_of, simulate
from _suite import run_tests


def test_each_script_has_its_labels():
    rows = check_labels(6)
    assert len({row.program for row in rows}) >= 60
    assert sum(row.is_leak for row in rows) >= 28
    assert all(row.every == other.every for row in rows for other in rows if row.program == other.program)


def test_leaks_begin_as_labelled():
    seen = count_seen_leaks(labels_of(6))
    assert seen >= 26, f"only {seen} leaks have 25 samples that stay"


def test_profiles_come_every_so_many_minutes():
    """As many samples are counted, whatever the interval: 150 minutes, by twos and by fives."""
    by_twos = simulate("dedupe_unseen", 1, "profiles", SAMPLE_BYTES, 2)
    assert sorted(path.stem for path in Path("profiles").iterdir()) == [f"{minute:03}" for minute in range(2, 151, 2)]
    assert simulate("dedupe_unseen", 1, "profiles", SAMPLE_BYTES, 5) == by_twos
    assert len(by_twos) == 150 and len(list(Path("profiles").iterdir())) == 30
    simulate("image_lost", 1, "profiles", SAMPLE_BYTES, 10)
    assert [path.stem for path in sorted(Path("profiles").iterdir())] == [f"{minute:04}" for minute in range(10, 1441, 10)]


def test_onsets_are_held_at_any_interval():
    """The first profile is of minute 5: 600 seconds later it is minute 15."""
    late = {"survivors": {"since_95": [600, 720]}}
    assert [minute for minute in range(30) if holds_onset(late, minute, 5)] == [14, 15, 16, 17, 18]
    always = {"survivors": {"since": None}}
    assert [minute for minute in range(30) if holds_onset(always, minute, 5)] == [0, 1, 2, 3, 4, 5, 6]


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
