#!/usr/bin/env python3
# timeout: 480
"""heap: the blocks of gperftools' tcmalloc, linked, preloaded, or within a stripped program, against what a program knows of its own
and what tcmalloc says of itself: four threads, blocks that others freed, aligned ones, and a thread that is gone."""

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

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
MINIMAL, WHOLE, STATIC = LIBRARIES / "libtcmalloc_minimal.so.4", LIBRARIES / "libtcmalloc.so.4", LIBRARIES / "libtcmalloc_minimal.a"
LOST = 300
LOST_SIZES = 90112, 73728  # of 90,000 and 70,000 bytes

PROGRAM = r"""
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define THREADS 4
#define SLOTS 12000
#define ALIGNED 200
static void *slots[THREADS][SLOTS], *large[6], *aligned[ALIGNED];
static pthread_barrier_t filled, done;
static int is_working;
static void *get(size_t size) { return memset(malloc(size), 0, size); }
static size_t next_size(unsigned *seed)
{
    unsigned kind = (unsigned)rand_r(seed) % 1000;
    if (kind < 2) return 150000 + (size_t)rand_r(seed) % 400000;
    return kind < 30 ? (size_t)rand_r(seed) % 20000 : 8 + (size_t)rand_r(seed) % 300;
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
static __attribute__((noinline)) void keep(void)
{
    for (int i = 0; i < 6; i++) large[i] = get((size_t)(1 + 2 * i) << 20);
    for (int i = 0; i < ALIGNED; i++) aligned[i] = memset(memalign((size_t)16 << i % 10, 100 + 50 * i), 0, 100 + 50 * i);
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
static __attribute__((noinline)) void damage(void)
{
    void *volatile *blocks[3000];
    for (int i = 0; i < 3000; i++) blocks[i] = get(1400);
    for (int i = 0; i < 3000; i++) free((void *)blocks[i]);
    for (int i = 0; i < 3000; i++) *blocks[i] = (void *)8; /* over the address of the next free one */
}
static size_t count_block(void *block, size_t *count)
{
    *count += block != NULL;
    return malloc_usable_size(block);
}
static void tell(void)
{
    static const char *const names[] = {"generic.current_allocated_bytes", "tcmalloc.thread_cache_free_bytes",
        "tcmalloc.transfer_cache_free_bytes", "tcmalloc.central_cache_free_bytes", "tcmalloc.pageheap_free_bytes"};
    int (*property)(const char *, size_t *) = (int (*)(const char *, size_t *))dlsym(RTLD_DEFAULT, "MallocExtension_GetNumericProperty");
    size_t live = 0, count = 0, value;
    for (int i = 0; i < THREADS * SLOTS; i++) live += count_block(slots[i / SLOTS][i % SLOTS], &count);
    for (int i = 0; i < 6; i++) live += count_block(large[i], &count);
    for (int i = 0; i < ALIGNED; i++) live += count_block(aligned[i], &count);
    printf("{\"live\": %zu, \"count\": %zu", live, count);
    for (int i = 0; i < 5 && property != NULL; i++)
        if (property(names[i], &value)) printf(", \"%s\": %zu", names[i], value);
    puts("}");
    fflush(stdout);
}
int main(int count, char **words)
{
    static char out[4096], in[4096], line[16];
    char how = count > 1 ? words[1][0] : ' ';
    pthread_t threads[THREADS];
    setvbuf(stdout, out, _IOFBF, sizeof out);
    setvbuf(stdin, in, _IOFBF, sizeof in);
    pthread_barrier_init(&filled, NULL, THREADS);
    pthread_barrier_init(&done, NULL, THREADS);
    for (uintptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, churn, (void *)i);
    churn(NULL);
    pthread_join(threads[1], NULL);
    keep();
    lose(how == 'l' ? 300 : 0);
    if (how == 'd') damage();
    wipe();
    tell();
    is_working = how == 'w';
    if (is_working) pthread_create(&threads[1], NULL, work, NULL);
    while (fgets(line, sizeof line, stdin)) { }
    return 0;
}
"""


class Program:
    """`told`: what it has and what tcmalloc says; it allocates and frees nothing afterwards."""

    def __init__(self, *words, links=(), preload=None, is_stripped=False):
        Path("program.c").write_text(PROGRAM)
        run("gcc", "-O1", "-w", "-pthread", "-o", "program", "program.c", *links)
        if is_stripped:
            run("strip", "program")
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


def parts_of(found):
    return {part["part"]: part for part in found["heaps"] if part["allocator"] == "tcmalloc"}


