#!/usr/bin/env python3
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""The rules of the tracker (tests/replay) hold for calls that really happen, whoever traces them: programs/replayed.c
makes them, and each backend must come to what the files say is in use."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from _attach import WAYS, Attached, need_root
from _heap import HEAPFLAME, PROGRAMS, need, run
from _suite import run_tests

need("gcc")
need_root()

REPLAY = Path(os.environ["HEAPFLAME_SRC"]) / "tests/replay"
FILES = 16  # that programs/replayed.c can tell apart
LETTERS = {"reset": "z"}  # of other roles, the first
# What cannot happen by calls alone: losses, the names of contexts, entries from before the start, two probes at one depth.
BEYOND = re.compile(r"^(lose|put)\b|^there .*\n(?s:.*)skipped|\bprobe \d|^1 200 <|overwritten 2", re.MULTILINE)

SPEC = """spec replayed
object exe
alloc sym:do_alloc {alloc} size=arg1 new=ret
realloc sym:do_realloc {realloc} ptr=arg1 size=arg2 new=ret
free sym:do_free {realloc} ptr=arg1
"""
CONTEXTS = """reset sym:do_reset ctx=arg0
delete sym:do_delete ctx=arg0
ctxnew sym:do_ctxnew ctx=arg0
"""
RANGES = """map sym:do_map size=arg0 new=ret
unmap sym:do_unmap ptr=arg0 size=arg1
"""


class Program:
    def __init__(self):
        run("gcc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", "-o", "replayed", PROGRAMS / "replayed.c")
        self.process = subprocess.Popen(["./replayed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.pending = {}  # thread -> stack pointers
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def tell(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "ok\n", words

    def play(self, number, events):
        """The calls of a file; addresses of different files do not meet."""
        sites, left = [], {thread: len(pending) for thread, pending in self.pending.items()}
        self.pending = {thread: [] for thread in self.pending}
        for line in events:
            words = line.split("#")[0].split()
            if not words or not words[0].isdigit():
                continue
            thread, sp, direction, what = int(words[0]), int(words[1]), words[2], words[3]
            pending = self.pending.setdefault(thread, [])
            up = left.pop(thread, 0)
            while pending and pending[-1] < sp + (direction == ">"):
                pending.pop()
                up += 1
            if direction == "<":
                self.tell(thread, up, "<", moved(number, what))
                pending.pop()
                continue
            values = dict(zip(words[4::2], words[5::2]))
            site = values.get("stack", "none").split(";")[-1]
            sites += [site] * (site not in sites)
            address, context = moved(number, values.get("address", "0")), moved(number, values.get("context", "0"))
            size = int(values.get("size", "0"), 0)
            self.tell(thread, up, ">", LETTERS.get(what, what[0]), number, sites.index(site), context, address, size)
            if what in ("alloc", "realloc", "ctxnew", "map"):
                pending.append(sp)
        return sites


def moved(number, address):
    value = int(address, 0)
    return value + (number + 1 << 24) if value else 0


def kind_of(text):
    if re.search(r"> (un)?map ", text):
        return "ranges"
    if " context " not in text:
        return "plain"
    return "contexts" if all(" context " in line for line in text.splitlines() if "> realloc " in line) else "of the block"


def spec_of(kind):
    has_contexts = kind in ("contexts", "of the block")
    spec = SPEC.format(alloc="ctx=arg0" * has_contexts, realloc="ctx=arg0" * (kind == "contexts"))
    return spec + CONTEXTS * has_contexts + RANGES * (kind == "ranges")


def expected_of(text):
    """{function: (objects, bytes)} of what is in use; of contexts, the size is not known to the spec."""
    found = {}
    for address, size, function in re.findall(r"^live (\S+) (\d+) \d+ \S*?([^;\s]+)$", text, re.MULTILINE):
        objects, total = found.get(function, (0, 0))
        found[function] = objects + 1, total + (int(size) if int(address, 0) >= 0x1000 else 0)
    return found


def values_of(profile, kind):
    found = {}
    done = subprocess.run([HEAPFLAME, "fold", "--value", kind, profile], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        file, site = re.search(r"\bfile_(\d+);site_(\d+)\b(?!.*site_)", line).groups()
        place = int(file), int(site)
        found[place] = found.get(place, 0) + int(line.rsplit(" ", 1)[1])
    return found


def replay(way, kind):
    files = [path for path in sorted(REPLAY.glob("*.events")) if not BEYOND.search(path.read_text())]
    files = [path for path in files if kind_of(path.read_text()) == kind]
    assert 0 < len(files) <= FILES, files
    Path("replayed.spec").write_text(spec_of(kind))
    played = []
    with Program() as program:
        options = ("-d", "60s", "--spec", "replayed.spec", "--period", "1")
        attached = Attached(program.pid, *options, way=way, output="out.hfb")
        for number, path in enumerate(files):
            events, outcome = path.read_text().split("\n---\n")
            played.append((path, program.play(number, events.splitlines()), expected_of(outcome)))
        attached.process.send_signal(signal.SIGINT)
        attached.said += attached.process.communicate(timeout=600)[1]
    objects, sizes = values_of("out.hfb", "inuse_objects"), values_of("out.hfb", "inuse_space")
    for number, (path, sites, expected) in enumerate(played):
        found = {site: (objects.get((number, i), 0), sizes.get((number, i), 0)) for i, site in enumerate(sites)}
        found = {site: both for site, both in found.items() if both[0] != 0}
        assert found == expected, f"{way}: {path.name}: expected {expected}, found {found}\n{attached.said}"
    assert attached.process.returncode == (4 if " missed: " in attached.said else 0), attached.said
    return len(files)


def test_blocks():
    for way in WAYS:
        assert replay(way, "plain") >= 9


def test_contexts():
    for way in WAYS:
        assert replay(way, "contexts") >= 6


def test_contexts_of_the_block():
    for way in WAYS:
        assert replay(way, "of the block") >= 1


def test_ranges():
    assert replay("perf", "ranges") >= 2


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
