#!/usr/bin/env python3
# timeout: 600
# sanitized: no, what a tool that is dead leaves is the kernel's, which is the same there
# lane: probes, which the kernel puts in and takes out one after the other
"""attach leaves nothing behind: the code of the process is byte for byte that of its files again, however the tool ends,
and tracefs has no probe of a dead tool after the next one has begun. What the process does meanwhile is borne."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _attach import (
    BACKENDS, WAYS, Attached, Target, Traced, breakpoints_of, by_way, changed_code, events_of, need_root, of_leaf, old_kernel,
    tracefs, wait_until,
)
from _heap import HEAPFLAME, failing, heapflame, need
from _suite import run_tests

need("gcc")
need_root()

ROUNDS = int(os.environ.get("HEAPFLAME_ATTACH_ROUNDS", "3"))  # bench/soak.d/attach_robust.py: 200
KILLS = int(os.environ.get("HEAPFLAME_ATTACH_KILLS", "3"))


def stale_events():
    found = [line.split("/")[0].partition("heapflame_")[2] for line in (tracefs() / "uprobe_events").read_text().splitlines()
             if ":heapflame_" in line]
    return [pid for pid in found if not Path(f"/proc/{pid}").exists()]


def test_attach_and_detach():
    with Target("idle") as target:
        for turn in range(ROUNDS):
            way = WAYS[turn % 3]
            attached = Attached(target.pid, "-d", "200ms", way=way)
            during = changed_code(target.pid)
            assert any("libc" in path for path in during), f"{way}: no probe was seen: {during}"
            attached.end()
            assert target.lives() and not changed_code(target.pid), f"{way}: {changed_code(target.pid)}"
            assert not events_of(attached.worker), events_of(attached.worker)


def test_killed_at_any_time():
    draw = random.Random(8)
    with Target("threads", 10) as target:
        for turn in range(KILLS):
            backend, lacking = by_way(WAYS[turn % 3])
            command = [HEAPFLAME, "attach", str(target.pid), "-q", "-o", "out.folded", "--backend", backend]
            tool = subprocess.Popen(command, env=old_kernel(*lacking))
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


def tree_of(pid):
    """A process and all below it."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
    return found


LOOKS = ["--every", "50ms", "--duty", "10ms/20ms"]  # probes go in and out all the time


def test_the_process_ends_at_any_time():
    """Between any two things that attach does: what was seen until then is the answer, and its end no error."""
    draw = random.Random(29)
    ways = LOOKS, ["--tree"], LOOKS, ["--backend", "perf"], LOOKS, ["--backend", "bpf"]
    for turn in range(KILLS * 2):
        options = ways[turn % len(ways)]
        with Target("works", "rounds") as target:
            command = [HEAPFLAME, "attach", str(target.pid), "--max-overhead", "100000%", "--for", "1h", *options]
            tool = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            said = ""
            while "attached; " not in said:
                line = tool.stderr.readline()
                assert line, f"{options}: exit {tool.wait()}: {said}"
                said += line
            time.sleep(draw.uniform(0, 0.5))
            tools = tree_of(tool.pid)
            for pid in tools if turn % 2 == 0 else []:  # so that it has ended before anybody sees that
                os.kill(pid, signal.SIGSTOP)
            target.process.kill()
            target.process.wait()
            for pid in reversed(tools):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            said += tool.communicate(timeout=600)[1]
        is_told = re.search("note: (the process ended after|1 process was followed; 1 ended earlier)", said)
        assert tool.returncode in (0, 4) and is_told, (options, tool.returncode, said)


