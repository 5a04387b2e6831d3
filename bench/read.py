#!/usr/bin/env python3
"""Reading profiles of 1 GB: rate and peak memory.

The files are made by generate.c: heap_v2 with each stack once, and folded stacks whose lines repeat. They are kept in
HEAPFLAME_BENCH_CACHE (empty it to begin anew); script/bench runs this. What reads them is read_profile.c, the readers
of heapflame with nothing behind them; it also says what the distinct stacks of a file consist of, in bytes, each node,
frame, string and sample counted once. `heapflame top` stands beside it: reading, and what a user does with it.

Beside them in turns: `wc -l`, which does nothing but look for line ends, and, on a slice of the same kind,
`jeprof --collapsed` with a program that has no symbols and flamegraph.pl. A rate is MB of the file by second; what
jeprof and flamegraph.pl do after reading is in theirs.

Figures are medians. CPU is user + system: the machine may have other work, so the goal is held against it. It is the
lower of GOAL_RATE and, for heap_v2, GOAL_TIMES the rate of jeprof. Peaks are
those of the whole process (of the others not below the 15 MB of this program, which started them).
"""

import glob
import os
import shutil
import statistics
import subprocess
import sys
import time

from _measure import expect

CACHE, BUILD = os.environ["HEAPFLAME_BENCH_CACHE"], os.environ["BUILD"]
ROUNDS = 3
GOAL_RATE = 200  # MB/s
GOAL_TIMES = 50
GOAL_PEAK = 2  # times what the distinct stacks need
FILES = {
    "heap_v2": ("heap_v2", "1900000"),
    "folded": ("folded", "200000", "840000"),
    "slice.heap_v2": ("heap_v2", "40000"),
    "slice.folded": ("folded", "200000", "25000"),
}
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"


def prepare():
    os.makedirs(CACHE, exist_ok=True)
    for name, arguments in FILES.items():
        path = os.path.join(CACHE, "read." + "-".join((name, *arguments)))
        if not os.path.exists(path):
            for old in glob.glob(os.path.join(CACHE, f"read.{name}-*")):
                os.unlink(old)
            with open(path + ".tmp", "wb") as out:
                subprocess.run([f"{BUILD}/bench/generate-profile", *arguments], check=True, stdout=out)
            os.rename(path + ".tmp", path)
        FILES[name] = path


def measure(command):
    """One run: (CPU seconds, wall seconds, peak bytes) and its standard output if it is short."""
    is_short = command[0].endswith("read-profile")
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE if is_short else subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        text = child.stdout.read().decode() if is_short else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with status {child.returncode}")
    return (usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024), text


def compare(kind, tools):
    """Prints a line for each tool, {name: (command, file)}; returns the medians of the reader and its own line."""
    runs, texts = {tool: [] for tool in tools}, {}
    for _ in range(ROUNDS):
        for tool, (command, path) in tools.items():
            figures, texts[tool] = measure([*command, path])
            runs[tool].append(figures)
    medians = {tool: [statistics.median(column) for column in zip(*rows)] for tool, rows in runs.items()}
    for tool, (cpu, wall, peak) in medians.items():
        size = os.path.getsize(tools[tool][1]) / 1e6
        spread = " ".join(f"{row[0]:.2f}" for row in sorted(runs[tool]))
        print(f"{kind:8} {tool:14} {size:7.1f} {cpu:8.3f} {wall:8.3f} {size / cpu:9.1f} {size / wall:9.1f}"
              f" {peak / 1e6:8.1f}   {spread}", flush=True)
    return medians, texts["reader"]


def judge(kind, medians, text, peer):
    """The lines that say what came of it; True if the goals are met."""
    peak, need, stacks, nodes, frames, samples = map(int, text.split())
    cpu = medians["reader"][0]
    rate = os.path.getsize(FILES[kind]) / 1e6 / cpu
    peer_rate = os.path.getsize(FILES["slice." + kind]) / 1e6 / medians[peer][0]
    goal_rate = min(GOAL_RATE, GOAL_TIMES * peer_rate) if peer == "jeprof" else GOAL_RATE
    met = rate >= goal_rate and peak <= GOAL_PEAK * need
    print(f"{kind:8} {stacks} stacks, {nodes} nodes, {frames} frames, {samples} samples consist of {need / 1e6:.1f} MB;"
          f" the peak is {peak / need:.2f} times that")
    return expect(met, f"{kind}: {rate:.0f} MB/s, {rate / peer_rate:.0f} times {peer}; the goal is {goal_rate:.0f} MB/s"
                       f" and {GOAL_PEAK} times")


def main():
    prepare()
    program = os.path.join(CACHE, "no-symbols")
    shutil.copy("/bin/true", program)
    print(f"{ROUNDS} rounds in turns; load before: {os.getloadavg()[0]:.2f}\n")
    print("format   tool                MB    CPU s   wall s  MB/s CPU MB/s wall  peak MB   all CPU times, s")
    met = []
    for kind, peer, peer_command in (("heap_v2", "jeprof", ["jeprof", "--collapsed", program]),
                                     ("folded", "flamegraph.pl", [FLAMEGRAPH])):
        medians, text = compare(kind, {
            "reader": ([f"{BUILD}/bench/read-profile"], FILES[kind]),
            "heapflame top": (["heapflame", "top", "-q"], FILES[kind]),
            "wc -l": (["wc", "-l"], FILES[kind]),
            peer: (peer_command, FILES["slice." + kind]),
        })
        met.append(judge(kind, medians, text, peer))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
