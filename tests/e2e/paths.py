#!/usr/bin/env python3
# timeout: 300
"""Paths that come out of data are looked at before they are opened: a FIFO, a device, a socket, a file of the kernel's or
one that autofs would have to mount is not touched, whichever profile, image or folder names it. Each node is the test's own,
and inotify says who opened it; a FIFO's writer and a terminal's master notice by themselves, too."""

import ctypes
import fcntl
import os
import select
import socket
import stat
import struct
import subprocess
import sys
import threading
from pathlib import Path

from _heap import HEAPFLAME, TIMEOUT_S, need, run
from _suite import run_tests

need("gcc", "objcopy", "unshare")

libc = ctypes.CDLL(None, use_errno=True)
IN_OPEN = 0x20
PROGRAM = Path("program").resolve()


class Opens:
    """How often a node is opened while this is there, by anybody."""

    def __init__(self, path):
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert libc.inotify_add_watch(self.fd, os.fsencode(str(path)), IN_OPEN) > 0, ctypes.get_errno()

    def count(self):
        try:
            return len(os.read(self.fd, 4096)) // 16
        except BlockingIOError:
            return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)


def may_make_nodes():
    """Root of a container may have no right to, or be on a file system without devices."""
    try:
        os.mknod("probe", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.close(os.open("probe", os.O_RDONLY))
        return True
    except OSError:
        return False
    finally:
        Path("probe").unlink(missing_ok=True)


def nodes():
    """(what it is, how to make it) of all that must not be opened."""
    yield "FIFO", os.mkfifo
    yield "socket", lambda path: socket.socket(socket.AF_UNIX).bind(os.path.relpath(path))
    if may_make_nodes():
        yield "character device", lambda path: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        yield "block device", lambda path: os.mknod(path, stat.S_IFBLK | 0o666, os.makedev(7, 250))


def look(*arguments, status=(0, 3, 4, 5)):
    """What heapflame says; it neither waits nor dies."""
    done = subprocess.run([HEAPFLAME, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL, start_new_session=True)
    assert done.returncode in status, (arguments, done.returncode, done.stderr)
    return done.stdout + done.stderr


def untouched(node, *arguments):
    """Runs heapflame where `node` is each of the nodes in turn."""
    said = ""
    for what, make in nodes():
        Path(node).unlink(missing_ok=True)
        make(node)
        with Opens(node) as opens:
            said = look(*arguments)
            assert opens.count() == 0, f"{what} was opened: {arguments}"
    Path(node).unlink()
    return said


def dump(path, name="p.heap"):
    Path(name).write_text("heap_v2/1\n  t*: 2: 96 [0: 0]\n@ 0x401010\n  t*: 2: 96 [0: 0]\n\n"
                          f"MAPPED_LIBRARIES:\n00401000-00402000 r-xp 00001000 08:01 12 {path}\n")
    return name


def test_what_inotify_sees():
    """That these tests can fail: an open of each node is seen."""
    for what, make in nodes():
        if what == "FIFO" or what == "character device":
            make("node")
            with Opens("node") as opens:
                os.close(os.open("node", os.O_RDONLY | os.O_NONBLOCK))
                assert opens.count() == 1, what
            os.unlink("node")


def test_module():
    node = Path("node").resolve()
    said = untouched(node, "top", dump(node))
    assert "node is not a regular file" in said, said


def test_module_behind_a_link():
    node, link = Path("node").resolve(), Path("link").resolve()
    link.symlink_to(node)
    assert "is not a regular file" in untouched(node, "top", dump(link))


def test_module_of_pprof():
    node = Path("node").resolve()
    run(HEAPFLAME, "convert", dump(node), "-o", "p.pb.gz")
    assert "is not a regular file" in untouched(node, "top", "p.pb.gz")


def test_below_symdir():
    Path("dir/lib").mkdir(parents=True)
    untouched(Path("dir/lib/node").resolve(), "top", "--symdir", "dir", dump("/nowhere/lib/node"))


def test_debug_files():
    """Names that an image has of others: .gnu_debuglink, .gnu_debugaltlink, .dwo and .dwp."""
    Path("link.bin").write_bytes(b"node\0\0\0\0" + struct.pack("<I", 1))
    run("objcopy", "--strip-debug", "--add-section", ".gnu_debuglink=link.bin", PROGRAM, "linked")
    untouched("node", "symbols", "info", "linked")
    Path("alt.bin").write_bytes(os.fsencode(str(Path("node").resolve())) + b"\0" + b"x" * 20)
    run("objcopy", "--add-section", ".gnu_debugaltlink=alt.bin", PROGRAM, "alternate")
    untouched("node", "symbols", "info", "alternate")
    Path("a.c").write_text("#include <stdlib.h>\nint main(void) { return malloc(9) == 0; }\n")
    run("gcc", "-g", "-gsplit-dwarf", "-c", "a.c")
    run("gcc", "-o", "split", "a.o")
    main = [line.split()[0] for line in run("nm", "split").splitlines() if line.endswith(" main")][0]
    untouched("a.dwo", "addr2line", "-e", "split", "0x" + main)
    untouched("split.dwp", "addr2line", "-e", "split", "0x" + main)


def test_source():
    node = Path("node.c").resolve()
    Path("b.c").write_text(f'#line 1 "{node}"\nint main(void) {{ return 0; }}\n')
    run("gcc", "-g", "-no-pie", "-o", "b", "b.c")
    main = [line.split() for line in run("nm", "b").splitlines() if line.endswith(" main")][0]
    at = int(main[0], 16) + 1
    Path("b.heap").write_text(f"heap_v2/1\n  t*: 2: 96 [0: 0]\n@ {at:#x}\n  t*: 2: 96 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                              f"{at & ~0xfff:08x}-{(at & ~0xfff) + 4096:08x} r-xp 00001000 08:01 12 {Path('b').resolve()}\n")
    said = untouched(node, "jeprof", "--list=main", Path("b").resolve(), "b.heap")
    assert "is not a regular file" in said and "ROUTINE" in said, said


def test_table_in_a_folder():
    folder = Path(f"heapflame-{os.geteuid()}")
    folder.mkdir(0o700)
    ending = subprocess.run(["grep", "-rhoP", r'HF_FOUND_TABLE_ENDING "\K[^"]+', os.environ["HEAPFLAME_SRC"] + "/src/capture"],
                            capture_output=True, text=True).stdout.strip()
    assert ending, "the ending of live tables"
    untouched(folder / f"99999999-1{ending}", "dump", "99999999", "--dir", ".", "-o", "x.folded")
    untouched(folder / f"99999999-1{ending}", "dump", folder / f"99999999-1{ending}", "-o", "x.folded")


def test_a_writer_sleeps_on():
    node = Path("fifo").resolve()
    os.mkfifo(node)
    woken = threading.Event()

    def write():
        os.close(os.open(node, os.O_WRONLY))
        woken.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    look("top", dump(node))
    assert not woken.wait(0.2), "the FIFO's writer was woken"
    os.close(os.open(node, os.O_RDONLY | os.O_NONBLOCK))
    assert woken.wait(20)


def test_a_terminal_is_not_opened():
    """The master of a terminal hears a hang-up when the first who opened the other side has closed it."""
    if not Path("/dev/ptmx").exists() or not Path("/dev/pts").is_dir():
        print("no terminals here")
        return
    master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(master, 0x40045431, struct.pack("i", 0))  # TIOCSPTLCK
    number = struct.unpack("i", fcntl.ioctl(master, 0x80045430, b"\0" * 4))[0]  # TIOCGPTN
    poll = select.poll()
    poll.register(master, select.POLLIN)
    assert "is not a regular file" in look("top", dump(f"/dev/pts/{number}"))
    assert not any(events & select.POLLHUP for _, events in poll.poll(0)), "the terminal was opened"
    os.close(os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY))
    assert any(events & select.POLLHUP for _, events in poll.poll(0)), "this test sees nothing"
    os.close(master)


def test_files_of_the_kernel():
    for path in ("/proc/self/maps", "/proc/kallsyms", "/sys/kernel/notes"):
        if Path(path).exists():
            said, counts = "", []
            while len(counts) < 5 and 0 not in counts:  # tests of attach, beside this one, open the kernel's symbols
                with Opens(path) as opens:
                    said = look("top", dump(path))
                    counts.append(opens.count())
            assert 0 in counts, (path, counts)
            assert f"{path} is not a stored file, but one that the kernel makes" in said, said


def test_links_of_others():
    """As the kernel has it where fs.protected_symlinks is on: in /tmp a link of somebody else leads nowhere."""
    if os.geteuid() != 0:
        return
    Path("shared").mkdir()
    Path("shared").chmod(0o1777)
    os.symlink(PROGRAM, "shared/link")
    os.chown("shared/link", 65534, 65534, follow_symlinks=False)
    said = look("top", dump(Path("shared/link").absolute()))
    assert "link: Permission denied" in said, said
    os.chown("shared/link", 0, 0, follow_symlinks=False)
    assert "Permission denied" not in look("top", dump(Path("shared/link").absolute()))


def test_operands_may_be_fifos():
    os.mkfifo("fifo")
    writer = threading.Thread(target=lambda: Path("fifo").write_text("main;leak 48\n"), daemon=True)
    writer.start()
    assert "leak" in look("fold", "fifo", status=(0,))


def test_links_and_dots():
    """All ways to write a path lead where the kernel says."""
    Path("d/e").mkdir(parents=True)
    Path("d/e/p").write_bytes(PROGRAM.read_bytes())
    here = Path.cwd()
    os.symlink("e", "d/l")
    os.symlink("../d/l/p", "d/up")
    os.symlink(here / "d/up", "d/abs")
    os.symlink("loop", "d/loop")
    os.symlink("e/", "d/slash")
    for path in ("d/e/p", "d/l/p", "d//e/./p", "d/e/../l/p", "d/up", "d/abs", here / "d/abs", "/.." + str(here / "d/up"),
                 "d/slash/p", "./d/e/p"):
        assert "build-id" in look("symbols", "info", path, status=(0,)), path
    for path in ("d/loop", "d/e/p/", "d/e/p/.", "d/none", "d/l/none", "", "d", "d/l", "d/up/", "/", ".", "d/" + "x" * 300):
        try:
            os.close(os.open(path, os.O_RDONLY))
            expected = "not a regular file"
        except OSError as error:
            expected = os.strerror(error.errno)
        said = look("symbols", "info", path, status=(5,)) if path else expected
        assert expected in said, (path, said)


AUTOFS = r"""
import ctypes, os, struct, subprocess, sys, threading, fcntl
libc = ctypes.CDLL(None, use_errno=True)
heapflame, kind = sys.argv[1:]
os.mkdir(kind)
os.setpgid(0, 0)
reading, writing = os.pipe2(0)
options = f"fd={writing},pgrp={os.getpgrp()},minproto=5,maxproto=5,{kind}"
top = os.path.abspath(kind)
if libc.mount(b"heapflame-test", top.encode(), b"autofs", 0, options.encode()) != 0:
    print("skip", os.strerror(ctypes.get_errno())); sys.exit(0)
os.close(writing)
root = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
asked = []
def answer():
    while packet := os.read(reading, 304):
        asked.append(packet)
        fcntl.ioctl(root, 0x9361, struct.unpack_from("<I", packet, 8)[0])  # AUTOFS_IOC_FAIL
threading.Thread(target=answer, daemon=True).start()
def look(path):
    text = ("heap_v2/1\n  t*: 2: 96 [0: 0]\n@ 0x401010\n  t*: 2: 96 [0: 0]\n\n"
            f"MAPPED_LIBRARIES:\n00401000-00402000 r-xp 00001000 08:01 12 {path}\n")
    open("auto.heap", "w").write(text)
    return subprocess.run([heapflame, "top", "auto.heap"], capture_output=True, text=True, timeout=600, start_new_session=True).stderr
def others(path):  # the kernel counts who is in the daemon's process group as the daemon
    subprocess.run(["cat", path], capture_output=True, start_new_session=True)
for path in (f"{top}/host/lib/x.so", f"{top}/host", top, f"{top}/../{kind}/a"):
    said = look(path)
    print(kind, "asked" if asked else "quiet", "autofs" if "autofs has not mounted" in said else said.splitlines()[:1])
    asked.clear()
if kind == "indirect":  # what is mounted already is looked at
    os.mkdir(f"{top}/there")
    if libc.mount(b"tmpfs", f"{top}/there".encode(), b"tmpfs", 0, None) == 0:
        open(f"{top}/there/x", "w").write("no image")
        said = look(f"{top}/there/x")
        print("mounted", "asked" if asked else "quiet", "read" if "autofs has not mounted" not in said and "x" in said else said)
others(f"{top}/other/lib")
print("control", "asked" if asked else "quiet")
"""


def test_autofs():
    """A daemon of autofs of our own, in a mount namespace of its own: nobody asks it to mount anything."""
    if os.geteuid() != 0:
        return
    Path("autofs.py").write_text(AUTOFS)
    for kind in ("indirect", "direct"):
        said = run("unshare", "-m", "--propagation", "private", sys.executable, "autofs.py", HEAPFLAME, kind).splitlines()
        if said[0].startswith("skip"):
            print(f"autofs: {said[0]}")
            return
        assert said[-1] == "control asked", said
        assert all(line.split()[1] == "quiet" for line in said[:-1]), said
        assert said[0].endswith("autofs"), said
        assert kind == "direct" or said[-2] == "mounted quiet read", said


def main():
    Path("program.c").write_text("#include <stdlib.h>\nint main(void) { return malloc(9) == 0; }\n")
    run("gcc", "-g", "-o", PROGRAM, "program.c")
    return run_tests(globals())


if __name__ == "__main__":
    sys.exit(main())
