#!/usr/bin/env python3
"""-o as a contract: what is no regular file is written through; a regular file appears whole or not at all and keeps
mode and owner; no signal leaves anything behind. Every file, FIFO and terminal here is the test's own."""

import os
import pty
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

from _heap import HEAPFLAME, failing, heapflame
from _suite import run_tests
from _traced import Traced, number_of, without_unnamed_files

PROFILE = "main;work;leak 100\nmain;work 20\n"
COMMANDS = {  # a name for -o: the command
    "x.txt": ["top", "in.folded"], "x.folded": ["fold", "in.folded"], "x.svg": ["flame", "in.folded"],
    "x.html": ["flame", "in.folded"], "x.dot": ["graph", "in.folded"],
    "d.txt": ["diff", "in.folded", "in.folded"], "c.pb": ["convert", "in.folded"],
    "x.hfb": ["bundle", "in.folded"], "x.pl": ["flamegraph.pl", "in.folded"],
}
ENDINGS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)


def names(folder="."):
    return sorted(os.listdir(folder))


def expected(name, arguments):
    heapflame(*arguments, "-o", f"plain-{name}")
    return Path(f"plain-{name}").read_bytes()


def profile():
    Path("in.folded").write_text(PROFILE)


def test_fifos():
    profile()
    for name, arguments in COMMANDS.items():
        plain = expected(name, arguments)
        os.mkfifo(name)
        read = []
        reader = threading.Thread(target=lambda path=name: read.append(Path(path).read_bytes()), daemon=True)
        reader.start()
        heapflame(*arguments, "-o", name)
        reader.join(30)
        assert stat.S_ISFIFO(os.lstat(name).st_mode), f"{name}: the FIFO was replaced"
        assert read == [plain], f"{name}: {read} instead of {plain}"


def test_terminal():
    profile()
    master, terminal = pty.openpty()
    os.symlink(os.ttyname(terminal), "terminal")
    heapflame("fold", "in.folded", "-o", "terminal")
    assert os.read(master, 4096).replace(b"\r", b"").decode() == "main;work 20\nmain;work;leak 100\n"
    assert os.path.islink("terminal")
    os.close(master)
    os.close(terminal)


def test_what_is_open():
    """As /dev/stdout is: a link to /proc/self/fd/1. The bytes go where the descriptor stands."""
    profile()
    os.symlink("/proc/self/fd/1", "stdout")
    folded = heapflame("fold", "in.folded")
    assert heapflame("fold", "in.folded", "-o", "stdout") == folded
    os.symlink("/proc/thread-self/fd", "fds")
    assert heapflame("fold", "in.folded", "-o", "fds/1") == folded
    Path("log").write_text("before\n")
    with open("log", "ab") as log:
        subprocess.run([HEAPFLAME, "fold", "in.folded", "-o", "stdout"], stdout=log, check=True)
        subprocess.run(["echo", "after"], stdout=log, check=True)
    assert Path("log").read_text() == "before\n" + folded + "after\n"
    assert os.path.islink("stdout") and names() == ["fds", "in.folded", "log", "stdout"], names()
    with open("log", "rb") as log:
        os.symlink(f"/proc/{os.getpid()}/fd/{log.fileno()}", "other")
        assert "a link to an open file of another process" in failing(5, "fold", "in.folded", "-o", "other")


def test_links():
    profile()
    os.makedirs("real/deep")
    os.symlink("real/deep", "way")
    os.symlink("../x.folded", "real/deep/link")
    os.symlink("way/link", "far")
    folded = heapflame("fold", "in.folded")
    for turn in ("made", "replaced"):
        heapflame("fold", "in.folded", "-o", "far")
        assert Path("real/x.folded").read_text() == folded, turn
        Path("real/x.folded").write_text("older")
    assert os.path.islink("far") and os.path.islink("real/deep/link")
    assert names("real") == ["deep", "x.folded"] and names("real/deep") == ["link"]
    os.symlink("two", "one")
    os.symlink("one", "two")
    assert "cannot write one: Too many levels of symbolic links" in failing(5, "fold", "in.folded", "-o", "one")
    heapflame("fold", "in.folded", "-o", "/proc/self/cwd/way/../abs.folded")
    assert Path("real/abs.folded").read_text() == folded


