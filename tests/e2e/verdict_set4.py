#!/usr/bin/env python3
# sanitized: no, verdict.py runs the same code
"""The fourth set of labelled programs: scripts and labels fit each other, and the tables that the simulation writes have what
became of each block. What verdicts say of the set is in bench/soak.d/verdict_set4.py."""

import json
import sys
from pathlib import Path

from _heap import heapflame
from _set4 import (
    LEAK,
    LEAKERS,
    NO_LEAK,
    Label,
    check_labels,
    count_seen_leaks,
    flaps,
    holds_onset,
    judge_drawn,
    kind_of,
    labels_of,
    simulate,
    verdict_of,
)
from _suite import run_tests
from _verdicts import trend


def test_each_script_has_its_labels():
    rows = check_labels(4)
    assert len({row.program for row in rows}) >= 80
    assert len({row.program for row in rows if row.is_by_clock}) >= 30


def test_leaks_begin_as_labelled():
    seen = count_seen_leaks(labels_of(4))
    assert seen >= 35, f"only {seen} leaks have 25 samples that stay"


def test_exact_lives():
    """Every allocation recorded: entries of 300 s are freed at that age, or are in use."""
    simulate("ttl_5m", 1, "profiles", "1")
    document = json.loads(heapflame("top", "-q", "--json", "--lifetimes", "profiles/060.live"))
    (entry,) = [row for row in document["rows"] if row["name"] == "entry_new"]
    assert entry["allocated_objects"] == 3600 * 3 and entry["inuse_objects"] == 300 * 3, entry
    assert entry["lifetimes"] == [{"below_ns": 1 << 39, "objects": 3300 * 3}], entry["lifetimes"]


def test_drawn_programs_are_drawn():
    """Another number makes another program; the same one the same."""
    sums = {}
    for name in ("random_cache:1", "random_cache:2", "random_queue:1", "random_leak:1", "random_cache:1"):
        simulate(name, 1, "profiles")
        total = json.loads(heapflame("top", "-q", "--json", "--alloc_space", "profiles/060.live"))["total"]
        assert sums.setdefault(name, total) == total, name
    assert len(set(sums.values())) == 4, sums


def test_kinds_of_verdicts():
    """The worst of all places of a function is its verdict; what is another row's function is not its own."""
    rows = [Label("p", "a/b", "leak", "0", "", "s"), Label("p", "c", "no leak", "", "", "s")]
    places = [
        {"stack": ["x", "a", "main"], "verdict": "steady"},
        {"stack": ["c", "b", "main"], "verdict": "undecided"},
        {"stack": ["c", "main"], "verdict": "full cache"},
    ]
    assert verdict_of({"places": places}, rows[0], rows) == "undecided"
    assert verdict_of({"places": places}, rows[1], rows) == "full cache"
    assert verdict_of({"processes": [{"trend": {"places": places[:1]}}, {}]}, rows[1], rows) == "not listed"
    said = [(1, NO_LEAK), (2, LEAK), (3, LEAK), (4, NO_LEAK)]
    assert not flaps(said) and flaps([*said, (5, LEAK)])


def test_leaks_are_told_once():
    """As profiles come, two at once: a leak that is found stays one for as long as nothing speaks against it, even if single
    profiles leave it open; and it is found from a folder as it is from what came before. In `ttl_leak` there are only few old
    blocks that stay when the first others die; in `geometric_buffers` not every profile shows that blocks move."""
    for program, function in (
        ("late_65", "node_new"),
        ("memtable_leak", "memtable_put"),
        ("slackening_requests", "request_log"),
        ("ttl_leak", "entry_new"),
        ("geometric_buffers", "outbox_append"),
    ):
        simulate(program, 3, "profiles")
        files = sorted(Path("profiles").iterdir())
        label = Label(program, function, "leak", "0", "", "s")
        path = [(count, kind_of(verdict_of(trend(*files[:count]), label, [label]))) for count in range(8, len(files) + 1, 2)]
        assert path[-1][1] == LEAK and not flaps(path), (program, path)


def test_late_leak_is_found_soon():
    """It began with minute 39. Of many survivors with a healthy time before, one profile is enough."""
    simulate("late_65", 1, "profiles")
    files = sorted(Path("profiles").iterdir())
    label = Label("late_65", "node_new", "leak", "39", "", "s")
    said = {count: kind_of(verdict_of(trend(*files[:count]), label, [label])) for count in (39, 42, 44)}
    assert LEAK not in (said[39], said[42]) and said[44] == LEAK, said


def test_small_full_cache_is_no_leak():
    """Of few samples: by the end all of them are full, and their first entries are gone."""
    answers = judge_drawn("small_cache", range(1, 7))
    assert LEAK not in map(kind_of, answers), answers


def test_onsets_are_held():
    """Of an interval, or of none: since before the first profile."""
    late = {"survivors": {"since_95": [600, 720]}}
    assert [minute for minute in range(20) if holds_onset(late, minute)] == [10, 11, 12, 13, 14]
    always = {"survivors": {"since": None}}
    assert [minute for minute in range(20) if holds_onset(always, minute)] == [0, 1, 2]


def test_rows_are_judged_by_survival():
    """The whole leaks if a place does. By shape alone a late leak would be steady."""
    simulate("late_75", 1, "profiles")
    document = json.loads(heapflame("top", "-q", "--json", "--trend", "profiles"))
    (row,) = [row for row in document["rows"] if row["name"] == "node_new"]
    assert row["trend"]["verdict"] == "leak" and row["trend"]["survivors"]["kind"] == "stay", row
    assert heapflame("top", "-q", "--trend", "profiles").splitlines()[0].endswith("; as a whole: leak")
    assert trend("profiles")["whole"]["verdict"] == "leak"


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
