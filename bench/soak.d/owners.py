#!/usr/bin/env python3
"""Does the last line of `run` name the program's own function that holds the memory? All programs of tests/owners; see the
README there, and tests/e2e/_owners.py."""

import os
import sys
import tempfile

from _measure import expect
from _owners import ANSWERS, PROGRAMS, RIGHT, USERS, WRAPPER, Sums, labels, look_at, table


def judge_all(folder, goal):
    """Prints the table of the programs of `folder`; returns the exit status."""
    rows = [row for row in labels(folder) if not sys.argv[1:] or row.program in sys.argv[1:]]
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


if __name__ == "__main__":
    sys.exit(judge_all(PROGRAMS, 0.95))
