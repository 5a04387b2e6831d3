#!/usr/bin/env python3
"""As owners_third.py, of all programs of tests/owners/twelfth, which may be judged once; see LABELS.md there."""

import sys

from _owners import TWELFTH
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(TWELFTH, 0.85))
