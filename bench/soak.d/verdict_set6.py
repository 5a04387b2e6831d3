#!/usr/bin/env python3
"""Verdicts on the sixth set of labelled programs (tests/leakers/LABELS-6.md), written by somebody who did not know the method:
each with 20 seeds of the sampler, 5 of which are judged as their profiles come, too; and those that are marked so by the clock of
the machine, under the real agent.

usage: verdict_set6.py [--seeds N] [--watched N] [--seconds N] [--at-once N]     (--seconds 0: none by the clock)
"""

import sys

from _labelled import by_sampler, run_labelled, share_of
from _measure import expect


def judge_all(options, number=6):
    counted = [row for row in by_sampler(number, options) if not row.is_twin]
    return expect(share_of(counted, lambda row: row.right) >= 0.90, "90 % of the verdicts are right")


if __name__ == "__main__":
    sys.exit(run_labelled(6, judge_all))