def check_numbers(parts, told):
    """Those of MallocExtension_GetNumericProperty, which holds locks as it counts; nothing changes meanwhile."""
    in_use = parts["small blocks"]["in_use"]["bytes"] + parts["large blocks"]["in_use"]["bytes"]
    cached, free = parts["small blocks"]["cached"]["bytes"], parts["small blocks"]["free"]["bytes"]
    assert near(in_use, told["generic.current_allocated_bytes"], 0.001), (in_use, told)
    assert near(cached, told["tcmalloc.thread_cache_free_bytes"] + told["tcmalloc.transfer_cache_free_bytes"], 0.01), (cached, told)
    # What is left at the ends of spans is no block, and counts as free here.
    assert 0 <= free - cached - told["tcmalloc.central_cache_free_bytes"] <= 0.03 * told["generic.current_allocated_bytes"], (free, told)
    assert parts["pages for reuse"]["free"]["bytes"] == told["tcmalloc.pageheap_free_bytes"], (parts, told)


def check_program(program, has_numbers=True):
    found, told = document(program.pid), program.told
    parts = parts_of(found)
    assert {"small blocks", "large blocks", "pages for reuse", "tables"} <= set(parts), found["heaps"]
    assert {part["allocator"] for part in found["heaps"]} == {"tcmalloc"}, found["heaps"]
    assert all(part["unknown"] == 0 for part in found["heaps"]), found["heaps"]
    holder = found["holders"][0]
    assert holder["kind"] == "data" and holder["path"].endswith("/program"), found["holders"]
    assert near(holder["bytes"], told["live"], 0.001), (holder, told)
    assert told["count"] <= found["blocks"]["blocks"] <= told["count"] + 60, (told, found["blocks"])
    assert found["lost"]["blocks"] <= 2 and found["lost_with"]["blocks"] == 0, found
    if has_numbers:
        check_numbers(parts, told)


def test_preloaded():
    with Program(preload=MINIMAL) as program:
        check_program(program)


def test_linked():
    with Program(links=("-Wl,--no-as-needed", WHOLE)) as program:
        check_program(program)


def test_within_a_stripped_program():
    """Nothing has its name then, and the program's data is that of the tables, too."""
    with Program(links=(STATIC, "-lstdc++", "-lm"), is_stripped=True) as program:
        check_program(program, has_numbers=False)


def test_lost():
    with Program("lose", preload=MINIMAL) as program:
        found = document(program.pid)
        text = run(HEAPFLAME, "heap", program.pid)
    by_size = {row["size"]: row["lost"]["blocks"] for row in found["sizes"]}
    assert all(LOST - 3 <= by_size[size] for size in LOST_SIZES), by_size
    assert LOST - 3 <= found["lost"]["blocks"] <= LOST + 2 and LOST - 3 <= found["lost_with"]["blocks"] <= LOST + 2, found
    assert "  heaps of tcmalloc\n" in text and re.search(r"  small blocks \(\d+\)\n", text), text


def test_at_work():
    """What a thread is handing out when it is stopped may count as in use, or not."""
    with Program("work", preload=MINIMAL) as program:
        for _ in range(4):
            found = document(program.pid)
            assert abs(found["blocks"]["blocks"] - program.told["count"]) <= 60, (program.told, found["blocks"])
            assert near(found["holders"][0]["bytes"], program.told["live"], 0.01), found["holders"]


def test_damaged_lists():
    """Of a span whose list ends too early nobody knows what is free: it is a region of its own, and what it points to is held."""
    with Program("damage", preload=MINIMAL) as program:
        found = document(program.pid)
    damaged = parts_of(found)["spans being changed"]
    assert damaged["unknown"] >= 8192 and damaged["in_use"]["blocks"] == 0, damaged
    assert near(found["holders"][0]["bytes"], program.told["live"], 0.02), found["holders"]


def test_unknown_version():
    """A library of that name that is another version, or is not used: a note, and the rest is read."""
    Path("none.c").write_text("int none(void) { return 1; }\n")
    Path("main.c").write_text("#include <stdlib.h>\n#include <unistd.h>\nint none(void);\nstatic void *volatile block;\n"
                              "int main(void) { block = malloc(9); return (int)write(none(), \"r\", 1) + pause(); }\n")
    run("gcc", "-shared", "-fPIC", "-o", "libtcmalloc.so.9", "none.c")
    run("gcc", "-o", "main", "main.c", "./libtcmalloc.so.9")
    with subprocess.Popen(["./main"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        done = subprocess.run([HEAPFLAME, "heap", str(process.pid)], capture_output=True, text=True, check=False)
        process.kill()
    assert done.returncode == 0 and "heaps of glibc" in done.stdout, done
    assert re.search(r"note: \S+/libtcmalloc.so.9 is not read: its tables are not those of gperftools 2.8 to 2.16", done.stderr), done


sys.exit(run_tests(globals()))
