#!/usr/bin/env python3
# timeout: 480
"""heap and who: the small objects of CPython, against what its allocator says of itself: a dict of a module, objects that were
freed, blocks that a C extension has lost, and threads at work."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run, skip
from _schemas import held
from _suite import run_tests

PYTHON = "/usr/bin/python3"
need(PYTHON)
if "3.11" not in run(PYTHON, "--version"):
    skip("python3 is not CPython 3.11")

WORDS = 60000
LOST, LOST_BYTES = 300, 208  # 200 were asked for

PROGRAM = """
import ctypes, sys, threading
what = sys.argv[1]
CACHE = {}
class Word:
    def __init__(self, text):
        self.text = text
WORDS = [Word("text %%d" %% i) for i in range(1000)]
def fill():
    for i in range(%d):
        CACHE["word %%d" %% i] = ("what %%d means" %% i) * 9
fill()
if what == "freed":
    for i in range(%d):
        if i %% 4:
            del CACHE["word %%d" %% i]
if what == "lost":
    make = ctypes.pythonapi.PyObject_Malloc
    make.restype, make.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    for i in range(%d):
        ctypes.memset(make(200), 0, 200)
def work():
    while True:
        [str(i) * 5 for i in range(300)]
if what == "work":
    for i in range(3):
        threading.Thread(target=work, daemon=True).start()
sys._debugmallocstats()
sys.stderr.write("ready\\n")
sys.stderr.flush()
sys.stdin.read(1)
""" % (WORDS, WORDS, LOST)


class Program:
    """`told`: bytes in blocks of pymalloc, by its own statistics; None: it has none."""

    def __init__(self, what, recorded=False, **environment):
        Path("program.py").write_text(PROGRAM)
        command = [PYTHON, "program.py", what]
        if recorded:
            command = [str(HEAPFLAME), "run", "-q", "-o", "profile.hfb", "--", *command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        said = ""
        while not said.endswith("ready\n"):
            line = self.process.stderr.readline()
            assert line, said
            said += line
        told = re.search(r"# bytes in allocated blocks += +([\d,]+)\n", said)
        self.told = int(told[1].replace(",", "")) if told else None
        self.pid = self.process.pid
        if recorded:
            self.pid = int(Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        assert self.process.poll() is None, self.process.returncode
        self.process.communicate("q")


def document(pid):
    return held(json.loads(run(HEAPFLAME, "heap", "--json", "--rows", "0", pid)))


def pymalloc_of(found):
    heaps = [part for part in found["heaps"] if part["allocator"] == "pymalloc"]
    assert len(heaps) == 1 and heaps[0]["part"] == "arena" and heaps[0]["unknown"] == 0, found["heaps"]
    return heaps[0]


def check(program, part=0.001):
    found = document(program.pid)
    in_use = pymalloc_of(found)["in_use"]["bytes"]
    assert abs(in_use - program.told) <= program.told * part, (in_use, program.told)
    return found


def test_dict():
    with Program("") as program:
        found = check(program)
        text = run(HEAPFLAME, "heap", program.pid)
    assert found["lost"]["blocks"] <= 2, found["lost"]
    assert re.search(r"  pymalloc: arena \(\d+\)\n", text), text
    holder = found["holders"][0]
    assert holder["kind"] == "data" and holder["bytes"] > 0.95 * found["blocks"]["bytes"], found["holders"]
    classes = {row["name"]: row for row in found["classes"]}
    assert classes["str"]["all"]["blocks"] >= 2 * WORDS and {"dict", "type", "function"} <= set(classes), list(classes)
    assert classes["Word"]["all"]["blocks"] == 1000, classes["Word"]
    words = [row for row in found["sizes"] if row["all"]["blocks"] >= WORDS]
    assert words, found["sizes"]


def test_freed():
    with Program("") as program:
        before = program.told
    with Program("freed") as program:
        check(program, 0.002)
        assert program.told < before * 0.45, (program.told, before)


def test_lost():
    with Program("lost") as program:
        found = check(program)
    lost = {row["size"]: row["lost"]["blocks"] for row in found["sizes"]}
    assert LOST - 3 <= lost[LOST_BYTES] <= LOST + 3, lost
    assert found["lost"]["blocks"] <= LOST + 5, found["lost"]


def test_at_work():
    """What a thread is handing out when it is stopped may count as in use, or not."""
    with Program("work") as program:
        for _ in range(4):
            check(program, 0.02)


def test_recorded():
    """All that was recorded is found, and the dict's strings are kept by the interpreter's data."""
    with Program("", recorded=True) as program:
        found = held(json.loads(run(HEAPFLAME, "who", "--json", program.pid)))
        text = run(HEAPFLAME, "who", program.pid)
    assert "all found in its heaps" in text and "not known" not in text, text
    owner = found["owners"][0]
    assert owner["name"] == "fill", found["owners"]


def test_debug():
    """Bytes before and behind each block, also the table's."""
    with Program("", PYTHONMALLOC="debug") as program:
        check(program)


def test_without():
    """Objects that malloc has are malloc's."""
    with Program("", PYTHONMALLOC="malloc") as program:
        found = document(program.pid)
    assert program.told is None and {part["allocator"] for part in found["heaps"]} == {"glibc"}, found["heaps"]
    assert found["blocks"]["blocks"] > 2 * WORDS, found["blocks"]


sys.exit(run_tests(globals()))
