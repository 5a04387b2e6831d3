#!/usr/bin/env python3
"""What -o does with devices, with what other users have put in shared folders, and on a full disk. The devices are
made here (mknod), in the test's own file system; none of the machine's is given to heapflame."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, failing, heapflame, skip
from _suite import run_tests
from output import COMMANDS, expected, names, profile

if os.geteuid() != 0:
    skip("making devices and files of others needs root")

OTHER = 4711


def device(name, major, minor):
    os.mknod(name, stat.S_IFCHR | 0o666, os.makedev(major, minor))


def test_devices():
    profile()
    for name, arguments in COMMANDS.items():
        device(name, 1, 3)
        heapflame(*arguments, "-o", name)
        assert stat.S_ISCHR(os.lstat(name).st_mode), f"{name}: the device was replaced"
    os.symlink("x.svg", "link.svg")
    heapflame("flame", "in.folded", "-o", "link.svg")
    assert stat.S_ISCHR(os.stat("link.svg").st_mode) and os.path.islink("link.svg")
    assert names() == sorted([*COMMANDS, "in.folded", "link.svg"]), names()


def test_full_disk():
    profile()
    device("full", 1, 7)
    os.symlink("full", "full.pb")
    says = "heapflame: cannot write {}: No space left on device\n"
    for name, arguments in COMMANDS.items():
        device(f"full-{name}", 1, 7)
        assert failing(5, *arguments, "-o", f"full-{name}").endswith(says.format(f"full-{name}")), name
    for arguments in (["--help"], ["help"], ["--version"], ["top", "--help"], ["jeprof", "--version"],
                      ["addr2line", "--version"], ["top", "in.folded"], ["doctor"], ["completions", "bash"]):
        with open("full", "wb", buffering=0) as full:
            done = subprocess.run([HEAPFLAME, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (5, says.format("the output")), (arguments, done)


def test_small_disk():
    """On a file system of its own, which nobody else sees."""
    Path("in.folded").write_text("".join(f"main;function_{number} 1\n" for number in range(20000)))
    os.mkdir("small")
    script = """mount -t tmpfs -o size=64k none small && echo older > small/x.folded &&
        { "$1" fold in.folded -o small/x.folded; echo $?; "$1" fold in.folded -o small/new.folded; echo $?; }
        ls -A small; cat small/x.folded"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", HEAPFLAME], capture_output=True, text=True, check=False)
    assert done.stdout == "5\n5\nx.folded\nolder\n", done
    assert done.stderr.count("No space left on device") == 2, done


def shared(mode, owner=0):
    """A folder of that mode, with a link, a FIFO and a file of another user."""
    name = f"shared-{mode:o}-{owner}"
    os.mkdir(name)
    os.makedirs("victims", exist_ok=True)
    Path("victims/x.folded").write_text("precious")
    os.symlink(Path("victims/x.folded").resolve(), f"{name}/link")
    os.symlink(Path("victims").resolve(), f"{name}/way")
    os.mkfifo(f"{name}/fifo", 0o666)
    Path(f"{name}/file").write_text("theirs")
    for entry in ("link", "way", "fifo", "file"):
        os.chown(f"{name}/{entry}", OTHER, OTHER, follow_symlinks=False)
    os.chown(name, owner, owner)
    os.chmod(name, mode)
    return name


def test_strangers():
    """Held by heapflame itself, whatever fs.protected_symlinks, _fifos and _regular say."""
    profile()
    for mode in (0o1777, 0o777, 0o1775, 0o2777):
        folder = shared(mode)
        before = names(folder)
        for entry, what in (("link", "link"), ("way/new.folded", "link"), ("way/x.folded", "link"), ("fifo", "FIFO"),
                            ("file", "file")):
            said = failing(5, "fold", "in.folded", "-o", f"{folder}/{entry}")
            assert said == (f"heapflame: cannot write {folder}/{entry}: '{entry.split('/')[0]}' is a {what} that belongs to "
                            f"user {OTHER}, in a folder that others may write to: choose another name\n"), said
        os.symlink(f"{folder}/link", f"to-{mode:o}")
        assert "is a link that belongs to user" in failing(5, "fold", "in.folded", "-o", f"to-{mode:o}")
        assert Path("victims/x.folded").read_text() == "precious" and names("victims") == ["x.folded"]
        assert Path(f"{folder}/file").read_text() == "theirs" and names(folder) == before
        os.symlink(Path("mine.folded").resolve(), f"{folder}/own")
        heapflame("fold", "in.folded", "-o", f"{folder}/own")
        assert Path("mine.folded").exists() and os.path.islink(f"{folder}/own")
        os.remove("mine.folded")


def test_of_the_folders_owner():
    profile()
    folder = shared(0o1777, OTHER)
    heapflame("fold", "in.folded", "-o", f"{folder}/link")
    assert Path("victims/x.folded").read_text().startswith("main;")


def test_owner_stays():
    profile()
    folder = shared(0o755)
    os.chmod(f"{folder}/file", 0o640)
    heapflame("fold", "in.folded", "-o", f"{folder}/file")
    info = os.stat(f"{folder}/file")
    assert Path(f"{folder}/file").read_text().startswith("main;")
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (OTHER, OTHER, 0o640), info


def test_an_owner_that_cannot_be_kept():
    """A user's own folder with a file of root: it is replaced, and the group that could not be kept sees nothing."""
    profile()
    os.mkdir("home")
    os.chown("home", OTHER, OTHER)
    Path("home/x.folded").write_text("older")
    os.chmod("home/x.folded", 0o640)
    plain = expected("y.folded", ["fold", "in.folded"])
    os.chmod(".", 0o755)

    def become_other():
        os.setgroups([])
        os.setgid(OTHER)
        os.setuid(OTHER)

    with open("in.folded", "rb") as given, open(HEAPFLAME, "rb") as program:
        os.set_inheritable(program.fileno(), True)
        subprocess.run([f"/proc/self/fd/{program.fileno()}", "fold", "-", "-o", "x.folded"], stdin=given, cwd="home",
                       preexec_fn=become_other, pass_fds=[program.fileno()], check=True)
    info = os.stat("home/x.folded")
    assert Path("home/x.folded").read_bytes() == plain
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (OTHER, OTHER, 0o600), info


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
