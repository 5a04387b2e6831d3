#!/usr/bin/env python3
"""As verdict_set8.py, of the ninth set of labelled programs (tests/leakers/LABELS-9.md), which may be judged once.

usage: verdict_set9.py [--seeds N] [--watched N] [--seconds N] [--at-once N]     (--seconds 0: none by the clock)
"""

import sys
from functools import partial

from _labelled import run_labelled
from verdict_set6 import judge_all

if __name__ == "__main__":
    sys.exit(run_labelled(9, partial(judge_all, number=9)))
