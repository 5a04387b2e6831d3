#!/usr/bin/env python3
"""What the agent says against what is so. Exact: programs that lose known blocks, beside memcheck, heaptrack and
LeakSanitizer, to the byte. Sampled: known blocks at many places, over fixed seeds; bench/soak.d/agent_truth.py is the
long form."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _agent import compile_agent_test, only_table, profiled
from _heap import PROGRAMS, folded, heapflame, need, run, skip
from _sampled import coverage, sample, z_of
from _suite import run_tests

SEEDS = range(1, 101)


def by_function(report, is_site):
    """{what the program's main calls: (objects, bytes)} of whatever heapflame can read. heaptrack has no namespaces."""
    found = []
    for value in ("inuse_objects", "inuse_space"):
        sums = Counter()
        for frames, amount in folded(heapflame("fold", "-q", "--value", value, report)):
            below_main = frames[frames.index("main") + 1:] if "main" in frames else frames
            if below_main and is_site(below_main[0]):
                sums[below_main[0].rpartition("::")[2]] += amount
        found.append(sums)
    return {name: (found[0][name], found[1][name]) for name in found[1]}


def compare_exactly(source, is_site):
    compiler = "g++" if source.endswith(".cc") else "gcc"
    run(compiler, "-O1", "-g", "-o", "program", PROGRAMS / source)
    run(compiler, "-O1", "-g", "-fsanitize=leak", "-o", "program.lsan", PROGRAMS / source)
    program = Path("program").resolve()
    profiled("exact:true", program)
    ours = by_function(only_table(), is_site)
    assert ours and all(objects > 0 for objects, _ in ours.values()), ours
    run("valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--num-callers=50", "--xml=yes", "--xml-file=memcheck.xml", program)
    run("heaptrack", "-o", "trace", program)
    done = subprocess.run([Path("program.lsan").resolve()], capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, "LSAN_OPTIONS": "fast_unwind_on_malloc=0"})
    if "fatal error" in done.stderr:
        skip("LeakSanitizer needs ptrace, which is forbidden here")
    Path("lsan.txt").write_text(done.stderr)
    trace = next(Path().glob("trace*"))
    for name, report in (("memcheck", "memcheck.xml"), ("heaptrack", trace), ("LeakSanitizer", "lsan.txt")):
        theirs = by_function(report, is_site)
        assert theirs == ours, f"{name}: {theirs}, the agent: {ours}"


def test_exactly_as_leak_checkers():
    need("valgrind", "heaptrack")
    compare_exactly("leaks.c", lambda name: name.startswith("lose_"))


def test_exactly_as_leak_checkers_of_c_plus_plus():
    need("valgrind", "heaptrack")
    compare_exactly("leaks.cc", lambda name: not name.startswith(("_", "std::")))


def test_every_site_exactly():
    program = compile_agent_test("sites.c")
    out, _ = profiled("exact:true", program)
    expected = {name: (int(objects), int(size)) for name, objects, size in map(str.split, out.splitlines())}
    found = by_function(only_table(), lambda name: name.startswith("site_"))
    assert found == expected, sorted(set(expected.items()) ^ set(found.items()))


def test_estimates_are_unbiased():
    sites = sample(SEEDS)
    totals = [sum(run_of_all) for run_of_all in zip(*(site.estimates for site in sites.values()))]
    z = z_of(totals, sum(site.bytes for site in sites.values()))
    assert abs(z) < 3, f"the total is off by {z:.2f} standard errors"
    worst = max(abs(z_of(site.estimates, site.bytes)) for site in sites.values())
    assert worst < 4.5, f"a place is off by {worst:.2f} standard errors"  # of 48: one in 3,000
    for low, high in ((1, 10), (10, 1e9)):
        share, runs = coverage(sites, low, high)
        assert share >= 0.93, f"{share:.4f} of {runs} intervals hold the truth"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
