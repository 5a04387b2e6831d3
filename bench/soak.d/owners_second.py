#!/usr/bin/env python3
"""As owners.py, of the programs of tests/owners/second, which were written without knowledge of the rules; see LABELS.md there.
After their first result the rules were mended by what it said: this is a building half now, not one that judges the rules."""

import sys

from _owners import SECOND
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(SECOND, 0.85))
