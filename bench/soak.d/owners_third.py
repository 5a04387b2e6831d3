#!/usr/bin/env python3
"""As owners_second.py, of the programs of tests/owners/third, which may be judged once; see LABELS.md there."""

import sys

from _owners import THIRD
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(THIRD, 0.85))
