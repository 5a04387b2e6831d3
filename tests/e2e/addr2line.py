#!/usr/bin/env python3
# timeout: 240
"""`heapflame addr2line` beside binutils' own: the same text for the same addresses with every set of options, but for
the rows of docs/compat/addr2line.md; through a pipe, and in jeprof's hands."""

import functools
import itertools
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import _inlined
from _heap import HEAPFLAME, SOURCE, compile_program, need, run, run_profiled
from _inlined import build_programs
from _names import Program, demangle, records
from _suite import run_tests

need("addr2line", "c++filt", "gcc", "g++", "jeprof", "objcopy", "objdump", "rustc")

CXX = _inlined.CXX + """
namespace app { struct Two : virtual Box<int> { Two() : Box<int>(3) {} int run() override { return 4; } }; }
extern "C" int plain(int x) { return app::helper(x); }
static std::vector<std::string> global{"a", "b"};
int main(int argc, char **) { app::Box<int> box(argc); app::Two two;
    auto f = [&](int y) { return y + box.size() + plain(argc); }; return f(2) + two.run() + (int)global.size(); }
"""
RUST = """
use std::collections::HashMap;
struct Store { map: HashMap<String, Vec<u64>> }
impl Store { #[inline(always)] fn put(&mut self, key: &str, v: u64) {
    self.map.entry(key.to_string()).or_default().push(v); } }
#[inline(never)] fn fill(s: &mut Store, n: u64) { for i in 0..n { s.put(&format!("k{}", i % 7), i); } }
fn main() { let mut s = Store { map: HashMap::new() }; fill(&mut s, std::env::args().count() as u64);
    println!("{}", s.map.len()); }
"""
LIBRARY = """
int shown(int x) { return x + 1; }
static __attribute__((noinline, used)) int unlisted(int x) { return x * x; }
int (*pointer)(int) = unlisted;
"""
BUILDS = {
    "c": ("a.c", ["gcc", "-g", "-O2"]),
    "c-fixed": ("a.c", ["gcc", "-g", "-O0", "-no-pie", "-gdwarf-4"]),
    "c-no-dwarf": ("a.c", ["gcc", "-O2"]),
    "c-stripped": ("a.c", ["gcc", "-O2", "-s"]),
    "cxx": ("b.cc", ["g++", "-g", "-O2"]),
    "cxx-fixed": ("b.cc", ["g++", "-g", "-O1", "-gdwarf-4", "-no-pie"]),
    "rust": ("r.rs", ["rustc", "-g", "-O"]),
    "library-stripped": ("l.c", ["gcc", "-O1", "-s", "-shared", "-fPIC", "-fno-toplevel-reorder"]),
}
TOP = Path.cwd()
ADDRESSES = 200  # of each program
ODD = ["0", "0x1", ",", "", "zz", "-1", "0X1", "1 2", "ffffffffffffffff"]
ROWS = {"linkage table", "nothing there", "file of a symbol", "plain name", "clone", "symbol for inlined",
        "no line", "data", "equal functions"}
FLAGS = "afiCps"
EVERY = 4 if "HEAPFLAME_SANITIZED" in os.environ else 1  # set of these: each is of some of the programs then


def text_of(done):
    assert done.returncode == 0, (done.args, done.stderr)
    return done.stdout.decode()


def ask(tool, program, flags, addresses, *more):
    command = [*tool, *([f"-{flags}"] if flags else []), "-e", program, *more]
    done = subprocess.run(
        command, input="".join(f"{a}\n" for a in addresses).encode(), capture_output=True, timeout=600, check=False)
    return text_of(done)


def theirs(program, flags, addresses, *more):
    """binutils' text without what is always different."""
    text = re.sub(r"(?m) \(discriminator \d+\)$", "", ask(["addr2line"], program, flags, addresses, *more))
    return re.sub(r"(?<=/)(\./|/)+", "", text)


def ours(program, flags, addresses, *more):
    return ask([HEAPFLAME, "addr2line"], program, flags, addresses, *more)


@functools.cache
def build():
    """Path of each program."""
    folder = TOP / "programs"
    programs = build_programs(folder, {"a.c": _inlined.C, "b.cc": CXX, "r.rs": RUST, "l.c": LIBRARY}, BUILDS)
    run("objcopy", "--only-keep-debug", folder / "cxx", folder / "cxx-apart.debug")
    run("objcopy", "-g", f"--add-gnu-debuglink={folder}/cxx-apart.debug", folder / "cxx", folder / "cxx-apart")
    return {**programs, "cxx-apart": folder / "cxx-apart"}


