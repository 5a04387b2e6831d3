#!/usr/bin/env python3
# sanitized: long, it waits; attach runs the same code
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""attach --tree, --cgroup and --unit: several processes at once, those that come later and those that end before, too."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _attach import WAYS, Attached, changed_code, need_root, wait_until
from _heap import HEAPFLAME, PROGRAMS, failing, run
from _suite import run_tests

COUNT = 100


class Master:
    """tests/programs/workers.c with two workers."""

    def __init__(self):
        if not Path("workers").exists():
            run("gcc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", "-o", "workers", PROGRAMS / "workers.c")
        self.process = subprocess.Popen(["./workers", str(COUNT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.workers = [int(self.process.stdout.readline()) for _ in range(2)]

    def new(self):
        self.process.stdin.write("new\n")
        self.process.stdin.flush()
        self.workers.append(int(self.process.stdout.readline()))
        return self.workers[-1]

    def keep(self, pid):
        os.kill(pid, signal.SIGUSR1)
        assert self.process.stdout.readline() == f"{pid} kept\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def joined(attached, pid):
    """Reads until it is said that a process that came later is followed, too."""
    while f"process {pid} (workers) is followed, too" not in attached.said:
        line = attached.process.stderr.readline()
        assert line, attached.said
        attached.said += line


def by_root(stacks):
    """{outermost frame: bytes} of what the workers keep."""
    found = {}
    for frames, value in stacks:
        if "leak_in_worker" in frames:
            found[frames[0]] = found.get(frames[0], 0) + value
    return found


def test_tree():
    """A prefork master: two workers, a third that comes later and ends before. Each has a root of its own."""
    for way in WAYS:
        with Master() as master:
            attached = Attached("--tree", master.pid, "-d", "100s", way=way)
            assert "3 processes" in attached.said, attached.said
            first, second = master.workers
            master.keep(first)
            master.keep(second)
            third = master.new()
            joined(attached, third)
            master.keep(third)
            master.keep(first)
            os.kill(third, signal.SIGUSR2)
            wait_until(lambda gone=third: not Path(f"/proc/{gone}").exists(), "the third ends")
            stacks = attached.end(signal=signal.SIGINT)
            expected = {f"[workers {first}]": 2, f"[workers {second}]": 1, f"[workers {third}]": 1}
            assert by_root(stacks) == {root: turns * COUNT * 48 for root, turns in expected.items()}, f"{way}: {stacks} {attached.said}"
            assert "; nothing was lost" in attached.said and "4 processes were followed; 1 ended" in attached.said, attached.said
            assert f"in [workers {first}]" in attached.said, attached.said  # of the heaviest stacks
            assert not any(changed_code(pid) for pid in (master.pid, first, second)), way


def test_cgroup():
    """The processes of a folder of cgroups, here one that only looks so, and of those in it."""
    with Master() as master:
        first, second = master.workers
        inner = Path("group/inner")
        inner.mkdir(parents=True)
        Path("group/cgroup.procs").write_text(f"{first}\n")
        (inner / "cgroup.procs").write_text("")
        attached = Attached("--cgroup=group", "-d", "100s")
        (inner / "cgroup.procs").write_text(f"{second}\n")
        joined(attached, second)
        master.keep(first)
        master.keep(second)
        stacks = attached.end(signal=signal.SIGINT)
    assert by_root(stacks) == {f"[workers {pid}]": COUNT * 48 for pid in (first, second)}, f"{stacks} {attached.said}"


def test_all_end():
    """One becomes another program, which is followed as well; then all end, so the time does not matter."""
    with Master() as master:
        attached = Attached("--tree", master.pid, "-d", "600s", "--no-sandbox")
        first, second = master.workers
        master.keep(first)
        master.keep(second)
        os.kill(first, signal.SIGALRM)
        assert master.process.stdout.readline() == f"{first}\n"
        joined(attached, first)
        master.keep(first)
        master.keep(first)
        master.process.kill()  # with it the workers die
        stacks = attached.end()
    expected = {f"[workers {first}]": 2, f"[workers {second}]": 1}
    assert by_root(stacks) == {root: turns * COUNT * 48 for root, turns in expected.items()}, attached.said
    assert "3 processes were followed; 3 ended" in attached.said, attached.said


def test_one_that_comes_as_it_ends():
    """Whether it is followed or not depends on the moment; nobody is said to have died, and nothing to be lost."""
    said = ""
    for wait_ms in range(20, 420, 50):
        with Master() as master:
            attached = Attached("--tree", master.pid, "-d", "100s")
            master.new()
            time.sleep(wait_ms / 1000)
            attached.end(signal=signal.SIGINT)
            assert "; nothing was lost\n" in attached.said, attached.said
            said += attached.said
    assert "(workers) was not followed: attach ended before its probes were in place" in said, said


def test_one_price():
    with Master() as master:
        command = [HEAPFLAME, "attach", "--tree", str(master.pid), "-d", "300ms", "-o", "out.folded"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert len(re.findall(r"0 calls a second; while bpf follows them for 0\.3 s, each will run at its full speed\n", said)) == 1, said


def test_what_is_refused():
    need = "expected either a PID, --cgroup or --unit"
    assert need in failing(2, "attach", "--cgroup", ".", "4711")
    assert need in failing(2, "attach", "--unit", "a", "--cgroup", ".")
    assert need in failing(2, "attach", "--unit", "a", "--tree")
    assert "expected one PID" in failing(2, "attach", "--tree")
    assert "no running unit is called no-such.service" in failing(3, "attach", "--unit", "no-such")
    assert ". is not a cgroup: it has no readable cgroup.procs" in failing(3, "attach", "--cgroup", ".")
    assert "there is no process 4194303" in failing(5, "attach", "--tree", "4194303")


if __name__ == "__main__":
    need_root()
    sys.exit(run_tests(globals()))
