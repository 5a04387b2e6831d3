#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 300
"""The unwinder gives the stacks that libgcc's _Unwind_Backtrace gives, on every allocation of real programs: of
tests/programs/frames.c, which has frames of every kind, and of some that the other tests need anyway. Replay gives the
same as walking without a memo. bench/soak.d/unwind.py is the long form of this."""

import os
import subprocess
import sys
from pathlib import Path

from _heap import PROGRAMS, SOURCE, need
from _suite import run_tests
from _unwind import Checked, count_instructions

need("gcc", "clang", "ld.lld", "git", "perl", "valgrind")

# Under each of these, the code of frames.c that has no call frame information is passed once or twice.
BUILDS = {
    "-O2": "gcc -O2",
    "-O0": "gcc -O0",
    "frame pointers": "gcc -O2 -fno-omit-frame-pointer",
    "no plt": "gcc -O3 -fno-plt -static-libgcc",
    "endbr64": "gcc -O2 -fcf-protection=full -Wl,-z,now,-z,ibtplt",
    "clang": "clang -O2",
    "lld": "clang -O1 -fuse-ld=lld",
}


def test_frames_of_every_kind():
    for name, command in BUILDS.items():
        options = ["-w", "-D_GNU_SOURCE", "-fno-builtin", "-pthread", "-o", "frames"]
        subprocess.run([*command.split(), *options, PROGRAMS / "frames.c"], check=True)
        checked = Checked("./frames")
        checked.check(f"frames, {name}", 2000, may_be_longer=True)
        assert 1 <= checked.longer <= 3, checked.line(name)
        assert checked.elsewhere == 1, checked.line(name)


def test_python():
    Checked(sys.executable, "-c", "import json, re; [re.compile(f'a{i}+b') for i in range(200)]").check("python3", 1500)


def test_git():
    Path("file").write_text("a line\n" * 1000)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "."], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    Checked("git", *identity, "commit", "-q", "-m", "first").check("git commit", 300)
    Checked("git", "log", "--stat", "-p").check("git log", 300)


def test_perl():
    Checked("perl", "-e", "my %h; $h{$_} = [$_ x 3] for 1 .. 2000; print scalar(keys %h)").check("perl", 2000)


def test_gcc():
    options = ["-O1", "-w", "-D_GNU_SOURCE", "-I", SOURCE / "src", "-c", "-o", os.devnull]
    Checked("gcc", *options, SOURCE / "src/unwind/rule.c").check("gcc", 10000)


def check_instructions(method, most, with_pointers=False):
    deep, less = (count_instructions(method, depth, 0, with_pointers=with_pointers) for depth in (100, 40))
    more = (deep - less) / 60
    print(f"{method}{', with frame pointers' * with_pointers}: {more:.1f} instructions for each frame")
    assert 5 < more <= most, (method, more)


def test_instructions_of_a_frame():
    """Of each of 60 more frames: 8 where the stack is as before, 133 where it is walked; compilers differ a little."""
    check_instructions("replay", 12)
    check_instructions("walk", 170)


def test_instructions_of_a_frame_with_a_pointer():
    """22 where the stack is as before: of each frame two words are compared, and one says where the next is."""
    check_instructions("replay", 30, with_pointers=True)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
