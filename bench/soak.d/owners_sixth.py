#!/usr/bin/env python3
"""As owners_third.py, of the programs of tests/owners/sixth, which may be judged once; see LABELS.md there."""

import sys

from _owners import SIXTH
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(SIXTH, 0.85))
