#!/usr/bin/env python3
# timeout: 300
# sanitized: no, what it tests are presets and other programs, which are the same there
# lane: probes, which the kernel puts in and takes out one after the other
"""attach counts each block of each allocator once, whatever function it came from: the C library's, jemalloc, tcmalloc
and mimalloc, preloaded or linked in; with several presets at once; and an allocator of the program's own, by a spec."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from _attach import BACKENDS, Attached, Target, need_root, of_leaf
from _heap import PROGRAMS, need, run
from _suite import run_tests

need("g++", "gcc")
need_root()

COUNT = 150
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
LEAKS = {
    "leak_malloc": 48, "leak_calloc": 300, "leak_memalign": 640, "leak_posix_memalign": 320, "leak_realloc": 70000,
    "leak_new": 40, "leak_array": 120, "leak_nothrow": 72, "leak_over_aligned": 256,
}


class Program(Target):
    def __init__(self, *command, preload=None):
        env = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        self.pid = self.process.pid
        self.heard("ready")


def build(out, *options, source="allocators.cc"):
    run("g++", "-O2", "-g", "-std=c++17", "-fno-builtin", "-fomit-frame-pointer", "-w", "-o", out, PROGRAMS / source, *options)
    return f"./{out}"


def stacks_of(program, backend, *options):
    attached = Attached(program.pid, "-d", "60s", "--backend", backend, *options)
    program.go_on()
    program.heard("done")
    stacks = attached.end(signal=signal.SIGINT)
    assert "nothing was lost" in attached.said, attached.said
    return stacks, attached.said


def check(name, program, backend, *options):
    stacks, said = stacks_of(program, backend, *options)
    found = {leak: sum(of_leaf(stacks, leak).values()) for leak in LEAKS}
    expected = {leak: COUNT * size for leak, size in LEAKS.items()}
    assert found == expected, f"{name}, {backend}: {found}; {said}"
    others = sum(value for frames, value in stacks if frames[-1] not in LEAKS)
    assert others == 0, f"{name}, {backend}: {[stack for stack in stacks if stack[0][-1] not in LEAKS]}"


def check_new(name, program, backend, *options, preload=None):
    """On a new process of the program. perf loses calls where a busy machine has no time for it, and says so: then once
    more, and a third time."""
    for attempt in range(3):
        try:
            with Program(program, COUNT, preload=preload) as target:
                return check(name, target, backend, *options)
        except AssertionError as error:
            if attempt == 2 or "were lost before heapflame could read them" not in str(error):
                raise


def test_preloaded():
    """By both backends; by one each where only the library is another: what is probed is the same for both."""
    program = build("allocators")
    names = None, "libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"
    for turn, name in enumerate(names):
        for backend in BACKENDS if name is None else [BACKENDS[turn % 2]]:
            check_new(name or "libc", program, backend, preload=name and LIBRARIES / name)


def test_linked_in():
    for name, options in {
        "static": ["-static"],
        "with_jemalloc": ["-Wl,-Bstatic", "-ljemalloc", "-Wl,-Bdynamic", "-pthread", "-ldl", "-lm"],
    }.items():
        program = build(name, *options)
        for backend in BACKENDS:
            check_new(name, program, backend)


def test_several_presets():
    """operator new calls malloc, and both are probed: one block."""
    program = build("allocators")
    for backend in BACKENDS:
        check_new("libstdcxx and libc", program, backend, "--spec", "libstdcxx", "--spec", "libc")


ARENA = r"""
#include <stdio.h>
#include <string.h>
#include <time.h>
#define NOINLINE __attribute__((noinline, noclone))
struct arena { const char *name; char *at; char room[1 << 20]; } first, second;
NOINLINE void *arena_alloc(struct arena *arena, unsigned long size) { return (arena->at += size) - size; }
NOINLINE void arena_free(struct arena *arena, void *block) { __asm__ volatile("" : : "r"(block)); }
NOINLINE void arena_reset(struct arena *arena) { arena->at = arena->room; __asm__ volatile("" : : "r"(arena)); }
NOINLINE void leak(void) { __asm__ volatile("" : : "r"(arena_alloc(&first, 100))); }
NOINLINE void drop(void) { arena_free(&first, arena_alloc(&first, 30)); __asm__ volatile(""); }
NOINLINE void scratch(void) { arena_alloc(&second, 200); arena_alloc(&second, 300); __asm__ volatile(""); }
int main(void) {
    char line[64];
    struct timespec pause = {0, 4000000};
    arena_reset(&first), arena_reset(&second);
    puts("ready"), fflush(stdout), fgets(line, sizeof line, stdin);
    for (int i = 0; i < 150; i++) {
        leak(), drop(), scratch();
        if (i % 10 == 9) arena_reset(&second);
        nanosleep(&pause, NULL);
    }
    scratch();
    puts("done"), fflush(stdout), fgets(line, sizeof line, stdin);
}
"""

SPEC = """spec arena
object  exe
alloc   sym:arena_alloc    ctx=arg0 size=arg1  new=ret
free    sym:arena_free     ctx=arg0 ptr=arg1
reset   sym:arena_reset    ctx=arg0
"""


def test_an_allocator_of_its_own():
    """By the spec that docs/spec.md begins with."""
    Path("arena.c").write_text(ARENA)
    Path("arena.spec").write_text(SPEC)
    run("gcc", "-O2", "-g", "-w", "-fomit-frame-pointer", "-o", "arena", "arena.c")
    for backend in BACKENDS:
        with Program("./arena") as target:
            stacks, said = stacks_of(target, backend, "--spec", "arena.spec")
            found = {frames[-1]: value for frames, value in stacks}
            assert found == {"leak": 150 * 100, "scratch": 500}, (backend, found, said)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
