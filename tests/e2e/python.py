#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 400
"""Python frames in the stacks that the agent records: equal to what Python itself says of each allocation, in every
CPython that is installed and known, or named in HEAPFLAME_PYTHONS."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _agent import AGENT, PROGRAMS, compile_agent_test, forget_tables, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import CUT, PYTHONS, Table, in_each_python
from _suite import run_tests

need("gcc", "python3")
PROBE = compile_agent_test("python_probe.c", "-shared", "-fPIC", out="probe.so")
SCENES = PROGRAMS / "python_scenes.py"


def by_faulthandler(lines):
    """[(file, line)] of what faulthandler prints, which ends after 100 frames."""
    found = [re.fullmatch(r'  File "(.*)", line (\d+) in .*', line) for line in lines]
    return [(match[1], int(match[2])) for match in found if match]


def check(conf, program, *scenes, agent=AGENT):
    """Plays the scenes; returns how many stacks were compared."""
    out, _ = profiled(conf, program, SCENES, PROBE, *scenes, preload=(agent,), timeout=100)
    stacks = Table(only_table()).stacks()
    forget_tables()
    compared = 0
    for line in out.splitlines():
        size, expected, *words = json.loads(line)
        if size not in stacks:
            assert "exact" not in conf, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        expected = [[name, file[-256:], line] for name, file, line in expected]
        assert found == expected, f"{program}, block {size}:\n{found}\nbut Python says\n{expected}"
        assert not flags & CUT or not expected, f"block {size} is cut"
        compared += 1
        for told in words:
            said = by_faulthandler(told)
            seen = [(file, line) for _, file, line in found][: len(said)]
            assert len(said) >= min(len(found), 100), told
            assert all(a == b for a, b in zip(said, seen) if "\\" not in a[0] and len(b[0]) < 256), (said, seen)
    return compared


def scene(name, least):
    """The test of a scene that makes at least so many stacks."""

    @in_each_python
    def test(program):
        compared = check("exact:true,budget:256MiB", program, name)
        assert compared >= least, f"{compared} stacks, expected {least}"
        return compared

    return test


test_plain_calls = scene("plain_calls", 18)
test_generators = scene("generators", 20)
test_asynchronous = scene("asynchronous", 40)
test_c_code = scene("c_code", 40)
test_exceptions = scene("exceptions", 20)
test_threads = scene("threads", 600)
test_reborn = scene("reborn", 400)
test_words = scene("words", 8)


@in_each_python
def test_interrupted(program):
    """A C handler of a signal that allocates: nothing faults, and what follows is right."""
    return check("exact:true,budget:256MiB", program, "interrupted", "plain_calls", "c_code")


@in_each_python
def test_sampled(program):
    """Stacks of small objects have room beside those that are compared."""
    compared = check("period:4096,seed:7,budget:256MiB", program)
    assert compared > 600, compared
    return compared


@in_each_python
def test_place(program):
    """Python frames stand outward of the eval function's frame. What Python calls itself has none between; what C calls does."""
    Path("place.py").write_text(
        "import functools, os\nkept = []\ndef inner():\n    kept.append(bytes(100001))\ndef outer(n=0):\n    inner()\n"
        "outer()\nfunctools.reduce(lambda a, b: kept.append(bytes(100003)), [1, 2])\nos._exit(0)\n")
    profiled("exact:true,budget:256MiB", program, "place.py")
    stacks = {size - size % 2: [frame and frame[0] for frame in frames] for size, (frames, _) in Table(only_table()).stacks().items() if 100_000 <= size < 100_100}
    folded = run_fold(only_table())
    forget_tables()
    assert len(stacks) == 2, stacks
    for names in stacks.values():
        python = [i for i, name in enumerate(names) if name]
        assert python[0] > 0 and names[python[0] - 1] is None and names[python[-1] + 1 :] and None in names
        between = [b - a for a, b in zip(python, python[1:])]
        assert between == ([1, 1] if "inner" in names else between) and (("inner" in names) or between[0] > 1), names
    assert re.search(r"<module> \S*place.py:7;outer \S*place.py:6;inner \S*place.py:4;_PyEval_EvalFrameDefault", folded), folded[:2000]
    return len(stacks)


def run_fold(table):
    return subprocess.run([HEAPFLAME, "fold", "--lines", table], capture_output=True, text=True, check=True).stdout


def test_unknown_versions():
    """A Python whose frames are not known is said to have none, in one note."""
    for version, program in PYTHONS.items():
        if (3, 11) <= version <= (3, 13) or version[0] != 3:
            continue
        Path("unknown.py").write_text("import os\nkept = [bytes(500001)]\nos._exit(0)\n")
        profiled("exact:true", program, "unknown.py")
        done = subprocess.run([HEAPFLAME, "top", only_table()], capture_output=True, text=True, check=False)
        forget_tables()
        assert "Python functions are not shown: heapflame knows Python 3.11 to 3.13" in done.stderr, done.stderr
        assert done.stderr.count("frames of") == 1


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
