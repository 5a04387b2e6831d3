#!/usr/bin/env python3
"""Five of the labelled programs (tests/leakers) by the clock of the machine, with malloc, under the real agent: an hour of
each takes half a minute, in which `heapflame run` writes a dump each half second. What is sampled is drawn anew each
time: of two rows it may be too little to decide, as of one in a hundred it is (bench/results/verdict-*), of none may the
answer be wrong."""

import subprocess
import sys
from pathlib import Path

from _agent import AGENT  # noqa: F401 (skips where there is none)
from _heap import HEAPFLAME
from _suite import run_tests
from _verdicts import labels, place_of, trend

PROGRAM = HEAPFLAME.parent / "tests/leakers/leakers-real-time"
SECONDS = 30
CHOSEN = ["slow_leak", "behind_cache", "lru_late", "sawtooth", "full_pool"]


def test_in_real_time():
    running = []
    for name in CHOSEN:
        Path(name).mkdir()
        command = [
            HEAPFLAME, "run", "-q", "--period", "512KiB", "--every", "500ms", "--keep", "0", "--no-final", "--dir", Path.cwd(),
            "-o", f"{name}/%n.hfb", "--", PROGRAM, name, str(SECONDS),
        ]  # fmt: skip
        running.append((name, subprocess.Popen(command)))
    for name, process in running:
        assert process.wait(timeout=100) == 0, name
    wrong, undecided = [], []
    for name in CHOSEN:
        rows = [row for row in labels() if row.program == name]
        document = trend(name)
        for row in rows:
            row.see(place_of(document, row.function, [row.function for row in rows]))
            if row.right_share != 1:
                answers = undecided if list(row.answers) == ["undecided"] else wrong
                answers.append(f"{name}, {row.function}: {dict(row.answers)} in {len(document['times'])} points")
    assert not wrong and len(undecided) <= 2, wrong + undecided


if __name__ == "__main__":
    if not PROGRAM.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