def test_refused():
    profile()
    os.mkdir("folder")
    for path, reason in (("folder", "Is a directory"), ("folder/", "Is a directory"), ("none/x", "No such file or directory"),
                         ("in.folded/x", "Not a directory"), ("..", "Is a directory"),
                         ("n" * 256, "File name too long"), ("x/" * 2100, "File name too long")):
        assert failing(5, "fold", "in.folded", "-o", path) == f"heapflame: cannot write {path}: {reason}\n"[:700] or \
            len(path) > 500, failing(5, "fold", "in.folded", "-o", path)
    assert names() == ["folder", "in.folded"] and names("folder") == []


def modes(prepare):
    for before in (0o600, 0o640, 0o444, 0o666):
        Path("x.folded").write_text("older")
        os.chmod("x.folded", before)
        subprocess.run([HEAPFLAME, "fold", "in.folded", "-o", "x.folded"], check=True, preexec_fn=prepare)
        assert Path("x.folded").read_text() == "main;work 20\nmain;work;leak 100\n"
        assert stat.S_IMODE(os.stat("x.folded").st_mode) == before, f"{before:o} became {os.stat('x.folded').st_mode:o}"
        os.remove("x.folded")

    def restricted():
        os.umask(0o027)
        if prepare is not None:
            prepare()

    subprocess.run([HEAPFLAME, "fold", "in.folded", "-o", "x.folded"], check=True, preexec_fn=restricted)
    assert stat.S_IMODE(os.stat("x.folded").st_mode) == 0o640
    assert names() == ["in.folded", "x.folded"], names()
    os.remove("x.folded")


def test_modes():
    profile()
    modes(None)


def test_modes_without_unnamed_files():
    profile()
    modes(without_unnamed_files)


def ends(prepare):
    """Killed at every system call from the one that opens the output on: what stands there is old or new, nothing
    else does, and after SIGKILL at most one hidden name."""
    command = [HEAPFLAME, "fold", "in.folded", "-o", "out/x.folded"]
    os.mkdir("out")
    old, new = "older", "main;work 20\nmain;work;leak 100\n"
    place = number_of("memfd_create") if prepare else number_of("openat")
    hidden_count = kept = 0
    for is_there in (False, True):
        calls = [number for number, _ in Traced(*command, prepare=prepare).stops()]
        first = len(calls) - 1 - calls[::-1].index(place)
        assert Path("out/x.folded").read_text() == new and len(calls) - first > 8, calls[first:]
        for ending in ENDINGS:
            for at in range(first, len(calls)):
                for name in names("out"):
                    os.remove(f"out/{name}")
                if is_there:
                    Path("out/x.folded").write_text(old)
                traced = Traced(*command, prepare=prepare)
                for count, _ in enumerate(traced.stops()):
                    if count == at:
                        traced.end_by(ending)
                        break
                left = names("out")
                where = f"{ending.name} at {calls[at]} ({at - first} of {len(calls) - first}): {left}"
                hidden = [name for name in left if name.startswith(".heapflame-")]
                hidden_count += len(hidden)
                assert len(hidden) <= (ending == signal.SIGKILL), where
                assert set(left) - set(hidden) <= {"x.folded"}, where
                assert Path("out/x.folded").exists() or not is_there, where
                if Path("out/x.folded").exists():
                    text = Path("out/x.folded").read_text()
                    assert text == new or (is_there and text == old), f"{where}: {text}"
                    kept += text == old
    assert kept > 0 and hidden_count > 0, (kept, hidden_count)  # both sides of the moment were met


def test_ended():
    profile()
    ends(None)


def test_ended_without_unnamed_files():
    if "HEAPFLAME_SANITIZED" in os.environ:  # the other way of one function, at half a minute
        return
    profile()
    ends(without_unnamed_files)


def test_something_else_meanwhile():
    profile()
    traced = Traced(HEAPFLAME, "fold", "in.folded", "-o", "x.folded")
    for number, _ in traced.stops():
        if number == number_of("fsync") and not os.path.lexists("x.folded"):
            os.mkfifo("x.folded")
    assert os.waitstatus_to_exitcode(traced.status) == 5 and "File exists" in Path("traced.out").read_text()
    assert stat.S_ISFIFO(os.lstat("x.folded").st_mode) and names() == ["in.folded", "traced.out", "x.folded"], names()


def test_no_standard_output():
    """Closed at start, its number must not become that of a file."""
    profile()
    for arguments in (["--version"], ["--help"], ["top", "--help"], ["fold", "in.folded"]):
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", HEAPFLAME, *arguments], capture_output=True, check=False)
        assert done.returncode == 5 and b"cannot write the output: Bad file descriptor" in done.stderr, (arguments, done)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
