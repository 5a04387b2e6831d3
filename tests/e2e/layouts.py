#!/usr/bin/env python3
# timeout: 240
"""Layouts of debug information that names.py does not have, because a file apart holds a part of it, or because there
is less than in whole DWARF: each made here with the distribution's tools. The names must be those that another program
finds there; and when the part is missing or damaged, a note must say so.
"""

import lzma
import pathlib
import re
import shutil
import subprocess
import sys

from _names import NEEDED, Program, heapflame_chains, oracle_chains, run, sweep, write_heap
from _suite import run_tests
from names import BUILDS

ADDRESSES_MAX = 1000  # of one program


def build(name, *more):
    """A program of names.py in the folder of the test."""
    compiler, source, options = BUILDS[name]
    file = pathlib.Path("program.cc" if compiler.endswith("++") else "program.c")
    file.write_text(source)
    run(compiler, *options.split(), *more, "-Wl,--build-id=sha1", "-o", "whole", file)
    return Program(pathlib.Path.cwd() / "whole")


def heap_of(program, mapped):
    """A heap dump of addresses of the program, as if `mapped` had run, and the addresses."""
    heap, addresses = pathlib.Path.cwd() / "input.heap", sweep(program, ADDRESSES_MAX)
    write_heap(heap, program, mapped, addresses)
    return heap, addresses


def names_and_notes(heap):
    done = subprocess.run(["heapflame", "fold", "--keep-allocator", heap], capture_output=True, text=True)
    assert done.returncode in (0, 4), (done.returncode, done.stderr)
    return done.stdout, done.stderr


def add_debugdata(program, change=lambda packed: packed):
    """As Fedora does it: the symbols of functions that .dynsym has not, in an ELF image of its own, packed by xz. GDB
    manual, "MiniDebugInfo"."""
    run("objcopy", "--only-keep-debug", program.path, "debug")
    pathlib.Path("keep").write_text("".join(f"{name}\n" for _, _, kind, name in program.symbols if kind == "FUNC"))
    run("objcopy", "-S", "--remove-section=.gdb_index", "--remove-section=.comment", "--keep-symbols=keep", "debug", "mini")
    packed = lzma.compress(pathlib.Path("mini").read_bytes())
    pathlib.Path("mini.xz").write_bytes(change(packed))
    run("objcopy", "--strip-all", program.path, "stripped")
    run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "stripped", "embedded")
    return pathlib.Path.cwd() / "embedded"


def test_debugdata():
    for name in ("gcc-c-5-O2", "gcc-cpp-4-O2-nopie"):
        program = build(name)
        embedded = add_debugdata(program)
        heap, addresses = heap_of(program, embedded)
        ours, elfutils = heapflame_chains(heap, addresses), oracle_chains("elfutils", embedded, addresses)
        differ = [(hex(a), ours[a], elfutils[a]) for a in addresses if [c[0] for c in ours[a]] != [c[0] for c in elfutils[a]]]
        assert not differ, f"{name}: {len(differ)} of {len(addresses)}: {differ[:3]}"


def test_debugdata_is_damaged():
    program = build("gcc-c-5-O2")
    for change, reason in (
        (lambda packed: packed[:-40], "ends too early"),
        (lambda packed: packed[:90] + b"\xff\xff\xff" + packed[93:], "is damaged"),
        (lambda packed: b"PK" + packed, "is not in the xz format"),
        (lambda packed: lzma.compress(b"text"), "is no ELF file"),
    ):
        heap, addresses = heap_of(program, add_debugdata(program, change))
        names, notes = names_and_notes(heap)
        assert "embedded+0x" in names and "walk" not in names, names
        assert re.search(rf"/embedded: .*\.gnu_debugdata: .*{reason}", notes), notes


if __name__ == "__main__":
    missing = [tool for tool in (*NEEDED, "gcc", "g++") if not shutil.which(tool)]
    if missing:
        print(f"{', '.join(missing)} missing")
        sys.exit(77)
    sys.exit(run_tests(globals()))
