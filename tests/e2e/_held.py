"""The labelled shapes in which programs keep memory, or lose it (tests/held): built, run, and what heapflame says of each held
against what the program knows. The short form is in held.py, the whole in bench/soak.d/shapes.py."""

import contextlib
import json
import math
import re
import struct
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from _agent import AGENT, environment, on_allocator, plain_environment
from _heap import HEAPFLAME, SOURCE, run
from _schemas import held

PROGRAMS = SOURCE / "tests/held"
ALLOCATORS = "glibc", "libjemalloc"
MODES = {"exact": "lg_prof_sample:0,follow_fork:true", "sampled": "lg_prof_sample:16,follow_fork:true", "no table": None}
UNREAD = "a register that was not read, or nothing"  # without a stop: what only a register may hold, or is lost
PARENT = "@parent"  # behind the owner of what the parent allocated: it is in the parent's table alone
PERIOD = 1 << 16
CLOCK_NS = 20_000_000  # HF_TABLE_CLOCK_NS: what is younger is left out
OWNERS, OWNER_SIZE = 32, 128  # of tests/held/ledger.c
POINTS = 0.03

BUILDS = {
    "c": ["gcc", "-O1", "-g", "-pthread", "-D_GNU_SOURCE", "-o", "c", PROGRAMS / "c.c", "ledger.o"],
    "cc": ["g++", "-std=c++20", "-O1", "-g", "-pthread", "-o", "cc", PROGRAMS / "cc.cc", "ledger.o"],
    "rs": ["rustc", "--edition", "2021", "-O", "-g", "-o", "rs", PROGRAMS / "rs.rs", "-C", "link-arg=ledger.o"],
}


class Shape(NamedTuple):
    program: str
    name: str
    kind: str  # "", "list" or "impossible"


def build(names=BUILDS):
    """The programs, in the current folder; returns their shapes."""
    run("gcc", "-O1", "-g", "-D_GNU_SOURCE", "-c", "-o", "ledger.o", PROGRAMS / "ledger.c")
    run("gcc", "-O1", "-g", "-shared", "-fPIC", "-o", "liblibrary.so", PROGRAMS / "library.c")
    shapes = []
    for name in names:
        run(*BUILDS[name])
        for line in run(f"./{name}").splitlines():
            shape, _, kind = line.partition(" ")
            shapes.append(Shape(name, shape, kind))
    return shapes


