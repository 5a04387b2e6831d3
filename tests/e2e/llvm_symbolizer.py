#!/usr/bin/env python3
# timeout: 240
"""`heapflame llvm-symbolizer` beside LLVM's own: the same text for the same requests in every style, but for the rows of
docs/compat/llvm-symbolizer.md; through a pipe, one request at a time; and in the hands of AddressSanitizer."""

import functools
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import _inlined
from _heap import HEAPFLAME, SOURCE, need, run
from _inlined import build_programs
from _names import Program, demangle
from _suite import run_tests

need("llvm-symbolizer", "c++filt", "clang", "gcc", "g++", "objdump", "rustc")

CXX = _inlined.CXX + """
namespace app { int table[4] = {1, 2, 3, 4}; }
int main(int argc, char **) { app::Box<int> box(argc);
    auto f = [&](int y) { return y + box.size() + app::helper(argc) + app::table[argc & 3]; }; return f(2) + box.run(); }
"""
RUST = """
use std::collections::HashMap;
#[inline(never)] fn fill(m: &mut HashMap<String, Vec<u64>>, n: u64) {
    for i in 0..n { m.entry(format!("k{}", i % 7)).or_default().push(i); } }
fn main() { let mut m = HashMap::new(); fill(&mut m, std::env::args().count() as u64); println!("{}", m.len()); }
"""
ASAN = """
#include <cstdlib>
#include <cstring>
int table[4] = {1, 2, 3, 4};
static inline __attribute__((always_inline)) int peek(const int *p, int i) { return p[i]; }
__attribute__((noinline)) int of_heap(int n) {
    int *p = (int *)malloc(16); memset(p, 1, 16); int got = peek(p, n); free(p); return got; }
__attribute__((noinline)) int of_table(int n) { return peek(table, n); }
int main(int argc, char **argv) { (void)argv; return argc > 1 ? of_table(argc + 2) : of_heap(argc + 3); }
"""
BUILDS = {
    "c": ("a.c", ["gcc", "-g", "-O2"]),
    "c-fixed": ("a.c", ["gcc", "-g", "-O0", "-no-pie", "-gdwarf-4"]),
    "c-clang": ("a.c", ["clang", "-g", "-O2"]),
    "cxx": ("b.cc", ["g++", "-g", "-O2"]),
    "cxx-clang": ("b.cc", ["clang++", "-g", "-O2"]),
    "rust": ("r.rs", ["rustc", "-g", "-O"]),
}
TOP = Path.cwd()
ADDRESSES = 400  # of each program
ROWS = {"linkage table", "nothing there", "file of a symbol", "clone", "another symbol", "short name of a symbol", "plain name"}
STYLES = {"text": [], "GNU": ["--output-style=GNU"], "JSON": ["--output-style=JSON"]}
CHOICES = [[], ["--no-inlines"], ["--relativenames"], ["--basenames"], ["--functions=short"], ["--functions=none"]]


@functools.cache
def build():
    return build_programs(TOP / "programs", {"a.c": _inlined.C, "b.cc": CXX, "r.rs": RUST, "asan.cc": ASAN}, BUILDS)


