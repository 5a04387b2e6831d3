#!/usr/bin/env python3
# timeout: 300
"""profile.proto in both directions, against google/pprof (Debian's golang-github-google-pprof-dev, built here): what Go
writes is read with Go's own numbers, and what heapflame writes is valid for Go and shows heapflame's numbers there."""

import gzip
import json
import os
import re
import sys
from pathlib import Path

import _heap
import _suite
from _heap import SOURCE, folded, heapflame, need, run, skip

GOPATH = "/usr/share/gocode"
VALUES = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
GOLDEN = SOURCE / "tests/fixtures/golden"

# Prints a profile as JSON lines, after the check that every consumer of the library makes.
LISTER = r"""
package main

import (
	"encoding/json"
	"os"

	"github.com/google/pprof/profile"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err == nil {
		var p *profile.Profile
		if p, err = profile.Parse(file); err == nil {
			err = p.CheckValid()
		}
		out := json.NewEncoder(os.Stdout)
		head := map[string]interface{}{"default": p.DefaultSampleType, "period": p.Period, "time": p.TimeNanos}
		for _, t := range p.SampleType {
			head["types"] = append(strings(head["types"]), t.Type+"/"+t.Unit)
		}
		for _, m := range p.Mapping {
			head["mappings"] = append(strings(head["mappings"]), m.File)
			head["build_ids"] = append(strings(head["build_ids"]), m.BuildID)
		}
		out.Encode(head)
		for _, s := range p.Sample {
			var stack []string
			for _, l := range s.Location {
				if l.ID == 0 || l.Mapping == nil {
					panic("a location without id or mapping")
				}
				for _, line := range l.Line {
					stack = append([]string{line.Function.Name}, stack...)
				}
				if len(l.Line) == 0 {
					stack = append([]string{"?"}, stack...)
				}
			}
			out.Encode(map[string]interface{}{"stack": stack, "values": s.Value, "threads": s.Label["thread_id"],
				"names": s.Label["thread"]})
		}
	}
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

func strings(v interface{}) []string {
	s, _ := v.([]string)
	return s
}
"""

# Leaks and frees, and writes its own heap profile.
GO_PROGRAM = r"""
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var kept [][]byte

//go:noinline
func leak(n int) { kept = append(kept, make([]byte, n)) }

//go:noinline
func use(n int) { leak(n); kept = kept[:len(kept)-1] }

func inlined(n int) { leak(2 * n) }

func main() {
	runtime.MemProfileRate = 1
	for i := 0; i < 100; i++ {
		leak(10000)
		inlined(3000)
		use(4096)
	}
	runtime.GC()
	runtime.GC()
	file, err := os.Create(os.Args[1])
	if err == nil {
		err = pprof.WriteHeapProfile(file)
	}
	if err != nil {
		panic(err)
	}
	file.Close()
}
"""

# Old text of gperftools: what pprof makes of it is a profile.proto with its drop_frames.
TEXT = """heap profile:    3:    130 [    7:    700] @ heapprofile
     1:       30 [     5:      600] @ 0x00401011 0x00401021 0x7f0000001001
     2:      100 [     2:      100] @ 0x00401012 0x00401021 0x7f0000001001

MAPPED_LIBRARIES:
00401000-00402000 r-xp 00001000 fe:01 12      /opt/app/server
7f0000000000-7f0000002000 r-xp 00026000 fe:01 99      /usr/lib/libnothing.so.6
"""


def go(*command):
    home = Path.cwd()
    return run("go", *command, env={**os.environ, "GOPATH": GOPATH, "GO111MODULE": "off", "GOFLAGS": "",
                                    "GOCACHE": str(TOOLS / "cache"), "HOME": str(home)})


def build(name, source):
    (TOOLS / f"{name}.go").write_text(source)
    go("build", "-o", TOOLS / name, TOOLS / f"{name}.go")


def go_lists(path):
    """(head, samples) as google/pprof reads the file."""
    lines = [json.loads(line) for line in run(TOOLS / "lister", path).splitlines()]
    return lines[0], lines[1:]


def go_folds(path, value):
    """{stack: sum} of one kind of value, as google/pprof reads the file; what is 0 is left out."""
    head, samples = go_lists(path)
    at = [kind.split("/")[0] for kind in head["types"]].index(value)
    return add_up((tuple(sample["stack"]), sample["values"][at]) for sample in samples)


def add_up(pairs):
    sums = {}
    for stack, value in pairs:
        sums[stack] = sums.get(stack, 0) + value
    return {stack: value for stack, value in sums.items() if value}


def our_folds(path, value, *options):
    """The same as heapflame reads it; frames without a name are '?'."""
    text = heapflame("fold", "-q", "--value", value, *options, path)
    return add_up((tuple("?" if re.search(r"^[^ ]*\+0x|^0x", frame) else frame for frame in stack), value)
                  for stack, value in folded(text))


def pprof_top(path, value):
    """({function: (flat, cum)}, total) as `pprof -top` prints them."""
    text = run(TOOLS / "pprof", "-top", "-unit=B", "-nodecount=0", "-nodefraction=0", "-symbolize=none", "-cum",
               f"-sample_index={value}", path)
    rows = re.findall(r"^ *(-?\d+)B? +\S+ +\S+ +(-?\d+)B? +\S+ +(.*)$", text, re.MULTILINE)
    total = re.search(r"of (-?\d+)B? total", text)
    return {name: (int(flat), int(cum)) for flat, cum, name in rows}, int(total[1])


