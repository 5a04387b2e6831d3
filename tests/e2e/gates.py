#!/usr/bin/env python3
# sanitized: no, check.py runs the same code
"""What the gates of `heapflame check` say of labelled programs: a leak, a late one, and healthy ones. What they say of all sets is in
bench/soak.d/gates.py."""

import sys

from _gates import GATES, Tally, programs_of, run_gates, table
from _set4 import LEAKERS
from _suite import run_tests

PROGRAMS = {"late_50", "pool_leak", "full_lru_leak", "lru_full_20", "lru_full_40"}
CATCHING = ["leak", "survivors, a part", "survivors, a rate"]


def test_gates_on_known_programs():
    programs = [program for program in programs_of(4) if program.name in PROGRAMS]
    assert len(programs) == len(PROGRAMS), programs
    for program in programs:
        run_gates(program, kinds=["sampled"])
    tallies = {gate: Tally(programs, "sampled", gate) for gate in GATES}
    said = table(programs, ["sampled"])
    for gate in CATCHING:
        assert tallies[gate].caught == tallies[gate].leaks == 3, (gate, said)
    for gate in (*CATCHING, "onset"):
        assert not tallies[gate].failed and tallies[gate].healthy == 2, (gate, said)
    assert tallies["onset"].late_caught == tallies["onset"].late == 1, said
    assert tallies["budget"].failed, "a cache that fills within the series grows as fast as a leak: a budget cannot tell"


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
