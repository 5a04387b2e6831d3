#!/usr/bin/env python3
"""Live tables found by process: `heapflame dump`, `top` and `flame` of a process that runs and of a dead
one. The table is written by programs/table.c, by command."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

SOURCE = Path(os.environ["HEAPFLAME_SRC"])
AGENT = Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"
PROGRAM, STATIC = Path("table").resolve(), Path("static").resolve()
TIMEOUT_S = 600


def heapflame(*arguments, **environment):
    """(exit status, standard output, standard error without its 'heapflame: ')"""
    done = subprocess.run(
        ["heapflame", *map(str, arguments)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode().replace("heapflame: ", "")


def expect_equal(got, expected):
    assert got == expected, f"expected {expected!r}, got {got!r}"


class Table:
    """A running programs/table.c; leaving the `with` block kills it."""

    def __init__(self, folder=".", *before, program=None):
        self.folder = Path(folder).resolve()
        self.command = [*before, program or PROGRAM, self.folder]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self.process.pid
        self.does("put leak 0 0")
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()

    def does(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        expect_equal(self.process.stdout.readline(), b"ok\n")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def path(self):
        return self.folder / f"heapflame-{os.geteuid()}" / f"{self.pid}-program.live"


FOLDED = "main;cache 2100\nmain;leak 50000\n"


def expect_dumped(*arguments, **environment):
    code, _, err = heapflame("dump", *arguments, "-o", "leak.folded", **environment)
    expect_equal((code, err), (0, "57 objects, 50.9 KiB in use; every allocation is recorded\n"))
    expect_equal(Path("leak.folded").read_text(), FOLDED)
    expect_equal(Path("leak.folded").stat().st_mode & 0o777, 0o600)
    Path("leak.folded").unlink()


def fill(table):
    table.does("put leak 1000 50")
    table.does("put cache 300 8")
    table.does("drop 1")


def test_a_process_that_runs():
    with Table() as table:
        fill(table)
        expect_dumped(table.pid)
        expect_dumped(table.path())
        code, out, err = heapflame("top", table.pid, "--show_bytes")
        expect_equal((code, err), (0, ""))
        assert re.match(r"50000 B +96.0 % .* leak +table.c", out.splitlines()[2]), out
        code, out, err = heapflame("flame", table.pid, "-o", "leak.html")
        expect_equal((code, out, err), (0, "", ""))
        Path("leak.html").unlink()  # a file that is there keeps its mode
        code, out, err = heapflame("dump", table.pid)
        assert out.startswith("\x1f"), "standard output is a bundle, compressed"
        for name in ["leak.svg", "leak.html", "leak.hfb", "leak.heap", "leak.pb.gz", "leak.speedscope.json"]:
            expect_equal(heapflame("dump", table.pid, "-o", name)[0], 0)
            expect_equal(Path(name).stat().st_mode & 0o777, 0o600)


def test_a_table_whose_name_is_gone():
    """As of a daemon whose folder was cleaned up: only /proc/PID/map_files has it, which root may open."""
    with Table() as table:
        fill(table)
        table.path().unlink()
        if os.geteuid() == 0:
            expect_dumped(table.pid)
        else:
            expect_equal(heapflame("dump", table.pid, "-o", "x.svg")[0], 5)


def test_a_process_in_another_root():
    Path("root/tables").mkdir(parents=True)
    shutil.copy(STATIC, "root/table")
    chroot = ["chroot", "root"] if os.geteuid() == 0 else ["unshare", "-r", "chroot", "root"]
    with Table("/tables", *chroot, program="/table") as table:
        fill(table)
        code, _, err = heapflame("dump", table.pid, "-o", "leak.folded")
        expect_equal((code, err.splitlines()[-1:]), (0, [ "57 objects, 50.9 KiB in use; every allocation is recorded"]))


def test_a_dead_process_is_found_by_name():
    with Table() as table:
        fill(table)
        table.kill()
        code, out, err = heapflame("dump", table.pid, "-o", "x.svg")
        expect_equal((code, out), (5, ""))
        expect_equal(
            err,
            f"there is no process {table.pid}, and no live table of that PID in $XDG_RUNTIME_DIR, /dev/shm or /tmp (heapflame-{os.geteuid()}): give the file, or the "
            "folder with --dir\n",
        )
        expect_dumped(table.pid, "--dir", ".")
        expect_dumped(table.pid, "--dir", table.path().parent)
        expect_dumped(table.pid, XDG_RUNTIME_DIR=str(Path.cwd()))
        expect_dumped(table.path())


def test_the_newest_of_a_number():
    with Table() as table:
        table.kill()
        path = table.path()
        old = path.with_name(f"{table.pid}-zzz.live")
        shutil.copy(path, old)
        with open(old, "r+b") as file:  # realtime_ns, the newest, of pid 1
            file.seek(12)
            file.write((1).to_bytes(4, "little"))
        path.with_name(f"{table.pid}-garbage.live").write_bytes(b"garbage")
        path.with_name(f"{table.pid}-fifo.live").unlink(missing_ok=True)
        os.mkfifo(path.with_name(f"{table.pid}-fifo.live"))
        code, _, err = heapflame("dump", table.pid, "--dir", ".", "-o", "x.svg")
        expect_equal((code, err), (0, "0 objects, 0 B in use; every allocation is recorded\n"))


def test_tables_are_removed():
    with Table() as table:
        fill(table)
        expect_equal(
            heapflame("dump", "--rm", table.pid),
            (5, "", f"nothing was removed: process {table.pid} still writes its live table, which --rm removes after it has ended\n"),
        )
        table.kill()
        expect_dumped(table.pid, "--rm", "--dir", ".")
        assert not table.path().exists()
    with Table() as table:
        table.kill()
        expect_equal(heapflame("dump", "--rm", table.path()), (0, "", ""))
        assert not table.path().exists()


def test_switches():
    with Table() as table:
        for operand in [table.pid, table.path()]:
            expect_equal(heapflame("dump", "--status", operand), (0, "sampling: on\n", ""))
            expect_equal(heapflame("dump", "--deactivate", operand), (0, "", "sampling is switched off\n"))
            expect_equal(heapflame("dump", "--status", operand), (0, "sampling: off\n", ""))
            expect_equal(heapflame("dump", "--activate", operand), (0, "", "sampling is switched on\n"))
        expect_equal(heapflame("dump", "--gdump=on", table.pid), (2, "", "--gdump: expected the URL of a server, found a live table\n"))
        table.kill()
        path = table.path()
        expect_equal(heapflame("dump", "--status", path), (0, "sampling: on\n", ""))
        message = f"there is nothing to switch: no visible process writes {path}\n"
        expect_equal(heapflame("dump", "--activate", path), (5, "", message))
        expect_equal(heapflame("dump", "--activate", "--dir", Path.cwd(), table.pid), (5, "", message))
        os.truncate(path, 8192)
        expect_equal(heapflame("dump", "--status", path), (3, "", f"{path} is cut short\n"))


def test_a_process_without_a_table():
    with subprocess.Popen(["sleep", "100"]) as process:
        code, out, err = heapflame("top", process.pid)
        process.kill()
    expect_equal(
        (code, out, err),
        (
            5,
            "",
            f"process {process.pid} has no live table: start it with heapflame run, or with the environment that heapflame env prints\n",
        ),
    )


def test_a_process_with_its_own_malloc():
    """The agent sees what it maps; what is resident is told, and why there is no more."""
    Path("own.c").write_text("""
