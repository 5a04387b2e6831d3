#!/usr/bin/env python3
"""How often the alarm of watch is false: simulated months of ten places each, a look a minute, the sampler's error drawn, judged by the
product's own code (bench/alarm_months.c). And how long it takes to find a leak that begins in the second day of a process, its second week or its
third and fourth.

Months without a leak are simulated in pieces, each with a seed of its own, so that a part of them is a result, too: with --minutes, no piece is
begun after that time.

usage: alarms.py [--months N] [--leaks N] [--rate ALARMS_A_MONTH] [--learn DAYS] [--minutes N] [--first-seed N]
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _measure import expect

PROGRAM = Path(os.environ["BUILD"], "bench/alarm-months")
PIECE = 5  # months
LEAKS_KIB = (64, 256, 1024)  # a minute
# when a leak begins, in days; and for how long the process is learned
BEGIN = (("the second day", 1, 2, 1), ("the second week", 7, 14, 7), ("the third or fourth week", 14, 21, 7))


def run(months, seed, learn, *leak):
    command = [PROGRAM, months, seed, learn, *leak]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    first, *laws = done.stdout.splitlines()
    words = first.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2])}, laws


def run_pieces(options):
    """The months that there was time for, and what they add up to."""
    end = time.monotonic() + options.minutes * 60 if options.minutes else None

    def piece(seed):
        if end is not None and time.monotonic() > end:
            return None
        return run(PIECE, seed, options.learn)

    seeds = range(options.first_seed, options.first_seed + -(-options.months // PIECE))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [result for result in pool.map(piece, seeds) if result is not None]
    by_law = {}
    for _, laws in done:
        for line in laws:
            law, count = line.split()
            by_law[law] = by_law.get(law, 0) + int(count)
    names = ("months", "alarms", "months_with")
    return {name: sum(sums[name] for sums, _ in done) for name in names}, by_law


def upper_bound(count, months):
    """Of the rate of Poisson's events: 95 %, one-sided (Wilson and Hilferty 1931)."""
    more = count + 1
    return more * (1 - 1 / (9 * more) + 1.645 / (3 * more**0.5)) ** 3 / months


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--months", type=int, default=100)
    parser.add_argument("--leaks", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--learn", type=int, default=7)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    sums, by_law = run_pieces(options)
    print(f"{options.learn} days to learn: {sums['months']} process-months without a leak, seeds from {options.first_seed} on")
    counts = ", ".join(f"{law} {count}" for law, count in by_law.items())
    print(f"{sums['alarms']} alarms, in {sums['months_with']} of the months; by law: {counts}", flush=True)
    for name, first, last, learn in BEGIN:
        for leak in LEAKS_KIB:
            if options.leaks == 0:
                continue
            found, _ = run(options.leaks, 2, learn, leak, first, last)
            print(f"a leak of {leak} KiB/min that begins in {name}: found in {found['found']} of {options.leaks} months, ", end="")
            print(f"median delay {found['delay_median']} min, the longest {found['delay_most']} min", flush=True)
    bound = upper_bound(sums["alarms"], max(sums["months"], 1))
    met = expect(bound <= options.rate, f"at most {bound:.3f} alarms a month (95 %); the goal is {options.rate}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
