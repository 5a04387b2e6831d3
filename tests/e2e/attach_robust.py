#!/usr/bin/env python3
# timeout: 600
"""attach leaves nothing behind: the code of the process is byte for byte that of its files again, however the tool ends,
and tracefs has no probe of a dead tool after the next one has begun. What the process does meanwhile is borne."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from _attach import BACKENDS, Attached, Target, changed_code, events_of, need_root, of_leaf, tracefs, wait_until
from _heap import HEAPFLAME, need
from _suite import run_tests

need("gcc")
need_root()

ROUNDS = int(os.environ.get("HEAPFLAME_ATTACH_ROUNDS", "4"))  # bench/soak.d/attach_robust.py: 200
KILLS = int(os.environ.get("HEAPFLAME_ATTACH_KILLS", "6"))


def stale_events():
    found = [line.split("/")[0].partition("heapflame_")[2] for line in (tracefs() / "uprobe_events").read_text().splitlines()
             if ":heapflame_" in line]
    return [pid for pid in found if not Path(f"/proc/{pid}").exists()]


def test_attach_and_detach():
    with Target("idle") as target:
        for turn in range(ROUNDS):
            backend = BACKENDS[turn % 2]
            attached = Attached(target.pid, "-d", "200ms", "--backend", backend)
            during = changed_code(target.pid)
            assert any("libc" in path for path in during), f"{backend}: no probe was seen: {during}"
            attached.end()
            assert target.lives() and not changed_code(target.pid), f"{backend}: {changed_code(target.pid)}"
            assert not events_of(attached.worker), events_of(attached.worker)


def test_killed_at_any_time():
    draw = random.Random(8)
    with Target("threads", 10) as target:
        for turn in range(KILLS):
            command = [HEAPFLAME, "attach", str(target.pid), "-q", "-o", "out.folded", "--backend", BACKENDS[turn % 2]]
            tool = subprocess.Popen(command)
            time.sleep(draw.uniform(0, 2))
            tool.kill()
            tool.wait()
            assert target.lives()
            wait_until(lambda: not changed_code(target.pid), f"the code of {target.pid} is as before")
        wait_until(lambda: not stale_events(), "no probe is left in tracefs")
        target.go_on()
        target.heard("done")


def test_what_a_killed_worker_left():
    """Its probes go with it; their names in tracefs go when somebody attaches."""
    with Target("threads", 10) as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", "perf")
        os.kill(attached.worker, signal.SIGKILL)
        said = attached.process.communicate(timeout=600)[1]
        assert attached.process.returncode == 5 and "was killed by signal 9" in said, (attached.process.returncode, said)
        wait_until(lambda: not changed_code(target.pid), f"the code of {target.pid} is as before")
        Attached(target.pid, "-d", "100ms", "--backend", "perf").end()  # or another test, before
        assert str(attached.worker) not in stale_events(), stale_events()


def test_tracefs_need_not_be_mounted():
    """It is opened without a mount that anybody sees: here in a mount namespace where tracefs and debugfs are gone."""
    mounts = Path("/proc/self/mounts").read_text()
    unmount = """findmnt -rno TARGET -t tracefs,debugfs | tac | xargs -r umount -l; exec "$@" """
    with Target("threads", 10) as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", "perf",
                            through=("unshare", "--mount", "sh", "-c", unmount, "sh"))
        assert events_of(attached.worker), attached.said
        own = [line for line in Path(f"/proc/{attached.worker}/mounts").read_text().splitlines() if "tracefs" in line]
        target.go_on()
        target.heard("done")
        stacks = attached.end(signal=signal.SIGINT)
    assert not own, own
    assert sum(of_leaf(stacks, "leak_small").values()) == 4 * 10 * 48, stacks
    assert Path("/proc/self/mounts").read_text() == mounts and not events_of(attached.worker)


def test_in_a_root_that_is_no_mount():
    """As chroot leaves it, in a folder; /sys was mounted for it alone, as everything of a bare machine."""
    enter = """
        mkdir root && for folder in /*; do
            if [ -L "$folder" ]; then cp -d "$folder" root; continue; fi
            [ -d "$folder" ] && mkdir "root$folder" || continue
            [ "$folder" = /sys ] || mount --rbind "$folder" "root$folder"
        done
        mount -t sysfs sysfs root/sys
        exec chroot root sh -c 'cd "$0" && exec "$@"' "$PWD" "$@" """
    with Target("threads", 10) as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", "perf",
                            through=("unshare", "--mount", "sh", "-e", "-c", enter, "sh"))
        assert events_of(attached.worker), attached.said
        target.go_on()
        target.heard("done")
        stacks = attached.end(signal=signal.SIGINT)
    assert sum(of_leaf(stacks, "leak_small").values()) == 4 * 10 * 48, stacks  # also where the file's path is read


def ended_by_itself(what, backend):
    """What is recorded of a process that ends, or becomes another program."""
    with Target(what) as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", backend)
        target.go_on()
        target.heard("done")
        time.sleep(0.3)
        target.go_on()
        start = time.monotonic()
        stacks = attached.end()
        assert time.monotonic() - start < 50, attached.said
    return stacks, attached.said


def test_exec():
    for backend in BACKENDS:
        stacks, said = ended_by_itself("exec", backend)
        assert "became another program (exec)" in said, f"{backend}: {said}"
        assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{backend}: {stacks}"


def test_exit_and_kill():
    for backend in BACKENDS:
        for what in ("exits", "dies"):
            stacks, said = ended_by_itself(what, backend)
            assert "the process ended after" in said, f"{backend}, {what}: {said}"
            assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{backend}, {what}: {stacks}"


def test_children_are_not_counted():
    for backend in BACKENDS:
        with Target("forks") as target:
            attached = Attached(target.pid, "-d", "60s", "--backend", backend)
            target.go_on()
            target.heard("done")
            target.go_on()
            target.heard("last")
            stacks = attached.end(signal=signal.SIGHUP)
        assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{backend}: {stacks}"


def test_two_tools():
    for other in BACKENDS:
        with Target("threads", 50) as target:
            tools = [Attached(target.pid, "-d", "60s", "--period", "1", "--backend", backend, output=f"{i}.folded")
                     for i, backend in enumerate(("perf", other))]
            target.go_on()
            target.heard("done")
            for tool in tools:
                stacks = tool.end(signal=signal.SIGINT)
                for name, size in (("leak_small", 48), ("leak_aligned", 320), ("leak_grown", 70000)):
                    found = sum(of_leaf(stacks, name).values())
                    assert found == 4 * 50 * size, f"beside {other}: {name}: {found}: {tool.said}"
            assert not changed_code(target.pid)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
