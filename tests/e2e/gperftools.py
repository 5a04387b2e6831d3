#!/usr/bin/env python3
"""Profiles that Debian's tcmalloc writes, read to the byte, and as google-pprof and jeprof read them.

One program is run under the heap profiler (HEAPPROFILE: exact), the sampler (heap_v2) and the list of the heap's
growth; each profile is also written as heap_v2 with names, which jeprof must read without the binary."""

import math
import os
import re
import sys
from collections import Counter
from pathlib import Path

from _heap import PROGRAMS, failing, folded, heapflame, need, run, skip, sum_folded

HEADER = re.compile(r"heap profile:\s*(\d+):\s*(\d+) \[\s*(\d+):\s*(\d+)\] @ (\w+)(?:/(\d+))?")
RECORD = re.compile(r"\s*(\d+):\s*(\d+) \[\s*(\d+):\s*(\d+)\] @((?: 0x[0-9a-f]+)*)")
# What main of gperf.cc leaks, by the lines of its callers: leak_many(10), less 3 freed, leak_many(2); leak(77).
EXACT = {"inuse_space": 7042 + 2001 + 77, "alloc_space": 10045 + 2001 + 77, "inuse_objects": 10, "alloc_objects": 13}


class Profile:
    """The file, read by a reader of its own."""

    def __init__(self, path):
        head, *lines = Path(path).read_text().split("\nMAPPED_LIBRARIES:\n")[0].splitlines()
        self.type, self.period = HEADER.fullmatch(head).group(5, 6)
        self.totals = tuple(int(n) for n in HEADER.fullmatch(head).group(1, 2, 3, 4))
        self.records = [RECORD.fullmatch(line).groups() for line in lines if line]

    def in_use(self):
        """Bytes, each stack corrected and rounded by itself; half to even, as IEEE rounds."""
        total = 0
        for n, s, _, _, _ in self.records:
            n, s = int(n), int(s)
            seen = -math.expm1(-(s / n) / int(self.period)) if self.period else 1
            total += round(s / seen)
        return total


def collapsed(tool, *arguments):
    """{stack: bytes} of real jeprof, which prints one line for each stack of addresses; without its decorations."""
    sums = Counter()
    for line in run(tool, "--collapsed", *arguments).splitlines():
        stack, _, value = line.rpartition(" ")
        sums[re.sub(r"<[0-9a-f]{16}>|\[inline\]|@@[A-Z][\w.]*", "", stack)] += int(value)
    return {stack: value for stack, value in sums.items() if value}


def ours(*arguments):
    return {";".join(frames): value for frames, value in folded(heapflame("fold", "-q", "--full-names", *arguments))}


def total_of(tool, program, path, *options):
    return int(re.search(r"^Total: (\d+) B", run(tool, "--text", "--show_bytes", *options, program, path), re.M)[1])


def check_exact(program, path):
    profile = Profile(path)
    assert profile.type == "heapprofile", profile.type
    for name, expected in EXACT.items():
        column = list(EXACT).index(name)
        assert profile.totals[(1, 3, 0, 2)[column]] == expected, f"{path}: head {profile.totals}, {name}: {expected}"
        got = sum_folded(heapflame("fold", f"--{name}", path))
        assert got == expected, f"{name}: fold says {got}, expected {expected}"
    assert total_of("google-pprof", program, path) == EXACT["inuse_space"]
    theirs = collapsed("jeprof", program, path)
    assert ours(path) == theirs, f"{ours(path)}\n{theirs}"
    by_function = {stack.rsplit(";", 2)[-2].split("(")[0]: value for stack, value in theirs.items()}
    assert by_function == {"leak_many": 9043, "main": 77}, by_function


def check_sampled(program, path):
    profile = Profile(path)
    assert (profile.type, profile.period) == ("heap_v2", "65536"), (profile.type, profile.period)
    got = sum_folded(heapflame("fold", path))
    assert got == profile.in_use(), f"fold says {got}, expected {profile.in_use()}"
    for tool in ("google-pprof", "jeprof"):
        theirs = total_of(tool, program, path)
        assert abs(theirs - got) <= len(profile.records), f"{tool} says {theirs}, fold {got}"
    assert "it has: inuse_objects, inuse_space" in failing(2, "fold", "--alloc_space", path)
    return got


def check_growth(program, path):
    profile = Profile(path)
    assert profile.type == "growth", profile.type
    got = sum_folded(heapflame("fold", "-q", path))
    assert got == profile.totals[1] == profile.in_use(), f"fold says {got}, the head {profile.totals[1]}"
    assert total_of("google-pprof", program, path) == got
    return got


def check_written(path):
    """As heap_v2 with names: jeprof and heapflame read the same, and it is written the same again."""
    written = Path(path).with_suffix(".named.heap")
    heapflame("convert", "-q", "--full-names", path, "-o", written)
    text = written.read_text()
    assert text.startswith("--- symbol\n"), text[:80]
    assert collapsed("jeprof", written) == ours(path) == ours(written)
    assert heapflame("convert", "-q", "--full-names", written, "--to", "heap_v2") == text


def check_go():
    """What Go writes as text: every block is recorded, so the sums are exact; the names are in it."""
    program = Path("heaptext").resolve()
    environment = {**os.environ, "GOCACHE": str(Path("cache").resolve()), "GO111MODULE": "off", "GOFLAGS": ""}
    run("go", "build", "-o", program, PROGRAMS / "heaptext.go", env=environment)
    run(program)
    total = int(re.match(r"heap profile: \d+: (\d+) ", Path("heap.txt").read_text())[1])
    stacks = ours("heap.txt")
    assert sum(stacks.values()) == total, f"fold says {sum(stacks.values())}, the head {total}"
    root = "runtime.goexit;runtime.main;main.main"
    known = {f"{root};main.leak;main.inlined": 50 * 4096, f"{root};main.(*cache).add": 3 << 20}
    assert {stack: stacks.get(stack) for stack in known} == known, stacks
    lines = heapflame("fold", "-q", "--lines", "--focus", "main.leak", "heap.txt")
    assert re.search(r"main\.leak \S*heaptext\.go:\d+;main\.inlined \S*heaptext\.go:\d+ 204800", lines), lines
    oracle = run("go", "tool", "pprof", "-traces", "-unit=b", "-inuse_space", "heap.pb.gz", env=environment)
    assert re.search(r"204800B\s+main\.inlined", oracle) and "3145728B" in oracle, oracle
    return total


def main():
    need("g++", "jeprof", "google-pprof", "addr2line", "nm", "go")
    if not Path("/usr/include/gperftools/malloc_extension.h").exists():
        skip("libgoogle-perftools-dev is missing (script/bootstrap test installs it)")
    program = Path("gperf").resolve()
    run("g++", "-g", "-O1", "-o", program, PROGRAMS / "gperf.cc", "-ltcmalloc")
    run(program, env={**os.environ, "HEAPPROFILE": "exact"})
    run(program, "more", env={**os.environ, "TCMALLOC_SAMPLE_PARAMETER": "65536"})
    check_exact(program, "exact.0001.heap")
    sampled = check_sampled(program, "sample.heap")
    grown = check_growth(program, "growth.heap")
    check_written("exact.0001.heap")
    check_written("sample.heap")
    print(f"heapprofile: {EXACT}; heap_v2: {sampled} bytes; growth: {grown} bytes; Go: {check_go()} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
