#!/usr/bin/env python3
"""How long single calls of malloc take when the live table is on tmpfs and on disk; script/bench runs this.

latency.c times each of 2,000,000 calls. One setting runs after the other, round by round; printed are the least and the
greatest of the rounds, in microseconds. A folder for each kind of file system is looked for among those that are there.
The table in docs/containers.md is this one.
"""

import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["BUILD"]
COUNT, ROUNDS = "2000000", 3
DISKS, MEMORY = ("ext2/ext3", "xfs", "btrfs"), ("tmpfs",)


def kind_of(folder):
    return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip()


def make_folder(kinds):
    """(a new folder, its file system) on the first that is one of `kinds`."""
    for place in ["/dev/shm", "/tmp", "/var/tmp", BUILD]:
        if os.path.isdir(place) and kind_of(place) in kinds:
            return tempfile.mkdtemp(prefix="heapflame-bench-", dir=place), kind_of(place)
    sys.exit(f"no folder is on {' or '.join(kinds)}")


def percentiles(environment):
    done = subprocess.run([f"{BUILD}/bench/latency", COUNT], env={**os.environ, **environment}, capture_output=True,
                          text=True, check=True)
    if done.stderr:
        sys.exit(f"the agent says: {done.stderr}")
    return [int(ns) / 1000 for ns in done.stdout.split()]


def recorded(folder, options):
    return {"LD_PRELOAD": f"{BUILD}/agent/libheapflame.so", "HEAPFLAME_CONF": f"prof:true,dir:{folder},{options}"}


def shown(values):
    low, high = (f"{value:.1f}" if value < 10 else f"{value:.0f}" for value in (min(values), max(values)))
    return f"{low} to {high}" if low != high else low


def main():
    (memory, _), (disk, system) = make_folder(MEMORY), make_folder(DISKS)
    settings = {"without the agent": {}}
    for what, options in [("sampled", "lg_prof_sample:19"), ("every allocation", "exact:true")]:
        settings[f"{what}, tmpfs"] = recorded(memory, options)
        settings[f"{what}, disk"] = recorded(disk, options)
    figures = {name: [] for name in settings}
    try:
        for _ in range(ROUNDS):
            for name, environment in settings.items():
                figures[name].append(percentiles(environment))
                for folder in memory, disk:
                    shutil.rmtree(f"{folder}/heapflame-{os.geteuid()}", ignore_errors=True)
    finally:
        shutil.rmtree(memory)
        shutil.rmtree(disk)
    print(f"{int(COUNT):,} calls of malloc, {ROUNDS} rounds, the least and the greatest, in microseconds; disk: {system}\n")
    print(f"{'':24}{'p99.9':>14}{'p99.99':>14}")
    for name, rounds in figures.items():
        print(f"{name:24}" + "".join(f"{shown(column):>14}" for column in zip(*rounds)))


if __name__ == "__main__":
    main()
