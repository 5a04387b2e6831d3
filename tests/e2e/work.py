#!/usr/bin/env python3
"""Reading takes few instructions for each byte: counted by Valgrind, so the load of the machine does
not matter. The bounds are a quarter above what is needed today; times are the matter of bench/read.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

PROGRAMS = Path(os.environ["BUILD"], "bench")


def instructions_per_byte(*arguments):
    """Of reading the generated file, without what reading one line takes."""

    def count(name, data):
        Path(name).write_bytes(data)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                   f"{PROGRAMS}/read-profile", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))

    data = subprocess.run([f"{PROGRAMS}/generate-profile", *arguments], capture_output=True, check=True).stdout
    return (count("generated", data) - count("line", b"main 1\n")) / len(data)


def expect_at_most(bound, figure):
    print(f"{figure:.1f} instructions for each byte")
    assert figure <= bound, f"{figure:.1f} instructions for each byte, more than {bound}"


def test_heap_v2():
    expect_at_most(35, instructions_per_byte("heap_v2", "1000"))


def test_folded():
    expect_at_most(3.7, instructions_per_byte("folded", "500", "5000"))


def test_folded_when_most_stacks_are_new():
    expect_at_most(9.5, instructions_per_byte("folded", "500", "500"))


if __name__ == "__main__":
    if "HEAPFLAME_SANITIZED" in os.environ:
        print("skipped: a sanitizer does not run under Valgrind")
        sys.exit(77)
    sys.exit(run_tests(globals()))
