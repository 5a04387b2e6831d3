#!/usr/bin/env python3
# timeout: 240
# sanitized: no, the agent is the same object in that build
"""Lua frames in the stacks that the agent records: equal to what Lua says at each allocation."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS, forget_tables, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import CUT, Table, scene_test
from _suite import run_tests

need("lua5.4")
SCENES = PROGRAMS / "lua_scenes.lua"
PATH_BYTES = 256


def placeholder(file, first):
    return "<main>" if first == 0 else f"function <{file.rsplit('/', 1)[-1]}:{first}>"


def check(conf, *scenes):
    """A function has the first name that it was called by; where nobody named it before, it is told by its place."""
    out, _ = profiled(conf, "lua5.4", SCENES, *scenes, timeout=100)
    stacks = Table(only_table()).stacks()
    forget_tables()
    said = {size: [[name if name != "?" else None, *more] for name, *more in frames] for size, frames in map(json.loads, out.splitlines())}
    names = {}
    for frames in said.values():
        for name, file, _, first in frames:
            names.setdefault((file, first), set()).add(name)
    compared = 0
    for size, expected in said.items():
        if size not in stacks:
            assert "exact" not in conf, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        assert [frame[1:] for frame in found] == [[file[-PATH_BYTES:], line] for _, file, line, _ in expected], (
            f"block {size}:\n{found}\nbut Lua says\n{expected}")
        for (found_name, _, _), (name, file, _, first) in zip(found, expected):
            could_be = names[file, first] - {None} | ({placeholder(file, first)} if name is None else set())
            assert found_name in could_be, f"block {size}: {found_name} at {file}:{first}, expected one of {could_be}"
        assert not flags & CUT, f"block {size} is cut"
        compared += 1
    return compared


def scene(name, least):
    return scene_test(check, name, least)


test_plain_calls = scene("plain_calls", 25)
test_objects = scene("objects", 40)
test_native_code = scene("native_code", 25)
test_code = scene("code", 130)
test_coroutines = scene("coroutines", 60)


def test_sampled():
    assert check("period:65536,seed:7", "plain_calls", "objects", "native_code", "code", "coroutines") >= 250


def test_interrupted():
    """A debug hook, which may come between any two instructions, changes nothing of the stacks around it."""
    Path("hook.lua").write_text(
        "local function keep() kept = string.rep('x', 300000) end\n"
        "debug.sethook(function() debug.sethook() keep() end, '', 1)\nos.exit(0, false)\n")
    profiled("exact:true", "lua5.4", "hook.lua")
    frames, _ = Table(only_table()).stacks()[300025]
    found = [frame for frame in frames if frame is not None]
    assert found == [["keep", "hook.lua", 1], ["function <hook.lua:2>", "hook.lua", 2], ["<main>", "hook.lua", 2]] or found == [
        ["keep", "hook.lua", 1], ["function <hook.lua:2>", "hook.lua", 2], ["<main>", "hook.lua", 3]], found


def test_tables():
    """What makes a table saves no place: it is found nevertheless, between calls, strings, and tables of other lines."""
    lines, expected = ["local function word(n) return 'word number ' .. n end", "local kept = {}", "local function make(n)"], {}
    for i in range(120):
        lines.append(f"kept[#kept + 1] = {{ -- {i}")
        expected[(i + 300) * 16] = len(lines)
        lines.append("0, " * (i + 300) + f"name = {'word(n)' if i % 3 else 'n'},")
        lines += [["}"], ["}", "", "kept[#kept + 1] = word(n) .. n"], ["}", "kept[#kept + 1] = {}", "kept[#kept][1] = {x = {}}"]][i % 3]
    lines += ["end", "make(1)", "os.exit(0, false)"]
    Path("tables.lua").write_text("\n".join(lines))
    profiled("exact:true,budget:256MiB", "lua5.4", "tables.lua")
    stacks = Table(only_table()).stacks()
    for size, line in expected.items():
        found = [frame for frame in stacks[size][0] if frame is not None]
        assert found == [["make", "tables.lua", line], ["<main>", "tables.lua", len(lines) - 1]], (size, line, found)


def test_small_tables():
    """The same of the tables themselves, which are all of one size."""
    Path("small.lua").write_text(
        "local kept, more = {}, {}\nlocal function make(n)\n  for i = 1, n do\n    local s = 'number ' .. i\n    kept[i] = {\n"
        "      s .. s,\n    }\n    more[i] = {i, s}\n  end\nend\nmake(5000)\nos.exit(0, false)\n")
    profiled("exact:true,budget:256MiB", "lua5.4", "small.lua")
    folded = subprocess.run([HEAPFLAME, "fold", "--lines", only_table()], capture_output=True, text=True, check=True).stdout
    found = {}
    for line, size in re.findall(r"make small\.lua:(\d+);.* (\d+)$", folded, re.M):
        found[int(line)] = found.get(int(line), 0) + int(size)
    # A table is 56 bytes, its array 16 an entry; each string has 25 bytes beside its characters.
    assert found[5] == 5000 * (56 + 16) and found[6] >= sum(2 * len(f"number {i}") + 25 for i in range(1, 5001)), found
    assert found[8] >= 5000 * (56 + 32) and found[4] > 0 and set(found) <= {4, 5, 6, 7, 8}, found


def test_deep():
    """Of a stack with more frames of Lua than are kept, it is the innermost ones; also where Lua's own stack has just moved."""
    Path("deep.lua").write_text(
        "local function down(n)\n  if n == 0 then\n    kept = string.rep('x', 300000)\n  else\n    local a = down(n - 1)\n    return a\n"
        "  end\nend\ndown(1500)\nos.exit(0, false)\n")
    profiled("exact:true,budget:256MiB", "lua5.4", "deep.lua")
    stacks = Table(only_table()).stacks()
    frames, flags = stacks[300025]
    found = [frame for frame in frames if frame is not None]
    assert found == [["down", "deep.lua", 3]] + [["down", "deep.lua", 5]] * 1023, found[:3]
    assert flags & CUT, flags
    largest = max(size for size in stacks if size != 300025)  # Lua's own stack, of at least 2 places a call
    found = [frame for frame in stacks[largest][0] if frame is not None]
    assert largest > 1500 * 2 * 16 and found[-1] == ["down", "deep.lua", 5] and len(found) > 1000, (largest, found[:3], len(found))


