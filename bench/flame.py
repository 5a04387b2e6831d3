#!/usr/bin/env python3
"""heapflame flame and difffolded.pl against flamegraph.pl and difffolded.pl: folded stacks of 1e5, 1e6 and 1e7 lines.

Also of 1e4, 1e5 and 1e6 lines that are all distinct, 16 and 108 frames deep on average, here with heapflame's own
flamegraph.pl, too: sizes people have. PARTS=distinct in the environment runs these alone, SIZES="1e4 1e5" those of them with so
many lines, ROUNDS=9 each so often. For the largest, flamegraph.pl
needs about 15 GiB (ten times what it needs for a tenth): TOO_LARGE names what is drawn by heapflame alone where less is free.

The files are made by generate_calls.c (367 bytes a line) and kept in HEAPFLAME_BENCH_CACHE; script/bench runs this. The
pictures are held to the same total. flamegraph.pl is the one of Debian's libdevel-nytprof-perl. difffolded.pl is not
packaged: without FLAMEGRAPH_SCRIPTS=DIR, where the original is, difffolded.pl beside this file does the same work. Each
round runs one tool after the other; figures are medians, CPU is user + system of the process, its peak the maximum
resident set.

flamegraph.pl takes minutes and 8.3 GiB for 1e7 lines: it is run once, and the figure kept in the cache with the machine
and the date it is of. `newlines` is the floor: memchr for the ends of lines over the mapped file.
"""

import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

from _measure import expect

CACHE, BUILD = os.environ["HEAPFLAME_BENCH_CACHE"], os.environ["BUILD"]
SOURCE = os.path.dirname(os.path.abspath(__file__))
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
DIFFFOLDED = os.path.join(os.environ.get("FLAMEGRAPH_SCRIPTS", SOURCE), "difffolded.pl")
OUT = os.path.join(CACHE, "flame.out")
ROUNDS = {"1e5": 5, "1e6": 5, "1e7": 3}
CPU, WALL, PEAK = range(3)
NAMES = {CPU: "CPU", WALL: "wall"}
GOALS = {("1e6", CPU): 20, ("1e6", WALL): 30, ("1e7", CPU): 30, ("1e7", WALL): 45}  # times as fast as flamegraph.pl
GOAL_PEAKS = {"1e6": 64, "1e7": 128}  # MiB
GOAL_COMPARE = 1.5  # times the CPU of drawing one
GOAL_DIFFFOLDED = 5  # times as fast as difffolded.pl


def path_of(lines, sample=1):
    return os.path.join(CACHE, f"flame.{lines}.{sample}.folded")


def make(path, command):
    if not os.path.exists(path):
        with open(path + ".tmp", "wb") as out:
            subprocess.run(command, check=True, stdout=out)
        os.rename(path + ".tmp", path)


def prepare():
    for lines, sample in (("1e5", 1), ("1e6", 1), ("1e6", 2), ("1e7", 1)):
        make(path_of(lines, sample), [f"{BUILD}/bench/generate-calls", str(int(float(lines))), str(sample)])
    if not os.path.exists(path_of("1e6") + ".gz"):
        with open(path_of("1e6"), "rb") as plain, gzip.open(path_of("1e6") + ".gz.tmp", "wb", 6) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
        os.rename(path_of("1e6") + ".gz.tmp", path_of("1e6") + ".gz")
    make(path_of("1e6") + ".zst", ["zstd", "-qc", path_of("1e6")])


def measure(command):
    """One run, its output in OUT: CPU seconds, wall seconds, peak MiB."""
    with open(OUT, "wb") as out:
        start = time.monotonic()
        with subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def check_of(path):
    """What both tools must say alike: the total of a picture, or the number and sums of the lines of a difference."""
    with open(path, "rb") as text:
        start = text.read(1 << 20)
        if start.startswith(b"<?xml"):
            total = re.search(rb"all \(([\d,]+) ", start + text.read())
            return total.group(1)
        text.seek(0)
        columns = [line.rsplit(b" ", 2)[1:] for line in text]
    return len(columns), *(sum(map(int, column)) for column in zip(*columns))


