#!/usr/bin/env python3
"""Several processes at once: what a program that `heapflame run --follow-fork` started forks and executes, and all whose
live tables `heapflame watch DIR` finds in a folder. Each has files of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _run import (
    HELD, LEAKER, end, expect_equal, folded, heapflame, recorded, run, run_leaker_tests, start, tables, wait_for,
)  # fmt: skip
from _schemas import held

FAMILY = ["--exact", "--follow-fork", "-o", "%e.%p.folded"]


def written():
    """{process: {function: bytes}}"""
    return {int(path.name.split(".")[1]): folded(path) for path in Path.cwd().glob("*.*.folded")}


def sums_of(function):
    return sorted(sums[function] for sums in written().values() if function in sums)


def test_forked_children():
    code, _, err = run(*FAMILY, LEAKER, "leak=1000003", "fork=500009", "fork=500029", "fork=500041", "exit=7")
    expect_equal(code, 7)
    expect_equal(sums_of("child_leak"), [500009, 500029, 500041])
    expect_equal(sums_of("process_leak"), [1000003])  # children have what they allocate themselves
    expect_equal(err.count("holds"), 4)
    lines = err.splitlines()
    assert re.fullmatch(r"heapflame: 4 processes recorded, 2.4 MiB in use at their ends: see leaker.\d+.run.json", lines[-5]), err
    assert re.fullmatch(r"heapflame: leaker \d+: process_leak \(leaker.c:\d+\) holds .* of .* in use: see leaker.\d+.folded", lines[-4])
    assert re.fullmatch(
        r"heapflame: leaker \d+: child_leak \(leaker.c:\d+\) holds 488.3 KiB of 488.3 KiB in use: see leaker.\d+.folded", lines[-1])
    expect_equal(tables(), [])


def documents(folder="."):
    return [held(json.loads(path.read_text())) for path in sorted(Path(folder).glob("*.run.json"))]


def test_the_document_of_the_tree():
    """What became of each process: whose child it was, what it ran, what it held, and where that is."""
    script = f"{LEAKER} leak=1000003; ({LEAKER} leak=500009; true); exit 3"
    before = time.time()
    expect_equal(run(*FAMILY, "sh", "-c", script)[0], 3)
    [document] = documents()
    [leader] = [one for one in document["processes"] if one["pid"] == document["pid"]]
    assert leader["command"].startswith("sh -c"), leader
    first, second = [one for one in document["processes"] if one["command"].startswith(f"{LEAKER} leak")]
    expect_equal((first["in_use_bytes"] - second["in_use_bytes"], first["parent"]), (1000003 - 500009, leader["pid"]))
    assert second["parent"] in [one["pid"] for one in document["processes"]] and second["parent"] != leader["pid"], document
    assert before - 1 <= leader["started"] <= first["started"] <= second["started"] <= time.time(), document
    assert "process_leak" in first["heaviest"] and folded(first["file"])["process_leak"] == 1000003, first
    expect_equal(document["in_use_bytes"], sum(one["in_use_bytes"] for one in document["processes"]))


def test_many_that_hold_nothing():
    """400 short processes leave one folder with nothing for each of them, and one line."""
    code, _, err = run("--follow-fork", "sh", "-c", f"for i in $(seq 400); do {LEAKER}; done; {LEAKER} leak=64000000; true")
    expect_equal(code, 0)
    [folder] = Path.cwd().glob("sh.*.heapflame")
    [document] = documents(folder)
    assert len(document["processes"]) >= 402, len(document["processes"])
    holders = [one for one in document["processes"] if one["file"] is not None]
    expect_equal(holders[0]["file"], f"{folder.name}/leaker.{holders[0]['pid']}.0.hfb")
    expect_equal(sorted(one["file"] for one in holders), sorted(map(str, folder.relative_to(Path.cwd()).glob("*.hfb"))))
    assert len(holders) < 8 and all(one["allocated_bytes"] > 0 for one in holders), holders  # few are sampled at all
    assert len(err.splitlines()) <= 4 and re.search(r"\d+ processes allocated too little to be sampled", err), err


def test_a_reader_that_falls_behind_loses_nobody():
    """300 processes end while heapflame does not run: as many as a folder keeps for nobody, and more."""
    script = f"echo ready; read line; for i in $(seq 300); do {LEAKER}; done; echo done; read line; true"
    process = start("heapflame", "run", "--follow-fork", "sh", "-c", script, stdin=subprocess.PIPE)
    expect_equal(process.stdout.readline(), b"ready\n")
    os.kill(process.pid, signal.SIGSTOP)
    process.stdin.write(b"\n")
    process.stdin.flush()
    expect_equal(process.stdout.readline(), b"done\n")
    os.kill(process.pid, signal.SIGCONT)
    process.stdin.write(b"\n")
    expect_equal(end(process)[0], 0)
    [document] = documents(*Path.cwd().glob("sh.*.heapflame"))
    expect_equal(len([one for one in document["processes"] if one["command"].startswith(str(LEAKER))]), 300)


COMPUTE = "sum(i * i for i in range({}))"
HINT = r"heapflame: (\S+) leaves \d+ % of the work to processes that it starts, one of which used \S+ MiB: " \
       r"to record these, too, type heapflame run --follow-fork (\S+) \.\.\."


def test_a_launcher_is_told_from_who_works():
    """A shell whose children do the work, and Python's multiprocessing: what to type is said; else nothing is."""
    work = f"{sys.executable} -c 'x = [0] * 2000000; {COMPUTE.format(1000000)}'"
    code, _, err = run("sh", "-c", f"{work}; true")
    expect_equal((code, re.fullmatch(HINT, err.splitlines()[-1]).groups()), (0, ("sh", "sh")))
    assert re.fullmatch(r"heapflame: sh allocated too little to be sampled \(--exact records everything\): see sh.\d+.0.hfb",
                        err.splitlines()[-2]), err
    pool = f"import multiprocessing as m\ndef f(n): x = [0] * 9000000; return {COMPUTE.format('n')}\n" \
           "with m.get_context('fork').Pool(1) as pool: pool.map(f, [9000000])"
    err = run(sys.executable, "-c", pool)[2]
    assert re.fullmatch(HINT, err.splitlines()[-1]), err
    for own in ([*FAMILY, "sh", "-c", f"{work}; true"], ["sh", "-c", f"exec {work}"], ["-q", "sh", "-c", f"{work}; true"],
                ["--no-final", "sh", "-c", f"{work}; true"],
                [sys.executable, "-c", f"import os\n{COMPUTE.format(9000000)}\nos.system('true')"],
                [sys.executable, "-c", f"import os\nx = bytearray(200000000)\nos.system('''{work.replace('2000000', '2000')}''')"]):
        err = run(*own)[2]
        assert "leaves" not in err, (own, err)


