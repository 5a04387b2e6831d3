#!/usr/bin/env python3
"""heapflame ship: profiles are in the store once, whatever happens on the way. Heap dumps of a program that is not there, so
that their stacks have addresses; what the names of a real program become; and a store that cannot be."""

import os
import random
import resource
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

from _heap import EVERY_ALLOCATION, HEAPFLAME, need, run_profiled
from _run import AGENT, compile_leaker
from _suite import run_tests

START = 1764448000
BASE = 0x7F1200000000


def dump(path, level, base=BASE):
    """Two stacks of a PIE, one of them of `level` bytes."""
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(
        f"heap_v2/1\n  t*: 2: {level + 64} [0: 0]\n"
        f"@ {base + 0x1010:#x} {base + 0x2010:#x}\n  t*: 1: {level} [0: 0]\n"
        f"@ {base + 0x1310:#x} {base + 0x2010:#x}\n  t*: 1: 64 [0: 0]\n"
        f"\nMAPPED_LIBRARIES:\n{base:x}-{base + 0x10000:x} r-xp 00000000 00:00 9 /opt/shop-2.4.1/bin/shop\n")


def dumps(count, folder="d", base=BASE, first=0):
    for i in range(first, first + count):
        dump(f"{folder}/shop.{START + 60 * i}.heap", 1000 + i, base)


def ship(*arguments, **more):
    done = subprocess.run([HEAPFLAME, "ship", "-q", "--node", "web-7", *arguments], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout, done.stderr


def expect(got, *expected):
    assert got == expected, f"expected {expected}, got {got}"


def ask(question, store="fleet.db"):
    database = sqlite3.connect(store)
    rows = database.execute(question).fetchall()
    database.close()
    return rows


def times_of(profiles):
    at, times = 0, []
    while at != len(profiles):
        ms, size = struct.unpack_from("<qI", profiles, at)
        times.append(ms)
        at += 12 + size
    return times


def stored_times(instance=1):
    """Of all profiles in the store; checked against what else counts them."""
    times = [ms for (profiles,) in ask(f"SELECT profiles FROM profiles WHERE instance={instance} ORDER BY first_ms")
             for ms in times_of(zlib.decompress(profiles))]
    assert ask(f"SELECT profiles, last_ms FROM instance WHERE id={instance}") == [(len(times), times[-1])]
    assert ask(f"SELECT sum(n), min(first_ms), max(last_ms) FROM hour WHERE instance={instance}") == [(len(times), times[0], times[-1])]
    return times


def test_the_same_profiles_again_add_nothing():
    dumps(12)
    expect(ship("d", "--store", "fleet.db"), 0, "12 profiles were added to fleet.db\n", "")
    before = list(sqlite3.connect("fleet.db").iterdump())
    expect(ship("d", "--store", "fleet.db"), 0, "12 profiles were there already\n", "")
    assert list(sqlite3.connect("fleet.db").iterdump()) == before
    dumps(1, first=12)
    expect(ship("d", "--store", "fleet.db"), 0, "1 profile was added to fleet.db\n12 profiles were there already\n", "")
    assert stored_times() == [(START + 60 * i) * 1000 for i in range(13)]
    assert ask("SELECT service, build, node FROM instance") == [("shop", "2.4.1", "web-7")]
    assert ask("SELECT place, frames FROM stack ORDER BY id") == [
        ("shop+0x100f", "shop+0x100f\nshop+0x200f"), ("shop+0x130f", "shop+0x130f\nshop+0x200f")]


def test_sums_are_those_of_the_profiles():
    dumps(90)
    expect(ship("d", "--store", "fleet.db"), 0, "90 profiles were added to fleet.db\n", "")
    ((n, y, least, most),) = ask("SELECT sum(n), (SELECT sum(y) FROM rollup), (SELECT min(first) FROM rollup WHERE stack=1), "
                                 "(SELECT max(last) FROM rollup) FROM hour")
    assert (n, y, least, most) == (90, sum(1000 + i + 64 for i in range(90)), 1000, 1089)


def test_each_run_is_an_instance():
    dumps(3)
    dumps(4, "e", BASE + 0x1000000)
    expect(ship("d", "e", "--store", "fleet.db", "--service", "web", "--build", "7"), 0, "7 profiles were added to fleet.db\n", "")
    runs = ask("SELECT name, service, build, profiles FROM instance ORDER BY profiles")
    assert [run[1:] for run in runs] == [("web", "7", 3), ("web", "7", 4)] and runs[0][0] != runs[1][0]
    assert all(run[0].startswith("web-7/shop/-/map-") for run in runs), runs
    code, out, err = ship("d", "e", "--store", "other.db", "--instance", "a")
    assert (code, out) == (2, "") and "is of another process than the profiles before it, and --instance names one run" in err, err


def test_what_a_profile_does_not_tell_is_asked_for():
    dump("fixed.1764448000.heap", 7, 0x400000)
    Path("a.folded").write_text("main;work 5\n")
    expect(ship("fixed.1764448000.heap", "--store", "fleet.db"), 2, "",
           "heapflame: fixed.1764448000.heap: does not tell which run of a process it is of: name that run with --instance\n")
    expect(ship("a.folded", "--store", "fleet.db", "--instance", "a"), 2, "",
           "heapflame: a.folded: does not tell which program it is of: name the service with --service\n")
    expect(ship("a.folded", "--store", "fleet.db", "--instance", "a", "--service", "b"), 2, "",
           "heapflame: a.folded: has no 'inuse_space': say with --value which of its values are bytes in use\n")
    assert not Path("fleet.db").exists()
    expect(ship("a.folded", "--store", "fleet.db", "--instance", "a", "--service", "b", "--value", "samples"), 0,
           "1 profile was added to fleet.db\n", "")
    expect(ship("fixed.1764448000.heap", "--store", "fleet.db", "--instance", "c"), 0, "1 profile was added to fleet.db\n", "")
    expect(ship("a.folded"), 2, "", "heapflame: give the store: --store FILE\n")


def test_of_two_at_one_time_one_counts():
    dumps(2)
    dump(f"d/other.{START}.heap", 5000)
    expect(ship("d", "--store", "fleet.db")[:2], 4, "2 profiles were added to fleet.db\n")
    assert stored_times() == [START * 1000, (START + 60) * 1000]


def test_an_instance_stays_what_it_is():
    dumps(1)
    expect(ship("d", "--store", "fleet.db"), 0, "1 profile was added to fleet.db\n", "")
    dumps(1, first=1)
    code, out, err = ship("d", "--store", "fleet.db", "--service", "web")
    assert (code, out) == (3, "") and "is in the store with 'shop' where it has 'web' now; give another instance" in err, err


def test_names_and_owners():
    """Of a real program: the place of a stack is the function that owns it."""
    need("gcc")
    Path("a.c").write_text("#include <stdlib.h>\n#include <string.h>\nchar *kept;\n"
                           "__attribute__((noinline)) void record(void) { kept = strdup(\"0123456789\"); }\n"
                           "int main(void) { record(); return 0; }\n")
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "a.c", "-o", "a", "-Wl,--no-as-needed", "-ljemalloc"], check=True)
    run_profiled("./a", conf=f"{EVERY_ALLOCATION},prof_final:true,prof_prefix:dump")
    (heap,) = Path.cwd().glob("dump.*.heap")
    code, out, err = ship(heap, "--store", "fleet.db")
    assert code == 0 and out == "1 profile was added to fleet.db\n", (code, out, err)
    frames = [row[0].split("\n") for row in ask("SELECT frames FROM stack WHERE place='record'")]
    assert any(any(frame.startswith("record\t") and frame.endswith("a.c:4") for frame in stack) and
               any(frame.startswith("main\t") and frame.endswith("a.c:5") for frame in stack) for stack in frames), frames


