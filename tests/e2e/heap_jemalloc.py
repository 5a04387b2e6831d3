#!/usr/bin/env python3
# timeout: 480
"""heap: the blocks of jemalloc, linked, preloaded or a part of a stripped program, against what the program knows of its blocks
and jemalloc of itself; and those of the distribution's redis-server."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

from _allocators import Program, check_lost, check_unread, document, near
from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc", "redis-server", "redis-cli")

LIBRARY = next(Path("/usr/lib/x86_64-linux-gnu").glob("libjemalloc.so.2"))
ARCHIVE = LIBRARY.with_name("libjemalloc.a")
LINKS = "-Wl,--no-as-needed", "-ljemalloc"
CLOSE = 0.005

# Fills, frees at random and fills again, in four threads: slabs with holes, large blocks, full caches.
PROGRAM = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define THREADS 4
#define SLOTS 12000
#define LOST 300
int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
size_t malloc_usable_size(void *);
struct node { struct node *next; char rest[100]; };
static struct node *volatile list;
static void *slots[THREADS][SLOTS];
static pthread_barrier_t done;
static int is_working;
static void *work(void *unused)
{
    for (unsigned i = 0; is_working; i++) free(malloc(1 + i * 7919 % 300000));
    return unused;
}
static size_t next_size(unsigned *seed)
{
    unsigned kind = (unsigned)rand_r(seed) % 1000;
    if (kind < 2) return 150000 + (size_t)rand_r(seed) % 400000;
    return kind < 30 ? (size_t)rand_r(seed) % 20000 : (size_t)rand_r(seed) % 300;
}
static void *churn(void *number)
{
    unsigned thread = (unsigned)(uintptr_t)number, seed = 20261126 + thread;
    for (unsigned i = 0; i < 6 * SLOTS; i++) {
        void **slot = &slots[thread][(unsigned)rand_r(&seed) % SLOTS];
        size_t size = next_size(&seed);
        free(*slot);
        *slot = i % 3 != 2 ? memset(malloc(size), 0, size) : NULL;
    }
    pthread_barrier_wait(&done);
    for (; thread != 0;) pause();
    return NULL;
}
static __attribute__((noinline)) void *get(size_t size) { return memset(malloc(size), 0, size); }
static __attribute__((noinline)) void keep(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = get(sizeof *node);
        node->next = list;
        list = node;
    }
}
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *volatile *parent = get(90000);
        *parent = get(70000);
    }
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
static size_t ask(const char *name)
{
    size_t value = 0, size = sizeof value;
    if (mallctl(name, &value, &size, NULL, 0) != 0) printf("no %s\n", name);
    return value;
}
static void tell(void)
{
    uint64_t epoch = 1, live = 0, count = 0;
    mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    for (int i = 0; i < THREADS * SLOTS; i++) {
        void *block = slots[i / SLOTS][i % SLOTS];
        live += block != NULL ? malloc_usable_size(block) : 0;
        count += block != NULL;
    }
    for (struct node *node = list; node != NULL; node = node->next) live += malloc_usable_size(node), count++;
    printf("{\"live\": %zu, \"count\": %zu, \"allocated\": %zu, \"active\": %zu, \"cached\": %zu, \"retained\": %zu}\n", live, count,
        ask("stats.allocated"), ask("stats.active"), ask("stats.arenas.4096.tcache_bytes"), ask("stats.retained"));
    fflush(stdout);
}
int main(int count, char **words)
{
    static char out[4096], in[4096], line[16];
    pthread_t thread;
    setvbuf(stdout, out, _IOFBF, sizeof out);
    setvbuf(stdin, in, _IOFBF, sizeof in);
    pthread_barrier_init(&done, NULL, THREADS);
    for (uintptr_t i = 1; i < THREADS; i++) pthread_create(&thread, NULL, churn, (void *)i);
    churn(NULL);
    keep(10000);
    lose(count > 1 && words[1][0] == 'l' ? LOST : 0);
    wipe();
    tell();
    is_working = count > 1 && words[1][0] == 'w';
    if (is_working) pthread_create(&thread, NULL, work, NULL);
    while (fgets(line, sizeof line, stdin)) { }
    return 0;
}
"""


