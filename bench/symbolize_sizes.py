#!/usr/bin/env python3
"""Names of few addresses and of many: heapflame addr2line against gimli, from 100 addresses to a million, and one by one.

Addresses are random, all over .text, so nearly every unit is asked; both tools are asked in turns. gimli reads its input
whole and writes its output at once, without demangling (bench/rust/gimli.rs); heapflame has no cache of answers here, and
is asked twice: for the same names, and for readable ones, which are five times as many bytes of output. Output is thrown
away: of a million readable names of ceph-mon it is 4.4 GB, for which a file system took 1.7 to 12.4 s of system time (and
of `dd` 1.9 to 6.5 s) where the names took 4.3 s. CPU time is what is compared: it suffers least from what else the machine
does. Figures are medians.
  doubling      heapflame alone, twice the addresses each time: a step would show that something is read again
  warm          heapflame symbols warm, which looks up all calls of a program and keeps the answers; gimli is asked for as many
  interactive   the next address is sent when the last is answered; wall time of each, the first 100 apart

usage: script/bench symbolize_sizes      (or, of some programs, symbolize_sizes.py PROGRAM...)
"""

import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import _programs
from _measure import Runs, expect, in_turns

PROGRAMS = {"ceph-mon": (_programs.prepare_ceph_mon, _programs.CEPH),
            "ceph-osd": (_programs.prepare_ceph_osd, _programs.CEPH_OSD)}
SIZES = {100: (5, 0.5), 10_000: (3, 0.5), 100_000: (3, 1), 1_000_000: (1, 1)}  # rounds, goal for CPU against gimli
DOUBLING, DOUBLING_ROUNDS, DOUBLING_GOAL = (25_000, 50_000, 100_000, 200_000, 400_000, 800_000), 3, 2.1
ONE_BY_ONE, FIRST, INTERACTIVE_GOAL_MS = 1100, 100, 0.3


def text_of(binary):
    """(address, size) of .text."""
    line = next(line for line in _programs.output_of("readelf", "-WS", binary).splitlines() if " .text " in line)
    words = line.split("]", 1)[1].split()
    return int(words[2], 16), int(words[4], 16)


def write_addresses(path, binary, count):
    start, size = text_of(binary)
    numbers = random.Random(count)
    with open(path, "w", encoding="ascii") as out:
        out.writelines(f"{start + numbers.randrange(size):#x}\n" for _ in range(count))


def heapflame(binary, flags="-afiC"):
    return ["heapflame", "addr2line", "--no-cache", flags, "-e", binary]


def compare_sizes(program, binary, asked, goals):
    for count, (rounds, goal) in SIZES.items():
        write_addresses(asked, binary, count)
        commands = {"same": heapflame(binary, "-afi"), "readable": heapflame(binary), "gimli": [_programs.GIMLI, binary]}
        runs = {name: Runs(command, asked, keeps_output=False) for name, command in commands.items()}
        in_turns(runs, [{}] * rounds)
        theirs = runs["gimli"].medians()
        for names in ("same", "readable"):
            ours = runs[names].medians()
            what = f"{program}, {count} addresses, {names} names"
            print(f"{program} {count:9} addresses, {names:8} names: CPU {ours[0]:8.3f} s, gimli {theirs[0]:8.3f} s, "
                  f"ratio {ours[0] / theirs[0]:.2f}; peak {ours[2]:6.0f} MiB, gimli {theirs[2]:6.0f} MiB", flush=True)
            goals.append((f"{what}: CPU against gimli {ours[0] / theirs[0]:.2f}, the goal is <= {goal}",
                          ours[0] <= goal * theirs[0]))
            goals.append((f"{what}: memory against gimli {ours[2] / theirs[2]:.2f}, the goal is <= 1",
                          ours[2] <= theirs[2]))