def test_killed_all_at_once():
    """As a container is ended. Then the kernel may leave breakpoints, and --mend takes them out."""
    draw, left = random.Random(17), 0
    with Target("idle") as target:
        for turn in range(KILLS):
            backend, lacking = by_way(WAYS[turn % 3])
            command = [HEAPFLAME, "attach", str(target.pid), "-q", "-o", "out.folded", "--backend", backend]
            tool = subprocess.Popen(command, env=old_kernel(*lacking), stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.1, 1.3))
            for pid in tree_of(tool.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            tool.wait()
            end = time.monotonic() + 2
            while changed_code(target.pid) and time.monotonic() < end:
                time.sleep(0.05)
            left += bool(changed_code(target.pid))
            said = heapflame("doctor", "--mend", target.pid)
            assert "breakpoints    yes  " in said, said
            assert target.lives() and not changed_code(target.pid), f"{changed_code(target.pid)}: {said}"
    print(f"{left} of {KILLS} times breakpoints were left, and removed")


@contextlib.contextmanager
def with_a_breakpoint_left():
    """A process with what the kernel may leave, at the place of a probe; in a file that no other test has."""
    Path("own.spec").write_text("spec own\nobject exe\nalloc sym:make_one size=100 new=ret\n")
    with Target("idle") as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", "bpf", "--spec", "own.spec")
        place, = breakpoints_of(target.pid)
        attached.end(signal=signal.SIGINT)
        assert not breakpoints_of(target.pid)
        with open(f"/proc/{target.pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(place)
            memory.write(b"\xcc")
        assert breakpoints_of(target.pid) == [place]
        yield target


def test_attach_removes_what_was_left():
    for backend in BACKENDS:
        with with_a_breakpoint_left() as target:
            attached = Attached(target.pid, "-d", "100ms", "--spec", "own.spec", "--backend", backend)
            attached.end()
            assert "note: removed 1 breakpoint that another tool, probably killed, had left in the process\n" \
                in attached.said, attached.said
            assert not breakpoints_of(target.pid)
            again = Attached(target.pid, "-d", "100ms", "--spec", "own.spec", "--backend", backend)
            again.end()
            assert "breakpoint" not in again.said, again.said


def test_doctor_removes_what_was_left():
    with with_a_breakpoint_left() as target:
        before = breakpoints_of(target.pid)
        with Traced(target.pid):
            said = heapflame("doctor", "--mend", target.pid)
            assert f"process {target.pid} is traced by process {os.getpid()}, and the breakpoints may belong to that" in said, said
            said = failing(3, "attach", target.pid, "-d", "1s", "--spec", "own.spec")
            assert f"is traced by process {os.getpid()}, which may have a breakpoint in make_one of attached" in said, said
        assert breakpoints_of(target.pid) == before
        said = heapflame("doctor", "--mend", target.pid)
        assert "\nbreakpoints    yes  removed 1 that a killed tool had left behind\n" in said, said
        assert not breakpoints_of(target.pid)
        assert "\nbreakpoints    yes  none left behind\n" in heapflame("doctor", target.pid)


def test_doctor_leaves_what_is_used():
    with Target("idle") as target:
        attached = Attached(target.pid, "-d", "60s", "--backend", "bpf")
        during = breakpoints_of(target.pid)
        said = heapflame("doctor", target.pid)
        assert re.search(rf"^breakpoints    no   {len(during)}, from a tool that watches the process or was killed \(first: "
                         rf"libc\.so\.6\+0x[0-9a-f]+\); 'heapflame doctor --mend {target.pid}' removes those that no tool uses$",
                         said, re.MULTILINE), said
        said = heapflame("doctor", "--mend", target.pid)
        assert f"0 removed; {len(during)} kept, which belong to a tool that watches the process" in said, said
        assert breakpoints_of(target.pid) == during
        attached.end(signal=signal.SIGINT)
        assert not breakpoints_of(target.pid)
    assert "--mend: expected a PID" in failing(2, "doctor", "--mend")


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


def ended_by_itself(what, way):
    """What is recorded of a process that ends, or becomes another program."""
    with Target(what) as target:
        attached = Attached(target.pid, "-d", "60s", way=way)
        target.go_on()
        target.heard("done")
        time.sleep(0.3)
        target.go_on()
        start = time.monotonic()
        stacks = attached.end()
        assert time.monotonic() - start < 50, attached.said
    return stacks, attached.said


def test_exec():
    for way in WAYS:
        stacks, said = ended_by_itself("exec", way)  # the new program allocates before main, and asks for a line
        assert "became another program (exec)" in said, f"{way}: {said}"
        assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{way}: {stacks}"
        assert sum(value for _, value in stacks) == 100 * 48, f"{way}: {stacks}"


def test_exit_and_kill():
    for way in WAYS:
        for what in ("exits", "dies"):
            stacks, said = ended_by_itself(what, way)
            assert "the process ended after" in said, f"{way}, {what}: {said}"
            assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{way}, {what}: {stacks}"


def test_children_are_not_counted():
    for way in WAYS:
        with Target("forks") as target:
            attached = Attached(target.pid, "-d", "60s", way=way)
            target.go_on()
            target.heard("done")
            target.go_on()
            target.heard("last")
            stacks = attached.end(signal=signal.SIGHUP)
        assert sum(of_leaf(stacks, "leak_small").values()) == 100 * 48, f"{way}: {stacks}"


def test_two_tools():
    for other in WAYS:
        with Target("threads", 50) as target:
            # Of large copies of stacks a loaded machine loses some.
            tools = [Attached(target.pid, "-d", "60s", "--period", "1", "--stack", "8KiB", way=way, output=f"{i}.folded")
                     for i, way in enumerate(("perf", other))]
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
