"""Runs programs in turns and measures each, for fold.py and symbolize.py; says which goals are met, for all.

A program's peak is never below what the process that starts it had then: this one keeps no output in memory, and what
needs much of it is done apart (in_child).
"""

import concurrent.futures
import os
import statistics
import subprocess
import sys
import tempfile
import time


def expect(met, text):
    """Says whether a goal is met, and returns that."""
    print(f"{'met   ' if met else 'MISSED'} {text}", flush=True)
    return met


def in_child(function, *arguments):
    with concurrent.futures.ProcessPoolExecutor(max_workers=1) as pool:
        return pool.submit(function, *arguments).result()


def folded_total_of(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


class Runs:
    """The runs of one command: what each took, and in `output` what the last one printed, unless that is thrown away."""

    def __init__(self, command, input_path=os.devnull, keeps_output=True):
        self.command, self.input_path = command, input_path
        self.figures = []  # (CPU seconds, wall seconds, peak MiB) of each run
        self.output = tempfile.NamedTemporaryFile() if keeps_output else open(os.devnull, "r+b", buffering=0)
        self.keeps_output = keeps_output

    def once(self):
        """CPU is user + system with all children; the peak is that of the largest process."""
        if self.keeps_output:
            self.output.truncate(0)
        with tempfile.TemporaryFile("w+") as err, open(self.input_path, "rb") as stdin:
            start = time.monotonic()
            child = subprocess.Popen(self.command, stdin=stdin, stdout=self.output, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.monotonic() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                err.seek(0)
                sys.exit(f"{' '.join(self.command)} failed:\n{err.read()}")
        if self.keeps_output:
            self.output.seek(0)  # where the next run writes
        self.figures.append((usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024))

    def medians(self):
        return [statistics.median(column) for column in zip(*self.figures)]

    def wall_times(self):
        return " ".join(f"{wall:.3f}" for _, wall, _ in sorted(self.figures, key=lambda figures: figures[1]))

    def folded_total(self):
        return in_child(folded_total_of, self.output.name)


def in_turns(runs, rounds):
    """Each of {name: Runs} so many times as {name: times} says for one round, one after the other, round by round."""
    for times in rounds:
        for name, one in runs.items():
            for _ in range(times.get(name, 1)):
                one.once()
