#!/usr/bin/env python3
"""Inlined functions of C++ that have no linkage name (lambdas, unnamed namespaces, local classes) are named with what they
stand in: by GCC, which writes none, as by clang, which does."""

import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need
from _suite import run_tests

need("clang++", "g++", "dwz")

SOURCE = """#include <cstdlib>
#include <functional>
void *volatile kept[8];
namespace app {
namespace {
struct Cache {
    void put(int n) { kept[n] = malloc(100); }
};
template <class T> struct Pool {
    T take(int n) { return kept[n] = malloc(100); }
};
void fill(int n) { Cache().put(n); }
}
struct Shop {
    void open(int n);
};
void Shop::open(int n)
{
    struct Door {
        void unlock(int n) { kept[n] = malloc(100); }
    };
    auto knock = [](int n) { Door().unlock(n); };
    knock(n);
}
}
extern "C" { static inline void plain(int n) { kept[n] = malloc(100); } }
static struct { void run(int n) { kept[n] = malloc(100); } } unnamed;
template <class T> static void twice(T call) { call(); }
int main()
{
    app::fill(0);
    app::Pool<void *>().take(1);
    app::Shop().open(2);
    auto outer = [](auto n) {
        auto inner = [](int n) { kept[n] = malloc(100); };
        inner(n);
    };
    outer(3);
    plain(4);
    unnamed.run(5);
    twice([] { kept[6] = malloc(100); });
}
"""
OF_GCC = [
    "main;app::(anonymous namespace)::Pool::take",
    "main;app::(anonymous namespace)::fill;app::(anonymous namespace)::Cache::put",
    "main;app::Shop::open;app::Shop::open::{lambda}::operator();app::Shop::open::Door::unlock",
    "main;main::{lambda}::operator();main::{lambda}::operator()::{lambda}::operator()",
    "main;plain",
    "main;twice;main::{lambda}::operator()",
    "main;{unnamed type}::run",
]


def stacks_of(*compiler):
    """The stacks below main, of a build that inlines everything."""
    Path("scopes.cc").write_text(SOURCE)
    subprocess.run([*compiler, "-O2", "-o", "scopes", "scopes.cc"], check=True)
    run = [HEAPFLAME, "run", "--exact", "-q", "-o", "scopes.hfb", "./scopes"]
    subprocess.run([str(word) for word in run], check=True, capture_output=True)
    done = subprocess.run([str(HEAPFLAME), "fold", "-q", "scopes.hfb"], check=True, capture_output=True, text=True)
    lines = {line.rsplit(" ", 1)[0] for line in done.stdout.splitlines() if ";main;" in line}
    return sorted("main;" + line.split(";main;", 1)[1] for line in lines)


def expect_equal(got, expected):
    assert got == expected, "\n".join(["got", *got, "expected", *expected])


def test_gcc():
    for options in (["-g"], ["-gdwarf-4"], ["-g", "-gsplit-dwarf"], ["-g", "-flto"]):
        expect_equal(stacks_of("g++", *options), OF_GCC)


def test_dwz_takes_none_away():
    """What dwz moves to a unit of its own, which tells no language, has the same name."""
    plain = stacks_of("g++", "-g")
    subprocess.run(["dwz", "scopes"], check=True)
    run = [str(HEAPFLAME), "run", "--exact", "-q", "-o", "scopes.hfb", "./scopes"]
    subprocess.run(run, check=True, capture_output=True)
    done = subprocess.run([str(HEAPFLAME), "fold", "-q", "scopes.hfb"], check=True, capture_output=True, text=True)
    for stack in plain:
        assert stack in done.stdout, (stack, done.stdout)


def test_clang_agrees():
    """Up to the numbers of lambdas, which only its linkage names have."""
    got = [re.sub(r"\$_\d+", "{lambda}", line) for line in stacks_of("clang++", "-g")]
    for stack in OF_GCC[:3] + OF_GCC[4:5]:
        assert stack in got, (stack, got)


def test_addr2line_prints_what_the_file_says():
    """The plain name, as binutils' does."""
    stacks_of("g++", "-g")
    symbols = subprocess.run(["nm", "scopes"], check=True, capture_output=True, text=True).stdout
    start = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" T main"))
    asked = [hex(start + at) for at in range(0, 120, 4)]
    done = subprocess.run([str(HEAPFLAME), "addr2line", "-fi", "-e", "scopes", *asked], check=True, capture_output=True, text=True)
    assert {"put", "take", "operator()", "unlock", "run"} <= set(done.stdout.split("\n")), done.stdout
    assert "{lambda}" not in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