def parts_of(found):
    assert {part["allocator"] for part in found["heaps"]} <= {"jemalloc", "glibc"}, found["heaps"]
    return {part["part"]: part for part in found["heaps"] if part["allocator"] == "jemalloc"}


def sums(found):
    """allocated, active, cached: what jemalloc calls so."""
    parts = parts_of(found)
    blocks = [parts[name] for name in ("small blocks", "large blocks", "thread caches")]
    cached = sum(part["cached"]["bytes"] for part in blocks)
    active = sum(part["in_use"]["bytes"] + part["free"]["bytes"] for part in blocks)
    return found["blocks"]["bytes"] + cached + parts["thread caches"]["in_use"]["bytes"], active, cached


def check_program(program):
    found = document(program.pid)
    told, (allocated, active, cached) = program.told, sums(found)
    assert near(allocated, told["allocated"], CLOSE) and near(active, told["active"], CLOSE), (allocated, active, told)
    assert near(cached, told["cached"], CLOSE), (cached, told)
    assert parts_of(found).get("reserved addresses", {"free": {"bytes": 0}})["free"]["bytes"] == told["retained"], found["heaps"]
    assert all(part["unknown"] == 0 for part in found["heaps"]), found["heaps"]
    holder = found["holders"][0]
    # A word that is none of its own may hold another block, or a few of these as well.
    assert holder["kind"] == "data" and holder["path"].endswith("/program"), found["holders"]
    assert near(holder["bytes"], told["live"], 0.001), (holder, told)
    assert told["count"] <= found["blocks"]["blocks"] <= told["count"] + 60, (told, found["blocks"])
    assert found["lost"]["blocks"] <= 2 and found["lost_with"]["blocks"] == 0, found


def test_linked():
    with Program(PROGRAM, links=LINKS) as program:
        check_program(program)


def test_preloaded():
    with Program(PROGRAM, links=["-Wl,--unresolved-symbols=ignore-all"], preload=LIBRARY) as program:
        check_program(program)


def test_within_a_stripped_program():
    with Program(PROGRAM, links=[ARCHIVE, "-lstdc++", "-lm", "-ldl"], is_stripped=True) as program:
        assert "libjemalloc" not in Path(f"/proc/{program.pid}/maps").read_text()
        check_program(program)


def test_lost():
    """Also of large blocks, whose addresses jemalloc itself has: its tables hold nothing."""
    with Program(PROGRAM, "lose", links=LINKS) as program:
        check_lost(document(program.pid), (98304, 81920))  # of 90,000 and 70,000 bytes
        said = run(HEAPFLAME, "heap", program.pid)
        for words in "  heaps of jemalloc\n", "  small blocks (", "  large blocks (", "  thread caches", "  tables (":
            assert words in said, said


def test_at_work():
    """What a thread is moving between a slab and its cache when it is stopped may count as in use."""
    with Program(PROGRAM, "work", links=LINKS) as program:
        for _ in range(20):
            found = document(program.pid)
            assert program.told["count"] <= found["blocks"]["blocks"] <= program.told["count"] + 500, (program.told, found["blocks"])
            assert near(found["holders"][0]["bytes"], program.told["live"], 0.01), found["holders"]
        status = Path(f"/proc/{program.pid}/status").read_text()
        assert "TracerPid:\t0" in status, status


