#!/usr/bin/env python3
"""The page of a live table that others write to: the switch of sampling, and that a watcher is there, in whose favour
the agent writes no dumps of its own."""

import signal
import time
from pathlib import Path

from _run import end, expect_equal, folded, heapflame, recorded, run_leaker_tests, start, wait_for

LEASE_S = 2.5  # HF_WATCHER_LEASE_NS and a look


class Recorded:
    """A process of which every allocation is recorded. `line` lets it go on after the word "line"."""

    def __init__(self, settings, *words, watcher=()):
        self.process = recorded(f"exact:true,{settings}", *words, watcher=watcher)
        self.pid = self.process.pid

    def is_ready(self):
        expect_equal(self.process.stdout.readline(), b"ready\n")

    def line(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def end(self):
        return end(self.process)[0]


def leaked(pid):
    heapflame("dump", pid, "-o", "now.folded")
    return folded("now.folded").get("process_leak", 0)


def test_the_switch():
    words = ["line", "leak=1000003"] * 3 + ["line"]
    recorded = Recorded("prof_active:false", *words)
    recorded.is_ready()
    sums = []
    for switch in [None, "--activate", "--deactivate"]:
        if switch is not None:
            expect_equal(heapflame("dump", switch, recorded.pid)[0], 0)
        expect_equal(heapflame("dump", "--status", recorded.pid)[1], "sampling: %s\n" % ("on" if switch == "--activate" else "off"))
        recorded.line()
        recorded.is_ready()
        sums.append(leaked(recorded.pid))
    expect_equal(sums, [0, 1000003, 1000003])
    recorded.line()
    expect_equal(recorded.end(), 0)


def own_dumps():
    return sorted(path.name.split(".", 3)[-1] for path in Path.cwd().glob("own.*.heap"))


def test_dumps_of_its_own():
    settings = "prof_prefix:own,lg_prof_interval:20,prof_final:true,prof_gdump:true"
    words = ["line", "leak=1048577", "leak=1048577"]
    alone = Recorded(settings, *words)
    alone.is_ready()
    alone.line()
    expect_equal(alone.end(), 0)
    assert {"f.heap", "i0.heap", "i1.heap", "u0.heap"} <= set(own_dumps()), own_dumps()
    for path in Path.cwd().glob("own.*"):
        path.unlink()
    watched = Recorded(settings, *words, watcher=["heapflame", "run", "-o", "%n.hfb", "--"])
    watched.is_ready()
    time.sleep(2)  # the watcher has found the table
    watched.line()
    expect_equal((watched.end(), own_dumps()), (0, []))
    assert Path("0.hfb").exists()


def test_a_watcher_that_is_gone():
    """Stopped, it says so; killed, its time runs out."""
    for ending, wait_s in [(signal.SIGTERM, 0), (signal.SIGKILL, LEASE_S)]:
        recorded = Recorded("prof_prefix:own,prof_final:true", "leak=1000003", "line")
        recorded.is_ready()
        watcher = start("heapflame", "watch", recorded.pid, "--every", "50ms", "-o", f"{ending}.%n.hfb")
        wait_for(lambda: Path(f"{ending}.1.hfb").exists(), watcher)
        watcher.send_signal(ending)
        end(watcher)
        time.sleep(wait_s)
        recorded.line()
        expect_equal((recorded.end(), own_dumps()), (0, ["f.heap"]))
        for path in Path.cwd().glob("own.*"):
            path.unlink()


if __name__ == "__main__":
    run_leaker_tests(globals())
