"""Runs a set of labelled programs (tests/leakers/LABELS-*.md) and prints what verdicts say of it."""

import argparse
import os
import tempfile

from _set4 import judge, labels_of, record_by_clock, summary_of, summary_of_paths, table_by_row, table_by_shape


def by_sampler(number, options):
    """Each program with the seeds of the sampler; returns the labels, with their answers."""
    rows = judge(labels_of(number), range(1, options.seeds + 1), options.watched)
    print(f"{len(rows)} labels, {options.seeds} runs of each program, one sample in 512 KiB\n")
    print(f"{summary_of(rows)}\n{summary_of_paths(rows)}\n\n{table_by_shape(rows)}\n\n{table_by_row(rows)}\n", flush=True)
    return rows


def by_clock(number, options):
    """The programs that are marked so, in real time, under the real agent."""
    rows = labels_of(number)
    record_by_clock(rows, options.seconds, options.at_once)
    rows = [row for row in rows if row.answers]
    print(f"\n{len(rows)} labels by the clock, all of a program's time in {options.seconds} s, under the real agent\n")
    print(f"{summary_of(rows)}\n\n{table_by_row(rows)}\n", flush=True)


def run_labelled(number, judge_all, *options_beside):
    """The main program: what judge_all(options) answers, and then the clock; options_beside are numbers, (name, default)."""
    parser = argparse.ArgumentParser()
    defaults = [("--seeds", 20), ("--watched", 5), *options_beside, ("--seconds", 60), ("--at-once", 4)]
    for name, default in defaults:
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        met = judge_all(options)
        if options.seconds != 0:
            by_clock(number, options)
        os.chdir("/")
    return 0 if met else 1


def share_of(rows, kinds_of):
    return sum(row.share(*kinds_of(row)) for row in rows) / len(rows)
