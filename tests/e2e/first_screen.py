#!/usr/bin/env python3
# timeout: 300
# sanitized: no, it tests what is read in a browser
"""The guilty function of some programs of tests/owners is read on the first screen of their pages; bench/soak.d/first_screen.py
looks at all."""

import sys

from _first_screen import Screen, look_at_pages
from _heap import need
from _owners import labels, look_at
from _suite import run_tests

need("gcc", "g++", "node")

CHOSEN = {"c_plain.c", "c_perform.c", "cc_template.cc", "py_lists.py"}


def test_guilty_functions_are_read():
    rows = [row for row in labels() if row.program in CHOSEN]
    for row in rows:
        look_at(row)
    screens = [Screen(row, f"{row.source.stem}.hfb") for row in rows]
    look_at_pages(screens)
    assert {screen.label.program for screen in screens} == CHOSEN
    for screen in screens:
        assert screen.is_named and screen.is_deep, (screen.label.program, screen.label.message, screen.texts)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