def test_a_summary_is_at_most_a_screen():
    script = "; ".join(f"{LEAKER} leak={1000003 + n}" for n in range(30)) + "; true"
    code, _, err = run("--exact", "--follow-fork", "sh", "-c", script)
    lines = [line for line in err.splitlines() if line.startswith("heapflame: ")]
    expect_equal((code, len([line for line in lines if " holds " in line])), (0, 12))
    assert len(lines) <= 16, err
    assert re.search(r"heapflame: \d+ more processes never held more than \d+\.\d KiB each", err), err
    [document] = documents(*Path.cwd().glob("sh.*.heapflame"))
    peaks = [one["peak_bytes"] for one in document["processes"]]
    assert peaks == sorted(peaks, reverse=True) and all(one["in_use_bytes"] <= one["peak_bytes"] for one in document["processes"])


def test_executed_children():
    script = " & ".join(f"{LEAKER} leak={1000003 + n}" for n in range(3)) + "; wait"
    expect_equal(run(*FAMILY, "--no-final", "sh", "-c", script)[0], 0)
    expect_equal((written(), tables()), ({}, []))
    expect_equal(run(*FAMILY, "sh", "-c", script)[0], 0)
    expect_equal((sums_of("process_leak"), tables()), ([1000003, 1000004, 1000005], []))


def test_a_child_that_is_killed():
    """Its last profile comes while the program goes on; dumps on the way are made of it, too."""
    script = f"{LEAKER} leak=1000003 wait; {LEAKER} line"
    options = [*FAMILY[:-1], "%p.%n.folded", "--every", "100ms"]
    process = start("heapflame", "run", *options, "sh", "-c", script, stdin=subprocess.PIPE)
    expect_equal(process.stdout.readline(), b"ready\n")

    def dumps():
        return [path for path in Path.cwd().glob("*.*.folded") if "process_leak" in folded(path)]

    wait_for(lambda: len(dumps()) >= 2)
    killed = int(dumps()[0].name.split(".")[0])
    os.kill(killed, signal.SIGKILL)
    expect_equal(process.stdout.readline(), b"ready\n")
    # Its table goes with its last dump, which is the one behind those that were there when it was killed.
    wait_for(lambda: not [table for table in tables() if table.name.startswith(f"{killed}-")])
    process.stdin.write(b"\n")
    code, _, err = end(process)
    assert code == 0 and HELD in err, err
    expect_equal(tables(), [])


