"""What the tests of interpreters share: the frames that a live table has of them."""

import json
import os
import shutil
import struct
import subprocess

from _agent import KINDS, forget_tables, only_table, profiled, state

CODE, CUT = 0xFFFE, 1
# Of docs/formats/live.md: the region of mappings in the head, and their number in the state.
MAPPINGS_AT, MAPPINGS_COUNT_AT = 536, 576


def pythons():
    """{version: its program} of each CPython that is installed, or named in HEAPFLAME_PYTHONS."""
    found = {}
    named = os.environ.get("HEAPFLAME_PYTHONS", "").split()
    for name in ("/usr/bin/python3", "python3", *named, *(f"python3.{minor}" for minor in range(9, 16))):
        if shutil.which(name) is None:
            continue
        asked = [name, "-c", "import sys; print(*sys.version_info[:2], sys.executable)"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            major, minor, program = done.stdout.split()
            found.setdefault((int(major), int(minor)), program)
    return found


PYTHONS = pythons()


def in_each_python(test):
    """The test, given the program of each whose frames are known; it returns what it compared, or nothing."""

    def in_all():
        known = {version: program for version, program in PYTHONS.items() if (3, 11) <= version <= (3, 13)}
        assert known, "no Python of 3.11 to 3.13 is installed"
        for version, program in known.items():
            try:
                compared = test(program)
                print("Python %d.%d: %s" % (*version, "fine" if compared is None else f"{compared} stacks"))
            except Exception:
                print("in Python %d.%d:" % version)
                raise

    return in_all


class Table:
    """A live table, as docs/formats/live.md describes it."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.counts = state(path)[0]
        self.places = {kind: struct.unpack_from("<3Q", self.bytes, 72 + 24 * i) for i, kind in enumerate(KINDS)}

    def record(self, kind, number, form):
        offset, _, size = self.places[kind]
        return struct.unpack_from(form, self.bytes, offset + size * number)

    def text(self, at, size):
        start = self.places["text"][0] + at
        return self.bytes[start : start + size]

    def frame(self, word):
        """[function, file, line] of an interpreter, or None."""
        if word >> 48 != CODE:
            return None
        at, line = word >> 20 & 0xFFFFFFF, word & 0xFFFFF
        name_bytes, file_bytes, file = struct.unpack("<HHI", self.text(at, 8))
        return [self.text(at + 8, name_bytes).decode(), self.text(file, file_bytes).decode(), line]

    def stacks(self):
        """{size of a block in use: (its frames, the flags of the stack)}."""
        found = {}
        for number in range(self.counts["blocks"]):
            word, size, _, stack, _ = self.record("blocks", number, "<3Q2I")
            if word >> 32:
                first, count, flags = self.record("stacks", stack, "<IHH")
                found[size] = ([self.frame(self.record("frames", first + i, "<Q")[0]) for i in range(count)], flags)
        return found

    def mappings(self):
        """{size of a piece of mapped memory: its frames}."""
        offset, _, size = struct.unpack_from("<3Q", self.bytes, MAPPINGS_AT)
        count, = struct.unpack_from("<Q", self.bytes, 4096 + MAPPINGS_COUNT_AT)
        found = {}
        for number in range(count):
            word, bytes_, _, stack, _ = struct.unpack_from("<3Q2I", self.bytes, offset + size * number)
            if word >> 32 and stack < self.counts["stacks"]:  # else it is the allocator's or the agent's
                first, frames, _ = self.record("stacks", stack, "<IHH")
                found[bytes_] = [self.frame(self.record("frames", first + i, "<Q")[0]) for i in range(frames)]
        return found


def play_scenes(conf, *command, path_bytes, **more):
    """({size: [its frames as the language says]}, the table) of a program that prints [size, frames] of each block, as JSON. Of
    longer paths the agent keeps the last `path_bytes`."""
    out, _ = profiled(conf, *command, timeout=100, **more)
    table = Table(only_table())
    forget_tables()
    return {size: [[name, file[-path_bytes:], line] for name, file, line in frames] for size, frames in map(json.loads, out.splitlines())}, table


def check_stacks(language, said, table, is_exact, may_be_cut=False):
    """Returns how many stacks were compared."""
    stacks = table.stacks()
    compared = 0
    for size, expected in said.items():
        if size not in stacks:
            assert not is_exact, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        assert found == expected, f"block {size}:\n{found}\nbut {language} says\n{expected}"
        assert may_be_cut or not flags & CUT, f"block {size} is cut"
        compared += 1
    return compared


def scene_test(check, name, least, **more):
    """The test of a scene that makes at least so many stacks."""

    def test():
        compared = check("exact:true,budget:256MiB", name, **more)
        print(f"{compared} stacks")
        assert compared >= least, f"{compared} stacks, expected {least}"

    return test
