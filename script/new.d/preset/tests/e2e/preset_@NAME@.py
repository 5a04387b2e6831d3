#!/usr/bin/env python3
"""The preset @NAME@ on a program that allocates by it: heapflame attach finds what is in use, to the byte."""

raise SystemExit("the test of the preset @NAME@ is not written yet")
