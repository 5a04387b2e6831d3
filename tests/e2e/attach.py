#!/usr/bin/env python3
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""attach finds what a running process leaks, exactly: in 4 threads of a program without frame pointers, by every backend;
mappings, the break, and the pages that make its memory grow. It ends as soon as it should, and says what it lost."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _attach import BACKENDS, WAYS, Attached, Target, need_root, of_leaf
from _heap import HEAPFLAME, PROGRAMS, failing, folded, heapflame, need, run
from _suite import run_tests
from _terminal import Terminal

need("gcc", "go")
need_root()

COUNT = 400  # of each leak, in each thread
DEEPER = 21  # frames of the recursion


def test_leaks_are_exact():
    for way in WAYS:
        with Target("threads", COUNT) as target:
            attached = Attached(target.pid, "-d", "60s", "--period", "1", way=way)
            target.go_on()
            target.heard("done")
            stacks = attached.end(signal=signal.SIGINT)
        assert "; nothing was lost\n" in attached.said, attached.said
        depth = {len(frames) for frames, _ in stacks if frames[-1] == "leak_small"}
        assert len(depth) == 1, f"{way}: stacks of different depth: {stacks}"
        for frames, _ in stacks:
            if frames[-1].startswith("leak_"):
                assert frames[-DEEPER - 1 : -1] == ["deeper"] * DEEPER and frames[-DEEPER - 2] == "work", f"{way}: {frames}"
        for name, size in (("leak_small", 48), ("leak_aligned", 320), ("leak_grown", 70000)):
            found = sum(of_leaf(stacks, name).values())
            assert found == 4 * COUNT * size, f"{way}: {name}: expected {4 * COUNT * size}, found {found}"
        assert not of_leaf(stacks, "keep_nothing"), f"{way}: {stacks}"
        row = re.search(r" 75\.0 KiB +\S+ (?:KiB|B) +1,600 +(\S+) s +(\S+) s +(\S+) s  leak_small(?: < deeper){7}\n", attached.said)
        first, last, age = map(float, row.groups())
        assert last - first >= COUNT * 0.004 - 0.2 and last < first + age + 0.2, row[0]


def test_the_account():
    """What was allocated and freed again while it was recorded counts, whoever keeps the account."""
    for way in WAYS:
        with Target("halves", COUNT) as target:
            attached = Attached(target.pid, "-d", "60s", "--period", "1", way=way, output="out.hfb")
            target.go_on()
            target.heard("done")
            attached.process.send_signal(signal.SIGINT)
            attached.said += attached.process.communicate(timeout=600)[1]
        assert re.search(r" s: 1,200 allocated, 800 freed, 400 in use \(39\.1 KiB\); nothing was lost\n", attached.said), \
            f"{way}: {attached.said}"
        assert re.search(r"^heapflame: halves \(attached\.c:\d+\) via make_one holds 39\.1 KiB of 39\.1 KiB in use$", attached.said, re.M), attached.said
        ever = folded(heapflame("fold", "--alloc_space", "out.hfb"))
        for name, size in (("make_one", 2 * 100), ("make_and_drop", 200)):
            assert sum(of_leaf(ever, name).values()) == COUNT * size, f"{way}: {name}: {ever}"


def test_pages_that_stay():
    with Target("faults", COUNT) as target:
        attached = Attached(target.pid, "-d", "60s", "--what", "fault")
        target.go_on()
        target.heard("done")
        stacks = attached.end(signal=signal.SIGINT)
    assert "; nothing was lost\n" in attached.said, attached.said
    assert sum(of_leaf(stacks, "touch_and_keep").values()) == COUNT * 4096, stacks
    assert not of_leaf(stacks, "touch_and_drop"), stacks
    assert max(stacks, key=lambda stack: stack[1])[0][-1] == "touch_and_keep", stacks


def test_ranges():
    for what, kept in (("mmap", {"map_and_keep": 12288, "map_and_halve": 4096}), ("brk", {"break_up": 4096})):
        with Target("ranges", COUNT) as target:
            attached = Attached(target.pid, "-d", "60s", "--what", what)
            target.go_on()
            target.heard("done")
            stacks = attached.end(signal=signal.SIGINT)
        assert "; nothing was lost\n" in attached.said, attached.said
        found = {frames[-1]: value for frames, value in stacks if frames[-1] in ("map_and_unmap", "break_down", *kept)}
        assert found == {name: size * COUNT for name, size in kept.items()}, f"{what}: {stacks}"


