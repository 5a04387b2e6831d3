#!/usr/bin/env python3
# timeout: 240
# lane: probes
"""Code of a JIT is named by the ELF objects that it keeps in memory for GDB, also if process and objects are gone when
the names are asked for. PostgreSQL does so with jit_debugging_support=on."""

import re
import signal
import sys
import time
from pathlib import Path

from _attach import BACKENDS, Attached, need_root, wait_until
from _heap import HEAPFLAME, TIMEOUT_S, heapflame, need
from _jit import Jit, build
from _suite import run_tests

need("gcc")
need_root()
NAMES = "compute", "sql::eval"

def attach_for(way, objects, seconds):
    """The stacks of an attach that saw the list for so long."""
    with Jit("./jit", *objects) as program:
        attached = Attached(program.process.pid, "-d", "600s", way=way)
        program.go_on("made")
        time.sleep(seconds)
        program.go_on("gone")
        return attached.end(signal=signal.SIGINT)


def test_attach():
    """Also of objects that are gone at the end."""
    objects = build("compute", "_ZN3sql4evalEv")
    for way in BACKENDS:
        for seconds in 1, 10, 60:  # a machine may be too busy to look at it for a while
            stacks = attach_for(way, objects, seconds)
            if all(["main", name] in [frames[-2:] for frames, _ in stacks] for name in NAMES):
                break
        else:
            raise AssertionError((way, stacks))


def dump_after(pattern, folder):
    """The process is looked at before a dump is written: waits for one more than there are now, and one more."""
    before = len(list(folder.glob(pattern)))
    wait_until(lambda: len(list(folder.glob(pattern))) > before + 1, "a dump")


def test_run_and_watch():
    """Objects and process are gone when the last profile is written; a name of a process that runs is read then."""
    objects = build("compute", "_ZN3sql4evalEv")
    out = Path("out")
    out.mkdir()
    with Jit(HEAPFLAME, "run", "--exact", "-q", "--every", "200ms", "--keep", "0", "-o", out / "%n.folded", "--", "./jit", *objects) as program:
        program.go_on("made")
        dump_after("*", out)
        program.go_on("gone")
        program.go_on()
        assert program.process.wait(timeout=TIMEOUT_S) == 0
    last = max(out.glob("*"), key=lambda path: path.stat().st_mtime_ns).read_text()
    for name in NAMES:
        assert re.search(rf"(?m);main;{name} 7000$", last), last


def test_process_that_runs():
    """By its live table, as `top PID` reads it."""
    objects = build("compute", "_ZN3sql4evalEv")
    with Jit(HEAPFLAME, "run", "--exact", "-q", "--no-final", "--", "./jit", *objects) as program:
        program.go_on("made")
        children = Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children").read_text().split()
        [pid] = [pid for pid in children if Path(f"/proc/{pid}/comm").read_text() == "jit\n"]
        folded = heapflame("fold", pid)
        for name in NAMES:
            assert re.search(rf"(?m);main;{name} 7000$", folded), folded


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
