#!/usr/bin/env python3
"""As owners.py, of all programs of tests/owners/shapes: building material, which says nothing of other programs."""

import sys

from _owners import SHAPES
from owners import judge_all

if __name__ == "__main__":
    sys.exit(judge_all(SHAPES, 0.85))
