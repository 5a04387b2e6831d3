#!/usr/bin/env python3
# timeout: 300
"""What the last line of `run` says of the programs of tests/owners that need no more than the tests need anyway;
bench/soak.d/owners.py judges all of them."""

import re
import sys

from _heap import need
from _owners import PROGRAMS, RIGHT, labels, look_at
from _suite import run_tests

need("gcc", "g++")

# Those whose innermost function is the guilty one.
DIRECT = {"c_plain.c", "c_plugin.c", "c_callbacks.c"}


def test_labels_are_sound():
    """Every program has one guilty line, is labelled once, and no name is of two columns."""
    rows = labels()
    assert len(rows) >= 25 and len({row.program for row in rows}) == len(rows), [row.program for row in rows]
    sources = {path.name for path in PROGRAMS.iterdir() if path.suffix != ".md"} - {"c_plugin_library.c"}
    assert sources == {row.program for row in rows}, sources ^ {row.program for row in rows}
    for row in rows:
        assert row.marked == (row.source.suffix != ".sh"), f"{row.program}: {row.marked} guilty lines"
        columns = {"right": row.guilty, "wrapper": row.wrappers, "other user's code": row.others}
        for answer, names in ((answer, [one.pattern for one in column]) for answer, column in columns.items()):
            for name in (name for name in names if re.fullmatch(r"[\w:]+", name)):
                assert row.judge(name) == answer, (row.program, name, row.judge(name))


def test_direct():
    for row in labels():
        if row.program in DIRECT:
            look_at(row)
            assert row.answer == RIGHT and row.is_line_right, (row.program, row.name, row.where)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
