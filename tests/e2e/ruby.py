#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Ruby frames in the stacks that the agent records: equal to what Ruby says at each allocation."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import CUT, Table, check_stacks, play_scenes, scene_test
from _suite import run_tests

need("ruby")
SCENES = PROGRAMS / "ruby_scenes.rb"
KILLED = -9


def check(conf, *scenes, **more):
    said, table = play_scenes(conf, "ruby", "--disable-gems", SCENES, Path.cwd(), *scenes, status=KILLED, path_bytes=256)
    return check_stacks("Ruby", said, table, is_exact="exact" in conf, **more)


def scene(name, least, **more):
    return scene_test(check, name, least, **more)


test_plain_calls = scene("plain_calls", 30)
test_objects = scene("objects", 40)
test_native_code = scene("native_code", 40)
test_exceptions = scene("exceptions", 35)
test_code = scene("code", 180)
test_fibers = scene("fibers", 15)
test_threads = scene("threads", 15)
test_words = scene("words", 5)
test_collecting = scene("collecting", 50)


def test_sampled():
    assert check("period:65536,seed:7", "plain_calls", "objects", "native_code", "code") >= 200


def test_deep():
    """Of a stack with more frames of Ruby than are kept, it is the innermost ones, by the same native frame."""
    Path("deep.rb").write_text(
        "def down(n) = n > 0 ? down(n - 1) : ($kept = 'x' * 300000)\ndown(3000)\nProcess.kill('KILL', $$)\n")
    profiled("exact:true,budget:256MiB", "ruby", "--disable-gems", "deep.rb", status=KILLED)
    frames, flags = Table(only_table()).stacks()[300001]
    found = [frame for frame in frames if frame is not None]
    assert found == [["Object#down", str(Path.cwd() / "deep.rb"), 1]] * 1024, found[:3]
    assert flags & CUT, flags


def test_place():
    """Ruby frames stand outward of the loop that runs them; where C code called a block, native frames are between."""
    Path("place.rb").write_text(
        "class Own\n  def inner\n    ($kept ||= []) << 'x' * 300000\n  end\n  def outer\n    [1].sort_by { |x| inner; 1 }\n  end\nend\n"
        "Own.new.outer\nProcess.kill('KILL', $$)\n")
    profiled("exact:true,budget:256MiB", "ruby", "--disable-gems", "place.rb", status=KILLED)
    folded = subprocess.run([HEAPFLAME, "fold", "--lines", only_table()], capture_output=True, text=True, check=True).stdout
    expected = (r"ruby_run_node;[^;]*;<main> \S*place.rb:9;Own#outer \S*place.rb:6;rb_vm_exec;[^ ]*rb_ary_each;[^ ]*;"
                r"block in Own#outer \S*place.rb:6;Own#inner \S*place.rb:3;rb_vm_exec;[^ ]*rb_str_times;")
    assert re.search(expected, folded), folded[:2000]


def test_command():
    """The row names the method of the program, and says nothing of an interpreter that is not read."""
    Path("feed.rb").write_text(
        "class Feed\n  def load\n    100.times { (@kept ||= []) << 'x' * 100000 }\n  end\nend\n$feed = Feed.new\n$feed.load\n")
    done = subprocess.run([HEAPFLAME, "run", "ruby", "feed.rb"], capture_output=True, text=True, check=True)
    assert "block in Feed#load (feed.rb:3)" in done.stderr and "Ruby" not in done.stderr, done


def test_library():
    """What Ruby's own library makes counts for the method of the program that asked for it."""
    Path("index.rb").write_text(
        "require 'set'\nclass Index\n  def build\n    @words = Set.new(1..300_000)\n  end\nend\n$index = Index.new.tap(&:build)\n")
    done = subprocess.run([HEAPFLAME, "run", "ruby", "index.rb"], capture_output=True, text=True, check=True)
    assert "Index#build (index.rb:4) via " in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