def test_killed_at_any_instant():
    """Each profile is in the store once, and what was said to be added is there."""
    count = 400
    dumps(count)
    dice = random.Random(7)
    command = [HEAPFLAME, "ship", "-q", "--node", "web-7", "d", "--store", "fleet.db"]
    begin = time.monotonic()
    subprocess.run([*command[:-1], "whole.db"], check=True, capture_output=True)
    whole = time.monotonic() - begin
    killed = 0
    for _ in range(12):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            process.wait(dice.uniform(0, whole))
        except subprocess.TimeoutExpired:
            killed += 1
            process.kill()
            process.wait()
        if Path("fleet.db").exists() and ask("SELECT count(*) FROM sqlite_master")[0][0] and ask("SELECT count(*) FROM batch")[0][0]:
            times = stored_times()
            assert times == [(START + 60 * i) * 1000 for i in range(len(times))], times
    code, out, err = ship("d", "--store", "fleet.db")
    assert (code, err) == (0, ""), (code, out, err)
    assert stored_times() == [(START + 60 * i) * 1000 for i in range(count)]
    sums = "SELECT h.hour, stack, r.y, r.ty, r.yy, r.most, r.first, r.last FROM rollup r JOIN hour h ON h.id=r.hour ORDER BY 1, 2"
    assert ask(sums) == ask(sums, "whole.db"), (killed, ask(sums), ask(sums, "whole.db"))


def test_small_batches_take_no_more():
    dumps(70)
    assert ship("d", "--store", "whole.db")[0] == 0
    for i in range(0, 70, 7):
        assert ship(*sorted(map(str, Path("d").iterdir()))[i : i + 7], "--store", "fleet.db")[0] == 0
    rows = "SELECT first_ms, last_ms, stack_count, stacks, size, profiles FROM profiles ORDER BY first_ms"
    assert ask(rows) == ask(rows, "whole.db") and len(ask(rows)) == 2, ask(rows)
    assert stored_times() == [(START + 60 * i) * 1000 for i in range(70)]


