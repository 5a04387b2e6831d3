#!/usr/bin/env python3
"""Verdicts on real programs by the clock of the machine, under the real agent (tests/e2e/_real.py). Healthy ones under load, side by
side: redis that evicts, Python's lru_cache, two LSM stores, a backend of PostgreSQL that comes to know 2,000 tables, nginx, node. None may be
called a leak, at the end or at any look as profiles come; a cache that is not full yet looks like a leak, so looks until it has been full for as
long as it took to fill are counted apart. Then programs of tests/owners, redis and a PostgreSQL extension, each with a leak
that begins after a healthy time: the leak is found, its place is named by the guilty function, and the onset is in its interval.

usage: verdict_real.py [--healthy SECONDS] [--leaking SECONDS] [--looks N]
  --healthy SECONDS  how long the healthy ones run (default: 330; 0: none)
  --leaking SECONDS  how long before the leak begins, and as long with it (default: 80; 0: none)
  --looks N          judge each series as it comes at so many times, at most (default: 64)
"""

import argparse
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from _measure import expect
from _real import Found, look, record
from _real_healthy import lru_cache, nginx, node, redis_lru, store
from _real_leaking import LEAKING, leaking, leaking_bash, leaking_redis
from _real_postgres import leaking_postgres, postgres
from _set4 import flaps
from _verdicts import NOT_LISTED

PROFILES = 60  # of each healthy program: no more are averaged
PROFILES_OF_LEAK = 64


def look_at_all(programs, looks):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda program: look(program, looks), programs))


def flapping(program):
    return flaps([(when, kind) for when, kind, _ in program.path])


def end_of(program):
    """The verdicts on the whole, of each process."""
    document = program.document or {}
    documents = document.get("processes", [{"trend": document}])
    verdicts = [process["trend"]["whole"]["verdict"] for process in documents if process.get("trend")]
    return ", ".join(dict.fromkeys(verdicts)) or NOT_LISTED


def healthy(seconds, looks):
    programs = [redis_lru(), lru_cache(), store("leveldb"), store("rocksdb"), postgres(), nginx(), node()]
    record(programs, f"{seconds * 1000 // PROFILES}ms", seconds)
    look_at_all(programs, looks)
    print(f"{len(programs)} healthy programs, {seconds} s each, side by side\n")
    print(f"{'program':12} {'profiles':>8} {'full after':>10} {'looks':>5} {'leak: filling':>13} {'later':>5} {'flaps':>5}  as a whole, at the end")
    late, at_end = [], []
    for program in programs:
        filling = [when for when, _ in program.leaks_seen() if program.full is None or when <= 2 * program.full]
        later = [(when, names) for when, names in program.leaks_seen() if program.full is not None and when > 2 * program.full]
        late += [f"{program.name} after {when:.0f} s: {', '.join(names)}" for when, names in later]
        if program.leaks_seen() and program.leaks_seen()[-1][0] == program.path[-1][0] - program.begun:
            at_end.append(program.name)
        full = f"{program.full:.0f} s" if program.full else "never"
        print(f"{program.name:12} {len(program.files):8} {full:>10} {len(program.path):5} {len(filling):13} {len(later):5} "
              f"{'yes' if flapping(program) else 'no':>5}  {end_of(program)}")  # fmt: skip
    print("".join(f"\n{line}" for line in late), flush=True)
    met = expect(not at_end, f"none is called a leak at the end{': ' if at_end else ''}{', '.join(at_end)}")
    met &= expect(not late, f'"leak" at {len(late)} of {sum(len(program.path) for program in programs)} looks; the goal is none')
    met &= expect(all(program.full for program in programs), "all caches were full")
    return met


def leaks(seconds, looks):
    programs = [leaking(row, seconds, seconds) for row in LEAKING]
    programs += [leaking_bash(seconds, seconds), leaking_redis(seconds, seconds), leaking_postgres(seconds, seconds)]
    seen = look_at_all(record(programs, f"{2 * seconds * 1000 // PROFILES_OF_LEAK}ms"), looks)
    print(f"\n{len(programs)} leaking programs, {len(seen)} of them run, {seconds} s before the leak begins and {seconds} s with it\n")
    print(f"{'program':14} {'named':6} {'began':>7}  {'said':18} {'found after':>11} {'too early':>9} {'flaps':>5}  names")
    founds = []
    for program in seen:
        found = Found(program)
        founds.append(found)
        few = f" ({len(program.files)} profiles)" if len(program.files) < PROFILES_OF_LEAK // 2 else ""
        said = "%.1f to %.1f s" % tuple(found.interval) if found.interval else ""
        delay = f"{found.delay:.0f} s" if found.delay is not None else "never"
        print(f"{program.name:14} {'right' if found.is_named else 'no':6} {found.onset:5.1f} s  {said:18} {delay:>11} "
              f"{found.early:9} {'yes' if flapping(program) else 'no':>5}  {', '.join(dict.fromkeys(found.names))}{few}", flush=True)  # fmt: skip
    named, held = sum(found.is_named for found in founds), sum(found.holds() for found in founds)
    flapped, early = sum(map(flapping, seen)), sum(found.early for found in founds)
    print(flush=True)
    met = expect(len(seen) >= 10, f"{len(seen)} programs that leak were run; the goal is 10")
    met &= expect(named == len(seen), f"{named} of {len(seen)} are a leak of the guilty function at the end; the goal is all")
    met &= expect(held >= 0.93 * len(seen), f"{held} of {len(seen)} onsets are in their interval; the goal is 93 %")
    met &= expect(early == 0, f'"leak" at {early} looks before there is one; the goal is none')
    met &= expect(flapped <= 0.05 * len(seen), f"{flapped} of {len(seen)} series flap; the goal is 5 %")
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--healthy", type=int, default=330)
    parser.add_argument("--leaking", type=int, default=80)
    parser.add_argument("--looks", type=int, default=64)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heapflame-real-") as folder:
        os.chmod(folder, 0o755)  # servers that do not run as root work there, too
        os.chdir(folder)
        met = not options.healthy or healthy(options.healthy, options.looks)
        if options.leaking:
            met &= leaks(options.leaking, options.looks)
        os.chdir("/")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
