#!/usr/bin/env python3
# timeout: 120
"""heapflame against perf on what perf records here: software events, with frame pointers and with DWARF, with inlined
calls. The oracle is `perf report`, which reads the same recording: the period of every symbol, per event."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _heap import compile_program, folded, heapflame, need, run, skip
from _suite import run_tests

PROGRAM = """
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void spin(int n) { for (int i = 0; i < n; i++) sink += i * 7; }
__attribute__((noinline)) void busy(int n) { spin(n); }
__attribute__((noinline)) void *touch(size_t n) { char *p = malloc(n); for (size_t i = 0; i < n; i += 4096) p[i] = 1; return p; }
__attribute__((noinline)) void work(int n) { busy(n); free(touch(8 << 20)); }
int main(void) { for (int i = 0; i < 60; i++) { work(500000); busy(200000); } return 0; }
"""


def build(*options):
    Path("my prog.c").write_text(PROGRAM)
    run("gcc", "-O2", "-g", "-fno-omit-frame-pointer", *options, "-o", "my prog", "my prog.c")


def record(*options):
    run("perf", "record", "-q", "-o", "data", *options, "./my prog")


def script(*options):
    Path("script").write_text(run("perf", "script", "-i", "data", *options))
    return "script"


def reported(event):
    """{symbol: period} by perf report, the leaves only."""
    text = run(
        "perf", "report", "-i", "data", "--stdio", "-g", "none", "--no-children", "-F", "period,sym", "-w", "0",
        "--comm", "my prog", "--no-inline",
    )
    current, sums = None, Counter()
    for line in text.splitlines():
        found = re.search(r"of event '([^']+)'", line)
        current = found[1] if found else current
        found = re.match(r"\s*(\d+)\s+\[([.k])\]\s+(\S.*?)\s*$", line)
        if found and current == event:
            sums[found[3]] += int(found[1])
    return sums


def by_leaf(text):
    sums = Counter()
    for frames, value in folded(text):
        sums[frames[-1]] += value
    return sums


def check_event(event, path):
    theirs = reported(event)
    ours = by_leaf(heapflame("fold", "-q", "--value", event, path))
    assert sum(theirs.values()) == sum(ours.values()), f"{event}: perf {sum(theirs.values())}, heapflame {sum(ours.values())}"
    named = {name: value for name, value in theirs.items() if not name.startswith("0x")}
    for name, value in named.items():
        assert ours[name] == value, f"{event} of {name}: perf {value}, heapflame {ours[name]}"
    return named


def test_two_events():
    build()
    record("-e", "cpu-clock,page-faults", "-c", "100000", "-g")
    path = script("--no-inline")
    assert check_event("cpu-clock", path)["busy"] > 0
    record("-e", "page-faults", "-c", "1", "-g")
    path = script("--no-inline")
    named = check_event("page-faults", path)
    assert named["touch"] >= 4000, named


def test_stacks():
    """The callers of each leaf, where the program says what they are."""
    build()
    record("-e", "page-faults", "-c", "1", "-g")
    stacks = folded(heapflame("fold", "-q", script()))
    touched = [frames for frames, _ in stacks if frames[-1] == "touch"]
    assert touched and all(frames[0] == "my prog" and frames[-3:] == ["main", "work", "touch"] for frames in touched)


def test_fields():
    """The same samples whatever fields are printed."""
    build()
    record("-e", "page-faults", "-c", "1", "-g")
    expected = by_leaf(heapflame("fold", "-q", script("--no-inline")))
    for fields in ["comm,pid,tid,time,event,ip,sym,dso", "comm,tid,time,ip,sym,symoff,dso", "comm,event,ip,sym", "+srcline"]:
        found = by_leaf(heapflame("fold", "-q", script("--no-inline", "-F", fields)))
        known = {name: value for name, value in expected.items() if re.fullmatch(r"\w+", name)}
        for name, value in known.items():
            assert found[name] == value, f"-F {fields}: {name}: {found[name]}, not {value}"


def test_sources():
    build()
    record("-e", "page-faults", "-c", "1", "-g")
    text = heapflame("fold", "-q", "--lines", script("-F", "+srcline"))
    line = next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if "*touch(" in text)
    assert f"touch my prog.c:{line}" in text, text[:2000]


def test_inlined():
    """perf finds by DWARF that spin() is inlined into busy()."""
    build("-fomit-frame-pointer")
    record("-e", "cpu-clock:u", "--call-graph", "dwarf,4096")
    text = run("perf", "script", "-i", "data")
    if "(inlined)" not in text:
        skip("this perf finds no inlined calls")
    Path("script").write_text(text)
    stacks = [frames for frames, _ in folded(heapflame("fold", "-q", "script"))]
    assert any(frames[-2:] == ["busy", "spin"] for frames in stacks), stacks[:10]


def test_stripped():
    """What perf could not name is named from the file, in the same run's counts."""
    build()
    shutil.copy("my prog", "whole")
    run("strip", "my prog")
    record("-e", "page-faults", "-c", "1", "-g")
    path = script()
    assert "touch" not in Path(path).read_text()
    shutil.move("whole", "my prog")
    sums = by_leaf(heapflame("fold", "-q", path))
    assert sums["touch"] >= 4000, sums


if __name__ == "__main__":
    need("perf", "gcc", "strip")
    tried = subprocess.run(
        ["perf", "record", "-q", "-e", "page-faults", "-c", "1", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        skip("perf may not record here: " + tried.stderr.strip().splitlines()[0])
    sys.exit(run_tests(globals()))
