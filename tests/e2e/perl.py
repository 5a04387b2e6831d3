#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Perl frames in the stacks that the agent records: equal to what caller says at each allocation."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import check_stacks, play_scenes, scene_test
from _suite import run_tests

need("perl")
SCENES = PROGRAMS / "perl_scenes.pl"
KILLED = -9


def check(conf, *scenes):
    said, table = play_scenes(conf, "perl", SCENES, Path.cwd(), *scenes, status=KILLED, path_bytes=240)
    return check_stacks("Perl", said, table, is_exact="exact" in conf)


def scene(name, least):
    return scene_test(check, name, least)


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
