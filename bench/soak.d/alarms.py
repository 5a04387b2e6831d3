#!/usr/bin/env python3
"""How often the alarm of watch is false: simulated months of ten places each, a look a minute, the sampler's error drawn, judged by the
product's own code (bench/alarm_months.c). And how long it takes to find a leak that begins in the second day of a process, its second week or its
third and fourth.

usage: alarms.py [--months N] [--leaks N] [--rate ALARMS_A_MONTH] [--learn DAYS]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from _measure import expect

PROGRAM = Path(os.environ["BUILD"], "bench/alarm-months")
LEAKS_KIB = (64, 256, 1024)  # a minute
# when a leak begins, in days; and for how long the process is learned
BEGIN = (("the second day", 1, 2, 1), ("the second week", 7, 14, 7), ("the third or fourth week", 14, 21, 7))


def run(months, seed, learn, *leak):
    command = [PROGRAM, months, seed, learn, *leak]
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
    parser.add_argument("--months", type=int, default=100)
    parser.add_argument("--leaks", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--learn", type=int, default=7)
    options = parser.parse_args()
    sums, laws = run(options.months, 1, options.learn)
    print(f"{options.learn} days to learn: {options.months} process-months without a leak")
    print(f"{sums['alarms']} alarms, in {sums['months_with']} of the months; by law: {', '.join(laws)}")
    for name, first, last, learn in BEGIN:
        for leak in LEAKS_KIB:
            found, _ = run(options.leaks, 2, learn, leak, first, last)
            print(f"a leak of {leak} KiB/min that begins in {name}: found in {found['found']} of {options.leaks} months, ", end="")
            print(f"median delay {found['delay_median']} min, the longest {found['delay_most']} min", flush=True)
    bound = upper_bound(sums["alarms"], options.months)
    met = expect(bound <= options.rate, f"at most {bound:.3f} alarms a month (95 %); the goal is {options.rate}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
