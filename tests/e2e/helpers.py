#!/usr/bin/env python3
"""Functions that several parts of a program share do not own what they allocate, whatever they are called
(src/dwarf/helpers.h): C and C++ whose names say nothing."""

import json
from pathlib import Path

from _heap import heapflame, need, run
from _suite import run_tests

need("gcc", "g++")

C = """
#include <stdlib.h>
struct item { struct item *next; char body[100]; };
static struct item *kept;
#define PART static __attribute__((noinline))
PART struct item *shape(size_t n) { struct item *i = calloc(1, sizeof *i + n); return i; }
PART struct item *drawn(size_t n) { return shape(n); }
PART void stay(struct item *i) { i->next = kept; kept = i; }
PART void north(void) { for (int n = 0; n < 50; n++) stay(drawn(1000)); }
PART void south(void) { for (int n = 0; n < 30; n++) stay(drawn(1000)); }
PART struct item *lonely(void) { return calloc(1, 1200); }
PART void east(void) { for (int n = 0; n < 20; n++) stay(lonely()); }
int main(void) { north(); south(); east(); return kept == NULL; }
"""
CC = """
#include <memory>
#include <vector>
#define PART __attribute__((noinline))
struct Leaf { std::vector<char> bytes; explicit Leaf(size_t n) : bytes(n) {} };
template <typename T> PART std::unique_ptr<T> drawn(size_t n) { return std::make_unique<T>(n); }
struct North { std::vector<std::unique_ptr<Leaf>> kept; PART void rise() { kept.push_back(drawn<Leaf>(40000)); } };
struct South { std::vector<std::unique_ptr<Leaf>> kept; PART void rise() { kept.push_back(drawn<Leaf>(20000)); } };
static North north; static South south;
int main() { for (int n = 0; n < 20; n++) { north.rise(); south.rise(); } }
"""


def owners(profile, *options):
    document = json.loads(heapflame("top", "--json", *options, profile))
    return {row["name"].split("(")[0] for row in document["rows"]}


def recorded(name, source, compiler):
    Path(name).write_text(source)
    run(*compiler.split(), "-g", "-O1", "-o", "prog", name)
    heapflame("run", "--exact", "-o", "prog.hfb", "--", "./prog")
    return "prog.hfb"


def test_of_c():
    profile = recorded("prog.c", C, "gcc")
    found = owners(profile)
    assert {"north", "south", "lonely"} <= found and not found & {"shape", "drawn"}, found


def test_own_overrides():
    """What the user says of a function stands."""
    profile = recorded("prog.c", C, "gcc")
    assert "drawn" in owners(profile, "--own", "^drawn$")
    Path(".heapflame").mkdir()
    Path(".heapflame/owners.rules").write_text("own function shape\n")
    assert "shape" in owners(profile)


def test_of_cc():
    profile = recorded("prog.cc", CC, "g++ -std=c++17")
    found = owners(f"{profile}@peak")
    assert {"North::rise", "South::rise"} <= found and not any("drawn" in name or "Leaf" in name for name in found), found


def test_the_file_keeps_it():
    """Also when the program is gone."""
    profile = recorded("prog.c", C, "gcc")
    Path("prog").unlink()
    assert "drawn" not in owners(profile, "--no-cache") | owners(profile)


def test_without_debug_information_names_decide():
    Path("prog.c").write_text(C)
    run("gcc", "-O1", "-o", "prog", "prog.c")
    heapflame("run", "--exact", "-o", "prog.hfb", "--", "./prog")
    assert "shape" in owners("prog.hfb")


if __name__ == "__main__":
    run_tests(globals())
