#!/usr/bin/env python3
"""What it costs to take a stack: ns and instructions for each frame, of tests/agent/unwind_cost.c.

The rows: frame pointers (a build that has them); replay of an unchanged stack; replay where the 5 innermost frames are
others, and where all are; a walk without replay, of an unchanged stack; libgcc's _Unwind_Backtrace. ns are of the fastest
of BATCHES batches, because other work on the machine only ever adds; instructions are callgrind's, the difference of
two runs. Where frames change, what calling the functions costs is subtracted.

usage: script/bench unwind
"""

import subprocess
import sys

from _unwind import cost_command, count_instructions

DEPTHS = 12, 27, 57  # functions; main and what calls it are three frames more
BATCHES, ROUNDS = 300, 1000
ALL = 1000
# name: method, how many frames change, ns for each frame that it shall not exceed at the greatest depth
ROWS = {
    "frame pointers": ("pointers", 0, None),
    "replay, unchanged": ("replay", 0, 1.1),
    "replay, 5 frames others": ("replay", 5, None),
    "replay, all frames others": ("replay", ALL, None),
    "no replay, unchanged": ("walk", 0, 7),
    "libgcc": ("libgcc", 0, None),
}


def measure(method, depth, changed):
    """ns of a stack, and its frames."""
    batches = BATCHES // 10 if method == "libgcc" else BATCHES
    done = subprocess.run(cost_command(method, depth, changed, ROUNDS, batches), capture_output=True, text=True, check=True)
    ns, frames = done.stdout.split()
    return float(ns), int(frames)


def main():
    slow = []
    print(f"{'frames':24}" + "".join(f"{depth + 3:>22}" for depth in DEPTHS))
    print(f"{'':24}" + f"{'ns  /frame  instr':>22}" * len(DEPTHS))
    for name, (method, changed, most) in ROWS.items():
        cells = []
        for depth in DEPTHS:
            ns, frames = measure(method, depth, changed)
            instructions = count_instructions(method, depth, changed)
            if changed:
                ns -= measure("nothing", depth, changed)[0]
                instructions -= count_instructions("nothing", depth, changed)
            cells.append(f"{ns:>8.0f}{ns / frames:>7.2f}{instructions / frames:>7.0f}")
        print(f"{name:24}" + "".join(cells), flush=True)
        if most is not None and ns / frames > most:
            slow.append(f"{name}: {ns / frames:.2f} ns for each frame, more than {most}")
    if slow:
        raise SystemExit("FAILED\n" + "\n".join(slow))


if __name__ == "__main__":
    main()
