#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Perl frames in the stacks that the agent records: equal to what caller says at each allocation."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS, forget_tables, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import CUT, Table
from _suite import run_tests

need("perl")
SCENES = PROGRAMS / "perl_scenes.pl"
KILLED = -9


def play(conf, *scenes):
    """({size: [its frames as Perl says]}, the table) of the scenes."""
    out, _ = profiled(conf, "perl", SCENES, Path.cwd(), *scenes, status=KILLED, timeout=100)
    table = Table(only_table())
    forget_tables()
    return {size: [[name, file[-240:], line] for name, file, line in frames] for size, frames in map(json.loads, out.splitlines())}, table


def check(conf, *scenes):
    """Returns how many stacks were compared."""
    said, table = play(conf, *scenes)
    stacks = table.stacks()
    compared = 0
    for size, expected in said.items():
        if size not in stacks:
            assert "exact" not in conf, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        assert found == expected, f"block {size}:\n{found}\nbut Perl says\n{expected}"
        assert not flags & CUT, f"block {size} is cut"
        compared += 1
    return compared


def scene(name, least):
    """The test of a scene that makes at least so many stacks."""

    def test():
        compared = check("exact:true,budget:256MiB", name)
        print(f"{compared} stacks")
        assert compared >= least, f"{compared} stacks, expected {least}"

    return test


test_plain_calls = scene("plain_calls", 9)
test_objects = scene("objects", 10)
test_tied = scene("tied", 8)
test_native_code = scene("native_code", 20)
test_exceptions = scene("exceptions", 20)
test_code = scene("code", 100)
test_ends = scene("ends", 10)
test_growing = scene("growing", 1)
test_words = scene("words", 5)
test_threads = scene("in_threads", 10)


def test_sampled():
    assert check("period:65536,seed:7", "plain_calls", "objects", "native_code", "code") >= 50


def test_place():
    """Perl frames stand outward of the loop that runs them; where C code called Perl, native frames are between."""
    Path("place.pl").write_text(
        "sub inner {\n    push @kept, 'x' x 300000; 0\n}\nsub outer {\n    my @s = sort { inner() } 1, 2;\n}\nouter();\nkill 9, $$;\n")
    profiled("exact:true,budget:256MiB", "perl", "place.pl", status=KILLED)
    folded = subprocess.run([HEAPFLAME, "fold", "--lines", only_table()], capture_output=True, text=True, check=True).stdout
    expected = r"<main> place.pl:7;main::outer place.pl:5;Perl_runops_standard[^;]*;Perl_pp_sort[^;]*;.*;main::inner place.pl:2;Perl_runops_standard"
    assert re.search(expected, folded), folded[:2000]


def test_command():
    """The row names the function of the program."""
    Path("feed.pl").write_text("sub load {\n    push @kept, 'x' x 100000 for 1 .. 100;\n}\nload();\n")
    done = subprocess.run([HEAPFLAME, "run", "perl", "feed.pl"], capture_output=True, text=True, check=True)
    assert "main::load" in done.stdout + done.stderr, done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
