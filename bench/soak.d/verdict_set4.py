#!/usr/bin/env python3
"""Verdicts on the fourth set of labelled programs (tests/leakers/LABELS-4.md): each with 20 seeds of the sampler, 5 of
which are judged as their profiles come, too; 200 drawn caches, queues, leaks and leaks in bursts (tests/leakers/drawn.c); and
those that are marked so by the clock of the machine, under the real agent. The goals are those of the method that judges what survives.

usage: verdict_set4.py [--seeds N] [--watched N] [--drawn N] [--seconds N] [--at-once N]     (--seconds 0: none by the clock)
"""

import sys

from _labelled import by_sampler, run_labelled, share_of
from _measure import expect
from _set4 import DRAWN, LEAK, judge_drawn, kind_of


def by_goals(options):
    rows = by_sampler(4, options)
    counted = [row for row in rows if not row.is_twin]
    met = expect(share_of(counted, lambda row: row.right) >= 0.96, "96 % of the verdicts are right")
    met &= expect(share_of([row for row in rows if row.is_leak], lambda _: [LEAK]) >= 0.95, "95 % of the leaks are found")
    met &= expect(share_of([row for row in counted if row.is_no_leak], lambda _: [LEAK]) <= 0.01, '"leak" of at most 1 % of no leak')
    return met


def by_drawing(options):
    met = True
    for program in DRAWN:
        answers = judge_drawn(program, range(1, options.drawn + 1))
        leaks = sum(count for answer, count in answers.items() if kind_of(answer) == LEAK)
        print(f"\n{program}: {', '.join(f'{answer} {count}' for answer, count in answers.most_common())}", flush=True)
        if program == "random_leak":
            met &= expect(leaks >= 0.95 * options.drawn, "95 % of the drawn leaks are found")
        elif program != "random_bursts":  # some have one burst only: no goal
            met &= expect(leaks == 0, f'"leak" of no {program}')
    return met


def judge_all(options):
    met = by_goals(options)
    if options.drawn != 0:
        met &= by_drawing(options)
    return met


if __name__ == "__main__":
    sys.exit(run_labelled(4, judge_all, ("--drawn", 200)))
