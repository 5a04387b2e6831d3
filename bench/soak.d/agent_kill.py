#!/usr/bin/env python3
"""A thousand times kill -9 at random instants of a program that allocates in four threads, every allocation recorded:
each time the table can be read, nothing is lost, and no stack has more alive than it ever allocated, or than the program
can have. tests/e2e/agent_surroundings.py is the short form."""

import os
import sys
import tempfile
import time

KILLS = 1000


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        from agent_surroundings import check_killed  # compiles its programs where it stands

        start = time.monotonic()
        check_killed(KILLS)
        os.chdir("/")
    print(f"{KILLS} kills in {time.monotonic() - start:.0f} s: each table was readable and added up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
