#!/usr/bin/env python3
"""Values of 2^63 and more, and sums that do not fit into 64 bits: right, or said to be cut."""

import json
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME
from _suite import run_tests
from _verdicts import folded_series, place_of, trend

HALF = 1 << 63


def heapflame(*arguments):
    done = subprocess.run([HEAPFLAME, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_trend_of_large_values():
    """Each place fits, the whole does not: it is not 0."""
    stacks = [{"main;f": HALF + (minute << 56), "main;g": HALF + (minute << 57)} for minute in range(12)]
    series = folded_series(stacks)
    document = trend(series)
    assert place_of(document, "f", ["f", "g"])["points"] == [float(HALF + (minute << 56)) for minute in range(12)]
    assert document["whole"]["points"][0] == 2.0**64, document["whole"]["points"]
    status, text, _ = heapflame("trend", series)
    assert status == 0 and ": over 18,446,744,073,709,551,615 at the end, +216," in text, text
    one = folded_series([{"main;f": HALF + (minute << 56)} for minute in range(12)])
    assert ": 10,016,005,571,271,983,104 at the end, +72," in heapflame("trend", one)[1]


def test_sums_that_are_cut_say_so():
    Path("cut.folded").write_text(f"main;f {2 * HALF - 1}\nmain;g 5\n")
    for command in (["top"], ["top", "--json"], ["flame", "-o", "cut.svg"]):
        status, _, notes = heapflame(*command, "cut.folded")
        assert status == 4 and notes.count("a sum passed 2^64-1") == 1, (command, status, notes)
    assert heapflame("fold", "cut.folded") == (0, Path("cut.folded").read_text(), ""), "no sum is shown"
    Path("fits.folded").write_text(f"main;f {2 * HALF - 6}\nmain;g 5\n")
    status, text, notes = heapflame("top", "--json", "fits.folded")
    assert status == 0 and json.loads(text)["total"] == 2 * HALF - 1, (status, notes)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
