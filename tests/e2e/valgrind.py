#!/usr/bin/env python3
# timeout: 240
"""What Valgrind's tools say of programs that lose known blocks, read by heapflame: memcheck, massif and DHAT. All
amounts are exact, and each is compared with the tool's own sum, which this file reads for itself."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, folded, heapflame, need, run, sum_folded
from _suite import run_tests

# function of main's that loses them: kind -> (bytes, blocks)
LEAKS = {
    "lose_each": {"definitely lost": (91, 7)},
    "lose_together": {"definitely lost": (103, 1), "indirectly lost": (59 + 21, 2)},
    "lose_grown": {"definitely lost": (211, 1)},
    "keep": {"still reachable": (4099, 1)},
    "keep_middle": {"possibly lost": (1009, 1)},
    "lose_in_callback": {"definitely lost": (37, 1)},
}
CHILD = {"lose_in_child": {"definitely lost": (53, 1)}}
CXX_LEAKS = {"push": 40, "operator<": 17, "Key::operator()": 19, "run": 87}
IN_USE = (5630, 14)  # the leaks of LEAKS
PEAK = (IN_USE[0] + 101, IN_USE[1] + 1)
TOTAL = (IN_USE[0] + 11 * 101 + 5, IN_USE[1] + 11 + 1)
FULL = ("--leak-check=full", "--show-leak-kinds=all")
SUMMARY = re.compile(r"^==(\d+)== +(\w+ \w+): ([\d,]+) bytes in ([\d,]+) blocks$", re.MULTILINE)


def expect(got, expected, what):
    assert got == expected, f"{what}: expected {expected}, got {got}"


def number(text):
    return int(text.replace(",", ""))


def build(source):
    compiler = "gcc" if source.endswith(".c") else "g++"
    run(compiler, "-O1", "-g", "-o", source + ".bin", PROGRAMS / source)
    return Path(source + ".bin").resolve()


def valgrind(*words):
    """What valgrind writes to standard error."""
    done = subprocess.run(["valgrind", *map(str, words)], capture_output=True, text=True, timeout=600, check=True)
    return done.stderr


def summaries(text):
    """kind -> (bytes, blocks), over all processes."""
    sums = Counter()
    blocks = Counter()
    for _, kind, size, count in SUMMARY.findall(text):
        sums[kind] += number(size)
        blocks[kind] += number(count)
    return {kind: (sums[kind], blocks[kind]) for kind in sums if blocks[kind]}


def by_kind(path):
    """The same of what heapflame reads."""
    sums, blocks = Counter(), Counter()
    for frames, value in folded(heapflame("fold", "-q", path)):
        sums[frames[0].strip("[]")] += value
    for frames, value in folded(heapflame("fold", "-q", "--inuse_objects", path)):
        blocks[frames[0].strip("[]")] += value
    return {kind: (sums[kind], blocks[kind]) for kind in sums}


def by_function(path, names):
    """function -> kind -> (bytes, blocks)"""
    found = {}
    for at, option in enumerate(("--inuse_space", "--inuse_objects")):
        for frames, value in folded(heapflame("fold", "-q", option, path)):
            kind, name = frames[0].strip("[]"), next(frame for frame in frames if frame in names)
            amounts = found.setdefault(name, {}).setdefault(kind, [0, 0])
            amounts[at] += value
    return {name: {kind: tuple(pair) for kind, pair in kinds.items()} for name, kinds in found.items()}


def check_memcheck(text, expected):
    Path("report").write_text(text)
    expect(by_function("report", expected), expected, "by function")
    expect(by_kind("report"), summaries(text), "heapflame's sums and valgrind's")


def test_memcheck():
    program = build("leaks.c")
    text = valgrind(*FULL, program)
    check_memcheck(text, LEAKS)
    lines = heapflame("fold", "-q", "--lines", "report")
    assert re.search(r"main leaks\.c:\d+;keep leaks\.c:\d+;outer leaks\.c:\d+;inner leaks\.c:\d+ 4099", lines), lines
    assert "malloc" not in lines, "the allocator is cut"
    expect(sum_folded(heapflame("fold", "-q", "report", "--base", "report")), 0, "a report and itself")


def test_memcheck_of_a_program_in_a_path_with_blanks():
    Path("a (b) c").mkdir()
    source = Path("a (b) c/my leaks (1).c")
    source.write_text((PROGRAMS / "leaks.c").read_text())
    run("gcc", "-O1", "-g", "-o", "a (b) c/my program", source)
    check_memcheck(valgrind(*FULL, "--fullpath-after=", "a (b) c/my program"), LEAKS)
    assert "/my leaks (1).c:" in heapflame("fold", "-q", "--lines", "report")
    run("gcc", "-O1", "-s", "-o", "a (b) c/my program", source)
    Path("report").write_text(valgrind(*FULL, "a (b) c/my program"))
    expect(by_kind("report"), summaries(Path("report").read_text()), "without symbols")
    assert ";[my program] 4099" in heapflame("fold", "-q", "report")


def test_memcheck_of_two_processes():
    program = build("leaks.c")
    text = valgrind(*FULL, program, "fork")
    twice = {name: {kind: (2 * a, 2 * b) for kind, (a, b) in kinds.items()} for name, kinds in LEAKS.items()}
    check_memcheck(text, twice | CHILD)
    check_memcheck(valgrind(*FULL, "--child-silent-after-fork=yes", program, "fork"), LEAKS)
    valgrind(*FULL, "--log-file=log.%p", program, "fork")
    logs = sorted(Path().glob("log.*"))
    expect(len(logs), 2, "log files")
    expect(sum_folded(heapflame("fold", "-q", *logs)), 2 * IN_USE[0] + 53, "two logs, added up")


def test_memcheck_without_all_options():
    program = build("leaks.c")
    Path("report").write_text(valgrind("--leak-check=full", program))
    done = subprocess.run([HEAPFLAME, "fold", "report"], capture_output=True, text=True, check=True)
    expect(sum_folded(done.stdout), 91 + 103 + 211 + 37 + 1009, "what is listed")
    assert "4099 bytes in 1 block is still reachable, but not listed" in done.stderr, done.stderr
    assert "80 bytes in 2 blocks are indirectly lost, but not listed" in done.stderr, done.stderr


def test_memcheck_of_cxx():
    text = valgrind(*FULL, build("leaks.cc"))
    Path("report").write_text(text)
    expect(by_kind("report"), summaries(text), "heapflame's sums and valgrind's")
    stacks = folded(heapflame("fold", "-q", "report"))
    for name, size in CXX_LEAKS.items():
        got = sum(value for frames, value in stacks if any(name in frame for frame in frames))
        expect(got, size, name)
    assert not any("operator new" in frame for frames, _ in stacks for frame in frames), "the allocator is cut"


def test_memcheck_as_xml():
    for source in ("leaks.c", "leaks.cc"):
        program = build(source)
        text = valgrind(*FULL, program)
        Path("report").write_text(text)
        valgrind(*FULL, "--xml=yes", "--xml-file=report.xml", program)
        expect(by_kind("report.xml"), summaries(text), "heapflame's sums and valgrind's")
        for option in ("--inuse_space", "--inuse_objects"):
            expect(heapflame("fold", "-q", option, "report.xml"), heapflame("fold", "-q", option, "report"), "as text")


def massif_sums(path):
    """snapshot -> (mem_heap_B, kind of tree)"""
    found = {}
    for part in Path(path).read_text().split("#-----------\nsnapshot=")[1:]:
        heap = re.search(r"^mem_heap_B=(\d+)$", part, re.MULTILINE)
        tree = re.search(r"^heap_tree=(\w+)$", part, re.MULTILINE)
        found[int(part.split("\n", 1)[0])] = int(heap[1]), tree[1]
    return found


def ms_print_heap(path, snapshot):
    """The column useful-heap(B) of ms_print."""
    row = re.search(rf"^ +{snapshot} +[\d,]+ +[\d,]+ +([\d,]+) +[\d,]+ +[\d,]+$", run("ms_print", path), re.MULTILINE)
    return number(row[1])


def check_massif(program, *options):
    """Returns the stacks of the peak."""
    valgrind("--tool=massif", "--massif-out-file=massif.out", *options, program)
    sums = massif_sums("massif.out")
    peak = next(at for at, (_, tree) in sums.items() if tree == "peak")
    last = max(at for at, (_, tree) in sums.items() if tree != "empty")
    text = heapflame("fold", "-q", "massif.out")
    expect(sum_folded(text), sums[peak][0], "mem_heap_B of the peak")
    expect(sum_folded(text), ms_print_heap("massif.out", peak), "ms_print's useful-heap of the peak")
    last_sum = sum_folded(heapflame("fold", "-q", "--value", "inuse_space", "massif.out"))
    expect(last_sum, sums[last][0], "mem_heap_B of the last tree")
    return folded(text)


def test_massif():
    program = build("leaks.c")
    stacks = check_massif(program)
    expect(sum(value for _, value in stacks), PEAK[0], "the peak")
    expect(sum(value for frames, value in stacks if "keep" in frames), 4099, "keep")
    assert any(frames[0] == "[below threshold]" for frames, _ in stacks), stacks
    stacks = check_massif(program, "--threshold=0", "--detailed-freq=1")
    assert not any("[below threshold]" in frames for frames, _ in stacks), stacks
    for name, kinds in LEAKS.items():
        expect(sum(value for frames, value in stacks if name in frames), sum(a for a, _ in kinds.values()), name)
    check_massif(program, "--stacks=yes", "--threshold=0")
    check_massif(program, "--pages-as-heap=yes")
    check_massif(build("leaks.cc"), "--threshold=0")


def test_dhat():
    said = valgrind("--tool=dhat", "--dhat-out-file=dhat.out", build("leaks.c"))
    for label, kind, expected in (("Total", "alloc", TOTAL), ("At t-gmax", "peak", PEAK), ("At t-end", "inuse", IN_USE)):
        row = re.search(rf"{label}: +([\d,]+) bytes in ([\d,]+) blocks", said)
        expect((number(row[1]), number(row[2])), expected, f"valgrind's {label}")
        got = tuple(
            sum_folded(heapflame("fold", "-q", "--value", f"{kind}_{unit}", "dhat.out")) for unit in ("space", "objects")
        )
        expect(got, expected, kind)
    stacks = folded(heapflame("fold", "-q", "dhat.out"))
    for name, kinds in LEAKS.items():
        expect(sum(value for frames, value in stacks if name in frames), sum(a for a, _ in kinds.values()), name)


def test_dhat_of_copies():
    valgrind("--tool=dhat", "--mode=copy", "--dhat-out-file=dhat.out", build("leaks.c"))
    heapflame("fold", "-q", "--value", "copied_space", "dhat.out")


if __name__ == "__main__":
    need("gcc", "g++", "valgrind", "ms_print")
    sys.exit(run_tests(globals()))
