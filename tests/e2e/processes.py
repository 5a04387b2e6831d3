#!/usr/bin/env python3
"""Profiles of several processes in one folder are several series: each is judged, restarts are told, nothing is mixed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME
from _schemas import held
from _suite import run_tests

MIB = 1 << 20


def heap_v2(stacks, load, program="/opt/server", libc=0x7F0000000000):
    """A dump without a process number: only where its modules lie tells it from another."""
    symbols = "--- symbol\nbinary=" + program + "\n" + "".join(
        f"{load + 0x10 * (i + 1):#x} {name}\n" for i, name in enumerate(stacks)) + "---\n--- heap\n"
    total = sum(stacks.values())
    body = "".join(f"@ {load + 0x10 * (i + 1) + 1:#x}\n  t*: 1: {value} [0: 0]\n" for i, value in enumerate(stacks.values()))
    return (f"{symbols}heap_v2/1\n  t*: {len(stacks)}: {total} [0: 0]\n{body}\nMAPPED_LIBRARIES:\n"
            f"{load:x}-{load + 0x1000:x} r-xp 0 0:0 0 {program}\n{libc:x}-{libc + 0x1000:x} r-xp 0 0:0 0 /usr/lib/libc.so.6\n")


def write(name, text, minute):
    Path("d").mkdir(exist_ok=True)
    path = Path("d") / name
    path.write_text(text)
    os.utime(path, (1_700_000_000 + minute * 60,) * 2)


def crash_loop(name=lambda run, minute: f"{run}-{minute}.heap", load=lambda run: 0x550000000000 + run * 0x1000000):
    """A service that leaks 3 MiB a minute and is started again after 20 minutes, three times."""
    for run in range(3):
        for minute in range(20):
            text = heap_v2({"leak": (minute + 1) * 3 * MIB, "stay": 8 * MIB}, load(run), libc=0x7F0000000000 + run * 0x10000)
            write(name(run, minute), text, run * 25 + minute)


def heapflame(*arguments):
    done = subprocess.run([HEAPFLAME, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def documents(document, member):
    return [held(one[member]) for one in document["processes"]]


def verdicts(document):
    return [{place["name"]: place["verdict"] for place in one["places"]} for one in documents(document, "trend")]


def test_restarts_by_their_modules():
    crash_loop()
    status, out, err = heapflame("trend", "d")
    assert status == 0, err
    assert out.startswith("3 processes. server was started again 2 times\n"), out
    assert len(re.findall(r"^server, process \d of 3, 20 profiles, 2023-11-1\d \d\d:\d\d:\d\d to \d\d:\d\d:\d\d UTC$", out, re.M)) == 3, out
    assert len(re.findall(r"^LEAK: leak grows by ", out, re.M)) == 3, out
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert verdicts(document) == [{"leak": "leak", "stay": "steady"}] * 3, verdicts(document)
    assert {one["program"] for one in document["processes"]} == {"server"}
    assert [one["start"] for one in document["processes"]] == [1, 2, 3]


def test_restarts_by_their_numbers():
    """jemalloc's names have the number of the process; the addresses are the same, as without PIE."""
    crash_loop(lambda run, minute: f"jeprof.{4711 + run}.{minute}.i{minute}.heap", lambda run: 0x400000)
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert verdicts(document) == [{"leak": "leak", "stay": "steady"}] * 3
    assert [one["id"] for one in document["processes"]] == [4711, 4712, 4713]


def test_restarts_are_one_proof():
    crash_loop()
    out = heapflame("trend", "d")[1]
    line = out.split("\n")[2]
    assert re.fullmatch(r"leak leaks in 3 of 3 processes of server, \+3\.0 MiB/min \(\+2\.\d MiB to \+3\.\d MiB\) in each, "
                        r"again after each restart\.", line), out
    together = held(json.loads(heapflame("trend", "--json", "d")[1]))["together"]
    assert [(one["name"], one["leaks"], one["processes"], one["restarts"], one["same"]) for one in together] == \
        [("leak", 3, 3, True, True)], together
    assert abs(together[0]["per_second"] * 60 / MIB - 3) < 0.01 and "since_build" not in together[0]


def build(version, minute, leak, run):
    """A dump of server 2.4.0 or so, which was started for the run-th time."""
    text = heap_v2({"leak": leak, "stay": 8 * MIB}, 0x550000000000 + run * 0x1000000, f"/opt/server-{version}/bin/server",
                   0x7F0000000000 + run * 0x10000)
    write(f"{run}-{minute}.heap", text, run * 25 + minute)