def show(what, tool, figures, note=""):
    print(f"{what:12} {tool:18} {figures[CPU]:8.3f} {figures[WALL]:8.3f} {figures[PEAK]:9.1f}   {note}", flush=True)


def compare(what, rounds, tools, alike=()):
    """Runs {tool: command} in turns; {tool: medians}. Those of `alike` must say the same."""
    runs, checks = {tool: [] for tool in tools}, {}
    for _ in range(rounds):
        for tool, command in tools.items():
            runs[tool].append(measure(command))
            if tool in alike and tool not in checks:
                checks[tool] = check_of(OUT)
    if len(set(checks.values())) > 1:
        sys.exit(f"{what}: the totals differ: {checks}")
    medians = {tool: tuple(statistics.median(column) for column in zip(*rows)) for tool, rows in runs.items()}
    for tool, figures in medians.items():
        show(what, tool, figures, " ".join(f"{row[CPU]:.3f}" for row in sorted(runs[tool])))
    return medians


def flamegraph_once(lines):
    """The figures of flamegraph.pl, which takes long, from the cache if they are of this machine and file."""
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                 if line.startswith("model name"))
    perl = subprocess.run(["perl", "-e", "print $^V"], check=True, capture_output=True, text=True).stdout
    where = {"machine": f"{os.cpu_count()} x {model}", "perl": perl, "bytes": os.path.getsize(path_of(lines))}
    kept = os.path.join(CACHE, f"flame.{lines}.flamegraph.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as text:
            record = json.load(text)
        if record["where"] == where:
            show(lines, "flamegraph.pl", record["figures"], f"one run, {record['when']}, load {record['load']:.1f}")
            return record["figures"]
    record = {"where": where, "when": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime()), "load": os.getloadavg()[0],
              "figures": measure([FLAMEGRAPH, path_of(lines)])}
    with open(kept, "w", encoding="utf-8") as out:
        json.dump(record, out)
    show(lines, "flamegraph.pl", record["figures"], "one run, now")
    return record["figures"]


DISTINCT = [("distinct", lines) for lines in ("1e4", "1e5", "1e6")] + [("distinct-deep", lines) for lines in ("1e4", "1e5", "1e6")]
TOO_LARGE = {("distinct-deep", "1e6")} if os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 20 << 30 else set()
ROUNDS_DISTINCT = {("distinct", "1e4"): 9, ("distinct", "1e5"): 5, ("distinct-deep", "1e4"): 3}  # others once
GOAL_DISTINCT = 20
SIZES = os.environ.get("SIZES", "1e4 1e5 1e6").split()


def draw(*arguments):
    return ["heapflame", "flame", "-q", "-o", "-", *arguments]


def compare_pictures(lines):
    """{tool: medians} of one file."""
    path = path_of(lines)
    tools = {"heapflame flame": draw(path), "flamegraph.pl": [FLAMEGRAPH, path],
             "newlines": [f"{BUILD}/bench/newlines", path]}
    if lines != "1e7":
        return compare(lines, ROUNDS[lines], tools, alike=("heapflame flame", "flamegraph.pl"))
    del tools["flamegraph.pl"]
    return {**compare(lines, ROUNDS[lines], tools), "flamegraph.pl": flamegraph_once(lines)}