def test_a_child_that_lives_longer():
    code, _, err = run(*FAMILY, "sh", "-c", f"{LEAKER} leak=1000003 wait >/dev/null 2>&1 & sleep 1")
    expect_equal(code, 0)
    assert re.search(r"\nheapflame: 1 process started by sh still runs: heapflame watch continues with it\n$", err), err
    [child] = {int(table.name.split("-")[0]) for table in tables()}  # one of before exec, one of now
    watcher = start("heapflame", "watch", child, "-o", "last.folded")
    time.sleep(2)
    os.kill(child, signal.SIGTERM)
    expect_equal(end(watcher)[0], 0)
    expect_equal((folded("last.folded")["process_leak"], tables()), (1000003, []))


def test_what_a_child_lost():
    """A table that is too small for the child is full: its notes say so."""
    _, _, err = run(*FAMILY, "--budget", "1MiB", "sh", "-c", f"{LEAKER} times=50000 leak=17; true")
    assert re.search(r"heapflame: lost: \d+ recorded allocations of \d+ bytes were lost", err), err
    assert sums_of("process_leak")[0] < 50000 * 17, written()


def test_a_folder():
    """Those that are there, one that comes later, and none that had ended before."""
    for _ in range(2):
        dead = recorded("exact:true", "leak=900001", "line")
        dead.stdout.readline()
        dead.kill()
        end(dead)
    stale = tables()
    processes = [recorded("exact:true", f"leak={1000003 + n}", "line") for n in range(2)]
    for process in processes:
        process.stdout.readline()
    watcher = start("heapflame", "watch", Path.cwd(), "-o", "%e.%p.folded")
    time.sleep(2)
    processes.append(recorded("exact:true", "leak=1000005", "line"))
    time.sleep(3)
    for process, ending in zip(processes, [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]):
        assert watcher.poll() is None, end(watcher)
        process.send_signal(ending)
        end(process)
    code, _, err = end(watcher)
    expect_equal((code, err.count(" holds "), sums_of("process_leak")), (0, 3, [1000003, 1000004, 1000005]))
    expect_equal(sorted(written()), sorted(process.pid for process in processes))
    expect_equal(tables(), stale)


def test_a_damaged_table_ends_no_other_watch():
    """One process writes over the head of its table while it is watched: the other is watched on, to its end."""
    processes = [recorded("exact:true", f"leak={1000003 + n}", "line") for n in range(2)]
    for process in processes:
        process.stdout.readline()
    watcher = start("heapflame", "watch", Path.cwd(), "--every", "200ms", "--keep", "2", "-o", "%e.%p.%n.folded")
    time.sleep(1)
    damaged, = [path for path in Path.cwd().rglob("*") if path.name.startswith(f"{processes[0].pid}-")]
    with open(damaged, "r+b") as table:
        table.write(b"\0" * 64)
    time.sleep(2)
    assert watcher.poll() is None, end(watcher)
    processes[1].send_signal(signal.SIGKILL)
    end(processes[1])
    deadline = time.monotonic() + 20
    while not [path for path in Path.cwd().glob(f"*.{processes[1].pid}.*.folded")] and time.monotonic() < deadline:
        time.sleep(0.1)
    processes[0].send_signal(signal.SIGKILL)
    end(processes[0])
    code, _, err = end(watcher)
    assert code == 3 and err.count("the other processes are still watched") == 1 and damaged.name in err, (code, err)
    assert err.count(" holds ") == 1 and len(list(Path.cwd().glob(f"*.{processes[1].pid}.*.folded"))) >= 1, err


def test_each_has_its_own_name():
    message = "heapflame: -o: %s writes a file for each process: expected %%p in the name, found 'x.svg'\n"
    expect_equal(run("--follow-fork", "-o", "x.svg", LEAKER), (125, "", message % "--follow-fork"))
    expect_equal(heapflame("watch", "-o", "x.svg", "."), (2, "", message % "a folder of tables"))


if __name__ == "__main__":
    run_leaker_tests(globals())