@functools.cache
def addresses_of(path):
    every = re.findall(r"(?m)^ +([0-9a-f]+):\t", run("objdump", "-d", path))
    return every[:: len(every) // ADDRESSES + 1]


def ask(tool, options, requests):
    done = subprocess.run(
        [*tool, *options], input="".join(f"{r}\n" for r in requests), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, (tool, options, done.stderr)
    return done.stdout


def theirs(options, requests):
    """LLVM's text, with paths as heapflame writes them: without "." and empty parts."""
    text = re.sub(r'(?m)(^|"FileName":")\./', r"\1", ask(["llvm-symbolizer"], options, requests))
    return re.sub(r"(?<=/)(\./|/)+", "", text)


def ours(options, requests, *more):
    return ask([HEAPFLAME, "llvm-symbolizer", "--no-cache", *more], options, requests)


def answers(style, text):
    """For each request its calls: (name, place). Places are "file:line:column", in GNU's style "file:line"."""
    if style == "JSON":
        for line in text.splitlines():
            calls = json.loads(line)["Symbol"]
            yield [(call["FunctionName"] or "??", f"{call['FileName'] or '??'}:{call['Line']}:{call['Column']}") for call in calls]
        return
    for block in text.split("\n\n")[:-1]:
        lines = block.split("\n")
        yield list(itertools.zip_longest(lines[0::2], lines[1::2]))


def explain(program, address, their, our, is_short):
    """The row under which one call differs; None: there is none."""
    (their_name, their_place), (our_name, our_place) = their, our
    value = int(address, 16)
    holds = {name for start, size, _, name in program.symbols if start <= value < start + size}
    if their_name != our_name:
        if our_name == "??":
            return "nothing there" if not holds else None
        if our_name.endswith("@plt"):
            return "linkage table"
        if re.fullmatch(re.escape(our_name) + r"\.[\w.]+", their_name):
            return "clone"
        if is_short and their_name == "??":
            named = {name for start, size, _, name in program.symbols if start <= value < start + size or size == 0}
            return "short name of a symbol" if our_name in named else None
        if is_short and re.match(r"_[RZ]", our_name):
            return "plain name" if their_name.partition("<")[0] in demangle(our_name) else None
        return "another symbol" if {their_name, our_name} <= holds else None
    return "file of a symbol" if our_place == "??:0:0" and re.fullmatch(r"[^/]*:0:0", their_place) else None


def test_side_by_side():
    """Names as the file has them, all options: what differs falls under a row."""
    rows, lines = Counter(), 0
    for (name, path), style, choice in itertools.product(build().items(), ("text", "JSON"), CHOICES):
        if "none" in choice[-1:] or (style == "text" and choice == ["--functions=none"]):
            continue
        program, options = Program(path), ["--no-demangle", *STYLES[style], *choice]
        requests = [f"CODE {path} 0x{address}" for address in addresses_of(path)]
        their, our = (list(answers(style, tool(options, requests))) for tool in (theirs, ours))
        assert len(their) == len(our) == len(requests), (name, options, len(their), len(our))
        for address, their_calls, our_calls in zip(addresses_of(path), their, our):
            assert len(their_calls) == len(our_calls), (name, options, address, their_calls, our_calls)
            for their_call, our_call in zip(their_calls, our_calls):
                lines += our_call == their_call and not our_call[1].startswith("??")
                row = "" if our_call == their_call else explain(
                    program, address, their_call, our_call, choice == ["--functions=short"])
                assert row is not None, (name, options, address, their_call, our_call)
                rows[row] += 1
    print(f"      {lines} places are the same; rows: {dict(rows)}")
    assert lines > 5000
    assert set(rows) - {""} == ROWS, f"rows that never occurred: {ROWS - set(rows)}; others: {set(rows) - ROWS}"
    text = (SOURCE / "docs/compat/llvm-symbolizer.md").read_text()
    assert all(f"\n| {row} |" in text for row in ROWS)


def same_addresses(path):
    """Where both say the same, so that the whole text can be compared."""
    requests = [f"{path} 0x{address}" for address in addresses_of(path)]
    their, our = (tool([], requests).split("\n\n") for tool in (theirs, ours))
    return [request for request, a, b in zip(requests, their, our) if a == b]


def test_text():
    """Byte for byte, with every style and what belongs to it, also through arguments."""
    for name in "c-clang", "cxx":
        path = build()[name]
        requests = same_addresses(path)
        assert len(requests) > 30, (name, len(requests))
        bare = [request.split()[1] for request in requests]
        for style, *more in itertools.product(
                ([], ["--output-style=GNU"]), ([], ["-a"]), ([], ["-p"]), ([], ["-s"], ["--functions=none"], ["--no-inlines"])):
            options = [*style, *itertools.chain(*more)]
            their = re.sub(r"(?m) \(discriminator \d+\)$", "", theirs(options, requests))
            assert ours(options, requests) == their, (name, options)
        assert ours(["-e", path], bare) == theirs([f"--obj={path}"], bare), name
        assert ours(["--exe", path, "--adjust-vma=0x1000"], [hex(int(a, 16) + 0x1000) for a in bare]) == ours(["-e", path], bare)
        arguments = bare[:20]
        both = (subprocess.run([*tool, "-e", path, *arguments], capture_output=True, text=True, timeout=600, check=True).stdout
                for tool in (["llvm-symbolizer"], [HEAPFLAME, "llvm-symbolizer"]))
        their, our = (re.sub(r"(?<=/)(\./|/)+", "", re.sub(r"(?m)^\./", "", text)) for text in both)
        assert our == their, name


UNKNOWN = {"Discriminator": 0, "StartAddress": "", "StartFileName": "", "StartLine": 0}


def without_starts(document):
    for answer in document if isinstance(document, list) else [document]:
        for call in answer.get("Symbol", []):
            call.update(UNKNOWN)
            call["FileName"] = re.sub(r"(?<=/)(\./|/)+", "", re.sub(r"^\./", "", call["FileName"]))
    return document


def test_json():
    """The same objects in the same spelling, but for where functions start; a list for arguments; errors."""
    path = build()["cxx"]
    requests = same_addresses(path)
    data = re.search(r"(?m)^([0-9a-f]+) D _ZN3app5tableE$", run("nm", path))[1]
    odd = [f"DATA {path} 0x{data}", "", "nowhere", f"CODE {path} zz", f'"{path}" 0x0', f"FRAME {path} 0x0"]
    their, our = (tool(["--output-style=JSON"], requests + odd).splitlines() for tool in (theirs, ours))
    assert len(their) == len(our) == len(requests + odd)
    for their_line, our_line in zip(their, our):
        their_text, our_text = (json.dumps(without_starts(json.loads(line))) for line in (their_line, our_line))
        assert our_text == their_text, (our_line, their_line)  # the members in their order, too
    words = [request.split()[1] for request in requests[:5]]
    for options in ([], ["-p"]):
        command = ["--output-style=JSON", *options, "-e", path, *words]
        their, our = (subprocess.run([*tool, *command], capture_output=True, text=True, timeout=600, check=True).stdout
                      for tool in (["llvm-symbolizer"], [HEAPFLAME, "llvm-symbolizer"]))
        expected = without_starts(json.loads(their))
        assert without_starts(json.loads(our)) == expected and len(expected) == 5, options
        assert our.count("\n") == their.count("\n"), options
    missing = json.loads(ours(["--output-style=JSON"], ["CODE /nowhere/at-all 0x1"]))
    assert "No such file" in missing["Error"]["Message"] and missing["Address"] == "0x1", missing


def test_names_are_demangled():
    """As c++filt reads the names of the file."""
    path = build()["cxx"]
    requests = [f"{path} 0x{address}" for address in addresses_of(path)]
    plain, readable = (ours(options, requests).split("\n") for options in (["--no-demangle"], []))
    assert len(plain) == len(readable)
    mangled = [line for line in plain if line.startswith("_Z")]
    expected = iter(run("c++filt", input="\n".join(mangled).encode()).split("\n"))
    assert len(mangled) > 100
    for before, after in zip(plain, readable):
        assert after == (next(expected) if before.startswith("_Z") else before)


def test_variables():
    path = build()["cxx"]
    start, size = re.search(r"(?m)^([0-9a-f]+) ([0-9a-f]+) D _ZN3app5tableE$", run("nm", "-S", path)).groups()
    requests = [f"DATA {path} 0x{int(start, 16) + offset:x}" for offset in (0, 5, 15)]
    assert ours([], requests) == theirs([], requests) == f"app::table\n{int(start, 16)} {int(size, 16)}\n\n" * 3
    assert ours(["--no-demangle"], requests[:1]).startswith("_ZN3app5tableE\n")
    assert ours([], [f"DATA {path} 0x1"]) == "??\n0 0\n\n"


def test_one_at_a_time():
    """As sanitizers ask: two programs in turn, each answer is read before the next request is written."""
    os.symlink(HEAPFLAME, "llvm-symbolizer")
    programs = [build()["c"], build()["cxx"]]
    requests = [f'CODE "{path}" 0x{address}' for pair in zip(*map(addresses_of, programs)) for path, address in zip(programs, pair)]
    requests = requests[:60] + [f"DATA {programs[0]} 0x1", "not a request", requests[0]]
    child = subprocess.Popen(
        ["./llvm-symbolizer", "--demangle", "--inlines", "--default-arch=x86_64"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True)
    text = ""
    for request in requests:
        child.stdin.write(request + "\n")
        child.stdin.flush()
        while (line := child.stdout.readline()) not in ("\n", "not a request\n"):
            assert line, "it ended"
            text += line
        text += line
    child.stdin.close()
    assert child.wait(timeout=600) == 0
    assert text == ours([], requests)


def report_of(program, symbolizer, *arguments):
    environment = {**os.environ, "ASAN_SYMBOLIZER_PATH": str(symbolizer), "ASAN_OPTIONS": "symbolize=1"}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600, check=False, env=environment)
    report = done.stderr.partition("SUMMARY")
    assert done.returncode != 0 and report[1], done
    text = re.sub(r"0x[0-9a-f]+|==\d+==|BuildId: [0-9a-f]+", "X", report[0])
    return re.sub(r"(?m)^( +#\d+ X in) (?!.*asan\.cc).*$", r"\1 ...", text)  # libc and malloc have several names


def test_sanitizer():
    """An overflow of the heap and one of a variable: the report is that of LLVM's, and heapflame was asked."""
    build()
    folder = Path("links").absolute()
    folder.mkdir()
    link = folder / "llvm-symbolizer"
    link.write_text(f'#!/bin/sh\necho "$*" >>"{folder}/asked"\nexec "{HEAPFLAME}" llvm-symbolizer "$@"\n')
    link.chmod(0o755)
    original = run("which", "llvm-symbolizer").strip()
    program = TOP / "asan"
    run("clang++", "-g", "-O1", "-fsanitize=address", "-o", program, TOP / "programs/asan.cc")
    for arguments, wanted in (([], r"in of_heap\(int\) \S*asan\.cc:7:\d+"), (["x"], r"in of_table\(int\) \S*asan\.cc:8:\d+")):
        our = report_of(program, link, *arguments)
        assert our == report_of(program, original, *arguments), our
        assert re.search(wanted, our) and re.search(r"in peek\(int const\*, int\) \S*asan\.cc:5:\d+", our), our
        assert not arguments or "global variable 'table'" in our, our
    link.unlink()
    link.symlink_to(HEAPFLAME)
    assert report_of(program, link) == report_of(program, original)
    assert (folder / "asked").read_text().count("--inlines") == 2


def test_what_is_wrong():
    path = build()["c"]
    for status, sentence, arguments in (
        (2, "--output-style: expected LLVM, GNU or JSON, found 'XML'", ["--output-style=XML"]),
        (2, "--functions: expected none, short or linkage, found 'all'", ["--functions=all"]),
        (2, "--demangle: expected true or false, found 'gnu'", ["--demangle=gnu"]),
        (2, "--adjust-vma: expected a number", ["--adjust-vma=zz"]),
        (0, "cannot open /nowhere/at-all", ["-e", "/nowhere/at-all", "0x1"]),
        (0, "", ["-e", path, "-obj", path, "0x1"]),
    ):
        done = subprocess.run(
            [HEAPFLAME, "llvm-symbolizer", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
            check=False)
        assert done.returncode == status and sentence in done.stderr, (arguments, done)
        assert done.stdout == ("" if status else "??\n??:0:0\n\n"), (arguments, done)


sys.exit(run_tests(globals()))