GO_RANGES = """
package main

import (
	"bufio"
	"os"
	"syscall"
	"time"
)

var kept [][]byte

func mapPages(bytes int) []byte {
	pages, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return pages
}

//go:noinline
func mapAndKeep() { kept = append(kept, mapPages(12288)) }

//go:noinline
func mapAndUnmap() { syscall.Munmap(mapPages(8192)) }

func main() {
	println("ready")
	bufio.NewReader(os.Stdin).ReadString(10)
	for i := 0; i < 400; i++ {
		mapAndKeep()
		mapAndUnmap()
		time.Sleep(2 * time.Millisecond)
	}
	println("done")
	time.Sleep(time.Hour)
}
"""


def ranges_of(program, *arguments):
    """What a static program maps, by its system calls."""
    process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout.readline() == "ready\n"
    attached = Attached(process.pid, "-d", "60s", "--what", "mmap")
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    stacks = attached.end(signal=signal.SIGINT)
    process.kill()
    process.wait()
    assert "mmap munmap mremap of the kernel\n" in attached.said and "; nothing was lost\n" in attached.said, attached.said
    return stacks


def test_ranges_without_functions_of_a_c_library():
    Path("ranges.go").write_text(GO_RANGES)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(Path.cwd()), "GOCACHE": str(Path("cache").resolve()), "CGO_ENABLED": "0"}
    for options in ([], ["-ldflags=-s -w"]):
        run("go", "build", *options, "-o", "ranges", "ranges.go", env=environment)
        stacks = ranges_of("./ranges")
        # On its way to syscall.mmap Go may map memory of its own, e.g. when the map in which it notes ranges grows.
        of_program = [(frames, value) for frames, value in stacks if "syscall.mmap" in frames]
        kept = [(frames, value) for frames, value in of_program if frames[3:5] == ["main.mapAndKeep", "main.mapPages"]]
        assert sum(value for _, value in kept) == COUNT * 12288, stacks
        assert all(frames[:3] == ["runtime.goexit", "runtime.main", "main.main"] for frames, _ in kept), stacks
        assert not [frames for frames, _ in of_program if "main.mapAndUnmap" in frames], stacks
    run("gcc", "-O1", "-static", "-s", "-pthread", "-o", "stripped", PROGRAMS / "attached.c")
    assert sum(value for _, value in ranges_of("./stripped", "ranges", str(COUNT))) >= COUNT * (12288 + 4096)


def test_older():
    with Target("threads", 10) as target:
        attached = Attached(target.pid, "-d", "4s", "--older", "3s")
        time.sleep(1.5)  # what is born now is not old enough in the end
        target.go_on()
        stacks = attached.end()
    assert not of_leaf(stacks, "leak_small"), stacks


def test_doctor():
    with Target("idle") as target:
        said = heapflame("doctor", target.pid)
    for line in ("rights         yes", "tracefs        yes", "bpf            yes", "attach         yes", "malloc of libc"):
        assert line in said, said
    assert f"process {2**22}" in heapflame("doctor", 2**22 - 1).replace(str(2**22 - 1), str(2**22))


def test_every_output():
    with Target("threads", COUNT) as target:
        attached = Attached(target.pid, "-d", "60s", output="out.hfb")
        target.go_on()
        target.heard("done")
        attached.process.send_signal(signal.SIGTERM)
        assert attached.process.wait(60) == 0
    assert "leak_grown" in heapflame("top", "out.hfb")
    assert "leak_small" in heapflame("flame", "--reverse", "--inverted", "out.hfb", "-o", "-")
    heapflame("convert", "out.hfb", "-o", "out.stap")
    assert heapflame("stackcollapse-stap.pl", "out.stap") == heapflame("fold", "out.hfb")
    heapflame("flame", "out.hfb", "-o", "out.html")
    assert "leak_aligned" in Path("out.html").read_text()
    assert "leak_grown" in heapflame("graph", "out.hfb")
    assert "released 0 B, net 0 B" in heapflame("diff", "out.hfb", "out.hfb")


