#!/usr/bin/env python3
# sanitized: no, what a JIT frees is gone before a slow command asks what is mapped
# timeout: 240
# lane: probes, which the kernel puts in and takes out one after the other
"""attach names code that is gone when it is asked for, or that was made at run time."""

import os
import platform
import re
import signal
import subprocess
import sys
from pathlib import Path

from _attach import Attached, need_root, of_leaf
from _heap import need, run
from _postgres import server
from _suite import measures, run_tests

need("gcc")
need_root()

# A library is opened, leaks, and is closed after so many us; another one may lie where it lay.
CLOSER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    static const char *const names[] = {"one", "two"};
    char line[16], path[64];
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 1;
    for (int i = 0; count == 3 && i < 2 * atoi(arguments[1]); i++) {
        snprintf(path, sizeof path, "./lib%s.so", names[i % 2]);
        void *library = dlopen(path, RTLD_NOW);
        if (!library) return puts(dlerror());
        void (*leak)(void) = (void (*)(void))dlsym(library, "leak");
        leak();
        usleep((useconds_t)atoi(arguments[2]));
        dlclose(library);
    }
    puts("done");
    fflush(stdout);
    return !fgets(line, sizeof line, stdin);
}
"""
LIBRARY = r"""
#include <stdlib.h>
void *volatile last;
__attribute__((noinline)) static void leak_NAME(void) { last = malloc(SIZE); }
void leak(void) { leak_NAME(); last = (char *)last + 1; }
"""


class Program:
    """It says "ready", does what it does when it is told, and says "done"."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heard("ready")

    def heard(self, word):
        line = self.process.stdout.readline().strip()
        assert line == word, f"expected '{word}', the program said '{line}'"

    def go_on(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.heard("done")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@measures  # whether a busy machine lets it read what is mapped while it is
def test_libraries_that_were_closed():
    for name, size in ("one", 3000), ("two", 5000):
        Path(f"{name}.c").write_text(LIBRARY.replace("NAME", name).replace("SIZE", str(size)))
        # As of any two libraries, no return address of one is one of the other.
        run("gcc", "-O1", "-g", "-shared", "-fPIC", f"-fpatchable-function-entry={size // 100}", "-o", f"lib{name}.so", f"{name}.c")
    Path("closer.c").write_text(CLOSER)
    run("gcc", "-O1", "-g", "-o", "closer", "closer.c")
    # With bpf, what is mapped is read when a new stack comes in, some 10 ms later.
    for way, rounds, pause_us in ("perf", 20, 0), ("bpf", 2, 700000), ("bpf by pairs", 2, 700000):
        with Program("./closer", str(rounds), str(pause_us)) as program:
            attached = Attached(program.process.pid, "-d", "60s", way=way)
            program.go_on()
            stacks = attached.end(signal=signal.SIGINT)
        for name, size in ("one", 3000), ("two", 5000):
            assert sum(of_leaf(stacks, f"leak_{name}").values()) == rounds * size, (way, name, stacks)
        assert all("leak" in frames[:-1] for frames, _ in stacks if frames[-1].startswith("leak_")), (way, stacks)


# Code made at run time, which calls malloc, and the map that its process writes by the number that it has for itself.
JIT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};
static void *volatile kept;
int main(void)
{
    char path[64], line[16], *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "%lx 40 made_at_run_time\n", (unsigned long)memory);
    if (fclose(map) != 0) return 1;
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 1;
    for (int i = 0; i < 20; i++) kept = ((void *(*)(size_t, void *(*)(size_t)))memory)(3000, malloc);
    puts("done");
    fflush(stdout);
    return !fgets(line, sizeof line, stdin);
}
"""


def child_of(pid):
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def test_code_made_at_run_time_in_a_container():
    """Its number there is 1, and so is its map's; its /tmp is its own."""
    if platform.machine() != "x86_64":
        return print("the code is for x86-64")
    Path("jit.c").write_text(JIT)
    run("gcc", "-O1", "-g", "-o", "jit", "jit.c")
    script = 'mount -t tmpfs none /tmp && mkdir -p "$PWD" && mount -c --bind . "$PWD" && exec ./jit'
    with Program("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script) as program:
        inside = child_of(program.process.pid)
        assert re.search(r"(?m)^NSpid:.*\t1$", Path(f"/proc/{inside}/status").read_text())
        attached = Attached(inside, "-d", "60s")
        program.go_on()
        stacks = attached.end(signal=signal.SIGINT)
    assert sum(of_leaf(stacks, "made_at_run_time").values()) == 20 * 3000, (stacks, attached.said)
    assert all(frames[-2] == "main" for frames, _ in stacks if frames[-1] == "made_at_run_time"), stacks


# A query whose expressions LLVM compiles; each row leaks one path.
COMPILED = """SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = -1; SET jit_optimize_above_cost = {};
SELECT sum(replay_truncate() + g) FROM generate_series(1, 2) g;
"""
QUERY = "SELECT sum(replay_truncate() + g), count(*) FROM generate_series(1, 300) g WHERE g % 3 >= 0;\n"


def test_jit_of_postgres():
    """LLVM's code has no frame pointers, and no rules that a debugger could find: behind it the stack goes on."""
    with server() as running:
        if "jit" not in running.sql("SELECT 'jit' WHERE pg_jit_available()"):
            print("this server has no JIT")
            return
        chains = set()  # by whatever way, and however the code keeps rbp, one path is one
        for optimize in 0, -1:
            for backend, is_late in ("perf", False), ("bpf", False), ("bpf", True):
                client, pid = running.idle()
                client.stdin.write(COMPILED.format(optimize))
                client.stdin.flush()
                client.stdout.readline()
                attached = Attached(pid, "--spec", "postgres", "--older", "0s", "-d", "60s", way=backend, output=f"{backend}{optimize}.folded")
                if is_late:  # on a busy machine it comes when the query has ended, and its code is gone
                    os.kill(attached.worker, signal.SIGSTOP)
                client.stdin.write(QUERY)
                client.stdin.flush()
                client.stdout.readline()
                if is_late:
                    os.kill(attached.worker, signal.SIGCONT)
                stacks = attached.end(status=(0, 4), signal=signal.SIGINT)  # 4: some of the burst was lost, and that is told
                paths = [(frames, value) for frames, value in stacks if "database_path" in frames]
                assert paths, (stacks, attached.said)
                if backend == "bpf":  # it asks what is mapped a moment later: code that is gone by then is an address
                    paths = [(["[jit]" if name.startswith("0x") else name for name in frames], value) for frames, value in paths]
                chains.add(tuple(paths[0][0]))
                for frames, _ in paths:
                    assert "[jit]" in frames, (backend, optimize, frames)
                    before = frames[: frames.index("[jit]")]
                    assert {"_start", "PostgresMain", "PortalRun", "standard_ExecutorRun"} <= set(before), (backend, optimize, frames)
                    assert not any(name.startswith("0x") for name in frames), (backend, optimize, frames)
                assert "stacks end early" not in attached.said, attached.said
                assert backend == "bpf" or "its callers were found by searching the stack" in attached.said, attached.said
        assert len(chains) == 1, chains


def test_jit_of_postgres_that_tells_gdb():
    """With jit_debugging_support, LLVM keeps an object with names in memory, until the query has ended."""
    with server() as running:
        if "jit" not in running.sql("SELECT 'jit' WHERE pg_jit_available()"):
            print("this server has no JIT")
            return
        os.environ["PGOPTIONS"] = "-c jit_debugging_support=on"
        client, pid = running.idle()
        del os.environ["PGOPTIONS"]
        client.stdin.write(COMPILED.format(-1))
        client.stdin.flush()
        client.stdout.readline()
        for seconds in 2, 20, 100:  # the machine may be too busy to look at it for a while
            attached = Attached(pid, "--spec", "postgres", "--older", "0s", "-d", "600s", way="perf")
            client.stdin.write(f"SELECT sum(replay_truncate() + g), max(pg_sleep({seconds / 20})::text) FROM generate_series(1, 20) g;\n")
            client.stdin.flush()
            client.stdout.readline()
            stacks = attached.end(signal=signal.SIGINT)
            paths = [frames for frames, _ in stacks if "database_path" in frames]
            assert paths, (stacks, attached.said)
            if any(re.match(r"evalexpr_\d+_\d+$", name) for name in paths[0]):
                break
        else:
            raise AssertionError(stacks)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