def test_the_build_with_which_it_began():
    for run, version in enumerate(["2.4.0", "2.4.0", "2.4.1", "2.4.1"]):
        for minute in range(20):
            build(version, minute, (minute + 1) * 2 * MIB if version == "2.4.1" else 3 * MIB, run)
    out = heapflame("trend", "d")[1]
    assert re.search(r"^leak leaks in 2 of 4 processes of server, .* Since build 2\.4\.1 \+2\.0 MiB/min \(.*\); before that no "
                     r"leak, in 2 processes\.$", out, re.M), out
    together = held(json.loads(heapflame("trend", "--json", "d")[1]))["together"][0]
    assert together["since_build"] == "2.4.1"
    assert [(one["build"], one["leaks"], one["processes"]) for one in together["builds"]] == [("2.4.0", 0, 2), ("2.4.1", 2, 2)]


def test_a_build_that_leaks_faster_and_one_that_leaks_no_more():
    rates = {"1.0.0": 1, "1.1.0": 4, "1.2.0": 0}
    for run, version in enumerate(rates):
        for minute in range(20):
            build(version, minute, (minute + 1) * rates[version] * MIB + MIB, run)
    out = heapflame("trend", "d")[1]
    assert re.search(r"^leak leaks in 2 of 3 processes of server, \+1\.0 MiB/min to \+4\.0 MiB/min\. Until build 1\.2\.0, with which "
                     r"it leaks no more, in 1 process\.$", out, re.M), out
    for path in Path("d").glob("2-*"):
        path.unlink()
    out = heapflame("trend", "d")[1]
    assert re.search(r"Since build 1\.1\.0 \+4\.0 MiB/min \(.*\); before that \+1\.0 MiB/min \(.*\), in 1 process\.$", out, re.M), out


def test_the_latest_process_does_not_leak():
    """Of one build: what runs now is told at once. A process that is too young to show it says nothing."""
    for run, minutes in enumerate((20, 30)):
        for minute in range(minutes):
            build("1.0.0", minute, (2 * minute + 1 if run == 0 else 3) * MIB, run)
    out = heapflame("trend", "d")[1]
    assert re.search(r"^leak leaks in 1 of 2 processes of server, \+2\.0 MiB/min \(.*\)\. The latest process does not leak: at that "
                     r"rate it would have kept 58\.0 MiB in 29 min, and has 3\.0 MiB\.$", out, re.M), out
    assert held(json.loads(heapflame("trend", "--json", "d")[1]))["together"][0]["gone"] is True
    for path in Path("d").glob("1-*"):
        if int(path.stem.split("-")[1]) >= 7:
            path.unlink()
    for minute in range(7):
        build("1.0.0", minute, 9 * MIB, 1)
    out = heapflame("trend", "d")[1]
    assert "leaks in 1 of 2 processes" in out and "latest process" not in out, out
    assert held(json.loads(heapflame("trend", "--json", "d")[1]))["together"][0]["gone"] is False


def test_replicas_are_no_restarts():
    for minute in range(20):
        for replica in range(2):
            write(f"{replica}-{minute}.heap", heap_v2({"leak": (minute + 1) * MIB}, 0x550000000000 + replica * 0x1000000,
                                                      libc=0x7F0000000000 + replica * 0x10000), minute)
    out = heapflame("trend", "d")[1]
    assert re.search(r"^leak leaks in 2 of 2 processes of server, \+1\.0 MiB/min \(.*\) in each\.$", out, re.M), out


def short_lives(bend):
    """Eight minutes of a line that bends a little and is not smooth, six times."""
    for run in range(6):
        for minute in range(8):
            part = minute / 7
            rough = 0.7 if (minute + run) % 2 else -0.7
            held_mib = 40 + 7 * (part + bend * part * (1 - part)) + rough
            write(f"{run}-{minute}.heap", heap_v2({"leak": int(held_mib * MIB), "stay": 80 * MIB}, 0x550000000000 + run * 0x1000000,
                                                  libc=0x7F0000000000 + run * 0x10000), run * 25 + minute)


