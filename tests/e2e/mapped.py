#!/usr/bin/env python3
"""The agent records what a program maps: the table has, function by function, what the program says it has mapped."""

import contextlib
import re
import struct
import subprocess
import sys

from _agent import AGENT, TIMEOUT_S, compile_agent_test, environment, forget_tables, on_allocator, on_every_allocator, only_table, run, stacks, state, tables
from _suite import run_tests

MIB = 1 << 20
PROGRAM = compile_agent_test("mapped.c", "-lrt")
BY_ALLOCATOR, BY_AGENT = 0xFFFFFFFD, 0xFFFFFFFE


def mappings(table):
    """[(start, bytes, stack)] that are in the table, by address, and how many were lost."""
    with open(table, "rb") as file:
        head, (count, lost) = file.read(4096), struct.unpack_from("<2Q", file.read(4096), 576)
        at, _, record_bytes = struct.unpack_from("<3Q", head, 536)
        file.seek(at)
        data = file.read(count * record_bytes)
    found = []
    for number in range(count):
        word, size, _, stack, _ = struct.unpack_from("<3Q2I", data, record_bytes * number)
        if word >> 32:
            found.append(((word & ~(1 << 63)) >> 16, size, stack))
    found.sort()
    for before, behind in zip(found, found[1:]):
        assert before[0] + before[1] <= behind[0], f"{before} and {behind} overlap"
    return found, lost


def names_of(program, table):
    """{number of a stack: the function that called mmap}"""
    code = {number: frames[0] & (1 << 48) - 1 for number, (frames, _) in enumerate(stacks(table)) if frames}
    names = run("addr2line", "-f", "-e", program, *(f"{offset:#x}" for offset in code.values())).splitlines()[::2]
    return dict(zip(code, names))


def mapped(program, table):
    """{function: bytes}"""
    names, sums = names_of(program, table), {}
    for _, size, stack in mappings(table)[0]:
        if stack < BY_ALLOCATOR and names.get(stack, "").startswith(("map_", "churn", "on_signal")):
            sums[names[stack]] = sums.get(names[stack], 0) + size
    return sums


@contextlib.contextmanager
def running(*words, conf="", preload=(AGENT,)):
    """(the program, what it said): it waits until the end."""
    program = PROGRAM
    forget_tables()
    with subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(conf, preload)) as child:
        yield program, child
        child.stdin.close()
        assert child.wait(timeout=TIMEOUT_S) == 0


def said(child, lines):
    return {name: int(value) for name, value in (child.stdout.readline().split() for _ in range(lines))}


def check_all_ways(conf):
    with running(conf=conf) as (program, child):
        expected = said(child, 8)
        assert expected.pop("errno") == 0, "a call failed in another way than without the agent"
        table = only_table()
        assert mapped(program, table) == expected, f"{mapped(program, table)}, expected {expected}"
        found, lost = mappings(table)
        assert lost == 0
        names = names_of(program, table)
        pieces = [size for _, size, stack in found if names.get(stack) == "map_piecewise"]
        assert pieces == [64 * 4096], f"64 pieces of one stack in {len(pieces)} records"


def test_all_ways():
    check_all_ways("")


@on_every_allocator
def test_all_ways_with_every_block_recorded():
    check_all_ways("exact:true")


def test_paused():
    """Nothing new is recorded, and what is unmapped is not there any more."""
    with running(conf="prof_active:false") as (program, child):
        said(child, 8)
        assert mapped(program, only_table()) == {}


def test_memory_of_the_allocator_is_marked():
    for name in ("libjemalloc", "libmimalloc", "libtcmalloc"):
        with on_allocator(name), running("blocks") as (_, child):
            expected, sums = said(child, 1)["blocks"], {}
            for _, size, stack in mappings(only_table())[0]:
                sums[stack] = sums.get(stack, 0) + size
            assert sums.get(BY_ALLOCATOR, 0) > expected / 2, f"{name}: {sums}"
            assert sums[BY_AGENT] > MIB, f"{name}: {sums}"
            assert sum(size for stack, size in sums.items() if stack < BY_ALLOCATOR) < MIB, f"{name}: {sums}"


def test_children():
    """A child's table begins with nothing; nobody writes the parent's but the parent."""
    with running("fork", conf="follow_fork:true") as (program, child):
        inner = said(child, 2)
        number = inner.pop("child")
        (own,), (parents,) = tables(number), tables(child.pid)
        assert mapped(program, own) == inner, mapped(program, own)
        assert mapped(program, parents) == {"map_whole": MIB}, mapped(program, parents)
        child.stdin.write("\n")
        child.stdin.flush()
        outer = said(child, 2)
        outer.pop("parent")
        assert mapped(program, parents) == outer


def test_a_child_that_is_not_followed():
    with running("fork") as (program, child):
        said(child, 2)
        assert len(tables()) == 1 and mapped(program, only_table()) == {"map_whole": MIB}
        child.stdin.write("\n")
        child.stdin.flush()


def test_threads():
    with running("threads") as (program, child):
        expected = said(child, 1)
        found = mapped(program, only_table())
        assert found == expected, f"{found}, expected {expected}"


def test_signals():
    """A handler that interrupts the agent loses its event, which is counted; others do not."""
    with running("signals", conf="exact:true") as (program, child):
        expected = said(child, 1)
        found, (_, lost) = mapped(program, only_table()), mappings(only_table())
        left = found.pop("on_signal", 0)
        assert found == expected, f"{found}, expected {expected}"
        assert left <= lost * 4096, f"{left} bytes are left of handlers, {lost} events were lost"


def test_full():
    """What does not fit is counted, and said."""
    source = "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\nfor i in range(2000):\n"
    source += "    at = libc.mmap(None, ctypes.c_size_t(8192), 3, 0x22, -1, ctypes.c_long(0))\n    libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t(4096))\n"
    done = subprocess.run(["/usr/bin/python3", "-c", source], env=environment("budget:1MiB,keep:true"), capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    (table,) = tables()
    found, lost = mappings(table)
    assert 500 < len(found) <= 512 and lost > 1000, (len(found), lost)
    shown = subprocess.run(["heapflame", "top", table], capture_output=True, text=True, check=False)
    assert re.search(rf"note: {lost} mapped pieces of memory were not recorded", shown.stderr), shown.stderr
    assert not any(state(table)[1].values())


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
