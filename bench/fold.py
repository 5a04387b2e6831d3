#!/usr/bin/env python3
"""heapflame fold against jeprof with binutils' addr2line: the same dumps and binaries, in turns.

The big binary is Debian's ceph-mon with its debug information merged in: 305 MB, 167 MB of it .debug_info. Its dumps
are real ones: jemalloc profiled `--help`, `--mkfs`, and a monitor that ran for some seconds. The small one is small.c.
script/bench runs this; _programs.py makes the programs and their dumps.

Each round runs one after the other. Figures are medians. Both must find the same total within 0.1 %.
"""

import os
import subprocess
import sys

from _measure import Runs, expect, in_turns
from _programs import CACHE, CEPH, DUMPS, SOURCE, debug_info_bytes, output_of, prepare_ceph, record

SMALL = os.path.join(CACHE, "small")
ROUNDS = 5
GOAL = 10  # times as fast as jeprof, where there is much debug information


def prepare():
    if not os.path.exists(SMALL):
        subprocess.run(["gcc", "-g", "-O2", "-o", SMALL, os.path.join(SOURCE, "small.c")], check=True)
    record("small", 0, [SMALL])
    prepare_ceph()


def compare(name, binary):
    """Prints the lines of one dump; returns how many times as fast heapflame is (wall)."""
    dump = os.path.join(DUMPS, name + ".heap")
    with open(dump, encoding="ascii", errors="replace") as lines:
        stacks = sum(line.startswith("@") for line in lines)
    runs = {
        "heapflame": Runs(["heapflame", "fold", "--alloc_space", "-q", dump]),
        "jeprof": Runs(["jeprof", "--alloc_space", "--collapsed", binary, dump]),
    }
    in_turns(runs, [{}] * ROUNDS)
    for tool, one in runs.items():
        cpu, wall, peak = one.medians()
        print(f"{name:10} {stacks:6} {tool:10} {cpu:8.3f} {wall:8.3f} {peak:9.0f} {one.folded_total():12}   "
              f"{one.wall_times()}")
    ratios = [theirs / ours for ours, theirs in zip(runs["heapflame"].medians(), runs["jeprof"].medians())]
    print(f"{name:10} {'':6} {'ratio':10} {ratios[0]:7.1f}x {ratios[1]:7.1f}x {ratios[2]:8.1f}x", flush=True)
    ours, theirs = runs["heapflame"].folded_total(), runs["jeprof"].folded_total()
    if abs(ours - theirs) > theirs / 1000:
        sys.exit(f"{name}: the totals differ: {ours} and {theirs}")
    return ratios[1]


def main():
    prepare()
    for line in (output_of("heapflame", "--version"), output_of("jeprof", "--version"),
                 output_of("addr2line", "--version")):
        print(line.splitlines()[0])
    print(f"ceph-mon: {os.path.getsize(CEPH) / 1e6:.0f} MB, .debug_info {debug_info_bytes(CEPH) / 1e6:.0f} MB; {ROUNDS} rounds in turns")
    print(f"load before: {os.getloadavg()[0]:.2f}\n")
    print("dump       stacks tool          CPU s   wall s  peak MiB        total   all wall times, s")
    compare("small", SMALL)
    slowest = min(compare(name, CEPH) for name in ("ceph-help", "ceph-mkfs", "ceph-run"))
    print()
    met = expect(slowest >= GOAL, f"ceph-mon: at least {slowest:.1f} times as fast as jeprof; the goal is {GOAL}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
