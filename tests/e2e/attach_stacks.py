#!/usr/bin/env python3
# sanitized: long, it waits; attach runs the same code
# lane: probes, which the kernel puts in and takes out one after the other
"""Stacks of code without call frame information, followed by attach: of musl's malloc, dynamic and static, the caller is
known all the same; and where frame pointers led to the outermost frame, as in Go, nothing is missing, also where Go's runtime
went from a goroutine's stack to its own."""

import re
import signal
import subprocess
import sys
from pathlib import Path

from _attach import BACKENDS, Attached, Target, need_root
from _heap import HEAPFLAME, PROGRAMS, folded, need, run
from _suite import run_tests

need("gcc", "musl-gcc", "go")
need_root()

COUNT = 50
GO = """
package main

import "time"

var kept [][]byte

//go:noinline
func leak() {
	b := make([]byte, 1<<16)
	for i := range b {
		b[i] = 1
	}
	kept = append(kept, b)
}

func main() {
	println("ready")
	for {
		leak()
		time.Sleep(10 * time.Millisecond)
	}
}
"""


GROWING = """
package main

import "time"

var sink byte
var forever chan bool

//go:noinline
func deeper(n int) byte {
	var room [600]byte
	room[n] = byte(n)
	if n > 0 {
		room[0] += deeper(n - 1)
	}
	return room[0] + room[n]
}

//go:noinline
func growStack() { sink += deeper(60) }

func main() {
	println("ready")
	for {
		go func() { growStack(); <-forever }()
		time.Sleep(20 * time.Millisecond)
	}
}
"""
C_CALLS = """
package main

/*
#include <stdlib.h>
static __attribute__((noinline)) void *leak_in_c(size_t n) { char *p = malloc(n); p[0] = 1; return p; }
*/
import "C"
import "time"

//go:noinline
func leakThroughC() { C.leak_in_c(20000) }

//go:noinline
func leakElsewhere() { C.leak_in_c(10000) }

func main() {
	println("ready")
	for {
		leakThroughC()
		leakElsewhere()
		time.Sleep(20 * time.Millisecond)
	}
}
"""


def test_musl():
    for name, options in (("dynamic", []), ("static", ["-static"])):
        run("musl-gcc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", *options, "-o", name, PROGRAMS / "attached.c")
        for backend in BACKENDS:
            process = subprocess.Popen([f"./{name}", "halves", str(COUNT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert process.stdout.readline() == "ready\n"
            attached = Attached(process.pid, "-d", "60s", "--period", "1", "--backend", backend)
            process.stdin.write("go\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            attached.process.send_signal(signal.SIGINT)
            attached.said += attached.process.communicate(timeout=600)[1]
            process.kill()
            process.wait()
            # What called main is musl's own, and has no call frame information either; but there the stack begins.
            assert attached.process.returncode == 0, attached.said
            found = {tuple(frames[frames.index("main"):]): value for frames, value in folded(Path("out.folded").read_text())
                     if "main" in frames}
            assert found == {("main", "halves", "make_one"): COUNT * 100}, f"{name}, {backend}: {found}: {attached.said}"


def test_threads_of_musl():
    count = 10  # perf keeps all of that, however busy the machine is
    run("musl-gcc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", "-o", "threads", PROGRAMS / "attached.c")
    for backend in BACKENDS:
        with Target("threads", count, program="threads") as target:
            attached = Attached(target.pid, "-d", "600s", "--period", "1", "--backend", backend)
            target.go_on()
            target.heard("done")
            stacks = attached.end(signal=signal.SIGINT)
        of_threads = [(frames, value) for frames, value in stacks if frames[-1] == "leak_small"]
        assert of_threads and sum(value for _, value in of_threads) == 4 * count * 48, (backend, stacks)
        assert all("work" in frames for frames, _ in of_threads), (backend, stacks)


def early_share(said):
    found = re.search(r"lost: (\d+) of (\d+) stacks? ends? early", said)
    return int(found[1]) / int(found[2]) if found else 0


# On a busy machine Go's scheduler stops goroutines by signals. Behind runtime.sigtramp a stack ends: 1 of 5,900 was seen to.
FEW = 1 / 200


def attached_go(text, *options, duration="1s", status=0):
    """What attach says of a program of Go, and finds there."""
    Path("leak.go").write_text(text)
    run("go", "build", "-o", "leak", "leak.go", env={"PATH": "/usr/bin:/bin", "HOME": str(Path.cwd()), "GOCACHE": str(Path("cache").resolve())})
    process = subprocess.Popen(["./leak"], stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline() == "ready\n"
    done = subprocess.run([HEAPFLAME, "attach", str(process.pid), "-d", duration, *options, "--max-overhead", "100000%",
                           "-o", "out.folded"], capture_output=True, text=True, timeout=600, check=False)
    process.kill()
    process.wait()
    assert done.returncode == status or (done.returncode == 4 and early_share(done.stderr) <= FEW), done.stderr
    return done.stderr, folded(Path("out.folded").read_text())


def test_stacks_that_grow():
    """Who needs a larger stack and who called it are missing, and nobody else."""
    _, stacks = attached_go(GROWING, "--what", "fault")
    growing = [frames for frames, _ in stacks if "runtime.newstack" in frames and "runtime.schedule" not in frames]
    assert growing, stacks
    for frames in growing:
        assert frames[:3] == ["runtime.goexit", "main.main.func1", "main.growStack"], frames
        assert set(frames[3:frames.index("runtime.morestack")]) == {"main.deeper"}, frames


def test_c_called_by_go():
    said, stacks = attached_go(C_CALLS)
    assert "while perf follows them" in said, said
    in_c = {tuple(frames) for frames, _ in stacks if frames[-1] == "leak_in_c"}
    root = ("runtime.goexit", "runtime.main", "main.main")
    assert {frames[:4] for frames in in_c} == {(*root, "main.leakThroughC"), (*root, "main.leakElsewhere")}, in_c
    assert all("runtime.asmcgocall" in frames for frames in in_c), in_c
    # Without the kernel's chain the stack ends where C begins: no frames of the thread's own are taken for its callers.
    said, stacks = attached_go(C_CALLS, "--backend", "bpf", status=4)
    assert "end early" in said, said
    assert {frames[0] for frames, _ in stacks if frames[-1] == "leak_in_c"} == {"runtime.asmcgocall"}, stacks


def test_go():
    _, stacks = attached_go(GO, "--what", "fault", duration="4s")
    assert max(stacks, key=lambda stack: stack[1])[0] == ["runtime.goexit", "runtime.main", "main.main", "main.leak"], stacks
    # What the runtime does on a stack of its own is done for a goroutine, or for none.
    elsewhere = sum(value for frames, value in stacks if frames[0] not in {"runtime.goexit", "runtime.mcall", "runtime.mstart"})
    assert elsewhere <= FEW * sum(value for _, value in stacks), stacks
    for_leak = [frames[frames.index("main.leak"):] for frames, _ in stacks if "runtime.systemstack" in frames and "main.leak" in frames]
    assert for_leak and all("runtime.mallocgc" in frames[:frames.index("runtime.systemstack")] for frames in for_leak), stacks


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
