#!/usr/bin/env python3
# timeout: 240
"""What LeakSanitizer, alone and in AddressSanitizer, of gcc and clang, says of programs that lose known blocks, read
by heapflame. All amounts are exact, and each is compared with the summary of the report. Without the sanitizer's own
names, heapflame names the addresses itself, and must come to the same."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, folded, heapflame, need, run, skip, sum_folded
from _suite import run_tests

# function of main's that loses them: kind -> (bytes, objects)
LEAKS = {
    "lose_each": {"direct leak": (91, 7)},
    "lose_together": {"direct leak": (103, 1), "indirect leak": (59 + 21, 2)},
    "lose_grown": {"direct leak": (211, 1)},
    "lose_in_callback": {"direct leak": (37, 1)},
}
CXX_LEAKS = [(17, 1), (19, 1), (40, 1), (87, 3)]
SUMMARY = re.compile(r"^SUMMARY: \w+: (\d+) byte\(s\) leaked in (\d+) allocation\(s\)\.$", re.MULTILINE)
BUILDS = [(compiler, sanitizer) for compiler in ("gcc", "clang") for sanitizer in ("leak", "address")]
LEAKED = 23  # exit status
# The slow unwinder knows callers that have no frame pointers.
OPTIONS = "fast_unwind_on_malloc=0"


def expect(got, expected, what):
    assert got == expected, f"{what}: expected {expected}, got {got}"


def build(compiler, source, *options):
    if source.endswith(".cc"):
        compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
    run(compiler, "-O1", "-g", "-o", "program", PROGRAMS / source, *options)
    return Path("program").resolve()


def report(program, *arguments, options=OPTIONS):
    """Runs the program; its report is the file `report`, and is returned."""
    env = os.environ | {f"{name}_OPTIONS": options + f":exitcode={LEAKED}" for name in ("LSAN", "ASAN", "UBSAN")}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=env, timeout=600, check=False)
    if "LeakSanitizer has encountered a fatal error" in done.stderr:
        skip("LeakSanitizer needs ptrace, which is forbidden here (in a container: --cap-add SYS_PTRACE)")
    assert done.returncode == LEAKED, (done.returncode, done.stderr)
    Path("report").write_text(done.stderr)
    return done.stderr


def fold(*options):
    return folded(heapflame("fold", "-q", *options, "report"))


def amounts(stacks_by_bytes, stacks_by_objects, key):
    found = {}
    for at, stacks in enumerate((stacks_by_bytes, stacks_by_objects)):
        for frames, value in stacks:
            pair = found.setdefault(key(frames), [0, 0])
            pair[at] += value
    return {name: tuple(pair) for name, pair in found.items()}


def by_function(names):
    """function -> kind -> (bytes, objects)"""
    def key(frames):
        return next((frame for frame in frames if frame in names), frames[-1]), frames[0].strip("[]")
    found = {}
    for (name, kind), pair in amounts(fold(), fold("--inuse_objects"), key).items():
        found.setdefault(name, {})[kind] = pair
    return found


def check_summary(text):
    said = Counter()
    for size, count in SUMMARY.findall(text):
        said.update(bytes=int(size), objects=int(count))
    got = {"bytes": sum(v for _, v in fold()), "objects": sum(v for _, v in fold("--inuse_objects"))}
    expect(got, dict(said), "heapflame's sums and the summary")
    assert not any("malloc" in frame or "calloc" in frame for frames, _ in fold() for frame in frames), "the allocator"


def test_c():
    for compiler, sanitizer in BUILDS:
        program = build(compiler, "leaks.c", f"-fsanitize={sanitizer}")
        text = report(program)
        expect(by_function(LEAKS), LEAKS, f"{compiler} {sanitizer}")
        check_summary(text)
        assert re.search(r";main [^;]*leaks\.c:\d+;lose_each [^;]*leaks\.c:\d+;take [^;]*leaks\.c:\d+ 91\n",
                         heapflame("fold", "-q", "--lines", "report")), heapflame("fold", "-q", "--lines", "report")


def test_cxx():
    for compiler, sanitizer in BUILDS:
        program = build(compiler, "leaks.cc", f"-fsanitize={sanitizer}")
        text = report(program)
        pairs = amounts(fold(), fold("--inuse_objects"), tuple)
        expect(sorted(pairs.values()), CXX_LEAKS, f"{compiler} {sanitizer}")
        check_summary(text)
        assert not any("operator new" in frame for frames, _ in fold() for frame in frames), "the allocator is cut"


def without_names(compiler, *options):
    """The same program with and without the sanitizer's own names; heapflame's must be equal."""
    program = build(compiler, "leaks.c", *options)
    report(program)
    named = by_function(LEAKS)
    expect(named, LEAKS, f"{compiler} {options}, named by the sanitizer")
    text = report(program, options=OPTIONS + ":symbolize=0")
    assert " in lose_each" not in text, text
    expect(by_function(LEAKS), named, f"{compiler} {options}, named by heapflame")
    check_summary(text)
    return program, text


def test_without_names():
    without_names("gcc", "-fsanitize=leak")
    without_names("gcc", "-fsanitize=address")
    without_names("clang", "-fsanitize=leak")
    # Where code does not lie in the file as in memory, as lld does it, offsets and addresses differ.
    without_names("clang", "-fsanitize=leak", "-fuse-ld=lld")
    without_names("clang", "-fsanitize=leak", "-fuse-ld=lld", "-no-pie")


def test_printed_addresses_are_one_less_than_the_return_addresses():
    program, text = without_names("clang", "-fsanitize=leak", "-fuse-ld=lld", "-no-pie")
    listing = run("objdump", "-d", "--no-show-raw-insn", program).splitlines()
    after_call = set()
    for line, following in zip(listing, listing[1:]):
        if re.search(r"\tcall ", line) and re.match(r" +[0-9a-f]+:\t", following):
            after_call.add(int(following.split(":")[0], 16))
    offsets = [int(offset, 16) for offset in re.findall(rf"\({program}\+0x([0-9a-f]+)\)", text)]
    assert len(offsets) > 20, text
    expect([hex(at) for at in offsets if at + 1 not in after_call], [], "addresses that are no call's")


def test_stripped_program_with_a_symbol_folder():
    program = build("gcc", "leaks.c", "-fsanitize=leak")
    Path("symbols").mkdir()
    run("objcopy", "--only-keep-debug", program, "symbols/program.debug")
    run("objcopy", "--strip-all", program)
    run("objcopy", "--add-gnu-debuglink=symbols/program.debug", program)
    report(program, options=OPTIONS + ":symbolize=0")
    expect(by_function([]).keys() & LEAKS.keys(), set(), "names without the debug file")
    found = heapflame("fold", "-q", "--symdir", "symbols", "report")
    assert ";main;lose_each;take 91\n" in found, found


def test_two_processes():
    program = build("gcc", "leaks.c", "-fsanitize=leak")
    text = report(program, "fork")
    expect(len(SUMMARY.findall(text)), 2, "reports")
    check_summary(text)
    twice = {name: {kind: (2 * a, 2 * b) for kind, (a, b) in kinds.items()} for name, kinds in LEAKS.items()}
    expect(by_function(LEAKS | {"lose_in_child": 0}), twice | {"lose_in_child": {"direct leak": (53, 1)}}, "both")


def test_a_limited_list_is_a_loss():
    program = build("gcc", "leaks.c", "-fsanitize=leak")
    report(program, options=OPTIONS + ":max_leaks=1")
    done = subprocess.run([HEAPFLAME, "fold", "report"], capture_output=True, text=True, check=False)
    expect((done.returncode, sum_folded(done.stdout)), (4, 211), "max_leaks=1")
    assert "the summary says 522 bytes in 12 objects, the leaks are 211 in 1" in done.stderr, done.stderr


def test_suppressed_leaks():
    program = build("gcc", "leaks.c", "-fsanitize=leak")
    Path("suppress").write_text("leak:lose_grown\n")
    text = report(program, options=OPTIONS + ":suppressions=suppress")
    assert "Suppressions used:" in text, text
    rest = {name: kinds for name, kinds in LEAKS.items() if name != "lose_grown"}
    expect(by_function(LEAKS), rest, "what is not suppressed")
    check_summary(text)


if __name__ == "__main__":
    need("gcc", "g++", "clang", "clang++", "ld.lld", "objdump", "objcopy")
    sys.exit(run_tests(globals()))