#include <stddef.h>
#include <unistd.h>
static char room[1 << 20];
static size_t used;
void *malloc(size_t size) { used += (size + 15) / 16 * 16; return used <= sizeof room ? room + used - (size + 15) / 16 * 16 : NULL; }
void free(void *block) { (void)block; }
int main(void) { return write(1, "ready\\n", 6) != 6 || pause(); }
""")
    subprocess.run(["gcc", "-rdynamic", "-o", "own", "own.c"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(AGENT), "HEAPFLAME_CONF": f"prof:true,dir:{Path.cwd()}"}
    with subprocess.Popen(["./own"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        process.stdout.readline()
        code, out, err = heapflame("top", process.pid)
        process.kill()
    assert code == 0 and " resident; " in out and "[files]" in out, out
    assert "note: only mappings are recorded, because the program calls another malloc" in err and "attach --what fault" in err, err


def test_a_process_of_another_user():
    """Which files it has mapped, and so its table, is told to nobody else."""
    other = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
    pid = os.getpid() if other else 1
    for command in "top", "dump":
        done = subprocess.run([*other, shutil.which("heapflame"), command, str(pid)], capture_output=True, text=True)
        assert done.returncode == 5 and done.stderr == (
            f"heapflame: no permission to look for the live table of process {pid}: run as the user who started it, or as root "
            "with CAP_SYS_PTRACE, or give the table's file instead of the PID\n"), done


def test_a_child_that_is_not_recorded():
    with Table() as table:
        table.does("fork")
        child = int(Path(f"/proc/{table.pid}/task/{table.pid}/children").read_text())
        code, out, err = heapflame("top", child)
        os.kill(child, signal.SIGKILL)
    expect_equal(
        (code, out, err),
        (
            5,
            "",
            f"process {child} is a child of the recorded process {table.pid}, but not recorded itself: start the parent with heapflame run --follow-fork\n",
        ),
    )


def test_a_number_that_is_a_file():
    Path("4711").write_text("main;leak 5\n")
    expect_equal(heapflame("fold", "4711"), (0, "main;leak 5\n", ""))


def test_wrong_usage():
    Path("leak.folded").write_text("main;leak 5\n")
    for arguments, code, message in [
        (["leak.folded", "-o", "x.svg"], 3, "leak.folded: this is not a live table of heapflame"),
        (["leak.folded", "-o", "x.foo"], 3, "leak.folded: this is not a live table of heapflame"),
        (["nothing", "-o", "x.svg"], 5, "cannot open nothing: No such file or directory"),
        ([".", "-o", "x.svg"], 5, ". is not a regular file"),
        (["http://localhost:1", "--rm"], 2, "--rm and --dir: expected a live table, found a URL"),
        (["1", "2"], 2, "expected one PID, live table or URL, e.g. http://localhost:4000; found 2"),
    ]:
        expect_equal(heapflame("dump", *arguments), (code, "", message + "\n"))


def main():
    build = ["gcc", "-g", "-O1", "-std=gnu17", "-D_GNU_SOURCE", f"-I{SOURCE}/src"]
    sources = [SOURCE / name for name in ["tests/programs/table.c", "src/live/writer.c", "src/base/strings/num.c", "src/base/gate.c", "src/base/spinlock.c"]]
    subprocess.run([*build, *sources, "-o", PROGRAM], check=True)
    subprocess.run([*build, "-static", *sources, "-o", STATIC], check=True)
    return run_tests(globals())


if __name__ == "__main__":
    sys.exit(main())
