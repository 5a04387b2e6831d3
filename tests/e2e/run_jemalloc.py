#!/usr/bin/env python3
"""`heapflame run --engine jemalloc`: programs whose own jemalloc profiles them: the distribution's redis-server, and
programs/leaker.c linked with the distribution's jemalloc."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from _run import LEAKER, compile_leaker, end, expect_equal, folded, heapflame, run, start
from _suite import run_tests

ARCHIVE = ["/usr/lib/x86_64-linux-gnu/libjemalloc.a", "-lm", "-lpthread", "-ldl"]
SHARED, WITHIN = Path("shared").resolve(), Path("within").resolve()
MIB = 1 << 20
REDIS = ["redis-server", "--port", "0", "--save", "", "--unixsocket"]


def run_own(*arguments, **environment):
    return run("--engine", "jemalloc", *arguments, **environment)


def expect_no_folder():
    expect_equal([p for p in Path.cwd().iterdir() if p.is_dir()], [])


def test_each_way_to_link():
    for program in [SHARED, WITHIN]:
        code, out, err = run_own("--exact", "--dir", ".", "-o", "leak.folded", program, "times=17", "leak=1048576", "exit=7")
        expect_equal((code, out), (7, ""))
        expect_equal(folded("leak.folded")["process_leak"], 17 * MIB)
        assert re.search(r"process_leak \(leaker.c:\d+\) holds 17.0 MiB of 1\d.\d MiB in use: see leak.folded\n$", err), err
        expect_no_folder()


def test_sampled():
    """One sample in 64 KiB, of blocks of 1 MiB: none is missed."""
    run_own("--period", "100000", "-o", "leak.hfb", SHARED, "times=40", "leak=1048576")
    [row] = json.loads(heapflame("top", "--json", "--rows", "1", "leak.hfb")[1])["rows"]
    expect_equal(row["name"], "process_leak")
    assert abs(row["flat"] / 40 / MIB - 1) < 0.01, row


def test_dumps_on_the_way():
    words = ["times=1", *["leak=1048576"] * 80]
    code, _, err = run_own("--exact", "--interval", "9MiB", "-o", "%e.%n.folded", "--keep", "0", WITHIN, *words)
    expect_equal(code, 0)
    sums = [folded(f"within.{n}.folded").get("process_leak", 0) // MIB for n in range(10)]
    assert sums == sorted(sums) and sums[-1] == 80 and sums[0] < 20, sums
    run_own("--exact", "--interval", "8MiB", "-o", "k.%n.folded", "--keep", "2", WITHIN, *words)
    kept = len(list(Path.cwd().glob("k.*")))
    assert 3 <= kept <= 9 and Path("k.0.folded").exists(), kept


def test_what_a_kill_leaves():
    process = start("heapflame", "run", "--engine", "jemalloc", "--exact", "-o", "none.folded", SHARED, "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
    code, _, err = heapflame("dump", child, "-o", "x.svg")
    expect_equal(code, 5)
    assert err.startswith(f"heapflame: process {child} has no live table: its own jemalloc records it"), err
    os.kill(child, signal.SIGKILL)
    code, _, err = end(process)
    expect_equal(code, 137)
    expect_equal(
        err,
        "heapflame: shared was killed by signal 9 (Killed)\n"
        "heapflame: the jemalloc of shared wrote no last profile, because it does so only in exit(3); "
        "with --interval it writes profiles while the program runs\n",
    )
    code, _, err = run_own("--exact", "--interval", "8MiB", "-o", "%n.folded", SHARED, "times=9", "leak=1000003", "signal=9")
    assert re.search(r"does so only in exit\(3\); the last profile that it wrote while it ran is \d.folded\n$", err), err
    expect_equal(run_own("-q", "--no-final", "-o", "x.folded", SHARED, "exit=3"), (3, "", ""))
    assert not Path("x.folded").exists()


def test_redis():
    """Ended by SIGTERM, it calls exit(3); its jemalloc is asked for nothing else."""
    process = start("heapflame", "run", "--engine", "jemalloc", "--period", "4KiB", "-o", "redis.folded", *REDIS, Path("s").resolve())
    fill = 'for i = 1, 5000 do redis.call("set", "k" .. i, string.rep("x", 1000)) end'
    for _ in range(500):
        done = subprocess.run(["redis-cli", "-s", "s", "eval", fill, "0"], capture_output=True, check=False)
        if done.returncode == 0 and b"refused" not in done.stderr and b"No such" not in done.stderr and Path("s").exists():
            break
    subprocess.run(["redis-cli", "-s", "s", "shutdown", "nosave"], capture_output=True, check=False)
    code, _, err = end(process)
    expect_equal(code, 0)
    held = sum(folded("redis.folded").values())
    assert 5 * MIB < held < 16 * MIB, held
    assert re.search(r"holds \d\.\d MiB of \d+\.\d MiB in use: see redis.folded\n$", err), err


def test_both_are_offered():
    said = "heapflame: the jemalloc of %s has its own heap profiler%s: --engine jemalloc uses it\n"
    expect_equal(run("--no-final", "redis-server", "--version")[2], said % ("redis-server", ""))
    unseen = ", and the agent may see nothing of what it allocates"
    assert run("--no-final", WITHIN)[2].startswith(said % (WITHIN, unseen))
    assert "heap profiler" not in run("--no-final", "-q", WITHIN)[2]
    with subprocess.Popen([SHARED, "wait"], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        err = heapflame("dump", process.pid, "-o", "x.svg")[2]
        process.kill()
    assert "heapflame run (--engine jemalloc uses the profiler that its jemalloc has)" in err, err


def test_options_that_are_there_stay():
    """A build with a prefix has another variable: this program holds the texts that such a jemalloc holds."""
    Path("prefixed.c").write_text("""
        #include <stdio.h>
        #include <stdlib.h>
        const char *texts[] = {"<jemalloc>: Error in munmap()", "heap_v2/%", "/etc/_rjem_malloc.conf"};
        int main(int argc, char **argv) { return texts[argc] == argv[0] || puts(getenv("_RJEM_MALLOC_CONF")) < 0; }
    """)
    subprocess.run(["gcc", "prefixed.c", "-o", "prefixed"], check=True)
    subprocess.run(["gcc", "-static", "prefixed.c", "-o", "static"], check=True)
    code, _, err = run("./static")
    expect_equal(code, 125)
    assert err.startswith("heapflame: its own jemalloc can record it (--engine jemalloc), but the agent cannot: "), err
    settings = run_own("--no-final", "--interval", "1GiB", "--period", "100000", "--dir", ".", "./prefixed", _RJEM_MALLOC_CONF="narenas:1,prof:false")[1]
    assert re.fullmatch(
        r"narenas:1,prof:false,prof:true,prof_active:true,prof_thread_active_init:true,prof_accum:true,prof_final:false,"
        rf"prof_prefix:{re.escape(str(Path.cwd()))}/heapflame-jemalloc-\w+/heap,lg_prof_sample:16,lg_prof_interval:30\n", settings), settings


def test_wrong_usage():
    for arguments, message in [
        (["--engine", "x", SHARED], "--engine: expected 'agent' or 'jemalloc', found 'x'"),
        (["--engine", "jemalloc", LEAKER], f"--engine jemalloc: {LEAKER} has no jemalloc with a heap profiler; heapflame conf check says more"),
        (["--engine", "jemalloc", "--every", "1s", SHARED], "--engine jemalloc: jemalloc dumps by --interval and at the end; --every, --high-water, --budget and --follow-fork need the agent"),
        (["--engine", "jemalloc", "--dir", "none", SHARED], "cannot make a folder in none: No such file or directory"),
    ]:
        expect_equal(run(*arguments), (125, "", f"heapflame: {message}\n"))
    Path("a,b").mkdir()
    code, _, err = run_own("--dir", "a,b", SHARED)
    expect_equal(code, 125)
    assert "expected a path without a comma" in err and not list(Path("a,b").iterdir()), err


def main():
    compile_leaker(LEAKER)
    compile_leaker(SHARED, "-Wl,--no-as-needed", "-ljemalloc")
    compile_leaker(WITHIN, *ARCHIVE)
    return run_tests(globals())


if __name__ == "__main__":
    for needed in ["redis-server", "redis-cli"]:
        if shutil.which(needed) is None:
            print(f"{needed} is missing")
            sys.exit(77)
    sys.exit(main())