def addresses_of(program):
    listing = run("objdump", "-d", program)
    every = re.findall(r"(?m)^ +([0-9a-f]+):\t", listing)
    return every[:: len(every) // ADDRESSES + 1]


@functools.cache
def linkage_entries(path):
    """(address, name) of every instruction in an entry of a linkage table, as objdump names the entry."""
    entries, name = set(), ""
    for line in run("objdump", "-d", path).splitlines():
        if heading := re.fullmatch(r"[0-9a-f]+ <(.+)>:", line):
            name = heading[1]
        elif (instruction := re.match(r" +([0-9a-f]+):\t", line)) and name.endswith("@plt"):
            entries.add((int(instruction[1], 16), name))
    return entries


def explain(program, address, their, our, is_inlined):
    """The row under which one frame differs; None: there is none."""
    (their_name, their_place), (our_name, our_place) = their, our
    value = int(address, 16)
    holds = [name for start, size, _, name in program.symbols if start <= value < start + max(size, 1)]
    if our_name == "??" and our_place in (their_place, "??:0"):
        is_code = any(start <= value < start + size and "E" in flags for _, start, size, flags in program.segments())
        return None if holds else "nothing there" if is_code else "data"
    if our_name.endswith("@plt"):
        return "linkage table" if (value, our_name) in linkage_entries(program.path) else None
    if our_name != their_name:
        full = demangle(our_name).strip()
        if re.fullmatch(rf"{re.escape(our_name)}\.\w+(\.\d+)?", their_name):
            return "clone"
        if is_inlined and their_name in holds:
            return "symbol for inlined"
        return "plain name" if re.search(rf"(^|::){re.escape(their_name)}(\(|<|$)", full) else None
    if re.fullmatch(re.escape(their_place) + r" \(one of \d+ equal functions\)", our_place):
        return "equal functions" if sum(start <= value < start + size for start, size, *_ in program.symbols) > 1 else None
    if our_place == "??:?":
        return "file of a symbol" if re.fullmatch(r"[^/]*:\?", their_place) else None
    return "no line" if re.fullmatch(re.escape(their_place[:-1]) + r"\d+ \(near\)", our_place) else None


def compare(name, path, rows):
    """Explains the differences, and returns the addresses without any."""
    program, same = Program(path), []
    asked = addresses_of(path)
    if name == "c":
        asked.append(re.search(r"(?m)^([0-9a-f]+) D counter$", run("nm", path))[1])
    their, our = (records(tool(path, "afi", asked)) for tool in (theirs, ours))
    assert [address for address, _ in their] == [address for address, _ in our] and len(our) == len(asked), name
    for word, (address, their_calls), (_, our_calls) in zip(asked, their, our):
        assert len(their_calls) == len(our_calls), (name, address, their_calls, our_calls)
        different = [i for i, call in enumerate(our_calls) if their_calls[i] != call]
        for i in different:
            row = explain(program, address, their_calls[i], our_calls[i], i + 1 < len(our_calls))
            assert row is not None, (name, address, their_calls[i], our_calls[i])
            rows[row] += 1
        if not different:
            same.append(word)
    return same


def name_of(line):
    """(name, the rest) of a line, pretty or not."""
    found = re.fullmatch(r"(0x[0-9a-f]{16}: | \(inlined by\) )?(.*?)( at \S+:[0-9?]+)?", line)
    return found[2], (found[1], found[3])


def check_text(program, names, flags, addresses):
    """The texts are the same. But binutils keeps the name of a symbol that it once gave to an inlined call, and so
    tells some names differently after other questions: "clone" and "symbol for inlined" again."""
    their, our = (tool(program, flags, addresses).split("\n") for tool in (theirs, ours))
    assert len(their) == len(our), (program, flags)
    different = [pair for pair in zip(their, our) if pair[0] != pair[1]]
    for their_line, our_line in different:
        (their_name, their_rest), (_, our_rest) = name_of(their_line), name_of(our_line)
        assert "f" in flags and their_name in names and their_rest == our_rest, (program, flags, their_line, our_line)
    assert len(different) <= len(our) / 20, (program, flags, len(different), len(our))


def test_side_by_side():
    rows = Counter()
    sets = ["".join(flags) for count in range(len(FLAGS) + 1) for flags in itertools.combinations(FLAGS, count)]
    for turn, (name, path) in enumerate(build().items()):
        same = compare(name, path, rows)
        known = sum(1 for line in ours(path, "", same).splitlines() if line not in ("??:0", "??:?"))
        print(f"      {name}: {len(same)} addresses are the same, {known} with a line")
        assert known >= (0 if "stripped" in name or "no-dwarf" in name else 20), name
        names = {symbol for _, _, _, symbol in Program(path).symbols}
        names |= set(demangle("\n".join(names)).split("\n"))
        for flags in sets[turn % EVERY::EVERY]:
            check_text(path, names, flags, same + ODD)
    print("      rows:", dict(rows))
    assert set(rows) == ROWS, f"rows that never occurred: {ROWS - set(rows)}"
    text = (SOURCE / "docs/compat/addr2line.md").read_text()
    assert all(f"\n| {row} |" in text for row in ROWS)


def test_spellings():
    """Options cut short, together, with "=", in a file; sections; operands."""
    path = build()["cxx"]
    wanted = re.findall(r"(?m)^0*([0-9a-f]+) [TW] _?[a-zA-Z]", run("nm", path))[5:15]
    Path("arguments").write_text(f"-f '-i' -C\n\"-e\" {path} \\{wanted[0]}")
    start = int(re.search(r"\.text +PROGBITS +([0-9a-f]+)", run("readelf", "-SW", path))[1], 16)
    for arguments in (
        ["-afiCe", path, *wanted],
        [f"-afie{path}", *wanted],
        ["-se", path, *wanted],
        [f"--exe={path}", "--functions", "--inlines", "--demangle", "--addresses", *wanted],
        ["--ex", path, "--func", "--inl", "--dem=gnu-v3", "--addr", "--pretty", "--base", *wanted],
        ["--demangle=none", "-f", "-e", path, *wanted],
        ["-e", path, "-f", "-j", ".text", *(f"{int(word, 16) - start:x}" for word in wanted)],
        ["-e", path, "-f", "--section=.text", "0", "ffffff"],
        ["-b", "elf64-x86-64", "-r", "-R", "-fe", path, "--", *wanted],
        ["@arguments", wanted[1]],
        ["-fe", path, "@missing"],
    ):
        their, our = (
            text_of(subprocess.run([*tool, *arguments], capture_output=True, timeout=600, check=False))
            for tool in (["addr2line"], [HEAPFLAME, "addr2line"]))
        their = re.sub(r"(?<=/)(\./|/)+", "", re.sub(r"(?m) \(discriminator \d+\)$", "", their))
        our = re.sub(r"(?m) \(one of \d+ equal functions\)$", "", our)
        assert our == their, (arguments, our, their)


def test_one_at_a_time():
    """As perf asks: an address and a line that is none, and it waits for the answer to that before it goes on."""
    os.symlink(HEAPFLAME, "addr2line")
    path = build()["cxx"]
    wanted = addresses_of(path)[50:80]
    child = subprocess.Popen(
        ["./addr2line", "-e", path, "-a", "-i", "-f"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers = []
    for word in wanted:
        child.stdin.write(f"{word}\n,\n")
        child.stdin.flush()
        while True:
            line = child.stdout.readline()
            assert line, "it ended"
            answers.append(line)
            if answers[-3:] == ["0x0000000000000000\n", "??\n", "??:0\n"]:
                break
    # The first of two lines is answered before the second is complete.
    child.stdin.write(f"{wanted[0]}\n{wanted[1][:-1]}")
    child.stdin.flush()
    first = child.stdout.readline()
    child.stdin.write(wanted[1][-1])
    child.stdin.close()
    rest = child.stdout.read()
    assert child.wait(timeout=600) == 0
    asked = [word for wanted_word in wanted for word in (wanted_word, ",")]
    assert "".join(answers) == ours(path, "afi", asked)
    assert first + rest == ours(path, "afi", wanted[:2])


def test_a_long_list():
    """More addresses than are looked up at once, from a file and from a slow pipe: one answer for each."""
    path = build()["c"]
    word = addresses_of(path)[-1]
    once = ours(path, "f", [word])
    assert ours(path, "f", [word] * 70000) == once * 70000
    child = subprocess.Popen(
        [HEAPFLAME, "addr2line", "-f", "-e", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for _ in range(5):
        child.stdin.write(f"{word}\n" * 3)
        child.stdin.flush()
        time.sleep(0.02)
    assert child.communicate(timeout=600)[0] == once * 15


def one_by_one(path, addresses):
    """The answers to addresses that come one at a time."""
    child = subprocess.Popen(
        [HEAPFLAME, "addr2line", "--no-cache", "-afi", "-e", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers = []
    for address in addresses:
        child.stdin.write(f"{address}\n,\n")
        child.stdin.flush()
        while (line := child.stdout.readline()) != "0x0000000000000000\n":
            answers.append(line)
        child.stdout.readline(), child.stdout.readline()
    child.stdin.close()
    assert child.wait() == 0
    return "".join(answers)


def test_answers_do_not_depend_on_what_was_asked_before():
    """At once, one after the other, and all of them again: by walks of the units and by their indexes."""
    for name, path in build().items():
        asked = addresses_of(path)
        at_once = ours(path, "afi", asked, "--no-cache")
        assert one_by_one(path, asked * 2) == at_once * 2, name


def test_in_jeprof():
    """jeprof prints the same with this addr2line as with binutils', and asks it alone."""
    program = compile_program("leaks.c", "leaks")
    run_profiled(program, conf="prof:true,lg_prof_sample:0,prof_final:true,prof_prefix:dump")
    dump = max(Path().glob("dump*.heap"))
    Path("asked").touch()
    Path("addr2line").write_text(f'#!/bin/sh\necho "$*" >>"{Path.cwd()}/asked"\nexec "{HEAPFLAME}" addr2line "$@"\n')
    Path("addr2line").chmod(0o755)
    cut = r" \(discriminator \d+\)"
    for view in (["--text", "--lines"], ["--collapse"]):
        their = re.sub(cut, "", run("jeprof", *view, "--show_bytes", "--focus=main", program, dump))
        our = run("jeprof", f"--tools=addr2line:{Path.cwd()}/addr2line,/usr/bin/", *view, "--show_bytes",
                  "--focus=main", program, dump)
        # Of the lines of libc that are inlined, binutils tells some files wrong: libc-start.c for its header.
        their, our = (
            sorted(line for line in text.splitlines() if "--lines" not in view or "/leaks.c:" in line)
            for text in (their, our))
        assert our == their, (view, [pair for pair in zip(our, their) if pair[0] != pair[1]][:5])
        assert any("main" in line for line in our), (view, our)
    asked = Path("asked").read_text()
    assert "--help" in asked and "-f -C -e" in asked, asked


def test_missing_debug_information_is_told_once():
    """Where its debug file would be; only if something has no name, and on standard error alone."""
    Path("two.c").write_text("int inner(int x) { return x * 2; }\nint main(int argc, char **argv) { return inner(argc); }\n")
    run("gcc", "-g", "-O0", "-Wl,--build-id", "-o", "two", "two.c")
    run("strip", "-o", "stripped", "two")
    inner = next(line.split()[0] for line in run("nm", "two").splitlines() if line.endswith(" T inner"))
    for file, addresses, is_told in (("stripped", [inner, inner], True), ("stripped", ["0"], False), ("two", [inner], False)):
        done = subprocess.run([HEAPFLAME, "addr2line", "-f", "-e", file], input="".join(f"{a}\n" for a in addresses),
                              capture_output=True, text=True, timeout=600, check=True)
        told = re.findall(rf"note: {file}: it has no debug information, and none was found as \S+\.debug", done.stderr)
        assert len(told) == is_told and (is_told or not done.stderr), (file, addresses, done)
        quiet = subprocess.run([HEAPFLAME, "addr2line", "-q", "-f", "-e", file, *addresses], capture_output=True, text=True,
                               timeout=600, check=True)
        assert quiet.stderr == "" and quiet.stdout == done.stdout, quiet


def test_what_is_wrong():
    path = build()["c"]
    Path("text").write_text("no program\n")
    for status, sentence, arguments in (
        (5, "cannot open nowhere: No such file or directory", ["-e", "nowhere", "1"]),
        (5, "cannot open a.out", ["1"]),
        (3, "is not an ELF file", ["-e", "text", "1"]),
        (3, "there is no section '.nope'", ["-e", path, "-j", ".nope", "1"]),
        (2, "expected auto, gnu-v3, rust, dlang, gnat or none, found 'java'", ["-e", path, "--demangle=java", "1"]),
        (2, "unknown option '-fz'", ["-fz", "-e", path]),
    ):
        done = subprocess.run(
            [HEAPFLAME, "addr2line", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
            check=False)
        assert done.returncode == status and sentence in done.stderr and done.stdout == "", (arguments, done)


sys.exit(run_tests(globals()))
