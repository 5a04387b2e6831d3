#!/usr/bin/env python3
"""What `heapflame run` says of the folder that a live table lies in: small, private to a container, or not outlived by
the watcher. A container is a pid and a mount namespace of the test's own; the cgroup of version 2 is a fake folder."""

import os
import subprocess
from pathlib import Path

from _run import LEAKER, expect_equal, run, run_leaker_tests

CONTAINER = ["unshare", "--pid", "--mount", "--fork", "--mount-proc"]
CAN_UNSHARE = subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode == 0
WORDS = ["leak=1000003", "rest"]
# A folder that a volume may hide: the tree that is tested is not in it.
VOLUME = next(path for path in ("/srv", "/mnt", "/media")
              if not any(folder.startswith(f"{path}/") for folder in (os.environ["BUILD"], os.environ["HEAPFLAME_SRC"])))


def said(err):
    """The first line; the last is what leaks."""
    first, last = err.splitlines()
    assert " holds 976.6 KiB of 976.6 KiB in use: see x.folded" in last, err
    return first


def without_volumes():
    """Takes away what this machine has mounted, but for what the test needs: none of it is the container's volume."""
    needed = [f"{path}/" for path in (Path.cwd(), os.environ["BUILD"], os.environ["HEAPFLAME_SRC"], "/usr", "/lib", "/bin")]
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    volumes = [place for place in places if not place.startswith(("/proc", "/sys", "/dev"))
               and not any(path.startswith(f"{place.rstrip('/')}/") for path in needed)]
    return "; ".join([f"umount -l '{volume}'" for volume in reversed(volumes)] or ["true"])


def contained(mounts, *options):
    """Standard error of a run in a container that has these mounts."""
    script = f'{without_volumes()}; {mounts}; exec heapflame run --exact -o x.folded "$@"'
    done = subprocess.run(
        [*CONTAINER, "sh", "-c", script, "sh", *options, LEAKER, *WORDS],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": ""},
    )  # fmt: skip
    expect_equal((done.returncode, done.stdout), (0, ""))
    return done.stderr


def test_a_folder_without_room():
    if not CAN_UNSHARE:
        print("no mount namespace can be made here")
        return
    mounts = f"mount -t tmpfs -o size=8m volume {VOLUME}"
    script = f'{mounts}; exec heapflame run --exact -o x.folded "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", "--dir", VOLUME, LEAKER, *WORDS],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    expect_equal(
        said(done.stderr),
        f"heapflame: {VOLUME} has room for only 8.0 MiB; use --dir with a larger folder to keep the whole live table",
    )


def test_a_container():
    if not CAN_UNSHARE:
        print("no pid namespace can be made here")
        return
    shm = "mount -t tmpfs -o size=64m shm /dev/shm"
    volume = f"mount -t tmpfs -o size=256m volume {VOLUME}"
    expect_equal(
        said(contained(f"{shm}; {volume}")),
        "heapflame: /dev/shm is deleted with this container, and has room for only 64.0 MiB; "
        f"use --dir {VOLUME} to keep the live table for heapflame dump",
    )
    big = "mount -t tmpfs -o size=256m shm /dev/shm"
    expect_equal(
        said(contained(big)),
        "heapflame: /dev/shm is deleted with this container; use --dir with a mounted volume to keep the live table for heapflame dump",
    )
    expect_equal(contained(f"{shm}; {volume}", "--dir", VOLUME).count("\n"), 1)
    assert "is deleted with" not in contained(shm, "-q")


def test_a_group_that_dies_at_once():
    """It is said if the watcher is in the group, and only then."""
    group = Path("group")
    group.mkdir()
    for name, text in [("memory.current", "1000000"), ("memory.max", "max"), ("memory.high", "max"), ("memory.oom.group", "1")]:
        (group / name).write_text(text + "\n")
    (group / "memory.events").write_text("low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n")
    script = 'echo $$ >>group/cgroup.procs; exec heapflame run --exact --cgroup group -o x.folded "$@"'
    command = ["sh", "-c", script, "sh", LEAKER, *WORDS]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd())}
    for is_one, is_member in [("1", True), ("0", True), ("1", False)]:
        (group / "memory.oom.group").write_text(is_one + "\n")
        (group / "cgroup.procs").write_text("1\n2\n")
        if not is_member:
            command = ["heapflame", "run", "--exact", "--cgroup", "group", "-o", "x.folded", LEAKER, *WORDS]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=True)
        if is_one == "1" and is_member:
            first = said(done.stderr)
            start = "heapflame: when memory runs out, heapflame is killed together with leaker (memory.oom.group); the last profile is then still available with heapflame dump "
            assert first.startswith(start) and first.endswith(".live"), first
        else:
            expect_equal(done.stderr.count("\n"), 1)


def test_nothing_to_say():
    expect_equal(run("--exact", "-o", "x.folded", LEAKER, *WORDS)[2].count("\n"), 1)


if __name__ == "__main__":
    run_leaker_tests(globals())
