#!/usr/bin/env python3
# timeout: 240
"""heapflame against heaptrack_print on what heaptrack recorded of real programs: every total, byte for byte, and the
calls, peaks and leaks of every stack that heaptrack_print tells apart.

Stacks are compared as sets of their functions: heaptrack_print -F writes the functions of one place, inlined ones, from
the leaf while the stack goes from the root (test_inlined has the right order, which the source proves). It cuts what
called main() and operator new, and prints an address where it knows no function.

heaptrack_print is told to apply no suppressions, which hide leaks. Its count of temporary blocks has one fault: it
remembers "no allocation before" as kind 0, so a free of a block of kind 0 that follows another free counts. The test
counts those frees in the file, and expects heaptrack_print's number less these."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from _heap import failing, folded, heapflame, need, run, sum_folded
from _suite import run_tests

TYPES = {
    "allocations": "alloc_objects", "temporary": "temporary_objects", "leaked": "inuse_space", "peak": "peak_space",
}
CUT = {
    "_start", "__libc_start_main_impl", "__libc_start_call_main", "", "operator new(unsigned long)",
    "operator new[](unsigned long)",
}
UNNAMED = re.compile(r"0x[0-9a-f]+|\[.*\]")
C_PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static __thread void *volatile sink; /* of each thread, or one would free what another has allocated */
static inline __attribute__((always_inline)) void *keep(size_t n) { return memset(malloc(n), 1, n); }
__attribute__((noinline)) static void leak(int n) { for (int i = 0; i < n; i++) sink = keep(100 + i); }
__attribute__((noinline)) static void churn(int n) { for (int i = 0; i < n; i++) { sink = malloc(32); free(sink); } }
__attribute__((noinline)) static void *grow(int depth) { return depth ? grow(depth - 1) : realloc(calloc(7, 9), 5000); }
static void *thread(void *times) { churn(*(int *)times); leak(3); return grow(20); }
int main(void)
{
    pthread_t threads[4]; int times = 1000; void *kept;
    void *big = malloc(1 << 20);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, &times);
    for (int i = 0; i < 4; i++) { pthread_join(threads[i], &kept); free(kept); }
    free(big); leak(10); sink = big = malloc(0); free(big); sink = aligned_alloc(64, 640);
    return 0;
}
"""
CXX_PROGRAM = """
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Node { std::string name; std::vector<std::shared_ptr<Node>> children; };
static std::shared_ptr<Node> build(int depth)
{
    auto node = std::make_shared<Node>(Node{std::string(40 + depth, 'x'), {}});
    for (int i = 0; depth > 0 && i < 3; i++) node->children.push_back(build(depth - 1));
    return node;
}
int main()
{
    auto tree = build(5);
    std::map<int, std::string> map;
    for (int i = 0; i < 500; i++) map[i * 37 % 1000] = std::string(i, 'y');
    new std::vector<int>(1000);
    return tree->children.size() == 3 && !map.empty() ? 0 : 1;
}
"""
PROGRAMS = {
    "c": ["./c"],
    "cxx": ["./cxx"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 700} .= 'x' x ($_ % 50) for 1 .. 20000; print scalar(keys %h)"],
    "python": [sys.executable, "-S", "-c", "x = [str(i) * 20 for i in range(20000)]; del x[::2]"],
    "xmllint": ["xmllint", "--format", "in.xml"],
}


def record(name, *options):
    """Runs the program under heaptrack; returns the file."""
    if name == "c":
        Path("c.c").write_text(C_PROGRAM)
        run("gcc", "-O2", "-g", "-pthread", "-o", "c", "c.c")
    elif name == "cxx":
        Path("cxx.cc").write_text(CXX_PROGRAM)
        run("g++", "-O2", "-g", "-o", "cxx", "cxx.cc")
    elif name == "xmllint":
        Path("in.xml").write_text("<a>" + "<b c='d'>text</b>" * 2000 + "</a>")
    run("heaptrack", *options, "-o", name, *PROGRAMS[name])
    found = list(Path().glob(f"{name}*.zst")) + list(Path().glob(f"{name}*.gz"))
    assert len(found) == 1, found
    return found[0]


def print_stacks(path, cost):
    run(
        "heaptrack_print", "--disable-builtin-suppressions", "--disable-embedded-suppressions",
        "--shorten-templates=0", "--flamegraph-cost-type", cost, "-F", f"{cost}.folded", path,
    )
    return Path(f"{cost}.folded").read_text()


def wrong_temporaries(text):
    """Frees of kind 0 that follow no allocation."""
    count, after_allocation = 0, False
    for line in text.splitlines():
        if line.startswith("+"):
            after_allocation = True
        elif line.startswith("-"):
            count += line == "- 0" and not after_allocation
            after_allocation = False
    return count


