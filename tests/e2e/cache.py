#!/usr/bin/env python3
"""The symbol cache: the second answer is the first one, read from nothing but the entry, and whatever has changed or
is damaged, the answer is the one without a cache."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc", "g++", "objcopy", "nm", "readelf")

LONG_AGO = time.time() - 86400  # of a file changed just now the next change might not show
PROGRAM = """
static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
int __attribute__((noinline)) outer(int x) { return inner(x) + inner(x * 2); }
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""


def environment(**more):
    return {**os.environ, "XDG_CACHE_HOME": str(Path.cwd() / "cache"), **more}


def entries():
    return sorted(path for path in Path("cache/heapflame").glob("*"))


def old(path):
    os.utime(path, (LONG_AGO, LONG_AGO))


def ask(binary, *options, program=HEAPFLAME, **more):
    """What addr2line says, on both streams, of all functions of the program, which is also the unharmed file "names"."""
    addresses = [f"0x{line.split()[0]}" for line in run("nm", "names").splitlines() if line.split()[-2] in "Tt"]
    done = subprocess.run([program, "addr2line", *options, "-afie", binary, *addresses], env=environment(**more),
                          capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def build(code=PROGRAM, *flags):
    Path("program.c").write_text(code)
    run("gcc", "-O2", "-g", *flags, "program.c", "-o", "names")
    shutil.copy("names", "program")
    old("program")


def build_apart():
    """A stripped program whose debug file is beside it."""
    build()
    run("objcopy", "--only-keep-debug", "names", "program.debug")
    run("objcopy", "-S", "--add-gnu-debuglink=program.debug", "names", "program")
    old("program.debug")
    old("program")


def overwrite(path, name):
    """Zeros in the place of a section, in the same file as before."""
    found = re.search(rf" {re.escape(name)} +\w+ +\w+ (\w+) (\w+)", run("readelf", "-SW", path))
    with open(path, "r+b") as file:
        file.seek(int(found[1], 16))
        file.write(bytes(int(found[2], 16)))
    old(path)


def test_debug_information_is_not_read_again():
    """It is destroyed after the first run, in a way that the file's time and size do not show."""
    build()
    plain = ask("program", "--no-cache")
    assert "inner\n" in plain and "program.c:2\n" in plain and not Path("cache").exists()
    assert ask("program") == plain and len(entries()) == 1
    for section in ".debug_info", ".debug_line", ".debug_str", ".symtab":
        overwrite("program", section)
    assert ask("program") == plain != ask("program", "--no-cache")


def test_debug_file_is_not_read_again():
    build_apart()
    plain = ask("program", "--no-cache")
    assert "inner\n" in plain
    assert ask("program") == plain and len(entries()) == 1
    Path("program.debug").write_bytes(bytes(Path("program.debug").stat().st_size))
    old("program.debug")
    assert ask("program") == plain and "inner" not in ask("program", "--no-cache")


sys.exit(run_tests(globals()))