def test_it_ends_in_time_though_nothing_happens():
    for backend in BACKENDS:
        with Target("idle") as target:
            start = time.monotonic()
            text = heapflame("attach", target.pid, "-d", "1s", "--backend", backend)
            took = time.monotonic() - start
            # Who waits for an event waits for ever; to take the probes out took 28 s beside a storm of processes.
            assert text == "" and target.lives() and 1 < took < 60, f"{backend}: {took} s: {text}"


def test_too_expensive():
    with Target("busy") as target:
        said = failing(3, "attach", target.pid, "-d", "1s", "--max-overhead", "1%")
        assert "to attach anyway, give --max-overhead" in said, said


def test_it_detaches_when_it_costs_too_much():
    """What was quiet while its calls were counted may be busy later."""
    for way in WAYS:
        with Target("later") as target:
            attached = Attached(target.pid, "-d", "60s", "--max-overhead", "5%", way=way)
            start = time.monotonic()
            target.go_on()
            attached.end(status=4)
            assert time.monotonic() - start < 50 and target.lives(), f"{way}: {attached.said}"
        assert re.search(r"detached after \d+\.\d s: the process ran at .* of its speed, but --max-overhead lets the probes add only "
                         "5 % to its processor time", attached.said), f"{way}: {attached.said}"


def test_stacks_are_copied_as_deep_as_they_are():
    """perf looks at some first. 200 frames are more than 8 KiB."""
    with Target("deep", 200) as target:
        for options, is_deep in (((), True), (("--stack", "48KiB"), True), (("--stack", "1KiB"), False)):
            attached = Attached(target.pid, "-d", "2s", "--backend", "perf", *options)
            _, said = attached.process.communicate(timeout=600)
            is_cut = "stacks were deeper than the 1024 bytes copied of each" in said
            assert is_cut != is_deep and said.count("deeper than") == is_cut, f"{options}: {said}"
        said = failing(2, "attach", target.pid, "--backend", "bpf", "--stack", "48KiB", "--max-overhead", "100000%")
        assert "the bpf backend copies at most 24576 bytes of each stack" in said, said


def test_progress():
    for backend, counts in (("perf", r": \d+ allocated, \d+ freed, \d+ lost "), ("bpf", " ")):
        with Target("idle") as target:
            terminal = Terminal("attach", str(target.pid), "-d", "60s", "--backend", backend)
            while not re.search(rf"\r *\d+\.\d of 60\.0 s{counts}".encode(), terminal.text):
                assert terminal.listen(20), terminal.text
            terminal.child.send_signal(signal.SIGINT)
            status, _ = terminal.end()
        assert status == 0 and b" of 60.0 s" not in terminal.text.rpartition(b"\r\x1b[K")[2], terminal.text


def test_children_are_named():
    """A master whose workers allocate: it makes no call itself, and the result says who does."""
    with Target("prefork") as target:
        busy = Path(f"/proc/{target.pid}/task/{target.pid}/children").read_text().split()[1]
        for backend in BACKENDS:
            for seconds in 1, 4, 16, 64:  # until they had a tenth of a second, on whatever machine
                attached = Attached(target.pid, "-d", f"{seconds}s", "--backend", backend)
                attached.end()
                if "child processes" in attached.said:
                    break
            assert re.search(r"note: no calls were seen in \d+\.\d s, during which the process used 0\.0 s of processor time\n", attached.said), attached.said
            assert re.search(rf"note: 2 child processes are not followed, but used \d+\.\d s of processor time: attach to the busiest, "
                             rf"{busy} \(attached, \d+\.\d s\), or to all with --tree\n", attached.said), attached.said
            assert "allocations were followed for" not in attached.said, attached.said


