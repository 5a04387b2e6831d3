#!/usr/bin/env python3
"""How often a method says "leak" of processes that do not leak: simulated months of ten places each, a point a minute, the
sampler's error drawn (bench/alarm_months.c). And how long it takes to find a leak among them.

usage: alarms.py [--method totals|survivors] [--months N] [--every MINUTES] [--rate ALARMS_A_MONTH] [--learn DAYS]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from _measure import expect

PROGRAM = Path(os.environ["BUILD"], "bench/alarm-months")
LEAKS_KIB = (64, 256, 1024)  # a minute


def run(options, months, seed, leak=0):
    command = [PROGRAM, options.method, months, seed, options.every, leak, options.learn]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    first, *laws = done.stdout.splitlines()
    words = first.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2])}, laws


def upper_bound(count, months):
    """Of the rate of Poisson's events: 95 %, one-sided (Wilson and Hilferty 1931)."""
    more = count + 1
    return more * (1 - 1 / (9 * more) + 1.645 / (3 * more**0.5)) ** 3 / months


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", default="survivors")
    parser.add_argument("--months", type=int, default=1000)
    parser.add_argument("--every", type=int, default=60)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--learn", type=int, default=7)
    options = parser.parse_args()
    sums, laws = run(options, options.months, 1)
    print(f"{options.method}, {options.learn} days to learn, asked every {options.every} minutes: ", end="")
    print(f"{options.months} process-months without a leak")
    print(f"{sums['alarms']} alarms, in {sums['months_with']} of the months; by law: {', '.join(laws)}")
    for leak in LEAKS_KIB:
        months = max(1, options.months // 10)
        found, _ = run(options, months, 2, leak)
        print(f"a leak of {leak} KiB/min: found in {found['found']} of {months} months, median delay {found['delay_median']} min")
    bound = upper_bound(sums["alarms"], options.months)
    met = expect(bound <= options.rate, f"at most {bound:.3f} alarms a month (95 %); the goal is {options.rate}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