def test_two_at_once():
    """Of two that ship the same, one adds each profile; none counts twice."""
    dumps(200)
    command = [HEAPFLAME, "ship", "-q", "--node", "web-7", "d", "--store", "fleet.db"]
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]:
        process.wait()
    assert ship("d", "--store", "fleet.db")[0] == 0
    assert stored_times() == [(START + 60 * i) * 1000 for i in range(200)]


def test_a_store_that_cannot_be():
    dumps(1)
    Path("text.db").write_text("this is a text, not a database\n" * 50)
    expect(ship("d", "--store", "text.db"), 3, "", "heapflame: 'text.db' is not a store; expected a file that heapflame ship made\n")
    assert Path("text.db").read_text() == "this is a text, not a database\n" * 50
    for name, statement in (("other.db", "CREATE TABLE x (a)"),
                            ("newer.db", f"PRAGMA application_id={0x68666C73}; PRAGMA user_version=1000000")):
        database = sqlite3.connect(name)
        database.executescript(statement)
        database.close()
    before = Path("other.db").read_bytes()
    expect(ship("d", "--store", "other.db"), 3, "", "heapflame: 'other.db' is not a store; expected a file that heapflame ship made\n")
    assert Path("other.db").read_bytes() == before
    code, out, err = ship("d", "--store", "newer.db")
    assert (code, out) == (3, "") and "the store 'newer.db' has version 1000000, and this heapflame reads up to " in err, err
    assert err.endswith("; use a newer heapflame\n")
    expect(ship("d", "--store", "none/fleet.db"), 5, "", "heapflame: cannot open the store 'none/fleet.db': unable to open database file\n")


def test_a_full_disk():
    """What fits is there, the rest is not; with room it goes on."""
    dumps(300)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = 60000

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, out, err = ship("d", "--store", "fleet.db", restore_signals=False, preexec_fn=fill)
    assert (code, out, err.count("\n")) == (5, "", 1) and "the store 'fleet.db': " in err, (code, out, err)
    code, out, err = ship("d", "--store", "fleet.db")
    assert (code, err) == (0, ""), (code, out, err)
    assert stored_times() == [(START + 60 * i) * 1000 for i in range(300)]


def test_libsqlite3_is_loaded_when_needed_only():
    dumps(1)
    Path("none").mkdir()
    Path("none/libsqlite3.so.0").write_bytes(b"")
    elsewhere = {"env": {**os.environ, "LD_LIBRARY_PATH": str(Path("none").resolve())}}
    code, out, err = ship("d", "--store", "fleet.db", **elsewhere)
    assert (code, out) == (5, "") and err.startswith(
        "heapflame: libsqlite3.so.0 is needed to open a store; install the package libsqlite3-0 ("), (code, out, err)
    assert not Path("fleet.db").exists()
    done = subprocess.run([HEAPFLAME, "fold", "-q", f"d/shop.{START}.heap"], capture_output=True, check=False, **elsewhere)
    assert done.returncode == 0 and done.stdout, done


def test_a_running_process():
    if not AGENT.exists():
        print("skip: the agent was not built")
        return
    compile_leaker("leaker")
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd())}
    process = subprocess.Popen(["./leaker", "line", "times=3", "leak=1000003", "line", "line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**environment, "HEAPFLAME_CONF": "prof:true,lg_prof_sample:0", "LD_PRELOAD": str(AGENT)})
    process.stdout.readline()
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()
    expect(ship(str(process.pid), "--store", "fleet.db", env=environment), 0, "1 profile was added to fleet.db\n", "")
    with subprocess.Popen([HEAPFLAME, "ship", "-q", "--node", "web-7", "--every", "50ms", str(process.pid), "--store", "fleet.db"], env=environment,
                          stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL) as shipper:
        while ask("SELECT profiles FROM instance") < [(4,)]:
            time.sleep(0.05)
        process.stdin.close()
        process.wait()
        out = shipper.communicate(timeout=600)[0]
    ((name, profiles),) = ask("SELECT name, profiles FROM instance")
    assert (shipper.returncode, out) == (0, f"{profiles - 1} profiles were added to fleet.db\n"), (shipper.returncode, out, profiles)
    assert name.startswith(f"web-7/leaker/{process.pid}/"), name
    assert len(stored_times()) == profiles
    assert ask("SELECT max(most) FROM rollup")[0][0] >= 3 * 1000003
    code, out, err = ship("--every", "1s", "x.heap", "--store", "fleet.db")
    assert (code, err) == (2, "heapflame: --every: expected one PID and no other profile\n"), err


def test_with_all_rights():
    dumps(3)
    expect(ship("d", "--store", "fleet.db", "--no-sandbox"), 0, "3 profiles were added to fleet.db\n", "")
    expect(ship("d", "--store", "fleet.db", "--no-sandbox"), 0, "3 profiles were there already\n", "")


sys.exit(run_tests(globals()))
