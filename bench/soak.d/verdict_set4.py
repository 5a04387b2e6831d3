#!/usr/bin/env python3
"""Verdicts on the fourth set of labelled programs (tests/leakers/LABELS-4.md): each with 20 seeds of the sampler, 5 of
which are judged as their profiles come, too; 200 drawn caches, queues and leaks (tests/leakers/drawn.c); and those that are marked so
by the clock of the machine, under the real agent. The goals are those of the method that judges what survives.

usage: verdict_set4.py [--seeds N] [--watched N] [--drawn N] [--seconds N] [--at-once N]     (--seconds 0: none by the clock)
"""

import argparse
import os
import sys
import tempfile

from _measure import expect
from _set4 import (
    LEAK, judge_drawn, judge_set_4, kind_of, labels_of_set_4, record_by_clock, summary_of, summary_of_paths, table_by_shape,
    table_of_set_4,
)  # fmt: skip


def share_of(rows, kinds_of):
    return sum(row.share(*kinds_of(row)) for row in rows) / len(rows)


def by_sampler(options):
    rows = judge_set_4(labels_of_set_4(), range(1, options.seeds + 1), options.watched)
    print(f"{len(rows)} labels, {options.seeds} runs of each program, one sample in 512 KiB\n")
    print(f"{summary_of(rows)}\n{summary_of_paths(rows)}\n\n{table_by_shape(rows)}\n\n{table_of_set_4(rows)}\n", flush=True)
    counted = [row for row in rows if not row.is_twin]
    met = expect(share_of(counted, lambda row: row.right) >= 0.96, "96 % of the verdicts are right")
    met &= expect(share_of([row for row in rows if row.is_leak], lambda _: [LEAK]) >= 0.95, "95 % of the leaks are found")
    met &= expect(share_of([row for row in counted if row.is_no_leak], lambda _: [LEAK]) <= 0.01, '"leak" of at most 1 % of no leak')
    return met


def by_drawing(options):
    met = True
    for program in ("random_cache", "random_queue", "random_leak"):
        answers = judge_drawn(program, range(1, options.drawn + 1))
        leaks = sum(count for answer, count in answers.items() if kind_of(answer) == LEAK)
        print(f"\n{program}: {', '.join(f'{answer} {count}' for answer, count in answers.most_common())}", flush=True)
        if program == "random_leak":
            met &= expect(leaks >= 0.95 * options.drawn, "95 % of the drawn leaks are found")
        else:
            met &= expect(leaks == 0, f'"leak" of no {program}')
    return met


def by_clock(options):
    rows = labels_of_set_4()
    record_by_clock(rows, options.seconds, options.at_once)
    rows = [row for row in rows if row.answers]
    print(f"\n{len(rows)} labels by the clock, an hour in {options.seconds} s, under the real agent\n")
    print(f"{summary_of(rows)}\n\n{table_of_set_4(rows)}\n", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--watched", type=int, default=5)
    parser.add_argument("--drawn", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        met = by_sampler(options)
        if options.drawn != 0:
            met &= by_drawing(options)
        if options.seconds != 0:
            by_clock(options)
        os.chdir("/")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