def test_bpf_needs_no_tracefs():
    """It is for the count alone, and for that CAP_SYS_ADMIN is needed where nobody has mounted it."""
    rights = "bpf,perfmon,sys_ptrace,dac_override,dac_read_search,setuid,setgid,sys_resource,kill"
    few = f"setpriv --bounding-set=-all,+{rights.replace(',', ',+')} --inh-caps=-all"
    # A mount namespace of its own only where there is something to unmount: from another one the paths of a process in a
    # chroot read otherwise.
    mounted = subprocess.run(["findmnt", "-rno", "TARGET", "-t", "tracefs,debugfs"], capture_output=True, check=False).stdout != b""
    unmount = f"findmnt -rno TARGET -t tracefs,debugfs | tac | xargs -r umount -l; exec {few} \"$@\""
    through = (*(("unshare", "--mount") if mounted else ()), "sh", "-c", unmount, "sh")
    with Target("threads", COUNT) as target:
        attached = Attached(target.pid, "-d", "60s", "--period", "1", through=through)
        assert "its calls cannot be counted in advance; following them with bpf for 60 s, within --max-overhead\n" in attached.said, attached.said
        target.go_on()
        target.heard("done")
        stacks = attached.end(signal=signal.SIGINT)
        said = run(*through, HEAPFLAME, "doctor", str(target.pid))
    assert "cannot be measured in advance, so it is kept within --max-overhead while attached: tracefs is not mounted" in attached.said, attached.said
    assert sum(of_leaf(stacks, "leak_small").values()) == 4 * COUNT * 48, stacks
    assert re.search(r"^attach +yes +with bpf", said, re.M) and "its calls cannot be counted here" in said, said


def test_parallel_workers_are_named():
    """Those of PostgreSQL are the postmaster's children: here, two by their titles, and one of another leader."""
    leader = subprocess.Popen(["postgres: alice shop [local] SELECT", "600"], executable="/bin/sleep")
    titles = [f"postgres: parallel worker for PID {pid} " for pid in (leader.pid, leader.pid, 1)]
    workers = [subprocess.Popen([title, "600"], executable="/bin/sleep") for title in titles]
    try:
        attached = Attached(leader.pid, "-d", "300ms")
        attached.end()
    finally:
        for process in (*workers, leader):
            process.kill()
            process.wait()
    assert f"note: 2 parallel workers of process {leader.pid} are not followed: attach to the postmaster with --tree\n" \
        in attached.said, attached.said


def test_doctor_says_no_of_a_process_that_cannot_be_followed():
    run("gcc", "-O2", "-static", "-s", "-pthread", "-o", "stripped", PROGRAMS / "attached.c")
    with Target("idle", program="stripped") as target:
        said = heapflame("doctor", target.pid)
    assert re.search(rf"^process {target.pid} +no", said, re.M) and re.search(r"^attach +no", said, re.M), said


def test_what_has_no_malloc_is_called_what_it_is():
    comm = Path("/proc/2/comm")
    if comm.exists() and comm.read_text() == "kthreadd\n":  # not in a container
        assert failing(3, "attach", "2") == "heapflame: process 2 has no program file: it is a kernel thread, or has ended\n"
    Path("program.go").write_text('package main\n\nimport "time"\n\nfunc main() { println("ready"); time.Sleep(time.Hour) }\n')
    run("go", "build", "-o", "program", "program.go", env={**os.environ, "GOCACHE": str(Path("cache").resolve()), "GO111MODULE": "off"})
    go = subprocess.Popen(["./program"], stderr=subprocess.PIPE)
    try:
        go.stderr.readline()
        said = failing(3, "attach", go.pid)
    finally:
        go.kill()
        go.wait()
    assert said == (f"heapflame: process {go.pid} is a Go program, which has an allocator of its own: --what fault shows what makes "
                    "its memory grow\n"), said


def test_refusals():
    assert "there is no built-in spec 'nothing'; there are: brk, " in failing(2, "attach", "1", "--spec", "nothing")
    assert "expected a PID, found 'postgres'" in failing(2, "attach", "postgres")
    assert failing(5, "attach", "99999999") == "heapflame: there is no process 99999999\n"
    assert "which is 2 s; found 5 s" in failing(2, "attach", "1", "-d", "2s", "--older", "5s")
    assert "from 1KiB to 60KiB, found 62464" in failing(2, "attach", "1", "--stack", "61KiB")
    assert "expected auto, perf or bpf" in failing(2, "attach", "1", "--backend", "stap")
    assert "spec libc" in heapflame("attach", "--print-spec", "libc")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
