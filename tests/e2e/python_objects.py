#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""The small objects of Python, which its own allocator makes: each is a block as those of malloc are, and the arenas they lie
in are the allocator's. In each CPython that is installed and known, or named in HEAPFLAME_PYTHONS, unless the environment chooses
an allocator."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import environment, forget_tables, only_table, profiled
from _heap import HEAPFLAME
from _interpreted import Table, in_each_python
from _suite import run_tests

SAMPLED = "period:65536,seed:5,budget:64MiB"
DENSE = "period:16,seed:5,budget:512MiB"  # nearly each


def in_use(program, script, conf=SAMPLED, variables=None, options=()):
    """{function: its bytes} as `top` has them, and the table, of a script that ends by os._exit."""
    Path("script.py").write_text("import os\n" + script + "\nos._exit(0)\n")
    profiled(conf, program, *options, "script.py", variables=variables, timeout=100)
    table = only_table()
    rows = subprocess.run([HEAPFLAME, "fold", table], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for row in rows:
        stack, _, value = row.rpartition(" ")
        for name in set(re.findall(r"[\w.]+(?= \S*script\.py|;|$)", stack)):
            found[name] = found.get(name, 0) + int(value)
    return found, table


KEEP = """
kept = []
class Record:
    __slots__ = "a", "b"
def keep(i):
    record = Record()
    record.a = float(i)
    record.b = (record.a,)
    kept.append(record)
def main():
    for i in range(200000): keep(i)
main()
"""
# A float of 24 bytes takes 32, a tuple of one 48 and 16 for the collector, a record of two 32 and 16.
KEPT = 200000 * (32 + 64 + 48)


@in_each_python
def test_what_is_kept_is_counted(program):
    found, table = in_use(program, KEEP)
    assert abs(found["keep"] / KEPT - 1) < 0.15, (found["keep"], KEPT)
    assert not any(bytes_ >= 1 << 18 for bytes_ in Table(table).mappings()), "an arena is its allocator's"
    forget_tables()


@in_each_python
def test_types_are_told(program):
    """By the functions of the interpreter that make their objects, which nobody needs to know."""
    found = {}
    for name, make in {"list": "[i, 1, 2, 3, 4, 5]", "str": "f'{i}, {i}'"}.items():
        _, table = in_use(program, f"def keep(i): return {make}\nkept = []\nfor i in range(60000):\n    one = keep(i)\n    kept.append(one)")
        rows = subprocess.run([HEAPFLAME, "top", "--by", "owner", table], capture_output=True, text=True, check=True).stdout
        forget_tables()
        found[name] = re.search(r"keep +\S*script\.py:2(?:  via (\w+))?", rows)
    assert {name: row and row[1] for name, row in found.items()} == {name: name for name in found}, found


@in_each_python
def test_what_is_freed_is_gone(program):
    found, _ = in_use(program, KEEP + "del kept\nimport gc\ngc.collect()")
    forget_tables()
    assert found.get("keep", 0) < KEPT / 20, found


def blocks_of(table, least, most):
    """Addresses of blocks of such sizes."""
    records = [table.record("blocks", number, "<3Q2I") for number in range(table.counts["blocks"])]
    return [record[0] & (1 << 48) - 1 for record in records if record[0] >> 32 and least <= record[1] <= most]


@in_each_python
def test_one_block_has_one_record(program):
    """What shrinks below the bound stays a block of malloc, and what grows above it becomes one."""
    script = """
grown = [bytearray(100) for i in range(3000)]
for each in grown: each.extend(bytes(700))
shrunk = [bytearray(900) for i in range(3000)]
for each in shrunk: del each[433:]
"""
    _, path = in_use(program, script, DENSE)
    table = Table(path)
    forget_tables()
    every = blocks_of(table, 1, 1 << 40)
    assert len(every) == len(set(every)), "two records have one address"
    for name, least, most in ("shrunk", 433, 448), ("grown", 800, 1000):
        found = len(blocks_of(table, least, most))
        assert 2700 < found < 5400, (name, found)  # Python has some of its own


@in_each_python
def test_not_where_another_is_chosen(program):
    """-X dev replaces the hooks; an allocator that the environment names is used as it is."""
    for variables, options in ({"PYTHONMALLOC": "pymalloc"}, ()), ({}, ("-X", "dev")):
        _, path = in_use(program, KEEP, variables=variables, options=options)
        table = Table(path)
        forget_tables()
        assert any(bytes_ >= 1 << 18 for bytes_ in table.mappings()), "its arenas are recorded"
        assert len(blocks_of(table, 24, 64)) < 20


@in_each_python
def test_python_does_not_notice(program):
    """What it says of itself, and what else stands before its allocator: tracemalloc; children, threads, a second interpreter."""
    script = """
import multiprocessing, sys, threading, tracemalloc
tracemalloc.start()
kept = [[i] for i in range(50000)]
traced = tracemalloc.get_traced_memory()[0]
assert 50000 * 100 < traced < 50000 * 200, traced
tracemalloc.stop()
assert sys.getallocatedblocks() > 100000
threads = [threading.Thread(target=lambda: [str(i) * 3 for i in range(20000)]) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert sum(pool.map(len, [[i] * 5 for i in range(1000)])) == 5000
try:
    import _xxsubinterpreters as interpreters
except ImportError:  # 3.13
    import _interpreters as interpreters
other = interpreters.create()
interpreters.run_string(other, "kept = [[i] for i in range(20000)]; import json; json.loads('[1, [2]]')")
interpreters.destroy(other)
"""
    Path("script.py").write_text(script)
    for conf in SAMPLED, DENSE:
        done = subprocess.run([program, "script.py"], capture_output=True, text=True, env=environment(conf), timeout=110, check=False)
        forget_tables()
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
