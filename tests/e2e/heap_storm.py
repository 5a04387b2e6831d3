#!/usr/bin/env python3
# timeout: 600
# sanitized: no, heap.py and who.py run the same code
"""heap and who of a program that rewrites its heap while it is read: pointers change places, blocks come and go, are filled with
addresses of others and with numbers, mappings and threads come and go. There may be no answer, but the tool and the program go on; and of
what it keeps nothing is called lost, except what only a register holds while nobody stops it."""

import json
import subprocess
import sys
import time
from pathlib import Path

from _agent import AGENT, environment, on_allocator, plain_environment
from _heap import HEAPFLAME, need
from _schemas import held
from _suite import run_tests

need("gcc")

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { KEPT = 20000, MOVED = 2000, CHURNED = 4096 };
struct node { struct node *next; uint64_t rest[12]; };
static struct node *kept[KEPT]; /* these stay, and what they contain changes */
static void *moved[MOVED];      /* these change places, each by way of registers */
static void *churned[2][CHURNED];
static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    if (*seed % 512 == 0) usleep(50); /* whoever reads needs a processor, too */
    return *seed;
}
static void *move(void *unused)
{
    for (uint64_t seed = 88172645463325252u;;) {
        void **a = &moved[draw(&seed) % MOVED], **b = &moved[draw(&seed) % MOVED], *was = *a;
        *a = *b;
        *b = was;
    }
    return unused;
}
static void *rewrite(void *unused)
{
    for (uint64_t seed = 362436069u;;) {
        struct node *node = kept[draw(&seed) % KEPT];
        uint64_t other = (uint64_t)kept[draw(&seed) % KEPT];
        node->next = (struct node *)other;
        for (int i = 0; i < 12; i++) node->rest[i] = i % 3 ? draw(&seed) : other + draw(&seed) % 200;
    }
    return unused;
}
static void *churn(void *slots)
{
    void **blocks = slots;
    for (uint64_t seed = (uintptr_t)slots | 1;;) {
        uint64_t i = draw(&seed) % CHURNED, size = 16 + draw(&seed) % 6000;
        if (i % 512 == 0) size += 200000;
        if (i % 3 == 0) blocks[i] = realloc(blocks[i], size);
        else free(blocks[i]), blocks[i] = malloc(size);
        memset(blocks[i], (int)seed, size < 500 ? size : 500);
    }
    return NULL;
}
/* As glibc marks a block with a mapping of its own. */
static void *map(void *unused)
{
    for (uint64_t seed = 7;; usleep(200)) {
        size_t size = (1 + draw(&seed) % 64) << 12;
        uint64_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) continue;
        at[1] = (128u << 10) | 2;
        usleep(100);
        munmap(at, size);
    }
    return unused;
}
static void *end(void *unused) { free(malloc(100)); return unused; }
static void *start(void *unused)
{
    for (pthread_t thread;; usleep(300))
        if (pthread_create(&thread, NULL, end, NULL) == 0) pthread_join(thread, NULL);
    return unused;
}
int main(void)
{
    static void *(*const works[])(void *) = {move, rewrite, map, start};
    pthread_t thread;
    for (int i = 0; i < KEPT; i++) kept[i] = calloc(1, sizeof **kept);
    for (int i = 0; i < MOVED; i++) moved[i] = calloc(1, 7000);
    for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, works[i], NULL);
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, churn, churned[i]);
    (void)!write(1, "r", 1);
    for (char byte; read(0, &byte, 1) == 1;) {}
    _exit(0);
}
"""
READINGS = 2
AT_MOST = 4  # of some 30,000 blocks: those that a thread has just got and not put anywhere yet


def answers(command, pid):
    """Each of READINGS, or what was said instead of it."""
    for _ in range(READINGS):
        done = subprocess.run([HEAPFLAME, *command, "--json", "--rows", "0", str(pid)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            yield held(json.loads(done.stdout)), done.stderr
        else:
            assert done.returncode in (3, 5) and done.stderr.startswith("heapflame: "), (command, done)
            yield None, done.stderr


def check_heap(found, in_registers=0):
    by_size = {row["size"]: row for row in found["sizes"]}
    kept = min(size for size in by_size if size >= 104), min(size for size in by_size if size >= 7000)
    assert by_size[kept[0]]["all"]["blocks"] >= 20000 and by_size[kept[1]]["all"]["blocks"] >= 2000, by_size
    assert max(by_size[size]["lost"]["blocks"] for size in kept) <= in_registers, by_size
    assert found["lost"]["blocks"] + found["lost_with"]["blocks"] <= AT_MOST, found["lost"]


def check_who(found):
    total = sum(part["bytes"] for part in found["kept_by"])
    lost = sum(part["bytes"] for part in found["kept_by"] if part["form"].startswith("lost"))
    assert total >= 15e6 and lost <= AT_MOST * 6000, found["kept_by"]


CHECKS = [
    # A thread that gets no processor at any look has the address of what it moves in a register, which only a stop reads.
    (["heap", "--no-stop"], lambda found: check_heap(found, 2)),
    (["heap"], check_heap),
    (["who", "--no-stop"], check_who),
    (["who"], check_who),
]


def check(allocator, checks=CHECKS):
    Path("storm.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", "storm", "storm.c"], check=True)
    for command, judge in checks:
        with on_allocator(allocator):
            env = environment("lg_prof_sample:0", (AGENT,)) if command[0] == "who" else plain_environment()
        with subprocess.Popen(["./storm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
            try:
                assert process.stdout.read(1) == b"r", process.wait()
                time.sleep(1)  # what is as young as the reading itself is left out
                given = [(found, said) for found, said in answers(command, process.pid)]
            finally:
                process.stdin.close()
                process.wait()
        assert process.returncode == 0, (command, process.returncode)
        assert any(found for found, _ in given), (command, given)
        for found, _ in given:
            if found:
                judge(found)
        print(allocator, *command, "; ".join("answered" if found else said.strip() for found, said in given))


def test_glibc():
    check("glibc")


def test_tcmalloc():
    check("libtcmalloc_minimal")


# who reads the same heaps.
def test_jemalloc():
    check("libjemalloc", CHECKS[:2])


def test_mimalloc():
    check("libmimalloc", CHECKS[:2])


sys.exit(run_tests(globals()))
