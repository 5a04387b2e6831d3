#!/usr/bin/env python3
"""Functions that the linker or the compiler made one (identical code folding): every output marks the one name that is shown."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _names import Program, write_heap
from _suite import run_tests

need("clang", "clang++", "gcc", "g++", "ld.lld", "ld.gold", "nm", "objcopy")

CPP = """#define KEEP __attribute__((noinline, used))
volatile int *sink;
template <class T> KEEP int *take(T *at) { sink = (int *)at; return (int *)at + 3; }
KEEP long same_one(long a) { sink = (int *)a; return a * 77; }
KEEP long same_two(long a) { sink = (int *)a; return a * 77; }
KEEP long other(long a) { sink = (int *)a; return a * 78; }
struct Box { int *held; KEEP Box(long a); };
Box::Box(long a) { sink = held = (int *)(a + 5); }
extern "C" {
KEEP long c_left(long a) { sink = (int *)a; return a * 79; }
KEEP long c_right(long a) { sink = (int *)a; return a * 79; }
KEEP long c_single(long a) { sink = (int *)a; return a * 80; }
long __libc_c_single(long a) __attribute__((alias("c_single")));
}
int main(void)
{
    Box box(1);
    take<int>(0), take<long>(0), take<char>(0);
    return (int)(same_one(1) + same_two(2) + other(3) + c_left(4) + c_right(5) + c_single(6) + __libc_c_single(7));
}
"""
METHODS = """struct Twin {
    long held;
    Twin(long a);
    virtual ~Twin();
    virtual long first(long a);
    virtual long second(long a);
};
Twin::Twin(long a) : held(a) {}
Twin::~Twin() { held = 0; }
long Twin::first(long a) { held = a; return a * 77; }
long Twin::second(long a) { held = a; return a * 77; }
int main(void) { Twin twin(1); return (int)(twin.first(2) + twin.second(3)); }
"""
C = """#define KEEP __attribute__((noinline, used))
volatile long sink;
KEEP long single(long a) { sink = a; return a * 80; }
long wrote(long a) __attribute__((alias("single")));
int main(void) { return (int)(single(1) + wrote(2)); }
"""
NAMES = ["--no-cache", "--symdir", "."]


def heapflame(*arguments, text=""):
    command = [HEAPFLAME, *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (0, 4), done  # 4: nothing is known of the marks
    return done.stdout


def symbols_of(program):
    return {words[2]: int(words[0], 16) for words in map(str.split, run("nm", program).splitlines()) if len(words) == 3}


def build(*command, source=CPP, name="twins.cc"):
    """The symbols of the program, and a heap dump of one stack of each of its functions."""
    Path(name).write_text(source)
    run(*command, "-g", "-O1", "-fno-pie", "-no-pie", "-ffunction-sections", "-o", "twins", name)
    symbols = symbols_of("twins")
    asked = sorted({at + 1 for called, at in symbols.items() if re.search("same_|other|take|Box|Twin|c_|single|wrote", called)})
    write_heap(Path("twins.heap"), Program("twins"), Path("twins").absolute(), asked)
    return symbols


def answer(address, *options):
    return heapflame("addr2line", *options, "-fCe", "twins", hex(address))


FOLDING = [["clang++", "-fuse-ld=lld", "-Wl,--icf=all"], ["clang++", "-fuse-ld=gold", "-Wl,--icf=all"],
           ["g++", "-fno-ipa-icf", "-fuse-ld=gold", "-Wl,--icf=all"]]


def test_linkers_that_fold():
    for command in FOLDING:
        symbols = build(*command)
        assert symbols["_Z8same_onel"] == symbols["_Z8same_twol"] and symbols["c_left"] == symbols["c_right"], (command, symbols)
        for name, count in {"_Z8same_onel": 2, "_Z4takeIiEPiPT_": 3, "c_left": 2, "_Z5otherl": 0, "c_single": 0,
                            "_ZN3BoxC1El": 0}.items():
            for cache in ["--no-cache"], []:
                text = answer(symbols[name], *cache).split("\n")[1]
                assert text.endswith(f" (one of {count} equal functions)") if count else "equal" not in text, (command, name, text)
        many = "\n".join(hex(symbols["_Z8same_onel"] + i % 3) for i in range(70000))  # asked again: by an index
        lines = heapflame("addr2line", "--no-cache", "-fe", "twins", text=many + "\n").splitlines()[1::2]
        assert all(line.endswith("(one of 2 equal functions)") for line in lines), (command, set(lines))


def test_a_compiler_that_folds():
    """GCC makes two methods one whose address nobody can compare."""
    symbols = build("g++", "-fipa-icf", source=METHODS)
    assert symbols["_ZN4Twin5firstEl"] == symbols["_ZN4Twin6secondEl"]
    assert "(one of 2 equal functions)" in answer(symbols["_ZN4Twin5firstEl"], "--no-cache")
    for name in "_ZN4TwinC1El", "_ZN4TwinD1Ev", "main":
        assert "equal" not in answer(symbols[name], "--no-cache"), name


def test_aliases_are_no_twins():
    """In C, where nobody folds: the names of one function."""
    symbols = build("gcc", source=C, name="twins.c")
    assert symbols["single"] == symbols["wrote"]
    assert "equal" not in answer(symbols["single"], "--no-cache")
    assert "equal" not in heapflame("fold", *NAMES, "twins.heap")


def test_a_debug_file():
    """The names are in the debug file alone, and so are those of the twins."""
    symbols = build(*FOLDING[0])
    run("objcopy", "--only-keep-debug", "twins", "twins.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=twins.debug", "twins")
    assert "(one of 2 equal functions)" in answer(symbols["_Z8same_onel"], "--no-cache")


def test_every_output():
    symbols = build(*FOLDING[0])
    mark = "same_(one|two) \\[one of 2 equal functions\\]"
    folded = heapflame("fold", *NAMES, "twins.heap")
    assert re.search(f"{mark} 16$", folded, re.M) and folded.count("one of") == 3, folded
    assert re.search(f"{mark} \\S*twins.cc:\\d+ 16$", heapflame("fold", "--lines", *NAMES, "twins.heap"), re.M)
    assert "equal" not in heapflame("fold", "--files", *NAMES, "twins.heap")
    for command in ("top",), ("top", "--lines"), ("flame",), ("graph",):
        assert re.search(mark, heapflame(*command, *NAMES, "twins.heap").replace("\\n", " ")), command
    assert re.search(mark, heapflame("jeprof", "--list=same", "twins", "twins.heap"))
    rows = json.loads(heapflame("top", "--json", *NAMES, "twins.heap"))["rows"]
    assert {row["name"]: row.get("equal_functions") for row in rows if "same" in row["name"]}.popitem()[1] == 2, rows
    assert all("equal_functions" not in row for row in rows if row["name"] in ("other", "c_single", "Box::Box")), rows
    assert re.search(f"{mark} 16$", heapflame("fold", "--focus", "^same_(one|two)$", *NAMES, "twins.heap"), re.M)
    text = json.loads(heapflame("llvm-symbolizer", "--output-style=JSON", "-e", "twins", hex(symbols["_Z8same_onel"])))
    assert text[0]["Symbol"][0]["EqualFunctions"] == 2, text


def test_formats():
    """A bundle keeps the mark, and the names can still be had in full; formats without a place for one have it in the name."""
    build(*FOLDING[0])
    heapflame("bundle", *NAMES, "-o", "twins.hfb", "twins.heap")
    Path("twins").unlink()
    assert re.search(r"same_(one|two) \[one of 2 equal functions\] 16$", heapflame("fold", "twins.hfb"), re.M)
    assert re.search(r"take<\w+>\(\w+ ?\*\) \[one of 3 equal functions\] 16$", heapflame("fold", "--full-names", "twins.hfb"), re.M)
    heapflame("convert", "--to", "speedscope", "-o", "twins.json", "twins.hfb")
    frames = json.loads(Path("twins.json").read_text())["shared"]["frames"]
    assert len([frame for frame in frames if re.search(r" \[one of \d equal functions\]$", frame["name"])]) == 3, frames
    for form, suffix in ("pb.gz", "pb.gz"), ("folded", "folded"):
        heapflame("convert", "--to", form, "-o", f"twins.{suffix}", "twins.hfb")
        again = heapflame("fold", f"twins.{suffix}")
        assert len(re.findall(r" \[one of \d equal functions\] 16$", again, re.M)) == 3, (form, again)


sys.exit(run_tests(globals()))
