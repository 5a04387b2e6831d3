#!/usr/bin/env python3
"""What `heap` and `who` say of memory whose keeper is known: the shapes of tests/held, on glibc's malloc and on jemalloc,
recorded exactly, as a sample in 64 KiB, and without a table (then `heap -o`). A row for each, and the goals. Of shapes with several
owners so much is sampled that shares can be right within 3 points at all.

usage: script/soak shapes [--count N] [--only REGEX] [--mode MODE] [--allocator NAME] [--no-stop]"""

import argparse
import os
import re
import sys
import tempfile

from _held import ALLOCATORS, BUILDS, MODES, Cell, build, enough_for, look_at
from _measure import expect

FOUND, RIGHT, RIGHT_LISTS, INSIDE, LIVE = 0.99, 0.95, 0.8, 0.93, 10_000


def look(shape, allocator, mode, count, *options):
    try:
        return look_at(shape, allocator, mode, count, *options)
    except (AssertionError, OSError) as error:
        cell = Cell(shape, allocator, mode)
        cell.message = f" no answer: {str(error)[-200:]}".replace("\n", " ")
        return cell


def all_of(cells, kind):
    return [cell for cell in cells if (cell.shape.kind or "plain") in kind]


def share_right(cells):
    return sum(cell.is_right() for cell in cells) / max(len(cells), 1)


def judge(cells):
    """The shapes that are marked as impossible are in no sum."""
    possible = all_of(cells, ("plain", "list"))
    plain, lists, impossible = (all_of(cells, (kind,)) for kind in ("plain", "list", "impossible"))
    losing = [cell for cell in possible if cell.lost]
    worst = min((cell.found / cell.lost for cell in losing), default=1)
    falsely = sum(cell.falsely_lost for cell in possible)
    fewest = min((cell.live for cell in possible), default=0)
    inside = [cell.intervals() for cell in possible if cell.estimates]
    share = sum(a for a, _ in inside) / max(sum(b for _, b in inside), 1)
    print(f"\n{len({cell.shape for cell in cells})} shapes, {len(cells)} cells; {len(impossible)} of shapes that nobody can follow, in no sum below")
    for cell in possible:
        if not cell.is_right() or cell.falsely_lost or (cell.lost and cell.found < FOUND * cell.lost):
            print("failing:", cell.line())
    lost = sum(cell.lost for cell in losing)
    met = expect(worst >= FOUND, f"lost blocks found: {sum(cell.found for cell in losing) / max(lost, 1):.2%} of {lost}, {worst:.1%} in the worst cell; the goal is {FOUND:.0%}")
    met &= expect(falsely == 0, f"falsely lost: {falsely} of {sum(cell.live for cell in possible)} blocks that are kept, in {sum(cell.falsely_lost > 0 for cell in possible)} cells; the goal is 0")
    met &= expect(fewest >= LIVE, f"at least {fewest} blocks are kept in each cell; the goal is {LIVE}")
    met &= expect(share_right(plain) >= RIGHT, f"owner's shares right within 3 points in {share_right(plain):.1%} of {len(plain)} cells without lists; the goal is {RIGHT:.0%}")
    met &= expect(share_right(lists) >= RIGHT_LISTS, f"... in {share_right(lists):.1%} of {len(lists)} cells with lists; the goal is {RIGHT_LISTS:.0%}")
    return met & expect(share >= INSIDE, f"sampled sizes inside their 95 % interval: {share:.1%} of {sum(b for _, b in inside)}; the goal is {INSIDE:.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=LIVE)
    parser.add_argument("--only", default="", help="shapes whose name has it")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--allocator", choices=ALLOCATORS)
    parser.add_argument("--no-stop", action="store_true", help="read each program while it runs")
    options = parser.parse_args()
    ways = ["--no-stop"] if options.no_stop else []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shapes = [shape for shape in build(BUILDS) if re.search(options.only, shape.name)]
        print("read while they run\n" if ways else "", end="")
        print("shape                    allocator mode     kept    lost: found  falsely  owner expected given\n")
        cells = []
        for shape in shapes:
            for allocator in ALLOCATORS if options.allocator is None else (options.allocator,):
                for mode in MODES if options.mode is None else (options.mode,):
                    is_next = mode == "sampled" and cells and cells[-1].mode == "exact"
                    count = enough_for(cells[-1], options.count) if is_next else options.count
                    cells.append(look(shape, allocator, mode, count, *ways))
                    print(cells[-1].line(), flush=True)
        met = judge(cells)
        os.chdir("/")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
