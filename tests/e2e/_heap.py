"""What the tests on real programs share: compiling them, running them under jemalloc's profiler, and a reader of
heap dumps and of /proc/PID/maps of its own, so that a mistake in heapflame's cannot hide one here."""

import bisect
import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["HEAPFLAME_SRC"]).resolve()
PROGRAMS = SOURCE / "tests/programs"
HEAPFLAME = Path(os.environ["BUILD"]).resolve() / "heapflame"
EVERY_ALLOCATION = "prof:true,lg_prof_sample:0"
MIB = 1 << 20
TIMEOUT_S = 600

COMPILERS = {
    ".c": ["gcc", "-O2", "-g", "-o", "{out}", "{source}", "-ljemalloc", "-pthread"],
    ".cc": ["g++", "-O2", "-g", "-std=c++17", "-o", "{out}", "{source}", "-ljemalloc"],
    ".rs": ["rustc", "--edition", "2021", "-O", "-g", "-o", "{out}", "{source}"],
}


def skip(reason):
    print(reason)
    sys.exit(77)


def need(*commands):
    for command in commands:
        if shutil.which(command) is None:
            skip(f"{command} is missing (script/bootstrap test installs it)")


def run(*command, status=0, **more):
    """What the command wrote to standard output, as text; any other exit status is an error."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=TIMEOUT_S, **more)
    error = done.stderr.decode("utf-8", "backslashreplace")
    assert done.returncode == status, f"{command}: expected exit {status}, got {done.returncode}: {error[-3000:]}"
    return done.stdout.decode("utf-8", "backslashreplace")


def heapflame(*arguments, **more):
    return run(HEAPFLAME, *arguments, **more)


def failing(status, *arguments):
    """What heapflame says on standard error when it ends with `status`."""
    done = subprocess.run(
        [HEAPFLAME, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == status, f"{arguments}: expected exit {status}, got {done.returncode}: {done.stderr}"
    return done.stderr


def compile_program(source, out, *extra):
    command = [word.format(out=out, source=PROGRAMS / source) for word in COMPILERS[Path(source).suffix]]
    run(*command, *extra)
    return Path(out).resolve()


def run_profiled(program, *arguments, conf=EVERY_ALLOCATION):
    run(program, *arguments, env={**os.environ, "MALLOC_CONF": conf})


def folded(text):
    """[(frames root first, value)] of folded lines."""
    stacks = []
    for line in text.splitlines():
        stack, _, value = line.rpartition(" ")
        stacks.append((stack.split(";"), int(value)))
    return stacks


def sum_folded(text):
    return sum(value for _, value in folded(text))


class Dump:
    """A heap_v2 dump: `stacks` as [(addresses, bytes)], `total` as the head says, `maps`."""

    COUNTS = re.compile(r"\s+t\*: (\d+): (\d+) \[\d+: \d+\]")
    MAP = re.compile(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+\s*(.*)")

    def __init__(self, path):
        self.text = Path(path).read_text()
        head, _, maps = self.text.partition("\nMAPPED_LIBRARIES:\n")
        lines = head.splitlines()
        self.period = int(lines[0].removeprefix("heap_v2/"))
        self.total = self.bytes_of(lines[1])
        self.stacks = []
        for line, following in zip(lines, lines[1:]):
            if line.startswith("@"):
                self.stacks.append(([int(word, 16) for word in line.split()[1:]], self.bytes_of(following)))
        self.maps = []
        for line in maps.splitlines():
            start, end, offset, path = self.MAP.fullmatch(line).groups()
            if path.startswith("/"):
                self.maps.append((int(start, 16), int(end, 16), int(offset, 16), path))
        self.head, self.maps_text = lines[:2], maps

    def bytes_of(self, line):
        return int(self.COUNTS.fullmatch(line)[2])

    def load_address(self, path):
        return min(start for start, _, _, name in self.maps if name == str(path))

    def place(self, address):
        """(path, virtual address in the file) of an address, or (None, None)."""
        for start, end, offset, path in self.maps:
            if start <= address < end:
                return path, Elf.of(path).virtual(address - start + offset)
        return None, None


class Elf:
    """What readelf says of a file and of the debug file that belongs to it."""

    @staticmethod
    @functools.cache
    def of(path):
        return Elf(path)

    def __init__(self, path):
        self.path = path
        self.segments = []
        self.frames = None
        for line in run("readelf", "-lW", path).splitlines():
            words = line.split()
            if words and words[0] == "LOAD":
                self.segments.append(tuple(int(word, 16) for word in (words[1], words[2], words[4])))
        notes = run("readelf", "-nW", path)
        found = re.search(r"Build ID: ([0-9a-f]+)", notes)
        self.build_id = found[1] if found else ""
        debug = Path(f"/usr/lib/debug/.build-id/{self.build_id[:2]}/{self.build_id[2:]}.debug")
        self.debug_path = debug if self.build_id and debug.exists() else None
        sections = run("readelf", "-SW", path)
        self.has_symtab = ".symtab" in sections or self.debug_path is not None
        self.symbols = []  # (address, size, name without version), as the file and its debug file list them
        self.read_symbols(path)
        if self.debug_path:
            self.read_symbols(self.debug_path)
        self.symbols.sort()
        self.starts = [symbol[0] for symbol in self.symbols]
        self.own_names = {symbol[2] for symbol in self.symbols}

    def read_symbols(self, path):
        for line in run("readelf", "-sW", path).splitlines():
            words = line.split()
            if len(words) >= 8 and words[0].endswith(":") and words[6] != "UND" and words[3] in "FUNC IFUNC NOTYPE OBJECT":
                self.symbols.append((int(words[1], 16), int(words[2], 0), words[7].split("@")[0]))

    def virtual(self, offset):
        for file_offset, address, size in self.segments:
            if file_offset <= offset < file_offset + size:
                return offset - file_offset + address
        return None

    def function_start(self, address):
        """Of the function that holds the address, by call frame information; or the address itself."""
        if self.frames is None:
            command = ["readelf", "--debug-dump=frames", self.path]  # ends with 1 where it warns
            listing = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            self.frames = [(int(start, 16), int(end, 16)) for start, end in re.findall(r"FDE .* pc=(\w+)\.\.(\w+)", listing)]
        return next((start for start, end in self.frames if start <= address < end), address)

    def containing(self, address):
        """Names of the symbols whose address and size contain the address."""
        names = set()
        for at in range(bisect.bisect_right(self.starts, address) - 1, -1, -1):
            start, size, name = self.symbols[at]
            if start <= address < start + size:
                names.add(name)
            if address - start > 1 << 20:
                break
        return names