def our_top(path, value):
    text = heapflame("top", "-q", "--json", "--keep-allocator", "--value", value, path)
    document = json.loads(text)
    assert document["total"] != 0 or not document["rows"], document
    return {row["name"]: (row["flat"], row["cum"]) for row in document["rows"]}, document["total"]


def test_go_runtime_profiles():
    build("program", GO_PROGRAM)
    run(TOOLS / "program", "go.pb.gz")
    for value in VALUES:
        ours, theirs = our_folds("go.pb.gz", value, "--keep-allocator"), go_folds("go.pb.gz", value)
        assert ours == theirs, f"{value}: {ours} against {theirs}"
    leaked = our_folds("go.pb.gz", "inuse_objects")
    assert sum(count for stack, count in leaked.items() if stack[-1] == "main.leak") >= 200, leaked
    assert any("main.inlined" in stack for stack in leaked), leaked
    Path("plain.pb").write_bytes(gzip.decompress(Path("go.pb.gz").read_bytes()))
    assert our_folds("plain.pb", "inuse_space") == our_folds("go.pb.gz", "inuse_space")


def test_go_reads_what_was_read():
    """Read from Go, written, read by Go: every kind of value of every stack is as it was."""
    run(TOOLS / "program", "go.pb.gz")
    heapflame("convert", "-q", "--keep-allocator", "go.pb.gz", "-o", "again.pb.gz")
    assert go_lists("again.pb.gz")[0]["types"] == [f"{value}/{'bytes' if 'space' in value else 'count'}"
                                                   for value in VALUES]
    for value in VALUES:
        assert go_folds("again.pb.gz", value) == go_folds("go.pb.gz", value), value


def test_text_that_pprof_converts():
    Path("text.heap").write_text(TEXT)
    run(TOOLS / "pprof", "-proto", "-symbolize=none", "-output", "text.pb.gz", "text.heap")
    for value in VALUES:
        ours = heapflame("fold", "-q", "--addresses", "--value", value, "text.pb.gz")
        assert ours == heapflame("fold", "-q", "--addresses", "--value", value, "text.heap"), ours


def test_program_in_go_pprof():
    """A program's dump: totals, flat and cum of each function in `pprof -top`."""
    dump, exe = GOLDEN / "b.heap", GOLDEN / "golden"
    heapflame("convert", "-q", dump, "--exe", exe, "-o", "b.pb.gz")
    for value in ("inuse_objects", "inuse_space"):
        theirs, their_total = pprof_top("b.pb.gz", value)
        ours, our_total = our_top("b.pb.gz", value)
        assert their_total == our_total, f"{value}: {their_total} against {our_total}"
        for name in ("main", "process_leak", "cache_fill", "_start"):
            assert theirs[name] == ours[name], f"{name}: {theirs[name]} against {ours[name]}"
        assert our_folds("b.pb.gz", value) == go_folds("b.pb.gz", value)
        assert our_folds("b.pb.gz", value) == our_folds(dump, value, "--exe", exe)
    head, _ = go_lists("b.pb.gz")
    assert head["default"] == "inuse_space" and head["time"] == 0, head
    assert head["mappings"][0] == "/srv/golden", head
    assert head["build_ids"][0] == _heap.Elf.of(str(exe)).build_id, head


def test_threads():
    threads = SOURCE / "tests/fixtures/threads.heap"
    heapflame("convert", "-q", threads, "-o", "t.pb.gz")
    _, samples = go_lists("t.pb.gz")
    seen = {sample["threads"][0] for sample in samples if sample["threads"]}
    assert len(seen) > 1, samples
    for thread in seen:
        assert (heapflame("fold", "-q", "--thread", thread, threads)
                == heapflame("fold", "-q", "--thread", thread, "t.pb.gz")), thread
    assert heapflame("fold", "-q", threads) == heapflame("fold", "-q", "t.pb.gz")


def test_differences():
    arguments = [GOLDEN / "b.heap", "--exe", GOLDEN / "golden", "--base", GOLDEN / "a.heap"]
    heapflame("convert", "-q", *arguments, "-o", "d.pb.gz")
    expected = {"cache_fill": -157286400, "process_leak": 104857600}
    sums = {stack[-1]: value for stack, value in go_folds("d.pb.gz", "inuse_space").items()}
    assert sums == expected, sums
    assert heapflame("fold", "-q", "d.pb.gz") == heapflame("fold", "-q", *arguments)


def test_same_bytes():
    for name in ("1.pb.gz", "2.pb.gz"):
        heapflame("convert", "-q", GOLDEN / "b.heap", "--exe", GOLDEN / "golden", "-o", name)
    assert Path("1.pb.gz").read_bytes() == Path("2.pb.gz").read_bytes()


if __name__ == "__main__":
    need("go")
    if not Path(GOPATH, "src/github.com/google/pprof").is_dir():
        skip("google/pprof is missing (script/bootstrap test installs it)")
    TOOLS = Path.cwd() / "tools"
    TOOLS.mkdir()
    build("lister", LISTER)
    go("build", "-o", TOOLS / "pprof", "github.com/google/pprof")
    sys.exit(_suite.run_tests(globals()))
