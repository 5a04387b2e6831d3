#!/usr/bin/env python3
# timeout: 300
"""heapflame attach --spec postgres: the two leaks of a backend under load, by each backend of ours, and the functions of
contexts of other versions (tests/pg/server.c)."""

import contextlib
import os
import subprocess
import sys
import time

from _heap import HEAPFLAME, TIMEOUT_S, folded, heapflame, run, skip
from _postgres import Mock, server
from _suite import run_tests

BACKENDS = ["perf", "bpf"]
SECONDS, OLDER, TRIES = 6, 2, 5
LEAKS = [
    ("[TopMemoryContext]", ["replay_truncate", "truncate_replay", "database_path", "psprintf", "palloc"], 128),
    ("[CacheMemoryContext]", ["fetch_policy", "relation_build", "policy_fetch", "MemoryContextAlloc"], 48),
]
CALLERS = ["main", "PostmasterMain", "PostgresMain", "PortalRun", "standard_ExecutorRun"]
if os.geteuid() != 0:
    skip("attaching needs root")


@contextlib.contextmanager
def attached(pid, *arguments):
    """Attaches; yields when the probes are in, and afterwards waits until they are out. Has what it printed in the end."""
    command = [HEAPFLAME, "attach", "-x", pid, "--spec", "postgres", "--max-overhead", "900%", *arguments]
    process = subprocess.Popen([str(word) for word in command], text=True, errors="backslashreplace",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.said = ""
    while "attached" not in process.said:
        line = process.stderr.readline()
        assert line, f"{command}: {process.said}"
        process.said += line
    yield process
    out, more = process.communicate(timeout=TIMEOUT_S)
    process.out, process.said = out, process.said + more
    assert process.returncode in (0, 4), process.said


def stacks_of(profile):
    """Folded stacks, the heaviest first; perf copies 8 KiB of a stack, and what is deeper makes the exit status 4."""
    done = subprocess.run([HEAPFLAME, "fold", profile], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode in (0, 4), done.stderr
    return sorted(folded(done.stdout), key=lambda stack: -stack[1])


def in_order(wanted, frames):
    rest = iter(frames)
    return all(frame in rest for frame in wanted)


def check_leaks(stacks, at_least, at_most):
    for (frames, value), (label, leaf, size) in zip(stacks, LEAKS):
        assert frames[0] == label and frames[1] == "_start", frames
        assert frames[-len(leaf):] == leaf and in_order(CALLERS, frames), frames
        assert value % size == 0 and at_least <= value // size <= at_most, (value // size, at_least, at_most)
    assert all(value * 100 < stacks[1][1] for _, value in stacks[2:]), stacks[2:]


def attach_once(backend, running, pid):
    """What it said, and between which numbers of calls the truth is: the probes came in before `begin`, went before `end`."""
    start = time.time()
    with attached(pid, "-d", f"{SECONDS}s", "--older", f"{OLDER}s", "--backend", backend, "-o", "leaks.hfb") as tool:
        begin = time.time()
    end = time.time()
    at_least = running.done(begin + 0.1, begin + SECONDS - OLDER - 0.3)
    return tool.said, at_least, running.done(start, end - OLDER) + 1


def check_backend(backend, running, pid):
    for _ in range(TRIES):  # perf loses calls where nobody takes them in time: then the counts are no truth
        said, at_least, at_most = attach_once(backend, running, pid)
        if "calls were lost" not in said:
            break
    assert "calls were lost" not in said, said
    assert at_least > 10, f"{at_least} calls in {SECONDS} s are too few to tell"
    check_leaks(stacks_of("leaks.hfb"), at_least, at_most)


def test_two_leaks_by_each_backend():
    with server() as running:
        pid = running.work(rate=10)
        for backend in BACKENDS:
            if backend != "perf" or "HEAPFLAME_SANITIZED" not in os.environ:  # which is too slow not to lose calls
                check_backend(backend, running, pid)
        # The article's own steps.
        with attached(pid, "-d", "3s", "--older", "1s", "-o", "leaks.stap"):
            pass
        with open("leaks.stap", "rb") as text:
            collapsed = run(HEAPFLAME, "stackcollapse-stap.pl", stdin=text)
        heaviest = max(folded(collapsed), key=lambda stack: stack[1])
        assert heaviest[0][-len(LEAKS[0][1]):] == LEAKS[0][1], heaviest
        icicle = heapflame("flame", "--reverse", "--inverted", "leaks.stap")
        assert "<title>" in icicle and "policy_fetch" in icicle
        assert icicle.index("MemoryContextAlloc") < icicle.index("[CacheMemoryContext]"), "the leaf is no root"
        with attached(pid, "-d", "3s", "--older", "1s") as tool:
            pass
        frames, values = tool.out.splitlines(), [int(line) for line in tool.out.splitlines() if line.startswith("\t")]
        assert frames[0].endswith(" : palloc") and frames[1].endswith(" : psprintf"), tool.out
        assert values == sorted(values, reverse=True) and values[0] % 128 == 0, values


def test_layouts_of_other_versions():
    for layout in (904, 905, 1000, 1100, 1300, 1600, 1700, 6, 7):
        with Mock(layout) as mock:
            with attached(mock.process.pid, "-d", "1500ms", "-o", "mock.hfb"):
                mock.tick(100)
            stacks = {(frames[0], frames[-2], frames[-1]): value for frames, value in stacks_of("mock.hfb")}
            assert stacks == {
                ("[TopMemoryContext]", "truncate_replay", "palloc_in"): 7200,
                ("[CacheMemoryContext]", "policy_fetch", "palloc_in"): 4800,
            }, (layout, stacks)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