BOTH = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *__libc_malloc(size_t);
struct node { struct node *next, *other; char rest[184]; };
static struct node *volatile list;
static __attribute__((noinline)) void keep(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = memset(malloc(sizeof *node), 0, sizeof *node);
        node->other = memset(__libc_malloc(sizeof *node), 0, sizeof *node);
        node->other->next = memset(malloc(300), 0, 300);
        node->next = list;
        list = node;
    }
}
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *volatile node = memset(__libc_malloc(1000), 0, 1000);
        node->other = memset(malloc(700), 0, 700);
    }
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
int main(void)
{
    keep(5000);
    lose(500);
    wipe();
    return (int)write(1, "r", 1) + pause();
}
"""


@contextlib.contextmanager
def waiting(source):
    """A program that writes a letter when it has what it is asked about, and waits."""
    Path("waiting.c").write_text(source)
    run("gcc", "-O1", "-o", "waiting", "waiting.c", *LINKS)
    with subprocess.Popen(["./waiting"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        yield process.pid
        process.kill()


def test_two_in_one_process():
    """Each walks its own, and blocks of the one hold blocks of the other."""
    with waiting(BOTH) as pid:
        found = document(pid)
        text = run(HEAPFLAME, "heap", pid)
    by_size = {row["size"]: row for row in found["sizes"]}
    blocks = {size: (row["all"]["blocks"], row["lost"]["blocks"]) for size, row in by_size.items()}
    assert blocks[224] == (5000, 0) and blocks[200] == (5000, 0) and blocks[320] == (5000, 0), blocks
    assert blocks[1000][0] == 500 and blocks[1000][1] >= 499 and blocks[768][1] >= 499, blocks
    assert {part["allocator"] for part in found["heaps"]} == {"glibc", "jemalloc"}, found["heaps"]
    assert "  heaps\n" in text and "  glibc: main arena\n" in text and "  jemalloc: small blocks" in text, text


GIB = r"""
#include <stdlib.h>
#include <unistd.h>
static __thread volatile char odd[3]; /* what is below it begins at no multiple of 8 */
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) { void *volatile block = malloc(1 << 20); (void)block; }
    odd[0] = 1;
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
int main(void)
{
    lose(1100);
    wipe();
    return (int)write(1, "r", 1) + pause();
}
"""


def test_where_a_gib_begins():
    """jemalloc remembers its address in each thread's storage; a block that lies there is lost like the others."""
    with waiting(GIB) as pid:
        found = document(pid)
    lost = {row["size"]: row["lost"]["blocks"] for row in found["sizes"]}
    assert lost[1 << 20] == 1100, (lost[1 << 20], found["holders"])


def test_unknown_version():
    check_unread("libjemalloc.so.9", "tables are not those of jemalloc 5.3")


@contextlib.contextmanager
def redis():
    """On a Unix socket of this folder. The path of one has 108 bytes; a relative one is short wherever the folder is."""
    options = ["--port", "0", "--unixsocket", "s", "--save", "", "--appendonly", "no", "--daemonize", "no"]
    with open("log", "wb") as log, subprocess.Popen(["redis-server", *options], stdout=log, stderr=log) as process:
        try:
            end = time.monotonic() + 60
            while ask("ping") != "PONG\n":
                assert process.poll() is None and time.monotonic() < end, Path("log").read_text()
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def ask(*words):
    return subprocess.run(["redis-cli", "-s", "s", *words], capture_output=True, text=True, check=False).stdout


def test_redis():
    """What it says of its allocator it asks ten times a second."""
    with redis() as process:
        ask("eval", 'for i = 1, 30000 do redis.call("set", "key" .. i, string.rep("x", 700)) end', "0")
        end = time.monotonic() + 60
        while True:
            told = dict(line.split(":", 1) for line in ask("info", "memory").split() if ":" in line)
            found = document(process.pid)
            allocated, active, _ = sums(found)
            if near(allocated, int(told["allocator_allocated"]), CLOSE) and near(active, int(told["allocator_active"]), CLOSE):
                break
            assert time.monotonic() < end, (allocated, active, told)
        assert ask("ping") == "PONG\n"
    values = {row["size"]: row for row in found["sizes"]}[768]
    assert values["all"]["blocks"] >= 30000 and values["lost"]["blocks"] <= 3, values
    holder = found["holders"][0]
    assert holder["kind"] == "data" and "redis" in holder["path"] and holder["bytes"] >= 30000 * 768, found["holders"]
    assert found["lost"]["bytes"] <= found["blocks"]["bytes"] / 1000, found["lost"]


sys.exit(run_tests(globals()))
