#!/usr/bin/env python3
"""As owners_third.py, of all programs of tests/owners/sixteenth, which may be judged once; see LABELS.md there."""

import sys

from _owners import SIXTEENTH
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(SIXTEENTH, 0.85))
