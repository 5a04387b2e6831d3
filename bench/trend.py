#!/usr/bin/env python3
"""trend over 100, 1,000 and 3,000 profiles of 50,000 stacks each, which are made one at a time and never all on disk
(trend_series.c).

The time of reading them once is that of heapflame's own reader of heap_v2; what trend adds is adding each to the history,
and at the end folding and analysing. The goal is one and a half times the time of reading. CPU is user + system. Memory is bounded by
distinct stacks x 64 points; the peak is that of the whole process.

usage: trend.py [--profiles N,N...]
"""

import argparse
import os
import resource
import subprocess
import sys

from _measure import expect

BUILD = os.environ["BUILD"]
STACKS = 50_000
GOAL = 1.5


def measure(profiles):
    make = subprocess.Popen([f"{BUILD}/bench/generate-profile", "heap_v2", str(STACKS)], stdout=subprocess.PIPE)
    done = subprocess.run([f"{BUILD}/bench/trend-series", str(profiles)], stdin=make.stdout, capture_output=True, text=True, check=True)
    make.wait()
    words = done.stdout.split()
    number = dict(zip(words[::2], map(float, words[1::2])))
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # of the greatest until now
    whole = number["read"] + number["add"] + number["analyse"]
    print(f"\n{profiles} profiles of {number['stacks']:.0f} stacks, {number['points']:.0f} points kept")
    print(f"reading {number['read']:.1f} s, history {number['add']:.1f} s, analysis {number['analyse']:.1f} s, peak {peak_mib:.0f} MiB")
    ratio = whole / number["read"]
    met = ratio <= GOAL and number["points"] <= 64
    expect(met, f"trend takes {ratio:.2f} times the time of reading; the goal is {GOAL}")
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiles", default="100,1000,3000")
    counts = parser.parse_args().profiles.split(",")
    return 0 if all([measure(int(count)) for count in counts]) else 1


if __name__ == "__main__":
    sys.exit(main())
