#!/usr/bin/env python3
# timeout: 240
# sanitized: no, verdict.py runs the same code
"""Five of the labelled programs (tests/leakers) by the clock of the machine, with malloc, under the real agent: an hour of
each takes half a minute, in which `heapflame run` writes a dump each half second. What is sampled is drawn anew each
time: of two rows it may be too little to decide, as of one in a hundred it is (bench/results/verdict-*). A wrong answer
may be chance too, about once in a hundred runs of a program: the program then runs once more, and must be right."""

import shutil
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


def record(names):
    """Runs the programs beside each other; leaves a folder of profiles of each."""
    running = []
    for name in names:
        shutil.rmtree(name, ignore_errors=True)
        Path(name).mkdir()
        command = [
            HEAPFLAME, "run", "-q", "--period", "512KiB", "--every", "500ms", "--keep", "0", "--no-final", "--dir", Path.cwd(),
            "-o", f"{name}/%n.hfb", "--", PROGRAM, name, str(SECONDS),
        ]  # fmt: skip
        running.append((name, subprocess.Popen(command)))
    for name, process in running:
        assert process.wait(timeout=600) == 0, name


def judge_recorded(names):
    """What is answered of their functions: {program: [wrong answers]}, and all that was left open."""
    wrong, undecided = {}, []
    for name in names:
        rows = [row for row in labels() if row.program == name]
        document = trend(name)
        for row in rows:
            row.see(place_of(document, row.function, [row.function for row in rows]))
            if row.right_share == 1:
                continue
            answer = f"{name}, {row.function}: {dict(row.answers)} in {len(document['times'])} points"
            if set(row.answers) <= {"undecided", "too little data"}:
                undecided.append(answer)
            else:
                wrong.setdefault(name, []).append(answer)
    return wrong, undecided


def test_in_real_time():
    record(CHOSEN)
    wrong, undecided = judge_recorded(CHOSEN)
    assert len(undecided) <= 2, undecided
    if wrong:
        record(wrong)
        again, _ = judge_recorded(wrong)
        assert not again, f"wrong twice: {wrong}, {again}"


if __name__ == "__main__":
    if not PROGRAM.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
