#!/usr/bin/env python3
"""What each gate of `heapflame check` would have said of the labelled programs of all sets (tests/leakers/LABELS*.md), recorded with
one sample in 512 KiB and exactly: how many of their leaks it catches, and how many programs without a leak it fails. See
tests/e2e/_gates.py.

usage: gates.py [--seed N] [--sets N...] [--kinds sampled|exact...] [--each N]     (--each 4: every fourth program)
"""

import argparse
import os
import sys
import tempfile

from _gates import GATES, PERIODS, SETS, Tally, by_set, names_of_failed, programs_of, run_gates, table
from _measure import expect


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, nargs="*", default=list(SETS))
    parser.add_argument("--kinds", nargs="*", default=list(PERIODS), choices=PERIODS)
    parser.add_argument("--each", type=int, default=1)
    options = parser.parse_args()
    programs = [program for number in options.sets for program in programs_of(number)][:: options.each]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for program in programs:
            run_gates(program, options.seed, options.kinds)
        os.chdir("/")
    print(f"{len(programs)} programs of the sets {', '.join(map(str, options.sets))}\n")
    print("\n".join(f"{gate}: {' '.join(given) if given else 'twice what is in use at the end, in as long again'}" for gate, (given, _) in GATES.items()))
    print(f"\n{table(programs, options.kinds)}\n\nBy set, sampled: leaks caught, healthy programs failed\n\n{by_set(programs)}\n")
    print(f"Healthy programs that fail\n\n{names_of_failed(programs, options.kinds)}\n", flush=True)
    met = True
    for kind in options.kinds:
        leak = Tally(programs, kind, "leak")
        met &= expect(len(leak.failed) <= 0.03 * leak.healthy, f"the gate on leaks fails at most 3 % of the healthy programs, {kind}")
        met &= expect(leak.caught >= 0.85 * leak.leaks, f"and catches 85 % of the leaks, {kind}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
