#!/usr/bin/env python3
# timeout: 480
"""heap: the blocks of gperftools' tcmalloc, linked, preloaded, or within a stripped program, against what a program knows of its own
and what tcmalloc says of itself: four threads, blocks that others freed, aligned ones, and a thread that is gone."""

import re
import sys
from pathlib import Path

from _allocators import CHURN, Program, check_at_work, check_lost, check_unread, document, near
from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc")

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
MINIMAL, WHOLE, STATIC = LIBRARIES / "libtcmalloc_minimal.so.4", LIBRARIES / "libtcmalloc.so.4", LIBRARIES / "libtcmalloc_minimal.a"
LOST_SIZES = 90112, 73728  # of 90,000 and 70,000 bytes

PROGRAM = "#define SMALLEST 8\n#define _GNU_SOURCE\n" + CHURN + r"""
#include <dlfcn.h>
#define ALIGNED 200
static void *large[6], *aligned[ALIGNED];
static __attribute__((noinline)) void keep(void)
{
    for (int i = 0; i < 6; i++) large[i] = get((size_t)(1 + 2 * i) << 20);
    for (int i = 0; i < ALIGNED; i++) aligned[i] = memset(memalign((size_t)16 << i % 10, 100 + 50 * i), 0, 100 + 50 * i);
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
    char how = count > 1 ? words[1][0] : ' ';
    use_own_buffers();
    churn_all();
    keep();
    lose(how == 'l' ? 300 : 0);
    if (how == 'd') damage();
    wipe();
    tell();
    go_on(how == 'w');
    return 0;
}
"""


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
    with Program(PROGRAM, preload=MINIMAL) as program:
        check_program(program)


def test_linked():
    with Program(PROGRAM, links=("-Wl,--no-as-needed", WHOLE)) as program:
        check_program(program)


def test_within_a_stripped_program():
    """Nothing has its name then, and the program's data is that of the tables, too."""
    with Program(PROGRAM, links=(STATIC, "-lstdc++", "-lm"), is_stripped=True) as program:
        check_program(program, has_numbers=False)


def test_lost():
    with Program(PROGRAM, "lose", preload=MINIMAL) as program:
        check_lost(document(program.pid), LOST_SIZES)
        text = run(HEAPFLAME, "heap", program.pid)
    assert "  heaps of tcmalloc\n" in text and re.search(r"  small blocks \(\d+\)\n", text), text


def test_at_work():
    with Program(PROGRAM, "work", preload=MINIMAL) as program:
        check_at_work(program)


def test_damaged_lists():
    """Of a span whose list ends too early nobody knows what is free: it is a region of its own, and what it points to is held."""
    with Program(PROGRAM, "damage", preload=MINIMAL) as program:
        found = document(program.pid)
    damaged = parts_of(found)["spans being changed"]
    assert damaged["unknown"] >= 8192 and damaged["in_use"]["blocks"] == 0, damaged
    assert near(found["holders"][0]["bytes"], program.told["live"], 0.02), found["holders"]


def test_unknown_version():
    check_unread("libtcmalloc.so.9", "tables are not those of gperftools 2.8 to 2.16")


sys.exit(run_tests(globals()))
