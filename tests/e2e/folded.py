#!/usr/bin/env python3
# timeout: 240
"""Folded stacks of any size: the same picture whatever the order of the lines and the number of processors, in memory
that grows with the distinct stacks alone. The files are those of bench/generate.c."""

import gzip
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, need
from _suite import run_tests

BENCH = Path(os.environ["BUILD"], "bench")


def generate(stacks, lines):
    return subprocess.run([BENCH / "generate-profile", "folded", str(stacks), str(lines)], capture_output=True,
                          check=True).stdout


def draw(path, *prefix):
    subprocess.run([*prefix, HEAPFLAME, "flame", "-q", path, "-o", "out.svg"], check=True)
    return Path("out.svg").read_bytes()


def test_any_order():
    lines = generate(300, 3000).splitlines(keepends=True)
    Path("x.folded").write_bytes(b"".join(lines))
    expected = draw("x.folded")
    assert b"<title>all (" in expected
    orders = {"reversed": lines[::-1], "sorted": sorted(lines)}
    for seed in range(3):
        orders[f"shuffled {seed}"] = random.Random(seed).sample(lines, len(lines))
    for name, order in orders.items():
        Path("x.folded").write_bytes(b"".join(order))
        assert draw("x.folded") == expected, f"{name}: another picture"


def test_any_number_of_processors():
    need("taskset")
    Path("x.folded").write_bytes(generate(2000, 4000))
    assert os.path.getsize("x.folded") > 4 << 20, "too small for several workers"
    for _ in range(3):
        assert draw("x.folded", "taskset", "1") == draw("x.folded"), "another picture on one processor"


def test_any_way_in():
    text = generate(500, 1500)
    Path("x.folded").write_bytes(text)
    expected = draw("x.folded")
    Path("x.folded.gz").write_bytes(gzip.compress(text, 1))
    assert draw("x.folded.gz") == expected
    piped = subprocess.run(["sh", "-c", f"cat x.folded | {HEAPFLAME} flame -q - -o out.svg"], check=True)
    assert piped.returncode == 0 and Path("out.svg").read_bytes() == expected


def test_exact_sums():
    """Millions of bytes of lines through many workers: each stack has the sum of its lines, none is lost."""
    text = generate(1000, 5000)
    sums = Counter()
    for line in text.decode().splitlines():
        stack, count = line.rsplit(" ", 1)
        sums[stack] += int(count)
    Path("x.folded").write_bytes(text)
    printed = subprocess.run([HEAPFLAME, "fold", "-q", "--keep-allocator", "x.folded"], capture_output=True, check=True,
                             text=True).stdout
    assert dict(line.rsplit(" ", 1) for line in printed.splitlines()) == {s: str(n) for s, n in sums.items()}


def test_line_numbers():
    """What is said of a line names it, wherever it stands."""
    lines = generate(500, 2000).splitlines(keepends=True)
    lines[1800] = b"no count here\n"
    Path("x.folded").write_bytes(b"".join(lines))
    done = subprocess.run([HEAPFLAME, "fold", "x.folded"], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "(line 1801)" in done.stderr, done.stderr


def test_memory_grows_with_stacks_alone():
    def peak(stacks, lines):
        Path("x.folded").write_bytes(generate(stacks, lines))
        printed = subprocess.run([BENCH / "read-profile", "x.folded"], capture_output=True, check=True, text=True).stdout
        return int(printed.split()[0]), os.path.getsize("x.folded"), int(printed.split()[1])

    (small, small_size, _), (large, large_size, _) = peak(50, 2000), peak(50, 60000)
    print(f"{small_size} bytes: {small}, {large_size} bytes: {large}")
    assert large_size > 25 * small_size
    assert large < small + (1 << 20), f"{large_size} bytes need {large}, {small_size} need {small}"
    many, _, need = peak(20000, 20000)
    print(f"distinct stacks take {(many - small) / need:.2f} times what they consist of")
    assert many > small + (1 << 20), "the measure does not see the stacks"
    if "HEAPFLAME_SANITIZED" in os.environ:  # a sanitizer keeps what was freed, and puts zones around blocks
        return
    assert many - small < 3.2 * need, f"distinct stacks need {many - small}, and consist of {need}"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