def readable(text):
    """'1.12M' -> (1120000, half of its last digit)."""
    number, unit = re.fullmatch(r"([\d.]+)([KMG]?)B?", text).groups()
    scale = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}[unit]
    digits = len(number.partition(".")[2])
    return float(number) * scale, scale / 10**digits


def by_stack(text, clean):
    """{the named functions of a stack: sum}."""
    sums = Counter()
    for frames, value in folded(text):
        names = [clean(frame) for frame in frames]
        sums[tuple(sorted(name for name in names if name not in CUT and not UNNAMED.fullmatch(name)))] += value
    return {stack: value for stack, value in sums.items() if value}


def check_program(name):
    path = record(name)
    data = run("zstdcat" if path.suffix == ".zst" else "zcat", path)
    for cost, value in TYPES.items():
        theirs = print_stacks(path, cost)
        expected = sum_folded(theirs) - (wrong_temporaries(data) if cost == "temporary" else 0)
        ours = heapflame("fold", "-q", "--value", value, "--keep-allocator", "--full-names", path)
        assert sum_folded(ours) == expected, f"{value}: heapflame {sum_folded(ours)}, heaptrack_print {expected}"
        assert name != "c" or cost == "temporary" or expected > 0, f"{cost}: nothing to compare"
        if cost != "temporary":
            mine = by_stack(ours, lambda frame: frame.replace("\\;", ";"))
            his = by_stack(theirs, lambda frame: re.sub(r" \([^()]*\)$", "", frame))
            for stack in set(mine) | set(his):
                assert mine.get(stack) == his.get(stack), f"{value} of {stack}: {mine.get(stack)}, {his.get(stack)}"
    table = run("heaptrack_print", "--disable-builtin-suppressions", "--disable-embedded-suppressions", "-f", path)
    calls = int(re.search(r"calls to allocation functions: (\d+)", table)[1])
    assert json.loads(heapflame("top", "-q", "--json", "--alloc_objects", path))["total"] == calls
    for words, value in [("peak heap memory consumption", "peak_space"), ("total memory leaked", "inuse_space")]:
        said, precision = readable(re.search(rf"{words}: (\S+)", table)[1])
        total = json.loads(heapflame("top", "-q", "--json", "--value", value, path))["total"]
        assert abs(total - said) <= precision, f"{words}: heaptrack_print {said}, heapflame {total}"
    print(f"      {name}: {calls} calls; all four totals as heaptrack_print's")


def test_c():
    check_program("c")


def test_cxx():
    check_program("cxx")


def test_perl():
    check_program("perl")


def test_python():
    check_program("python")


def test_xmllint():
    check_program("xmllint")


def test_plain_and_gzip():
    """The same answer however the file is compressed."""
    path = record("c")
    plain = run("zstdcat" if path.suffix == ".zst" else "zcat", path)
    Path("plain").write_text(plain)
    run("gzip", "-k", "plain")
    expected = heapflame("fold", "-q", path)
    assert expected == heapflame("fold", "-q", "plain") == heapflame("fold", "-q", "plain.gz")


def test_inlined():
    """keep() is inlined into leak(): both are frames, in this order."""
    path = record("c")
    stacks = [frames for frames, _ in folded(heapflame("fold", "-q", path))]
    assert any(frames[-2:] == ["leak", "keep"] for frames in stacks), stacks


def test_raw():
    path = record("c", "--raw")
    words = failing(3, "fold", path)
    assert "is raw data of heaptrack" in words, words
    command = re.search(r"'zstdcat FILE \| (\S+)'", words)[1]
    with open("interpreted", "wb") as out:
        raw = subprocess.run(["zstdcat", path], check=True, capture_output=True).stdout
        subprocess.run([command], input=raw, stdout=out, stderr=subprocess.DEVNULL, check=True)
    assert sum_folded(heapflame("fold", "-q", "--alloc_objects", "interpreted")) > 4000


def test_killed():
    """heaptrack's own process is killed: what was written is read, and the loss is said."""
    with subprocess.Popen(
        ["heaptrack", "-o", "killed", "perl", "-e", "while (1) { push @x, 'y' x rand 5000; shift @x if @x > 1e4 }"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:
        while process.poll() is None and sum(path.stat().st_size for path in Path().glob("killed*")) < 1 << 16:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    path = next(Path().glob("killed*"))
    done = subprocess.run(
        [Path(os.environ["BUILD"]) / "heapflame", "fold", "--alloc_objects", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, (done.returncode, done.stderr)
    assert "data is cut" in done.stderr and "ends without '# strings" in done.stderr, done.stderr
    assert sum_folded(done.stdout) > 1000, done.stdout[:200]


if __name__ == "__main__":
    need("heaptrack", "heaptrack_print", "gcc", "g++", "perl", "xmllint", "zstdcat")
    sys.exit(run_tests(globals()))
