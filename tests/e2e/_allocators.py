"""What the tests of heaps share: a program whose threads allocate and free, which tells what it has, and what is asked of it."""

import json
import os
import re
import subprocess
from pathlib import Path

from _heap import HEAPFLAME, run
from _schemas import held

# Four threads; the first goes on, the second ends, the others wait. next_size() is the program's, as are keep(), tell(), main().
CHURN = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define THREADS 4
#define SLOTS 12000
static void *slots[THREADS][SLOTS];
static pthread_barrier_t filled, done;
static int is_working;
static void *get(size_t size) { return memset(malloc(size), 0, size); }
static size_t next_size(unsigned *seed)
{
    unsigned kind = (unsigned)rand_r(seed) % 1000;
    if (kind < 2) return 150000 + (size_t)rand_r(seed) % 400000;
    return kind < 30 ? (size_t)rand_r(seed) % 20000 : SMALLEST + (size_t)rand_r(seed) % 300;
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
static void churn_all(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&filled, NULL, THREADS);
    pthread_barrier_init(&done, NULL, THREADS);
    for (uintptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, churn, (void *)i);
    churn(NULL);
    pthread_join(threads[1], NULL);
}
static void *work(void *unused)
{
    for (unsigned i = 0; is_working; i++) free(malloc(1 + i * 7919 % 300000));
    return unused;
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
/* Input and output must not allocate once it has told what it has. */
static void use_own_buffers(void)
{
    static char out[4096], in[4096];
    setvbuf(stdout, out, _IOFBF, sizeof out);
    setvbuf(stdin, in, _IOFBF, sizeof in);
}
static void go_on(int does_work)
{
    char line[16];
    pthread_t thread;
    is_working = does_work;
    if (is_working) pthread_create(&thread, NULL, work, NULL);
    while (fgets(line, sizeof line, stdin)) { }
}
"""

LOST = 300  # pairs that lose(300) leaves


class Program:
    """`told`: its own words on itself; it allocates and frees nothing afterwards, unless it is to work."""

    def __init__(self, source, *words, links=(), preload=None, is_stripped=False):
        Path("program.c").write_text(source)
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


def call_in(pid, function):
    """Has a process that nobody prepared call a function of its allocator, which prints what it knows of itself: none of its other
    threads goes on meanwhile."""
    commands = "-ex", "set scheduler-locking on", "-ex", f"call {function}"
    run("gdb", "-q", "-nx", "-batch", "-p", pid, *commands)


def near(value, expected, part):
    """And says how near, for who looks at what passed."""
    print(f"{value:,} of {expected:,}: {(value - expected) / max(expected, 1):+.3%}, at most {part:.2%}")
    return abs(value - expected) <= expected * part


def check_lost(found, sizes):
    """`sizes`: of the blocks of 90,000 and of 70,000 bytes, as the allocator has them."""
    by_size = {row["size"]: row["lost"]["blocks"] for row in found["sizes"]}
    assert all(LOST - 3 <= by_size[size] for size in sizes), by_size
    assert LOST - 3 <= found["lost"]["blocks"] <= LOST + 2 and LOST - 3 <= found["lost_with"]["blocks"] <= LOST + 2, found


def check_at_work(program):
    """What a thread is handing out when it is stopped may count as in use, or not."""
    for _ in range(4):
        found = document(program.pid)
        assert abs(found["blocks"]["blocks"] - program.told["count"]) <= 60, (program.told, found["blocks"])
        assert near(found["holders"][0]["bytes"], program.told["live"], 0.01), found["holders"]


def check_unread(library, why):
    """A library of that name that is another version, or is not used: a note, and the rest is read."""
    Path("none.c").write_text("int none(void) { return 1; }\n")
    Path("main.c").write_text("#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <unistd.h>\nint none(void);\n"
                              "static void *volatile block;\n"
                              "int main(void) { memset(mmap(0, 6 << 20, 3, 34, -1, 0), 1, 6 << 20); block = malloc(9); "
                              "return (int)write(none(), \"r\", 1) + pause(); }\n")  # fmt: skip
    run("gcc", "-shared", "-fPIC", "-o", library, "none.c")
    run("gcc", "-w", "-o", "main", "main.c", f"./{library}")
    with subprocess.Popen(["./main"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        done = subprocess.run([HEAPFLAME, "heap", str(process.pid)], capture_output=True, text=True, check=False)
        found = document(process.pid)
        process.kill()
    assert done.returncode == 0 and "heaps of glibc" in done.stdout and "1 lost" not in done.stdout, done
    said = rf"note: \S+/{re.escape(library)} is not read: its {re.escape(why)}\. Its memory counts as other mappings"
    assert re.search(said, done.stderr), done
    assert re.search(rf"^ +6\.\d MiB  .* anonymous memory that is not understood( \(\d+\))?: with all of {re.escape(library)}$", done.stdout, re.M), done.stdout
    (unread,) = found["not_read"]
    assert unread["library"].endswith(f"/{library}") and unread["why"] == why, unread
    assert 6 << 20 <= unread["most_bytes"] <= 7 << 20, unread
