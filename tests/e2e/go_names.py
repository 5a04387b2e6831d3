#!/usr/bin/env python3
# timeout: 240
"""Go programs without DWARF are named from the table of Go's runtime, .gopclntab, as `go tool addr2line` and the DWARF of
the same program name them: thousands of addresses, inlined calls too. Layouts that Debian's Go does not write are those
of fuzz/corpus/go_table (fuzz/make-corpus). See src/elf/go_table.h."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, SOURCE, need, run
from _suite import run_tests

need("go", "gcc", "readelf", "strip")

PROGRAM = r"""
package main

import "os"

type tree[K any] struct {
	left, right *tree[K]
	key         K
}

func (t *tree[K]) put(key K, less func(a, b K) bool) *tree[K] {
	if t == nil {
		return &tree[K]{key: key}
	}
	if less(key, t.key) {
		t.left = t.left.put(key, less)
	} else {
		t.right = t.right.put(key, less)
	}
	return t
}

func mul(a, b int) int { return add(a, b) * b }
func add(a, b int) int {
	if a > 1000 {
		panic("large")
	}
	return a + b
}

func main() {
	var t *tree[int]
	for i, a := range os.Args {
		t = t.put(mul(len(a), i), func(a, b int) bool { return a < b })
	}
	println(t.key)
}
"""
COUNT = 4000
ENVIRONMENT = {**os.environ, "GO111MODULE": "off", "GOFLAGS": "", "GOCACHE": str(Path("cache").resolve()),
               "CGO_ENABLED": "1", "HEAPFLAME_CACHE": ""}


def build(name, *options, flags=""):
    Path("program.go").write_text(PROGRAM)
    run("go", "build", "-o", name, *options, f"-ldflags={flags}", "program.go", env=ENVIRONMENT)
    return name


def addresses_of(program):
    """Of Go's own code: between the runtime's first and last symbols."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    start, end = (int(re.search(rf"(?m)^(\w+) . runtime\.{name}$", symbols)[1], 16) for name in ("text", "etext"))
    return sorted(random.Random(7).sample(range(start, end), COUNT))


def ask(program, addresses):
    """{address: [function, place, ...]}, type arguments cut down: DWARF has them, and Go's table "[...]"."""
    text = subprocess.run([HEAPFLAME, "addr2line", "-afie", program], input="".join(f"{a:#x}\n" for a in addresses),
                          capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    answers = {}
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            last = answers.setdefault(int(line, 16), [])
        else:
            last.append(re.sub(r"\[.*\]", "[...]", line))
    return answers


def check_alike(program, stripped, most=0.002):
    """Nearly all: DWARF leaves out a few inlined calls (of wrappers), and never the other way round."""
    addresses = addresses_of(program)
    expected, found = ask(program, addresses), ask(stripped, addresses)
    differ = [(hex(a), expected[a], found[a]) for a in addresses if expected[a] != found[a]]
    assert len(differ) <= most * COUNT, (len(differ), differ[:5])
    assert sum(len(chain) > 2 for chain in found.values()) > COUNT // 10
    assert sum(chain[0] == "??" for chain in found.values()) < COUNT // 20
    assert all(chain[-2] == expected[a][-2] and chain[0] != "??" for a, chain in found.items() if expected[a][0] != "??"), differ
    return addresses


def test_without_dwarf():
    program, stripped = build("program"), build("stripped", flags="-s -w")
    assert b".debug_" not in Path(stripped).read_bytes()
    addresses = check_alike(program, stripped)
    oracle = run("go", "tool", "addr2line", program, input="".join(f"{a:#x}\n" for a in addresses).encode(), env=ENVIRONMENT)
    told = [(re.sub(r"\[.*\]", "[...]", name), place) for name, place in zip(*[iter(oracle.splitlines())] * 2)]
    pairs = [((chain[-2], chain[1]), pair) for chain, pair in zip(ask(stripped, addresses).values(), told) if chain[0] != "??"]
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(pairs) > COUNT * 0.9 and not wrong, (len(wrong), wrong[:5])
    info = json.loads(run(HEAPFLAME, "symbols", "info", "--json", stripped))
    assert info["go"]["functions"] > 500 and info["dwarf"] == [], info
    assert re.search(r"(?m)^\.gopclntab: \d+ functions of Go$", run(HEAPFLAME, "symbols", "info", stripped))


def test_linked_by_gcc():
    """Its linker joins the table with others, and leaves pointers to relocations."""
    program = build("moved", "-buildmode=pie", flags="-linkmode=external")
    run("strip", "-s", "-o", "moved-stripped", program)
    assert ".gopclntab" not in run("readelf", "-SW", program)
    check_alike(program, "moved-stripped")


def test_layouts():
    """main.get is inlined into main.main; a table whose runtime data cannot be found has no inlined calls."""
    main = ["main.main", "/src/main.go:6"]
    inlined = ["main.get", "/src/get.go:30", "main.main", "/src/main.go:7"]
    for name in ("2", "16", "18", "20", "moved", "cut"):
        image = SOURCE / f"fuzz/corpus/go_table/seed-{name}"
        found = ask(image, [0x1000, 0x1014, 0x106F, 0x1070])
        expected = inlined if name != "cut" else ["main.main", "/src/get.go:30"]
        assert list(found.values()) == [main, expected, ["main.leaf", "/src/main.go:20"], ["??", "??:0"]], (name, found)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
