"""What the tests of attach share: a target that does as it is told, and heapflame beside it."""

import ctypes
import functools
import os
import re
import subprocess
import time
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, folded, run, skip

BACKENDS = ("perf", "bpf")
WAYS = (*BACKENDS, "bpf by pairs")  # this one as kernels before 6.13 have it, for Attached
FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432  # calls that are new enough to have one number on every machine


def need_root():
    if os.geteuid() != 0:
        skip("attaching needs root")


@functools.cache
def tracefs():
    """The folder of tracefs, for this process alone: whether somebody has mounted it is the machine's affair."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*arguments):
        result = libc.syscall(*arguments)
        if result < 0:
            skip(f"tracefs cannot be opened here: {os.strerror(ctypes.get_errno())} (root and Linux 5.2 are needed)")
        return result

    context = call(FSOPEN, b"tracefs", 1)
    call(FSCONFIG, context, 6, None, None, 0)
    return Path(f"/proc/self/fd/{call(FSMOUNT, context, 1, 0)}")


def compile_target():
    run("gcc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", "-o", "attached", PROGRAMS / "attached.c")
    return Path("attached").resolve()


def old_kernel(*lacking):
    """The environment in which a command finds a kernel that lacks something: programs/old_kernel.c has the words."""
    library = Path("old_kernel.so").resolve()
    if not library.exists():
        run("gcc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library, PROGRAMS / "old_kernel.c")
    asan = f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"
    return {**os.environ, "LD_PRELOAD": str(library), "OLD_KERNEL": " ".join(lacking), "ASAN_OPTIONS": asan}


def by_way(way):
    """The backend of one of WAYS, and what the kernel lacks then."""
    return ("bpf", ["sessions"]) if way == WAYS[2] else (way, [])


class Target:
    """tests/programs/attached.c, which says what it did and goes on when it is told. `through`: a command that runs it. `more`: of its
    environment."""

    def __init__(self, *arguments, program="attached", through=(), **more):
        if not Path("attached").exists():
            compile_target()
        command = [*through, str(Path(program).resolve()), *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **more})
        self.pid = self.process.pid
        self.heard("ready")

    def heard(self, word):
        line = self.process.stdout.readline().strip()
        assert line == word, f"expected '{word}', the target said '{line}'"

    def computed(self):
        """Seconds of processor time that it has used, by its clock."""
        return time.clock_gettime(~self.pid << 3 | 2)

    def go_on(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def lives(self):
        return self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Attached:
    """heapflame attach, which has begun to record when this is there: `way` is one of WAYS. `through`: a command that
    runs it. `lacking`: what the kernel lacks (old_kernel)."""

    def __init__(self, pid, *options, way=None, output="out.folded", through=(), lacking=()):
        self.output = Path(output)
        command = [*through, HEAPFLAME, "attach", str(pid), "-o", output, "--max-overhead", "100000%", *map(str, options)]
        if way is not None:
            backend, more = by_way(way)
            command += ["--backend", backend]
            lacking = [*lacking, *more]
        environment = old_kernel(*lacking) if lacking else None
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.said = ""
        while "attached;" not in self.said:
            line = self.process.stderr.readline()
            assert line, f"{command}: exit {self.process.wait()}: {self.said}"
            self.said += line
        # The process that does it (os/process/shielded_worker.h), to which the probes belong.
        self.worker = int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text())

    def end(self, status=0, signal=None):
        """Its stacks, root first; ended by `signal`, or when its time is over."""
        if signal is not None:
            self.process.send_signal(signal)
        self.said += self.process.communicate(timeout=600)[1]
        statuses = status if isinstance(status, tuple) else (status,)
        assert self.process.returncode in statuses, f"expected exit {status}, got {self.process.returncode}: {self.said}"
        return folded(self.output.read_text())


def of_leaf(stacks, name):
    """{depth: bytes} of the stacks that end in a function."""
    found = {}
    for frames, value in stacks:
        if frames[-1] == name:
            found[len(frames)] = found.get(len(frames), 0) + value
    return found


def events_of(pid):
    """The probes in tracefs that belong to a heapflame."""
    text = (tracefs() / "uprobe_events").read_text()
    return re.findall(rf"^[pr]:heapflame_{pid}/\S+ (\S+):(0x[0-9a-f]+)", text, re.MULTILINE)


class Traced:
    """While this is there, a process is traced by this one, as by a debugger; it runs on."""

    SEIZE, DETACH, INTERRUPT = 0x4206, 17, 0x4207

    def __init__(self, pid):
        self.pid = pid
        self.request(self.SEIZE)

    def request(self, what):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        assert libc.ptrace(what, self.pid, 0, 0) == 0, os.strerror(ctypes.get_errno())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.request(self.INTERRUPT)
        os.waitpid(self.pid, 0)
        self.request(self.DETACH)


def code_of(pid):
    """(path, address, what the process executes, what its file has) of each mapping of code."""
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            addresses, rights, offset, _, inode, *path = line.split(maxsplit=5)
            if rights != "r-xp" or inode == "0":
                continue
            start, end = (int(address, 16) for address in addresses.split("-"))
            memory.seek(start)
            with open(path[0], "rb") as file:
                file.seek(int(offset, 16))
                was = file.read(end - start)
            yield path[0], start, memory.read(end - start)[: len(was)], was


def changed_code(pid):
    """Files of which the process executes other bytes than they have."""
    return [path for path, _, here, was in code_of(pid) if here != was]


def breakpoints_of(pid):
    """Addresses of the bytes that differ, all of which must be breakpoints."""
    places = []
    for path, start, here, was in code_of(pid):
        found = [] if here == was else [i for i in range(len(was)) if here[i] != was[i]]
        assert all(here[i] == 0xCC for i in found), path
        places += [start + i for i in found]
    return places


def wait_until(condition, what, seconds=100):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)
