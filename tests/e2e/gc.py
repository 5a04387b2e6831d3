#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Tables that nobody asks for go: at a normal end, at a folder's cap, by `heapflame gc`; those that somebody may want stay."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from _run import AGENT, LEAKER, end, expect_equal, heapflame, recorded, run, run_leaker_tests, start, tables

LEAK = "leak=1000003"
CAP = 256


def clean():
    shutil.rmtree(f"heapflame-{os.geteuid()}", ignore_errors=True)


def killed(settings="exact:true"):
    """A process that left its table; its number."""
    process = recorded(settings, LEAK, "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    process.kill()
    process.communicate()
    return process.pid


def test_a_normal_end_leaves_nothing():
    clean()
    for _ in range(5):
        expect_equal(end(recorded("exact:true", LEAK))[0], 0)
    expect_equal(tables(), [])
    expect_equal(end(recorded("exact:true", LEAK, "exit=3"))[0], 3)
    expect_equal(tables(), [])


def test_what_was_asked_for_stays():
    clean()
    end(recorded("exact:true,keep:true", LEAK))
    expect_equal(len(tables()), 1)
    here = Path("here").resolve()
    here.mkdir(exist_ok=True)
    end(recorded(f"dir:{here}", LEAK))
    expect_equal(len(list(here.glob("*/*.live"))), 1)
    clean()
    killed()
    expect_equal(len(tables()), 1)
    clean()
    process = recorded("exact:true", LEAK, "line")
    process.stdout.readline()
    expect_equal(heapflame("mark", process.pid, "begun")[0], 0)
    process.communicate(b"\n", timeout=30)
    expect_equal(len(tables()), 1)
    # What a watcher looks at is its own to remove.
    clean()
    process = recorded("exact:true", LEAK, "line")
    process.stdout.readline()
    watcher = start("heapflame", "watch", "-o", "last.folded", process.pid)
    time.sleep(1)
    process.communicate(b"\n", timeout=30)
    code, _, err = end(watcher)
    assert code == 0 and "process_leak" in Path("last.folded").read_text(), err


def test_gc():
    clean()
    pids = sorted(killed() for _ in range(3))
    runs = recorded("exact:true", LEAK, "wait")
    runs.stdout.readline()
    expect_equal(heapflame("mark", pids[0], "a")[0], 0)
    folder = tables()[0].parent
    (folder / "99999999-abc.live").write_bytes(bytes(4096))  # younger than 10 s: it may be about to be born
    (folder / "99999998-abc.live").write_bytes(b"")
    os.utime(folder / "99999998-abc.live", (1, 1))
    for options, verb, left in ((["-n"], "would be removed", 6), (["--older", "1h"], "removed", 5), ([], "removed", 2), ([], "removed", 2)):
        code, out, err = heapflame("gc", *options, Path.cwd())
        expect_equal((code, err, len(tables())), (0, "", left))
        assert re.fullmatch(rf"({verb} +\S+ \S+  process \d+  .*\n)*\d live tables? of dead processes {verb}, .*\n", out), out
        expect_equal(out.count("leaker"), {6: 3, 5: 0, 2: out.count("leaker")}[left])
    assert not list(folder.glob("*.mark*")), list(folder.iterdir())
    expect_equal(sorted(path.name.split("-")[0] for path in tables()), sorted([str(runs.pid), "99999999"]))
    runs.kill()
    runs.communicate()
    code, out, _ = heapflame("gc", Path.cwd())
    assert code == 0 and f"process {runs.pid}  {LEAKER}" in out and "\n1 live table of dead processes removed" in out, out


def test_names_are_escaped():
    clean()
    program = Path("a\033]0;x\007b").resolve()
    shutil.copy(LEAKER, program)
    process = start(program, LEAK, "wait", stdin=subprocess.PIPE, HEAPFLAME_CONF="prof:true", LD_PRELOAD=str(AGENT))
    process.stdout.readline()
    process.kill()
    process.communicate()
    out = heapflame("gc", Path.cwd())[1]
    assert "\033" not in out and "\007" not in out and "b leak=" in out, out


def test_tables_of_other_containers_stay():
    """A process of another pid namespace has a number that says nothing here."""
    clean()
    killed()
    table = tables()[0]
    with open(table, "r+b") as file:
        file.seek(520)
        number = int.from_bytes(file.read(8), "little")
        assert number == os.stat("/proc/self/ns/pid").st_ino, number
        file.seek(520)
        file.write((number + 1).to_bytes(8, "little"))
    assert heapflame("gc", Path.cwd())[1].startswith("0 live tables"), tables()
    expect_equal(tables(), [table])


def test_a_run_that_goes_on_keeps_its_tables():
    clean()
    killed(f"family:{os.getpid()}")
    assert heapflame("gc", Path.cwd())[1].startswith("0 live tables")
    expect_equal(len(tables()), 1)


def test_doctor_says_so():
    clean()
    killed()
    out = heapflame("doctor")[1]
    assert re.search(r"live tables +yes +\d+ left by dead processes, \S+ \S+: 'heapflame gc' removes them", out), out


def test_a_folder_has_a_cap():
    """The oldest of dead processes go first; 40 processes later there are no more than before."""
    clean()
    killed()
    table = tables()[0]
    head = table.read_bytes()[:8192]
    for number in range(CAP + 20):
        copy = table.parent / f"{90000000 + number}-1.live"
        copy.write_bytes(head)
        os.utime(copy, (1000 + number, 1000 + number))
    for _ in range(3):
        end(recorded("keep:true", LEAK))
    left = {path.name for path in tables()}
    assert len(left) <= CAP + 2, len(left)
    assert "90000000-1.live" not in left and f"{90000000 + CAP + 19}-1.live" in left and table.name in left


run_leaker_tests(globals())
