#!/usr/bin/env python3
# timeout: 240
"""Bundles: what a command shows of a bundle where the binaries are gone is, byte for byte, what it shows of the profile
where they are: the answer, the notes and the exit status. The binaries here are copies, the libraries too, so that they
can be moved away."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import EVERY_ALLOCATION, HEAPFLAME, PROGRAMS, SOURCE, compile_program, heapflame, need, run_profiled
from _suite import run_tests

SANITIZED = int("HEAPFLAME_SANITIZED" in os.environ)  # then each view is of one of the programs
VIEWS = [
    "fold A", "fold --full-names A", "fold --keep-allocator --lines A", "fold --files --alloc_space A",
    "fold --addresses A", "fold --thread 0 --inuse_objects A", "fold --focus main --keep-allocator A", "fold A B",
    "fold --base A B", "fold --addresses --base A B", "top A", "top --cum --rows 0 --lines --full-names A",
    "top --json A", "flame A", "flame A -o page.html", "flame --base A B", "graph A", "graph --base A B",
    "diff A B", "diff --json A B", "diff --full-names --lines A B", "jeprof --collapse PROGRAM A",
    "jeprof --text --lines PROGRAM A", "jeprof --raw PROGRAM A", "convert --to pb A", "convert --to pb --base A B",
    "convert --to heap_v2 --full-names A", "convert --to speedscope --lines A",
]


def shown(view, folder, program):
    """(status, answer, standard error) of a view of the profiles `a` and `b` in the folder."""
    words = [{"A": "a", "B": "b", "PROGRAM": program}.get(word, word) for word in view.split()]
    done = subprocess.run([HEAPFLAME, *words], cwd=folder, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 3, 4), f"{view}: {done.returncode} {done.stderr}"
    answer = Path(folder, words[-1]).read_bytes() if "-o" in words and done.returncode != 3 else done.stdout
    return done.returncode, answer, done.stderr


def move_libraries(heap):
    """Makes the dump name copies of its libraries in the folder `installed`."""
    text = heap.read_text()
    for path in sorted(set(re.findall(r" (/\S+\.so[.0-9]*)$", text, re.MULTILINE))):
        copy = Path("installed", Path(path).name).resolve()
        shutil.copy(path, copy)
        text = text.replace(f" {path}\n", f" {copy}\n")
    heap.write_text(text)


def record(source, *arguments):
    """Dumps of two builds of a program and its libraries, all in `installed`, and their bundles."""
    for folder in ("installed", "raw", "bundles"):
        Path(folder).mkdir()
    for name, level in (("a", "-O2"), ("b", "-O0")):
        heap = Path("raw", name)
        program = compile_program(source, f"installed/program-{name}", level)
        run_profiled(program, heap, *arguments, conf=f"{EVERY_ALLOCATION},prof_accum:true")
        move_libraries(heap)
        heapflame("bundle", heap, "-o", f"bundles/{name}")


def check_views(views):
    program = Path("installed/program-a").resolve()
    expected = {view: shown(view, "raw", program) for view in views}
    Path("mixed").mkdir()
    shutil.copy("bundles/a", "mixed/a")
    shutil.copy("raw/b", "mixed/b")
    wrong = [f"{view}, of a bundle and a dump" for view in views if shown(view, "mixed", program) != expected[view]]
    os.rename("installed", "gone")
    Path("installed").mkdir()
    shutil.copy("/bin/true", program)  # jeprof wants a program, and this one must not be asked
    lost = [view for view in views if shown(view, "raw", program)[1] == expected[view][1]]
    assert not lost, f"the dump alone says the same without the binaries: {lost}"
    wrong += [view for view in views if shown(view, "bundles", program) != expected[view]]
    assert not wrong, wrong


def test_cpp():
    record("shapes.cc")
    check_views(VIEWS[::1 + SANITIZED])


def test_threads():
    record("forest.c", PROGRAMS / "forest.c")
    check_views(VIEWS[SANITIZED::1 + SANITIZED])


def test_fixtures():
    """What comes with names or without addresses, and what is lost of it."""
    wrong, read, refused = [], 0, 0
    every = 3 if SANITIZED else 1  # a minute and a half for all
    for fixture in sorted((SOURCE / "tests/fixtures").rglob("*"))[::every]:
        if not fixture.is_file() or fixture.name in ("README.md", "golden") or fixture.stat().st_size == 0:
            continue
        for folder in ("raw", "bundles", "again"):
            Path(folder).mkdir(exist_ok=True)
        shutil.copy(fixture, "raw/a")
        Path("bundles/a").unlink(missing_ok=True)
        status, _, notes = shown("bundle a -o ../bundles/a", "raw", "")
        if status == 3:  # an ELF file, a source: no profile, for every command
            refused += 1
            if shown("fold A", "raw", "") != (3, b"", notes) or Path("bundles/a").exists():
                wrong.append(f"{fixture.name} is refused: {notes}")
            continue
        read += 1
        shown("convert a -o ../again/a.hfb", "bundles", "")
        if Path("bundles/a").read_bytes() != Path("again/a.hfb").read_bytes():
            wrong.append(f"{fixture.name}: its bundle made again")
        for view in ("fold A", "fold --lines --full-names A", "fold --addresses A", "top A", "convert --to pb A"):
            before, after = shown(view, "raw", ""), shown(view, "bundles", "")
            if before != after:
                wrong.append(f"{fixture.name}, {view}: {str(before)[:500]} became {str(after)[:500]}")
    assert not wrong, "\n".join(wrong)
    assert read > 20 / every and refused, (read, refused)


if __name__ == "__main__":
    need("gcc", "g++")
    sys.exit(run_tests(globals()))
