#!/usr/bin/env python3
# timeout: 480
"""heap: the blocks of mimalloc, linked or preloaded, against what a program knows of its own: four threads, blocks that others freed,
and threads that are gone."""

import re
import sys
from pathlib import Path

from _allocators import CHURN, Program, check_at_work, check_lost, check_unread, document, near
from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc")

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libmimalloc.so.2")
LOST_SIZES = 98304, 81920  # of 90,000 and 70,000 bytes

PROGRAM = "#define SMALLEST 0\n" + CHURN + r"""
struct node { struct node *next; char rest[100]; };
static struct node *volatile list;
static void *large[3];
static __attribute__((noinline)) void keep(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = get(sizeof *node);
        node->next = list;
        list = node;
    }
    for (int i = 0; i < 3; i++) large[i] = get((size_t)(3 + 20 * i) << 20);
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
    char how = count > 1 ? words[1][0] : ' ';
    use_own_buffers();
    churn_all();
    keep(10000);
    lose(how == 'l' ? 300 : 0);
    wipe();
    tell();
    go_on(how == 'w');
    return 0;
}
"""


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
    with Program(PROGRAM, preload=LIBRARY) as program:
        check_program(program)


def test_linked():
    with Program(PROGRAM, links=("-Wl,--no-as-needed", LIBRARY)) as program:
        check_program(program)


def test_lost():
    with Program(PROGRAM, "lose", preload=LIBRARY) as program:
        check_lost(document(program.pid), LOST_SIZES)
        text = run(HEAPFLAME, "heap", program.pid)
    assert "  heaps of mimalloc\n" in text and re.search(r"  blocks \(\d+\)\n", text) and "  huge blocks (2)\n" in text, text


def test_at_work():
    with Program(PROGRAM, "work", preload=LIBRARY) as program:
        check_at_work(program)


def test_unknown_version():
    check_unread("libmimalloc.so.3", "segments are not those of mimalloc 2.0")


sys.exit(run_tests(globals()))
