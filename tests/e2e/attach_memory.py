#!/usr/bin/env python3
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""How much of the kernel's memory attach takes with bpf, as the kernel counts it: of each map of heapflame's processes, the
bytes in /proc/PID/fdinfo. docs/attach.md has the same figures."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from _attach import WAYS, Attached, Target, compile_target, need_root
from _heap import need
from _suite import run_tests

need("gcc")
need_root()

MIB = 1 << 20
RINGBUF = "27"  # linux/bpf.h: enum bpf_map_type
PROCESSORS = os.sysconf("SC_NPROCESSORS_CONF")
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
IN_CONTEXTS = """
spec zones
object  lib:libc.so*
alloc   sym:malloc ctx=arg1 size=arg0 new=ret
free    sym:free   ptr=arg0
reset   sym:malloc_usable_size ctx=arg0
"""


def ring_mib(each):
    """A power of two from 4 to 16, that has so much for each processor."""
    return next(mib for mib in (4, 8, 16) if mib == 16 or mib >= each * PROCESSORS)


def descendants(pid):
    children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    return [pid] + [each for child in children for each in descendants(child)]


def maps_of(pid):
    """{number of the map: (its type, bytes)} of a process and of all that it started."""
    found = {}
    for process in descendants(pid):
        for file in Path(f"/proc/{process}/fdinfo").iterdir():
            try:
                lines = file.read_text().splitlines()
            except FileNotFoundError:  # closed since the folder was read
                continue
            fields = dict(line.partition(":\t")[::2] for line in lines)
            if "map_id" in fields:
                found[fields["map_id"]] = fields["map_type"], int(fields["memlock"])
    return found


def taken(*operands, count=1):
    """(MiB of rings, MiB of the other maps), of each of `count` processes, as long as they are attached to."""
    attached = Attached(*operands, "-d", "100s", way="bpf")
    maps = maps_of(attached.process.pid).values()
    attached.end(signal=signal.SIGINT)
    rings = [size for kind, size in maps if kind == RINGBUF]
    assert len(rings) == count, maps
    return sum(rings) / MIB / count, sum(size for kind, size in maps if kind != RINGBUF) / MIB / count


def expect(found, ring, others):
    rings_mib, others_mib = found
    assert ring <= rings_mib < ring + 0.1, f"{rings_mib} MiB of rings, not {ring}"
    assert others - 1 < others_mib <= others, f"{others_mib} MiB of maps, not {others}"


def test_one_process():
    """All blocks: room for a million of them, and none for contexts."""
    with Target("idle") as target:
        expect(taken(target.pid, "--period", "1"), ring_mib(4), 20)


def test_samples():
    """As many as the memory of the machine has of the period."""
    blocks = 1 << 16
    while blocks < MEMORY >> 16 and blocks < 1 << 20:
        blocks *= 2
    with Target("idle") as target:
        expect(taken(target.pid, "--period", "64KiB"), ring_mib(2), 3.5 + blocks * 16 / MIB)


def test_contexts():
    Path("zones.spec").write_text(IN_CONTEXTS)
    with Target("idle") as target:
        expect(taken(target.pid, "--spec", "zones.spec", "--period", "1"), ring_mib(4), 36.5)


def test_tree():
    compile_target()
    command = ["sh", "-c", "./attached idle & exec ./attached idle"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        assert [parent.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
        try:
            expect(taken("--tree", parent.pid, "--period", "1", count=2), ring_mib(2), 8)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def test_a_ring_has_room_for_shallow_stacks():
    """A stack takes the pages that it has: two or three, of the six that are copied of a deep one. Nobody reads meanwhile."""
    count = ring_mib(4) * 64
    for way in WAYS[1:]:
        with Target("paths", count, through=["env", "-i"]) as target:
            attached = Attached(target.pid, "-d", "100s", "--period", "1", way=way)
            readers = descendants(attached.process.pid)
            for reader in readers:
                os.kill(reader, signal.SIGSTOP)
            target.go_on()
            target.heard("done")
            for reader in readers:
                os.kill(reader, signal.SIGCONT)
            stacks = attached.end(signal=signal.SIGINT)
        assert len([frames for frames, _ in stacks if frames[-1] == "leak_small"]) == count, attached.said
        assert f"{count:,} allocated" in attached.said and "nothing was lost" in attached.said, attached.said


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