def test_place():
    """Frames stand outward of the loop that runs them; where C code called a function, native frames are between."""
    Path("place.lua").write_text(
        "local function inner()\n  kept = string.rep('x', 300000)\nend\nlocal function outer()\n"
        "  table.sort({2, 1}, function() inner() end)\nend\nouter()\nos.exit(0, false)\n")
    profiled("exact:true", "lua5.4", "place.lua")
    folded = subprocess.run([HEAPFLAME, "fold", "--lines", only_table()], capture_output=True, text=True, check=True).stdout
    [line] = [line for line in folded.splitlines() if line.endswith(" 300025")]
    frames = line.rsplit(" ", 1)[0].split(";")
    at = [frames.index(name) for name in ("<main> place.lua:7", "outer place.lua:5", "function <place.lua:5> place.lua:5", "inner place.lua:2")]
    assert at[1] == at[0] + 1 and at[2] > at[1] + 3 and at[3] == at[2] + 1 and len(frames) > at[3] + 2, frames


def test_command():
    """The row names the function, and nothing is said of an interpreter that is not read."""
    Path("feed.lua").write_text(
        "local Feed = {}\nfunction Feed:load()\n  for i = 1, 200 do\n    self[i] = string.rep('x', 100000)\n  end\nend\nFeed:load()\n"
        "os.exit(0, false)\n")
    done = subprocess.run([HEAPFLAME, "run", "lua5.4", "feed.lua"], capture_output=True, text=True, check=True)
    assert "load (feed.lua:4)" in done.stderr and "of Lua" not in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
