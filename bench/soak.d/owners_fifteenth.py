#!/usr/bin/env python3
"""As owners_third.py, of all programs of tests/owners/fifteenth, which may be judged once; see LABELS.md there."""

import sys

from _owners import FIFTEENTH
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(FIFTEENTH, 0.85))
