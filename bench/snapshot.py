#!/usr/bin/env python3
"""How long a snapshot (heapflame heap) stops a process, in turns with gcore of the same process: by size and by number of threads, as
heapflame says it and as the program sees it, by the largest gap of a thread that looks at the clock 20,000 times a second. In the same
turns the program makes the copy itself, by the same clone(2): no snapshot by a copy can be shorter, so the rest is heapflame's own. The goal is
that of a quiet machine, so the program, heapflame and gcore have real-time priority: what else runs does not make them wait (only
root may; else the machine must be quiet). Then what clients of redis and PostgreSQL see of a snapshot each
second, and what `who` takes for 1 GiB in 2 million blocks.

usage: script/bench snapshot      PARTS="stop clients who", the default is all three; SIZES="64 256" in MiB"""

import contextlib
import json
import os
import pwd
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measure import expect

BUILD = Path(os.environ["BUILD"])
HEAPFLAME = str(BUILD / "heapflame")
SIZES = [int(word) for word in os.environ.get("SIZES", "64 256 1024 4096").split()]  # MiB
THREADS = 1, 20, 200
SNAPSHOTS, CORES = 9, 3  # rounds; those of gcore up to CORES
POSTGRES = Path("/usr/lib/postgresql/15/bin")

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static _Atomic uint64_t largest_ns;
static void **blocks;
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}
static void *watch(void *unused)
{
    prctl(PR_SET_TIMERSLACK, 1);
    for (uint64_t last = now_ns(), now;; last = now) {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        now = now_ns();
        if (now - last > largest_ns) largest_ns = now - last;
    }
    return unused;
}
static uint64_t copy_ns(void)
{
    uint64_t began = now_ns();
    long copy = syscall(SYS_clone, CLONE_FILES | CLONE_FS, 0, 0, 0, 0);
    if (copy == 0) syscall(SYS_exit_group, 0);
    uint64_t took = now_ns() - began;
    while (waitpid((pid_t)copy, NULL, __WALL) < 0) continue;
    return took;
}
static void *nap(void *unused) { for (;;) usleep(100000); return unused; }
int main(int argc, char **argv)
{
    size_t size = atol(argv[1]) << 20, each = atol(argv[2]), count = size / each;
    pthread_t thread;
    pthread_attr_t small;
    blocks = malloc(count * sizeof *blocks);
    for (size_t i = 0; i < count; i++) memset(blocks[i] = malloc(each - 16), 0, each - 16);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 1; i < atoi(argv[3]); i++) pthread_create(&thread, &small, nap, NULL);
    if (argc > 4) pthread_create(&thread, NULL, watch, NULL);
    printf("ready\n");
    fflush(stdout);
    for (char line[16]; fgets(line, sizeof line, stdin); fflush(stdout)) {
        printf("%.3f\n", (line[0] == 'c' ? copy_ns() : largest_ns) / 1e6);
        largest_ns = 0;
    }
    return 0;
}
"""


@contextlib.contextmanager
def program(mib, block, threads, *watches, environment=None):
    command = ["./program", str(mib), str(block), str(threads), *watches]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "ready\n", process.wait()
        try:
            yield process
        finally:
            process.stdin.close()


def go_first(pid):
    """Before all that runs beside; false: it may not."""
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(task.name), os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        return False
    return True


def ask(process, line):
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def gap(process):
    """The largest of its clock since it was asked last, in ms."""
    return ask(process, "")


def bare_copy(process):
    """What the kernel takes for a copy that the program makes itself, in ms."""
    return ask(process, "c")


def resident_gib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / (1 << 20)


FIRST = ["chrt", "--rr", "1"]


def snapshot(pid, first):
    """How long it stood still, in ms, as heapflame says."""
    said = subprocess.run([*(FIRST if first else []), HEAPFLAME, "heap", str(pid)], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"stood still for ([\d.]+) ms", said)[1])


def core(pid, first):
    subprocess.run([*(FIRST if first else []), "gcore", "-o", "core", str(pid)], check=True, capture_output=True)
    for path in Path(".").glob("core.*"):
        path.unlink()


def fits(mib):
    """In memory with a copy of what is written, and as a core file."""
    available = int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) >> 10
    return mib * 2 < available and mib * 2 < shutil.disk_usage(".").free >> 20


def stops_of(mib, threads):
    told, quiet, seen, cores, bare = [], [], [], [], []
    with program(mib, 4096, threads, "watch") as process:
        time.sleep(0.5)
        gib = resident_gib(process.pid)
        first = go_first(process.pid)
        for turn in range(SNAPSHOTS):
            bare.append(bare_copy(process))
            gap(process)
            time.sleep(0.2)
            quiet.append(gap(process))
            told.append(snapshot(process.pid, first))
            seen.append(gap(process))
            if turn < CORES:
                core(process.pid, first)
                cores.append(gap(process))
    median, limit = statistics.median(told), 5 + 80 * gib + threads / 20
    middle, least, most = statistics.median(seen), statistics.median(bare), statistics.median(cores)
    print(f"{mib:5} MiB {threads:4} threads  told {median:7.1f} (most {max(told):6.1f})  seen {middle:7.1f} (most {max(seen):6.1f}; without {statistics.median(quiet):5.1f})"
          f"  copy alone {least:6.1f}  gcore {most:8.1f} ms{'' if first else ', beside what else runs'}", flush=True)
    met = expect(median <= limit, f"the median stop is {median:.1f} ms; the goal is {limit:.1f}")
    if mib >= 256:
        met &= expect(50 * median <= most, f"it is 1/{most / median:.0f} of gcore's, the copy alone 1/{most / least:.0f}; the goal is 1/50")
    return met


def measure_stops():
    met = True
    for mib in SIZES:
        for threads in THREADS:
            if fits(mib):
                met &= stops_of(mib, threads)
            else:
                print(f"{mib} MiB: not measured, for memory or disk are too small")
    return met


# ---- Clients ----


@contextlib.contextmanager
def each_second(pid):
    """A snapshot each second; pid 0: none."""
    command = f"while :; do {HEAPFLAME} heap {pid} >/dev/null 2>&1; sleep 1; done"
    taker = subprocess.Popen(["bash", "-c", command], start_new_session=True) if pid else None
    try:
        yield
    finally:
        if taker is not None:
            os.killpg(taker.pid, 15)
            taker.wait()


def redis_p99():
    said = subprocess.run(["redis-benchmark", "-s", "s", "-t", "get,set", "-n", "150000", "-r", "100000", "-d", "200", "--csv"],
                          check=True, capture_output=True, text=True).stdout  # fmt: skip
    head, *rows = [[word.strip('"') for word in line.split(",")] for line in said.splitlines() if line.startswith('"')]
    return max(float(row[head.index("p99_latency_ms")]) for row in rows)


def measure_redis():
    with subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", "s", "--save", ""], stdout=subprocess.DEVNULL) as server:
        time.sleep(1)
        redis_p99()
        met = compare("redis-benchmark", redis_p99, server.pid)
        server.kill()
    return met


def compare(name, measure, pid):
    """In turns, with and without: noise is how far those without are apart."""
    with_, without = [], []
    for _ in range(4):
        for pids, figures in ((0, without), (pid, with_)):
            with each_second(pids):
                figures.append(measure())
    noise = max(without) - min(without)
    change = statistics.median(with_) - statistics.median(without)
    words = f"{statistics.median(with_):.2f} ms with a snapshot each second, {statistics.median(without):.2f} without, which are {noise:.2f} apart"
    return expect(change <= max(noise, 0.1 * statistics.median(without)), f"p99 of {name}: {words}")


def measure_postgres():
    """All of it runs as the user whom the package made. The backend of a client is looked at."""
    owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    become = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] if owner else []
    folder = Path(tempfile.mkdtemp(prefix="heapflame-bench-", dir="/tmp"))
    if owner:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    at = ["-h", str(folder), "-U", "postgres"]
    subprocess.run([*become, POSTGRES / "initdb", "-D", folder / "data", "-N", "-A", "trust", "-U", "postgres"], check=True, **quiet)
    server = subprocess.Popen([*become, POSTGRES / "postgres", "-D", folder / "data", "-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"], **quiet)
    while subprocess.run([POSTGRES / "pg_isready", "-q", *at], check=False).returncode != 0:
        time.sleep(0.1)
    subprocess.run([POSTGRES / "pgbench", "-i", "-q", "-s", "5", *at, "postgres"], check=True, **quiet)

    def pgbench(looks):
        for log in folder.glob("log.*"):
            log.unlink()
        client = subprocess.Popen([POSTGRES / "pgbench", "-n", "-S", "-c", "2", "-T", "6", "-l", "--log-prefix", folder / "log", *at, "postgres"], **quiet)
        time.sleep(0.5)
        said = subprocess.run([POSTGRES / "psql", "-XAtq", *at, "-c", "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgbench' LIMIT 1", "postgres"], check=True, capture_output=True, text=True).stdout
        with each_second(int(said) if looks else 0):
            client.wait()
        times = sorted(int(line.split()[2]) for log in folder.glob("log.*") for line in log.read_text().splitlines())
        return times[len(times) * 99 // 100] / 1000

    with_, without = [], []
    for _ in range(4):
        without.append(pgbench(False))
        with_.append(pgbench(True))
    server.terminate()
    server.wait()
    shutil.rmtree(folder, ignore_errors=True)
    noise = max(without) - min(without)
    words = f"{statistics.median(with_):.3f} ms with a snapshot each second, {statistics.median(without):.3f} without, which are {noise:.3f} apart"
    return expect(statistics.median(with_) - statistics.median(without) <= max(noise, 0.1 * statistics.median(without)), f"p99 of pgbench: {words}")


# ---- What it takes ----


def measure_who():
    agent = next((path for path in BUILD.rglob("libheapflame.so")), None)
    environment = {**os.environ, "LD_PRELOAD": str(agent), "HEAPFLAME_CONF": f"prof:true,dir:{os.getcwd()}"}
    with program(1024, 512, 4, environment=environment) as process:
        target = resident_gib(process.pid) * 1024
        figures = []
        for _ in range(3):
            with open("who.json", "wb") as out:
                child = subprocess.Popen([HEAPFLAME, "who", "--json", str(process.pid)], stdout=out, stderr=subprocess.DEVNULL)
                _, status, usage = os.wait4(child.pid, 0)
                assert status == 0, status
            figures.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
        json.loads(Path("who.json").read_text())
    seconds, peak = (statistics.median(column) for column in zip(*figures))
    met = expect(seconds <= 3, f"who of 1 GiB in 2 million blocks takes {seconds:.1f} s of CPU; the goal is 3")
    return met & expect(peak <= max(64, target / 2), f"... and {peak:.0f} MiB of {target:.0f}; the goal is {max(64, target / 2):.0f}")


def main():
    parts = os.environ.get("PARTS", "stop clients who").split()
    met = True
    print("load before:", Path("/proc/loadavg").read_text(), end="")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("program.c").write_text(PROGRAM)
        subprocess.run(["gcc", "-O1", "-pthread", "-o", "program", "program.c"], check=True)
        if "stop" in parts:
            met &= measure_stops()
        if "clients" in parts:
            met &= measure_redis()
            met &= measure_postgres()
        if "who" in parts:
            met &= measure_who()
        os.chdir("/")
    print("load after:", Path("/proc/loadavg").read_text(), end="")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