def compare_doubling(program, binary, folder, goals):
    runs = {}
    for count in DOUBLING:
        asked = os.path.join(folder, f"asked{count}")
        write_addresses(asked, binary, count)
        runs[count] = Runs(heapflame(binary), asked, keeps_output=False)
    in_turns(runs, [{}] * DOUBLING_ROUNDS)
    cpu = {count: one.medians()[0] for count, one in runs.items()}
    print(f"{program} doubling: " + ", ".join(f"{count}: {seconds:.3f} s" for count, seconds in cpu.items()), flush=True)
    worst = max(cpu[more] / cpu[fewer] for fewer, more in zip(DOUBLING, DOUBLING[1:]))
    goals.append((f"{program}: twice the addresses cost {worst:.2f} times, the goal is <= {DOUBLING_GOAL}",
                  worst <= DOUBLING_GOAL))


def compare_warm(program, binary, asked, folder, goals):
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    said = _programs.output_of("heapflame", "symbols", "warm", binary)
    count = int(re.search(r": (\d+) addresses, ", said)[1])
    write_addresses(asked, binary, count)
    shutil.rmtree(os.environ["XDG_CACHE_HOME"])
    runs = {"warm": Runs(["heapflame", "symbols", "warm", binary], keeps_output=False),
            "gimli": Runs([_programs.GIMLI, binary], asked, keeps_output=False)}
    in_turns(runs, [{}])
    del os.environ["XDG_CACHE_HOME"]
    ours, theirs = runs["warm"].medians(), runs["gimli"].medians()
    print(f"{program} warm: {count} calls, CPU {ours[0]:.3f} s, gimli {theirs[0]:.3f} s; peak {ours[2]:.0f} MiB, "
          f"gimli {theirs[2]:.0f} MiB", flush=True)
    goals.append((f"{program}: warm, memory against gimli {ours[2] / theirs[2]:.2f}, the goal is <= 1", ours[2] <= theirs[2]))


def ask_one_by_one(program, binary, asked, goals):
    write_addresses(asked, binary, ONE_BY_ONE)
    command = ["heapflame", "addr2line", "--no-cache", "-fC", "-e", binary]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(asked, encoding="ascii") as lines, subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        times = []
        for line in lines:
            start = time.monotonic()
            child.stdin.write(line)
            child.stdin.flush()
            for _ in range(2):
                child.stdout.readline()
            times.append(1000 * (time.monotonic() - start))
        child.stdin.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))
    later = sorted(times[FIRST:])
    median = statistics.median(later)
    print(f"{program} interactive: median {median:.3f} ms after the first {FIRST}, nine tenths below "
          f"{later[len(later) * 9 // 10]:.3f} ms; {1000 * cpu / ONE_BY_ONE:.3f} ms of CPU for each of {ONE_BY_ONE}", flush=True)
    goals.append((f"{program}: interactive, median {median:.3f} ms, the goal is <= {INTERACTIVE_GOAL_MS}",
                  median <= INTERACTIVE_GOAL_MS))


def main():
    goals = []
    programs = {name: PROGRAMS[name] for name in sys.argv[1:] or PROGRAMS}
    _programs.prepare_gimli()
    print(f"load before: {os.getloadavg()[0]:.2f}, {len(os.sched_getaffinity(0))} processors")
    with tempfile.TemporaryDirectory() as folder:
        asked = os.path.join(folder, "addresses")
        for program, (prepare, binary) in programs.items():
            prepare()
            print(f"\n{program}: {os.path.getsize(binary) / 1e6:.0f} MB, "
                  f".debug_info {_programs.debug_info_bytes(binary) / 1e6:.1f} MB")
            compare_sizes(program, binary, asked, goals)
            compare_doubling(program, binary, folder, goals)
            compare_warm(program, binary, asked, folder, goals)
            ask_one_by_one(program, binary, asked, goals)
    print(f"\nload after: {os.getloadavg()[0]:.2f}")
    met = [expect(is_met, text) for text, is_met in goals]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