def judge_pictures(lines, medians):
    ours, theirs = medians["heapflame flame"], medians["flamegraph.pl"]
    all_met = True
    for figure, name in NAMES.items():
        if (lines, figure) in GOALS:
            ratio, goal = theirs[figure] / ours[figure], GOALS[lines, figure]
            all_met &= expect(ratio >= goal, f"{lines}: {name} 1/{ratio:.1f} of flamegraph.pl; the goal is 1/{goal}")
    if lines in GOAL_PEAKS:
        all_met &= expect(ours[PEAK] <= GOAL_PEAKS[lines],
                          f"{lines}: peak {ours[PEAK]:.1f} MiB; the goal is {GOAL_PEAKS[lines]}")
    print(f"       {lines}: {ours[CPU] / medians['newlines'][CPU]:.0f} times the CPU of the floor\n", flush=True)
    return all_met


def compare_distinct(shape, lines):
    """One file of distinct lines: whether both commands meet the goal. Each run of flamegraph.pl stands between two of ours."""
    path = os.path.join(CACHE, f"flame.{lines}.{shape}.folded")
    make(path, [f"{BUILD}/bench/generate-calls", str(int(float(lines))), "1", shape])
    tools = {"heapflame flame": draw(path), "flamegraph.pl": [FLAMEGRAPH, path], "heapflame's": ["heapflame", "flamegraph.pl", "-q", path]}
    if (shape, lines) in TOO_LARGE:
        del tools["flamegraph.pl"]
    rounds = int(os.environ.get("ROUNDS", ROUNDS_DISTINCT.get((shape, lines), 1)))
    medians = compare(f"{shape.replace('distinct', 'd')} {lines}", rounds, tools,
                      alike=("heapflame's", "flamegraph.pl"))
    if "flamegraph.pl" not in tools:
        return True
    theirs = medians.pop("flamegraph.pl")
    met = [expect(theirs[CPU] / ours[CPU] >= GOAL_DISTINCT, f"{shape} {lines}: {tool}: CPU 1/{theirs[CPU] / ours[CPU]:.1f}; the goal is 1/{GOAL_DISTINCT}")
           for tool, ours in medians.items()]
    return all(met)


def judge_differences(first, second):
    folded = compare("1e6 and 1e6", 5, {"heapflame's": ["heapflame", "difffolded.pl", "-q", first, second],
                                        "difffolded.pl": ["perl", DIFFFOLDED, first, second]},
                     alike=("heapflame's", "difffolded.pl"))
    pictures = compare("1e6 and 1e6", 5, {"flame": draw(first), "flame --base": draw("--base", first, second)})
    ratio = folded["difffolded.pl"][CPU] / folded["heapflame's"][CPU]
    met = expect(ratio >= GOAL_DIFFFOLDED, f"difffolded.pl: CPU 1/{ratio:.1f}; the goal is 1/{GOAL_DIFFFOLDED}")
    ratio = pictures["flame --base"][CPU] / pictures["flame"][CPU]
    return met & expect(ratio <= GOAL_COMPARE,
                        f"a difference: {ratio:.2f} times the CPU of drawing one; the goal is {GOAL_COMPARE}")


def main():
    if os.environ.get("PARTS") != "distinct":
        prepare()
    print(f"load before: {os.getloadavg()[0]:.2f}; difffolded.pl is {DIFFFOLDED.replace(SOURCE, 'bench')}\n")
    print("lines        tool                  CPU s   wall s  peak MiB   all CPU times, s")
    met = [compare_distinct(shape, lines) for shape, lines in DISTINCT if lines in SIZES]
    if os.environ.get("PARTS") == "distinct":
        return 0 if all(met) else 1
    met += [judge_pictures(lines, compare_pictures(lines)) for lines in ROUNDS]
    first, second = path_of("1e6"), path_of("1e6", 2)
    met.append(judge_differences(first, second))
    print("\nbeside, without a goal:", flush=True)
    beside = {"--reverse": draw("--reverse", first), "--minwidth 0": draw("--minwidth", "0", first),
              "as HTML": ["heapflame", "flame", "-q", first, "-o", OUT + ".html"],
              "of gzip": draw(first + ".gz"), "of zstd": draw(first + ".zst")}
    compare("1e6", 3, beside)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
