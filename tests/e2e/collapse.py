#!/usr/bin/env python3
# timeout: 120
"""heapflame fold beside the newest collapse scripts: texts of perf script, bpftrace and DTrace as they come.

tests/fixtures/collapse/TOOL/SHAPE.txt is the text, SHAPE.folded what the script made of it (stackcollapse-perf.pl
--all, stackcollapse-bpftrace.pl, stackcollapse.pl). Where fold says something else, SHAPE.ours has it, and DIFFERENT
names the row of docs/compat/stackcollapse.md that says why. With FLAMEGRAPH_SCRIPTS=DIR, a folder that holds the
scripts, they are asked again."""

import os
import re
import sys
from pathlib import Path

from _heap import SOURCE, heapflame, run
from _suite import run_tests

SHAPES = SOURCE / "tests/fixtures/collapse"
TABLE = SOURCE / "docs/compat/stackcollapse.md"
SCRIPTS = {"perf": "stackcollapse-perf.pl", "bpftrace": "stackcollapse-bpftrace.pl", "dtrace": "stackcollapse.pl"}
OPTIONS = {"perf": ["--all"], "bpftrace": ["--keep-allocator"], "dtrace": []}
DIFFERENT = {
    "bpftrace/addresses": "distances",
    "bpftrace/both-stacks": "two stacks in a key",
    "bpftrace/command": "distances",
    "bpftrace/cxx": "parameters and template arguments",
    "bpftrace/distances": "distances",
    "bpftrace/go": "distances",
    "bpftrace/named-map": "several maps",
    "bpftrace/no-stack": "distances",
    "bpftrace/pid-and-command": "distances",
    "bpftrace/words-first": "words before the stack in a key",
    "dtrace/program-first": "another key of the aggregation",
    "dtrace/program-last": "another key of the aggregation",
    "perf/blank-in-command": "blanks in the command",
    "perf/cxx": "template arguments, `(anonymous namespace)`",
    "perf/dwarf-inlined": "inlined calls",
    "perf/memory-without-file": "memory without a file",
    "perf/node-regexp": "quotes in names",
    "perf/three-words": "blanks in the command",
    "perf/vdso": "`[vdso]` with `--kernel`",
}
READS_MORE = {"bpftrace/words-first", "bpftrace/named-map", "dtrace/program-last"}  # the script loses them


def shapes():
    return sorted(str(path.relative_to(SHAPES).with_suffix("")) for path in SHAPES.glob("*/*.txt"))


def lines_of(shape, kind):
    path = SHAPES / f"{shape}.{kind}"
    return sorted(path.read_text().splitlines()) if path.exists() else None


def total(lines):
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def test_shapes():
    wrong = []
    for shape in shapes():
        tool = shape.split("/")[0]
        theirs, ours = lines_of(shape, "folded"), lines_of(shape, "ours")
        found = sorted(heapflame("fold", "-q", *OPTIONS[tool], SHAPES / f"{shape}.txt").splitlines())
        if found != (theirs if ours is None else ours):
            wrong.append(f"{shape}: {found}, not {theirs if ours is None else ours}")
        if (ours is not None) != (shape in DIFFERENT) or ours == theirs:
            wrong.append(f"{shape}: DIFFERENT and the fixtures do not fit")
        if total(found) != total(theirs) and shape not in READS_MORE:
            wrong.append(f"{shape}: {total(found)} in all, not {total(theirs)}")
    print(f"{len(shapes())} shapes")
    assert len(shapes()) >= 30 and not wrong, "\n".join(wrong)


def test_rows():
    """Each difference is a row of the table of its script; rows without a shape say so themselves."""
    text = TABLE.read_text()
    for tool, script in SCRIPTS.items():
        section = text.split(f"## {script}\n")[1].split("\n## ")[0]
        rows = set(re.findall(r"^\| ([^|]+?) \| [^|]+ \| [^|]+ \|$", section, re.MULTILINE)) - {"difference"}
        used = {row for shape, row in DIFFERENT.items() if shape.startswith(tool)}
        assert used <= rows, f"{script}: not in the table: {used - rows}"
        assert set(DIFFERENT) <= set(shapes()), set(DIFFERENT) - set(shapes())


def test_originals():
    folder = os.environ.get("FLAMEGRAPH_SCRIPTS")
    for shape in shapes() if folder else []:
        tool = shape.split("/")[0]
        options = ["--all"] if tool == "perf" else []
        made = sorted(run("perl", Path(folder) / SCRIPTS[tool], *options, SHAPES / f"{shape}.txt").splitlines())
        assert made == lines_of(shape, "folded"), f"{shape}: {made}"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
