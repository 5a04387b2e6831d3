#!/usr/bin/env python3
"""Does the last line of `run` name the program's own function that holds the memory? All programs of a set of tests/owners; see
the README there, and tests/e2e/_owners.py.

usage: script/soak owners [--set NAME] [--program FILE]...      (default: the first set, all its programs)"""

import argparse
import os
import sys
import tempfile

from _measure import expect
from _owners import ANSWERS, RIGHT, SETS, USERS, WRAPPER, Sums, labels, look_at, table


GOAL_OF_FIRST, GOAL = 0.95, 0.85  # the rules were built on the first from the beginning


def judge_all(rows, goal):
    """Prints the table of the programs; returns the exit status."""
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)  # servers that do not run as root work there, too
        for row in rows:
            os.mkdir(os.path.join(work, row.source.stem))
            os.chdir(os.path.join(work, row.source.stem))
            look_at(row)
        os.chdir("/")
    sums = Sums(rows)
    print(f"{len(rows)} programs, {len(sums.seen)} of them run\n\n{table(rows)}\n")
    for answer in ANSWERS:
        print(f"{answer:18} {sums.counts[answer]:3} of {len(sums.seen)}, {sums.share(answer):.1%}")
    print(f"{'line right':18} {sums.lines:3} of {sums.with_lines}\n")
    met = expect(sums.share(RIGHT) >= goal, f"{sums.share(RIGHT):.1%} name the guilty function; the goal is {goal:.0%}")
    met &= expect(sums.share(USERS) <= 0.05, f"{sums.share(USERS):.1%} name other code of the user's; the goal is at most 5 %")
    met &= expect(sums.counts[WRAPPER] == 0, f"{sums.counts[WRAPPER]} name an allocator or a wrapper; the goal is none")
    met &= expect(len(sums.seen) >= 25, f"{len(sums.seen)} programs were run; the goal is 25 or more")
    return 0 if met else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, default="first")
    parser.add_argument("--program", action="append", default=[])
    options = parser.parse_args()
    rows = [row for row in labels(SETS[options.set]) if not options.program or row.program in options.program]
    return judge_all(rows, GOAL_OF_FIRST if options.set == "first" else GOAL)


if __name__ == "__main__":
    sys.exit(main())
