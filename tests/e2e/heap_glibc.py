#!/usr/bin/env python3
# sanitized: no, heap.py runs the same code
# timeout: 300
"""heap: what glibc has in use and free, against its own numbers: a program of C++ with several arenas after much fragmentation, and
python3, node and a backend of PostgreSQL, stripped as they come, which a debugger has call malloc_stats(3)."""

import contextlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from _allocators import call_in, document, near
from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("g++", "gdb", "/usr/bin/python3", "node")
CLOSE = 0.005

# Eight threads fill and free: what one allocates, another frees, so that arenas have holes of all sizes.
ARENAS = r"""
#include <cstdio>
#include <list>
#include <malloc.h>
#include <map>
#include <pthread.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
static std::vector<std::string *> kept[8];
static std::map<int, std::list<std::string>> lists[8];
static pthread_barrier_t filled, freed;
static void work(unsigned number)
{
    std::mt19937 random(20261128 + number);
    auto size = [&] { return random() % 100 ? 1 + random() % 400 : 1 + random() % 60000; };
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 5000; i++) kept[number].push_back(new std::string(size(), 'x'));
        for (int i = 0; i < 1000; i++) lists[number][(int)(random() % 200)].push_back(std::string(size(), 'y'));
        pthread_barrier_wait(&filled);
        auto &others = kept[(number + 3) % 8];
        for (auto &one : others)
            if (random() % 5 < 3) { delete one; one = nullptr; }
        pthread_barrier_wait(&freed);
        std::vector<std::string *> left;
        for (auto one : kept[number]) if (one) left.push_back(one);
        kept[number] = left;
        lists[number].erase((int)(random() % 200));
    }
    pthread_barrier_wait(&filled);
    for (;;) pause();
}
int main()
{
    pthread_barrier_init(&filled, nullptr, 9);
    pthread_barrier_init(&freed, nullptr, 8);
    setvbuf(stdout, nullptr, _IONBF, 0);
    mallopt(M_ARENA_MAX, 6);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; i++) threads.emplace_back(work, i);
    for (int round = 0; round < 5; round++) pthread_barrier_wait(&filled);
    sleep(1);
    struct mallinfo2 told = mallinfo2();
    printf("{\"in_use\": %zu, \"free\": %zu}\n", told.uordblks + told.hblkhd, told.fordblks);
    for (;;) pause();
}
"""

PYTHON = """
import time
kept = {str(i): "x" * (600 + i % 3000) for i in range(20000)}
for i in range(0, 20000, 3):
    del kept[str(i)]
print(flush=True)
time.sleep(1000)
"""
NODE = """
const kept = new Map();
for (let i = 0; i < 100000; i++) kept.set(i, {i});
const bytes = [];
for (let i = 0; i < 3000; i++) bytes.push(Buffer.alloc(9000 + i));
setTimeout(() => console.log(), 1000);
setInterval(() => {}, 1e6);
"""

SHADOW = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static char *kept[1000];
int main(void)
{
    size_t size = (size_t)14 << 40;
    char *shadow = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shadow == MAP_FAILED || madvise(shadow, size, MADV_DONTDUMP) != 0) return 1;
    shadow[size / 2] = shadow[size - 1] = 1;
    for (int i = 0; i < 1000; i++) kept[i] = calloc(1, 1000);
    puts("ready");
    fflush(stdout);
    pause();
}
"""
REFUSE = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)_IOWR('f', 16, char[96]), 0, 1), /* PAGEMAP_SCAN */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 1;
    execv(words[1], words + 1);
    return 1;
}
"""


def sums(found):
    """What mallinfo2(3) calls so: a block in a thread's cache is in use there."""
    parts = [part for part in found["heaps"] if part["allocator"] == "glibc"]
    assert parts and all(part["unknown"] == 0 for part in parts), found["heaps"]
    cached = sum(part["cached"]["bytes"] for part in parts)
    return sum(part["in_use"]["bytes"] for part in parts) + cached, sum(part["free"]["bytes"] for part in parts) - cached


def check(found, told):
    in_use, free = sums(found)
    # A little free memory may be less than what half a percent of it is worth: of the sum, then.
    assert near(in_use, told["in_use"], CLOSE), (in_use, told)
    assert near(free, told["free"], CLOSE) or abs(free - told["free"]) <= 0.0005 * told["in_use"], (free, told)


def told_by_stats(text):
    """The sums are the last of their kind."""
    system, in_use = (int(re.findall(rf"^{what} bytes += +(\d+)$", text, re.M)[-1]) for what in ("system", "in use"))
    return {"in_use": in_use, "free": system - in_use}


def test_arenas():
    Path("arenas.cc").write_text(ARENAS)
    run("g++", "-O1", "-w", "-pthread", "-s", "-o", "arenas", "arenas.cc")
    with subprocess.Popen(["./arenas"], stdout=subprocess.PIPE) as process:
        try:
            told = json.loads(process.stdout.readline())
            found = document(process.pid)
        finally:
            process.kill()
    assert {part["part"]: part["count"] for part in found["heaps"]}["arena of a thread"] >= 5, found["heaps"]
    check(found, told)


@contextlib.contextmanager
def started(*command):
    with open("stats", "wb") as stats, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stats) as process:
        try:
            process.stdout.readline()
            time.sleep(0.5)
            yield process.pid
        finally:
            process.kill()


def check_stock(*command):
    with started(*command) as pid:
        found = document(pid)
        call_in(pid, "((void (*)(void))malloc_stats)()")
    check(found, told_by_stats(Path("stats").read_text()))


def test_python():
    check_stock("/usr/bin/python3", "-c", PYTHON)


def test_node():
    check_stock("node", "-e", NODE)


def test_postgres():
    """Its backend's standard error is the server's log."""
    from _postgres import server  # skips without its headers

    with server() as running:
        client, pid = running.idle()
        client.stdin.write("SELECT churn(1000);\nSELECT leak_contexts(200, 20000);\n")
        client.stdin.flush()
        for _ in range(2):
            client.stdout.readline()
        found = document(pid)
        call_in(pid, "((void (*)(void))malloc_stats)()")
        log = (running.folder / "log").read_text()
    check(found, told_by_stats(log))


def test_old_kernel():
    """One that cannot say at once which pages are touched (before Linux 6.7): a sanitizer's shadow is not searched."""
    for name, text in (("shadow", SHADOW), ("refuse", REFUSE)):
        Path(f"{name}.c").write_text(text)
        run("gcc", "-o", name, f"{name}.c")
    with started("./shadow") as pid:
        found = {way: json.loads(run(*way, HEAPFLAME, "heap", "--json", "--rows", "0", pid)) for way in ((), (Path("refuse").resolve(),))}
    for one in found.values():
        rows = {row["size"]: row for row in one["sizes"]}
        assert rows[1000]["all"]["blocks"] == 1000 and one["lost"]["blocks"] == 0, one
    given = [one["resident"]["bytes"] for one in found.values()]
    assert abs(given[0] - given[1]) <= 1 << 16, given


sys.exit(run_tests(globals()))