def test_together_they_show_what_none_shows_alone():
    """A bend of 0.03 could be a cache's in each of them; six times it could not."""
    short_lives(0.2)
    out = heapflame("trend", "d")[1]
    assert re.search(r"^leak leaks: the 6 processes of server show it together, \+1\.0 MiB/min \(.*\) in each, again after each "
                     r"restart\.$", out, re.M) and out.count("as a whole: undecided") == 6, out
    status, out, _ = heapflame("check", "d")
    assert status == 1 and len(re.findall("^FAIL  leak .*: leak leaks: the 6 processes of server show it together", out, re.M)) == 1, out


def test_together_they_may_be_a_cache():
    """That is a bend of 0.1."""
    short_lives(0.6)
    status, out, _ = heapflame("check", "d")
    assert status == 0 and "together" not in out, out


def test_two_programs_at_once():
    for minute in range(20):
        write(f"a-{minute}", heap_v2({"leak": (minute + 1) * MIB, "stay": MIB}, 0x550000000000, "/opt/one"), minute)
        write(f"b-{minute}", heap_v2({"full": 9 * MIB}, 0x560000000000, "/opt/two", 0x7E0000000000), minute)
    status, out, _ = heapflame("trend", "d")
    assert status == 0 and out.startswith("2 processes\n"), out
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert [one["program"] for one in document["processes"]] == ["one", "two"]
    assert verdicts(document)[0]["leak"] == "leak" and "leak" not in verdicts(document)[1].values()


def test_check_judges_each():
    crash_loop()
    status, out, _ = heapflame("check", "--budget", "1MiB/min", "d")
    assert status == 1 and len(re.findall(r"^FAIL  budget    server, process \d of 3: all memory: ", out, re.M)) == 3, out
    status, out, _ = heapflame("check", "--json", "--budget", "1MiB/min", "--junit", "j.xml", "d")
    document = held(json.loads(out))
    assert status == 1 and [one["passed"] for one in documents(document, "check")] == [False] * 3
    assert Path("j.xml").read_text().count("<failure") >= 3
    assert heapflame("check", "--budget", "9MiB/min", "d")[0] == 0


def test_one_that_is_too_short_is_said():
    crash_loop()
    write("late.heap", heap_v2({"leak": MIB}, 0x5A0000000000, libc=0x7B0000000000), 200)
    status, out, _ = heapflame("check", "--budget", "9MiB/min", "d")
    assert status == 0 and re.search(r"^\?     process   server, process 4 of 4: 1 profile is too little data to judge$", out, re.M), out
    out = heapflame("trend", "d")[1]
    assert "server, process 4 of 4, 1 profile, " in out, out


def test_top_shows_the_last():
    crash_loop()
    status, out, err = heapflame("top", "d")
    assert status == 0 and "60.0 MiB" in out, out
    assert re.search("note: the profiles are of 3 processes; this is the last one, server, process 3 of 3; heapflame trend judges each", err), err


def test_one_process_is_as_ever():
    crash_loop(load=lambda run: 0x400000)
    for path in Path("d").iterdir():
        path.write_text(path.read_text().replace("7f0000010000", "7f0000000000").replace("7f0000020000", "7f0000000000"))
        minute = int(path.stem.split("-")[1]) + 25 * int(path.stem.split("-")[0])
        os.utime(path, (1_700_000_000 + minute * 60,) * 2)
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert document["schema"] == "heapflame.trend/1" and document["profiles"] == 60


def test_follow_fork():
    """A program and its children, in one folder; some write in the same millisecond."""
    program = "import os, time\nfor n in range(2):\n    if os.fork() == 0:\n        break\nkept = []\n" \
              "for _ in range(12):\n    kept.append(bytearray(1 << 20)); time.sleep(0.25)\n"
    Path("d").mkdir()
    done = subprocess.run([HEAPFLAME, "run", "--follow-fork", "--every", "200ms", "--keep", "0", "-o", "d/%e.%p.%n.hfb", "--",
                           sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    pids = sorted({int(path.name.split(".")[-3]) for path in Path("d").glob("*.hfb")})
    assert len(pids) == 3, pids
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert sorted(one["id"] for one in document["processes"]) == pids
    for path in Path("d").glob("*.hfb"):
        os.utime(path, (1_700_000_000 + int(path.name.split(".")[-2]),) * 2)
    document = held(json.loads(heapflame("trend", "--json", "d")[1]))
    assert sorted(one["id"] for one in document["processes"]) == pids, "the same times in different processes"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
