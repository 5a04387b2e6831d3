#!/usr/bin/env python3
# timeout: 480
"""heap: the blocks of mimalloc, linked or preloaded, against what a program knows of its own: four threads, blocks that others freed,
and threads that are gone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _schemas import held
from _suite import run_tests

need("gcc")

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libmimalloc.so.2")
LOST = 300
LOST_SIZES = 98304, 81920  # of 90,000 and 70,000 bytes

PROGRAM = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define THREADS 4
#define SLOTS 12000
struct node { struct node *next; char rest[100]; };
static struct node *volatile list;
static void *slots[THREADS][SLOTS], *large[3];
static pthread_barrier_t filled, done;
static int is_working;
static void *get(size_t size) { return memset(malloc(size), 0, size); }
static size_t next_size(unsigned *seed)
{
    unsigned kind = (unsigned)rand_r(seed) % 1000;
    if (kind < 2) return 150000 + (size_t)rand_r(seed) % 400000;
    return kind < 30 ? (size_t)rand_r(seed) % 20000 : (size_t)rand_r(seed) % 300;
}
static void *churn(void *number)
{
    unsigned thread = (unsigned)(uintptr_t)number, seed = 20261127 + thread;
    for (unsigned i = 0; i < 6 * SLOTS; i++) {
        void **slot = &slots[thread][(unsigned)rand_r(&seed) % SLOTS];
        free(*slot);
        *slot = i % 3 != 2 ? get(next_size(&seed)) : NULL;
    }
    pthread_barrier_wait(&filled);
    for (unsigned i = 0; i < SLOTS / 4; i++) { /* what another one has allocated */
        void **slot = &slots[(thread + 1) % THREADS][i];
        free(*slot);
        *slot = NULL;
    }
    pthread_barrier_wait(&done);
    for (; thread > 1;) pause(); /* the first has more to do, the second ends */
    return NULL;
}
static void *work(void *unused)
{
    for (unsigned i = 0; is_working; i++) free(malloc(1 + i * 7919 % 300000));
    return unused;
}
static __attribute__((noinline)) void keep(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = get(sizeof *node);
        node->next = list;
        list = node;
    }
    for (int i = 0; i < 3; i++) large[i] = get((size_t)(3 + 20 * i) << 20);
}
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) {
        void *volatile *parent = get(90000);
        *parent = get(70000);
    }
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
static void tell(void)
{
    uint64_t live = 0, count = 3;
    for (int i = 0; i < THREADS * SLOTS; i++) {
        void *block = slots[i / SLOTS][i % SLOTS];
        live += malloc_usable_size(block);
        count += block != NULL;
    }
    for (struct node *node = list; node != NULL; node = node->next) live += malloc_usable_size(node), count++;
    for (int i = 0; i < 3; i++) live += malloc_usable_size(large[i]);
    printf("{\"live\": %zu, \"count\": %zu}\n", live, count);
    fflush(stdout);
}
int main(int count, char **words)
{
    static char out[4096], in[4096], line[16];
    pthread_t threads[THREADS];
    setvbuf(stdout, out, _IOFBF, sizeof out);
    setvbuf(stdin, in, _IOFBF, sizeof in);
    pthread_barrier_init(&filled, NULL, THREADS);
    pthread_barrier_init(&done, NULL, THREADS);
    for (uintptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, churn, (void *)i);
    churn(NULL);
    pthread_join(threads[1], NULL);
    keep(10000);
    lose(count > 1 && words[1][0] == 'l' ? 300 : 0);
    wipe();
    tell();
    is_working = count > 1 && words[1][0] == 'w';
    if (is_working) pthread_create(&threads[1], NULL, work, NULL);
    while (fgets(line, sizeof line, stdin)) { }
    return 0;
}
"""