class Ledger:
    """What the program knows: `blocks` as {address: (bytes asked for, bytes it may use, owner)}."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        self.pid, _, records = struct.unpack_from("<3I", data)
        texts = [data[at : at + OWNER_SIZE].split(b"\0")[0].decode("ascii", "replace") for at in range(0, OWNERS * OWNER_SIZE, OWNER_SIZE)]
        self.blocks = {}
        for address, asked, usable, owner, _ in struct.iter_unpack("<Q4I", data[OWNERS * OWNER_SIZE :][: 24 * records]):
            self.blocks.pop(address, None)
            if owner != 0:
                self.blocks[address] = asked, usable, texts[owner]

    def shares(self, column, has_table):
        """{owner: sizes}: bytes asked for (0) or that may be used (1); of what its own table has, if it has one."""
        sizes = {}
        for block in self.blocks.values():
            if not (has_table and block[2].endswith(PARENT)):
                sizes.setdefault(block[2].removesuffix(PARENT), []).append(block[column])
        return dict(sorted(sizes.items()))

    def by_size(self, is_lost):
        return Counter(usable for _, usable, owner in self.blocks.values() if owner.startswith("lost") == is_lost)


@contextlib.contextmanager
def running(shape, allocator, mode, count):
    """The program while it waits: yields its ledger."""
    path = Path("ledger").resolve()
    path.unlink(missing_ok=True)
    with on_allocator(allocator):
        conf = MODES[mode]
        env = plain_environment() if conf is None else environment(conf, (AGENT,))
    command = [f"./{shape.program}", shape.name, path, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        try:
            assert process.stdout.read(1) == b"r", f"{shape}: ended with {process.wait()}"
            born_ns = time.monotonic_ns()
            while time.monotonic_ns() < born_ns + CLOCK_NS:
                time.sleep(0.001)
            yield Ledger(path)
        finally:
            process.stdin.close()
            process.wait()
    assert process.returncode == 0, (shape, process.returncode)


# ---- What heapflame says ----


class Holding(NamedTuple):
    """What one keeper has; `names`: of variables or functions."""

    form: str
    kind: str
    names: tuple
    bytes: int
    text: str


NAMED = [  # the first frames of `heap -o`: (form, kind, pattern)
    ("one", "data", r"global (.+) \([^()]*\)"),
    ("two", "data", r"both (?:global )?(.+?)(?: \([^()]*\))? and (?:global )?(.+?)(?: \([^()]*\))?"),
    ("one", "data", r"data of ()(?:.*)"),
    ("many", "data", r"three or more globals, each of them()"),
    ("one", "thread_local", r"thread-local (?:storage|variable (.+)) of (?:thread \d+|several threads)"),
    ("one", "stack", r"stacks? of (?:thread \d+|several threads)(?:, in (.+))?"),
    ("one", "register", r"registers of ()(?:thread \d+|several threads)"),
    ("one", "mapping", rf"({UNREAD}|anonymous memory|memory that changed.*|three mappings or more.*|/.*)"),
]


def holding_of_frame(frame, size):
    for form, kind, pattern in NAMED:
        found = re.fullmatch(pattern, frame)
        if found:
            return Holding(form, kind, tuple(name or "" for name in found.groups()), size, frame)
    raise AssertionError(f"no keeper is called {frame!r}")


def drawn(pid, found, *options):
    """Of `heap -o`: by the first frames; bytes are those that the program may use. What is lost with other blocks is drawn
    above these, so that is taken from `heap --json`."""
    sums = Counter()
    run(HEAPFLAME, "heap", "-o", "held.folded", *options, str(pid))
    for line in Path("held.folded").read_text().splitlines():
        stack, _, size = line.rpartition(" ")
        sums[stack.split(";")[0]] += int(size)
    kept = [holding_of_frame(frame, size) for frame, size in sums.items() if "lost" not in frame]
    return [*kept, *(Holding(form, "", (), found[form]["bytes"], form) for form in ("lost", "lost_with"))]


def holding_of_json(part):
    names = tuple(keeper["name"] or (UNREAD if keeper["path"] == UNREAD else "") for keeper in part["keepers"]) or (part["function"],)
    text = f"{part['form']} {part['kind']} {'+'.join(names)}"
    return Holding(part["form"], part["kind"], names, part["bytes"], text)


def told(pid, *options):
    """Of `who`: of all owners together; bytes are those that were asked for."""
    found = held(json.loads(run(HEAPFLAME, "who", "--json", "--rows", "0", *options, str(pid))))
    return [holding_of_json(part) for part in found["kept_by"]]


def is_name(wanted, name):
    return wanted in re.split(r"::|\.", name)


def is_of(owner, holding):
    """Whether a holding is what a program calls `owner` (tests/held/ledger.h)."""
    kind, _, names = owner.partition(":")
    if holding.names == (UNREAD,):
        return kind == "register" or kind.startswith("lost")
    if kind.startswith("lost"):
        return holding.form == kind or (kind == "lost*" and holding.form in ("lost", "lost_with"))
    if holding.kind != kind or holding.form.startswith("lost"):
        return False
    if names in ("", "many"):
        return names == "" or holding.form == "many"
    wanted = names.split("+")
    return len(wanted) == len(holding.names) and any(
        all(map(is_name, wanted, given)) for given in (holding.names, holding.names[::-1]))


# ---- What is right ----


class Cell:
    """One shape on one allocator in one mode."""

    def __init__(self, shape, allocator, mode):
        self.shape, self.allocator, self.mode = shape, allocator, mode
        self.lost = self.found = self.live = self.falsely_lost = 0
        self.true_bytes = {}  # by owner
        self.shares = []  # (owner, expected, given)
        self.estimates = []  # (owner, true bytes, estimated bytes, its standard error)
        self.others = []  # holdings of no owner
        self.message = ""

    def judge_lost(self, ledger, found):
        """By sizes: a size of which more blocks are lost than the program lost has some that are not. What may be in a
        register that was not read counts as found, as much of it as there is."""
        lost, live = ledger.by_size(True), ledger.by_size(False)
        self.lost, self.live = lost.total(), live.total()
        missing = Counter(lost)
        for row in found["sizes"]:
            says = row["lost"]["blocks"]
            missing[row["size"]] -= min(says, lost[row["size"]])
            self.falsely_lost += min(max(says - lost[row["size"]], 0), live[row["size"]])
        left = sum(size * count for size, count in missing.items())
        unread = sum(row["bytes"] for row in found["holders"] if row["path"] == UNREAD)
        self.found = self.lost - round(missing.total() * max(1 - unread / left, 0) if left else 0)

    def judge_shares(self, truth, holdings):
        """`truth`: {owner: sizes of its blocks}."""
        given = {owner: sum(part.bytes for part in holdings if is_of(owner, part)) for owner in truth}
        if "lost" in truth and "lost_with" in truth:  # most of what hangs on few blocks is lost with them
            given["lost"] -= sum(part.bytes for part in holdings if part.names == (UNREAD,))
        self.true_bytes = true = {owner: sum(sizes) for owner, sizes in truth.items()}
        total = sum(part.bytes for part in holdings) if self.mode == "sampled" else sum(true.values())
        self.shares = [(owner, true[owner] / sum(true.values()), given[owner] / total) for owner in truth]
        self.others = [part for part in holdings if not any(is_of(owner, part) for owner in truth)]
        self.others.sort(key=lambda part: -part.bytes)
        if self.mode == "sampled":
            self.estimates = [(owner, true[owner], given[owner], error_of(sizes)) for owner, sizes in truth.items()]

    def is_right(self):
        return not self.message and all(abs(given - expected) <= POINTS for _, expected, given in self.shares)

    def intervals(self):
        """(inside their 95 % interval, all)"""
        return sum(abs(given - true) <= 1.96 * error for _, true, given, error in self.estimates), len(self.estimates)

    def line(self):
        name = f"{self.shape.program} {self.shape.name}"
        found = f"{self.found / self.lost:7.1%}" if self.lost else "      -"
        shares = ", ".join(f"{owner} {expected:.1%} {given:.1%}" for owner, expected, given in self.shares)
        inside = "inside {} of {}".format(*self.intervals()) if self.estimates else ""
        wrong = "; WRONG" if not self.is_right() else ""
        if wrong and self.others:
            wrong += f", it says {self.others[0].text}"
        return (f"{name:24} {self.allocator.removeprefix('lib'):8} {self.mode:8} {self.live:6} {found} {self.falsely_lost:5}  "
                f"{shares} {inside}{wrong}{self.message}")


def error_of(sizes):
    """The standard error of an estimate of these blocks' bytes: each is recorded with a probability of 1 - exp(-size / period)."""
    return math.sqrt(sum(size * size * (1 / (1 - math.exp(-size / PERIOD)) - 1) for size in sizes))


def enough_for(cell, count):
    """So many blocks that a share of samples is within 3 points: 2,000 samples, of which one of a half has an error of 1.1."""
    size = sum(cell.true_bytes.values())
    return count * max(1, -(-2000 * PERIOD // size)) if len(cell.true_bytes) > 1 else count


def look_at(shape, allocator, mode, count, *options):
    cell = Cell(shape, allocator, mode)
    with running(shape, allocator, mode, count) as ledger:
        found = held(json.loads(run(HEAPFLAME, "heap", "--json", "--rows", "0", *options, str(ledger.pid))))
        cell.judge_lost(ledger, found)
        has_table = MODES[mode] is not None
        holdings = told(ledger.pid, *options) if has_table else drawn(ledger.pid, found, *options)
        cell.judge_shares(ledger.shares(0 if has_table else 1, has_table), holdings)
    return cell
