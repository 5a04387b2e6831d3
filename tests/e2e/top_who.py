#!/usr/bin/env python3
# timeout: 240
"""top --live --who: below each row that leaks, what holds its blocks. The program says it before: sessions are kept in a
list, what is parsed is lost, and a cache is full."""

import ctypes
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios

from _agent import AGENT, environment
from _heap import HEAPFLAME, SOURCE, need
from _suite import run_tests

need("gcc")

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


class Program:
    """It leaks, under the agent, until its standard input ends."""

    def __init__(self):
        subprocess.run(["gcc", "-O1", "-g", "-o", "program", SOURCE / "tests/programs/sessions.c"], check=True)
        self.process = subprocess.Popen(
            "./program", stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment("lg_prof_sample:0", (AGENT,)))
        assert self.process.stdout.read(1) == b"r"
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.returncode is None:
            self.process.communicate()


class LiveTable:
    """top --live --who in a window of some size; `screens`: what was shown, each a list of lines."""

    def __init__(self, pid, rows, columns, *words):
        self.terminal, self.other_end = os.openpty()
        self.resize(rows, columns)
        self.top = subprocess.Popen([HEAPFLAME, "top", "--live", "--who", str(pid), *words],
                                    stdout=self.other_end, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.other_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def screens(self):
        """Those that are whole."""
        parts = self.seen.split(b"\x1b[2J")[1:-1]
        return [part.decode().replace("\x1b[H", "").replace("\r", "").split("\n") for part in parts]

    def until(self, is_shown):
        while not (self.screens() and is_shown(self.screens()[-1])):
            ready = select.select([self.terminal], [], [], 1)[0]
            assert ready or self.top.poll() is None, (self.seen, self.top.stderr.read())
            if ready:
                self.seen += os.read(self.terminal, 65536)
        return self.screens()[-1]

    def end(self):
        said = self.top.stderr.read().decode()
        self.top.wait()
        os.close(self.terminal)
        os.close(self.other_end)
        return self.top.returncode, said


def below(lines, name):
    """The line below the row of this name; "": there is none, or it is another row."""
    rows = [i for i, line in enumerate(lines) if re.search(rf" {name}(  |$)", line)]
    line = lines[rows[0] + 1] if rows and rows[0] + 1 < len(lines) else ""
    return line if line.startswith("    held by: ") else ""


def test_leaks():
    with Program() as program:
        table = LiveTable(program.pid, 24, 130)
        both = table.until(lambda lines: below(lines, "session_open") and below(lines, "parse_request"))
        assert below(both, "session_open") == "    held by: 100.0 % global registry (program)", both
        lost = below(both, "parse_request")
        assert re.fullmatch(r"    held by: 8\d\.\d % nothing: lost, 1\d\.\d % lost blocks only: lost with them", lost), both
        assert sum("held by" in line for line in both) == 2, both
        table.resize(7, 62)  # three lines of rows: the second leak has no room with the line below it
        narrow = table.until(lambda lines: len(lines) <= 7 and all(len(line) <= 62 for line in lines))
        assert "held by" in narrow[3] and not any("cache_load" in line for line in narrow), narrow
        program.process.communicate()
        assert table.end() == (0, f"heapflame: process {program.pid} has ended\n")


def test_no_snapshot():
    """Where there is none, the table says why, and goes on."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    with Program() as program:
        assert libc.ptrace(PTRACE_SEIZE, program.pid, None, None) == 0, ctypes.get_errno()
        table = LiveTable(program.pid, 24, 130)
        lines = table.until(lambda lines: lines[0].startswith("note: "))
        assert lines[0].startswith(f"note: what holds the blocks is not known: process {program.pid} "), lines
        assert any(re.search(r" leak  .* session_open", line) for line in lines) and not any("held by" in line for line in lines), lines
        before = len(table.screens())
        table.until(lambda lines: len(table.screens()) >= before + 2)
        table.top.kill()
        table.end()


def test_what_is_refused():
    for words, why in (
        (["1"], "--who needs --live and one PID"),
        (["x.heap"], "--who needs --live and one PID"),
        (["--live", "1", "2"], "--live: expected one PID"),
        (["--live", "1", "--by", "leaf"], "it excludes all rows but --by owner"),
        (["--live", "1", "--lines"], "it excludes all rows but --by owner"),
        (["--live", "1", "--json"], "--who excludes --json"),
        (["--live", "1", "--ignore", "x"], "--who excludes --ignore"),
        (["--live", "1"], "--who needs a terminal"),
    ):
        done = subprocess.run([HEAPFLAME, "top", "--who", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and why in done.stderr, (words, done)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