class Program:
    """`told`: what it has; it allocates and frees nothing afterwards."""

    def __init__(self, *words, links=(), preload=None):
        Path("program.c").write_text(PROGRAM)
        run("gcc", "-O1", "-pthread", "-o", "program", "program.c", *links)
        environment = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
        self.process = subprocess.Popen(
            ["./program", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.told = json.loads(self.process.stdout.readline())
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        assert self.process.poll() is None, self.process.returncode
        self.process.kill()
        self.process.communicate()


def document(pid):
    return held(json.loads(run(HEAPFLAME, "heap", "--json", "--rows", "0", pid)))


def near(value, expected, part):
    return abs(value - expected) <= expected * part


def check_program(program):
    found, told = document(program.pid), program.told
    heaps = {part["part"]: part for part in found["heaps"] if part["allocator"] == "mimalloc"}
    assert set(heaps) == {"blocks", "huge blocks"}, found["heaps"]
    assert sum(part["in_use"]["blocks"] for part in heaps.values()) == found["blocks"]["blocks"], found
    assert all(part["unknown"] == 0 for part in found["heaps"]), found["heaps"]
    holder = found["holders"][0]
    assert holder["kind"] == "data" and holder["path"].endswith("/program"), found["holders"]
    assert near(holder["bytes"], told["live"], 0.001), (holder, told)
    assert near(found["blocks"]["bytes"], told["live"], 0.001), (found["blocks"], told)
    assert told["count"] <= found["blocks"]["blocks"] <= told["count"] + 60, (told, found["blocks"])
    assert found["lost"]["blocks"] <= 2 and found["lost_with"]["blocks"] == 0, found


def test_preloaded():
    with Program(preload=LIBRARY) as program:
        check_program(program)


def test_linked():
    with Program(links=("-Wl,--no-as-needed", LIBRARY)) as program:
        check_program(program)


def test_lost():
    with Program("lose", preload=LIBRARY) as program:
        found = document(program.pid)
        text = run(HEAPFLAME, "heap", program.pid)
    by_size = {row["size"]: row["lost"]["blocks"] for row in found["sizes"]}
    assert all(LOST - 3 <= by_size[size] for size in LOST_SIZES), by_size
    assert LOST - 3 <= found["lost"]["blocks"] <= LOST + 2 and LOST - 3 <= found["lost_with"]["blocks"] <= LOST + 2, found
    assert "  heaps of mimalloc\n" in text and re.search(r"  blocks \(\d+\)\n", text) and "  huge blocks (2)\n" in text, text


def test_at_work():
    """What a thread is handing out when it is stopped may count as in use, or not."""
    with Program("work", preload=LIBRARY) as program:
        for _ in range(4):
            found = document(program.pid)
            assert abs(found["blocks"]["blocks"] - program.told["count"]) <= 60, (program.told, found["blocks"])
            assert near(found["holders"][0]["bytes"], program.told["live"], 0.01), found["holders"]


def test_unknown_version():
    """A library of that name that is another version, or is not used: a note, and the rest is read."""
    Path("none.c").write_text("int none(void) { return 1; }\n")
    Path("main.c").write_text("#include <stdlib.h>\n#include <unistd.h>\nint none(void);\nstatic void *volatile block;\n"
                              "int main(void) { block = malloc(9); return (int)write(none(), \"r\", 1) + pause(); }\n")
    run("gcc", "-shared", "-fPIC", "-o", "libmimalloc.so.3", "none.c")
    run("gcc", "-o", "main", "main.c", "./libmimalloc.so.3")
    with subprocess.Popen(["./main"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        done = subprocess.run([HEAPFLAME, "heap", str(process.pid)], capture_output=True, text=True, check=False)
        process.kill()
    assert done.returncode == 0 and "glibc" in done.stdout and "1 lost" not in done.stdout, done
    assert re.search(r"note: \S+/libmimalloc.so.3 is not read: its segments are not those of mimalloc 2.0\. Its memory counts as other mappings", done.stderr), done


sys.exit(run_tests(globals()))
