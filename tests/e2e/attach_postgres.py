#!/usr/bin/env python3
# sanitized: long, it waits for a server; attach runs the same code
# timeout: 600
# lane: probes, which the kernel puts in and takes out one after the other
"""heapflame attach --spec postgres: the two leaks of a backend under load, by each backend of ours, and the functions of
contexts of other versions (tests/pg/server.c). bench/soak.d/attach_postgres.py runs it faster, and with a server that has
debug symbols."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _heap import HEAPFLAME, TIMEOUT_S, folded, heapflame, run, skip
from _postgres import DEBIAN, PROGRAMS, Mock, server
from _suite import run_tests

BACKENDS = ["perf", "bpf"]
RATE = int(os.environ.get("HEAPFLAME_POSTGRES_RATE", "20"))  # transactions a second, each of which leaks once; 0: all it can
SECONDS, OLDER = 13, 3.25  # as it is without -d and --older
LEAKS = [
    ("[TopMemoryContext]", ["replay_truncate", "truncate_replay", "database_path", "psprintf", "palloc"], 128),
    ("[CacheMemoryContext]", ["fetch_policy", "relation_build", "policy_fetch", "MemoryContextAlloc"], 48),
]
CALLERS = ["main", "PostmasterMain", "PostgresMain", "PortalRun", "standard_ExecutorRun"]
HAS_SYMBOLS = PROGRAMS != DEBIAN
if HAS_SYMBOLS:
    CALLERS = ("main PostmasterMain ServerLoop BackendStartup BackendRun PostgresMain exec_simple_query PortalRun PortalRunSelect"
               " standard_ExecutorRun ExecutePlan ExecProcNode ExecResult ExecProject ExecEvalExprSwitchContext"
               " ExecInterpExpr").split()
# What the preset finds through tables, by the names that a server with debug symbols has for it.
NAMED = """
spec named
object exe
detect sym:TopMemoryContext
ctxnew sym:MemoryContextCreate ctx=arg0 name=arg4
label  ctx.name
skip   classes reset-or-deleted
""" + "".join(f"""
optional alloc   sym:{kind}Alloc   ctx=arg0 size=arg1 new=ret
optional free    sym:{kind}Free    ctx=arg0 ptr=arg1
optional realloc sym:{kind}Realloc ctx=arg0 ptr=arg1 size=arg2 new=ret
optional reset   sym:{kind}Reset   ctx=arg0
optional delete  sym:{kind}Delete  ctx=arg0
""" for kind in ("AllocSet", "Generation", "Slab"))
if os.geteuid() != 0:
    skip("attaching needs root")


@contextlib.contextmanager
def attached(pid, *arguments, spec="postgres"):
    """Attaches; yields when the probes are in, and afterwards waits until they are out. Has what it printed in the end,
    and the times `without` and `within` between which the last probe came in."""
    command = [HEAPFLAME, "attach", "-x", pid, "--spec", spec, "--max-overhead", "100000%", *arguments]
    process = subprocess.Popen([str(word) for word in command], text=True, errors="backslashreplace",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.said, process.within = "", time.time()
    while "attached" not in process.said:
        line = process.stderr.readline()
        assert line, f"{command}: {process.said}"
        process.said += line
        process.without, process.within = process.within, time.time()
    yield process
    out, more = process.communicate(timeout=TIMEOUT_S)
    process.out, process.said = out, process.said + more
    assert process.returncode in (0, 4), process.said


def stacks_of(profile, value="inuse_space"):
    """Folded stacks, the heaviest first."""
    done = subprocess.run([HEAPFLAME, "fold", "--value", value, profile], capture_output=True, text=True, check=False,
                          timeout=TIMEOUT_S)
    assert done.returncode in (0, 4), done.stderr
    return sorted(folded(done.stdout), key=lambda stack: -stack[1])


def in_order(wanted, frames):
    rest = iter(frames)
    return all(frame in rest for frame in wanted)


def check_leaks(stacks, at_least, at_most):
    for (frames, value), (label, leaf, size) in zip(stacks, LEAKS):
        assert frames[0] == label and frames[1] == "_start", frames
        assert frames[-len(leaf):] == leaf and in_order(CALLERS, frames), frames
        assert not HAS_SYMBOLS or not any("+0x" in frame for frame in frames), frames
        assert value % size == 0 and at_least <= value // size <= at_most, (value // size, at_least, at_most)
    assert all(value * 100 < stacks[1][1] for _, value in stacks[2:]), stacks[2:]


def check_backend(backend, running, pid, spec="postgres"):
    """As a user would, with nothing but the defaults. A call is one transaction, which says when it is done."""
    with attached(pid, "--backend", backend, "-o", "leaks.hfb", spec=spec) as tool:
        pass
    assert tool.returncode == 0 and f" {SECONDS}.0 s: " in tool.said and "; nothing was lost\n" in tool.said, tool.said
    assert f" are younger than {OLDER + 0.01:.1f} s and left out; --older 0s shows them" in tool.said, tool.said
    functions = r" AllocSetAlloc .* AllocSetFree " if HAS_SYMBOLS else r" alloc of contexts( \(stepped\))* free of contexts"
    assert re.search(rf"process {pid}:.*{functions}", tool.said) or spec != "postgres", tool.said
    at_least = running.done(tool.within, tool.without + SECONDS - OLDER - 0.05) - 1
    at_most = running.done(tool.without, tool.within + SECONDS + 0.05 - OLDER) + 1
    assert at_least > RATE, f"{at_least} calls in {SECONDS} s are too few to tell"
    stacks = stacks_of("leaks.hfb")
    check_leaks(stacks, at_least, at_most)
    print(f"{backend}, {spec}: {stacks[0][1] // 128} and {stacks[1][1] // 48} leaks of {at_least} to {at_most},",
          re.search(r"\d+.\d s: .*", tool.said)[0])
    return tool.said


def check_choice(said, pid):
    """perf follows the contexts that last, and says which of them grew: those that `contexts` names without any probe."""
    chosen = re.search(r"following (\d+) of (\d+) contexts, long-lived only; grew in \d+ ms: (.*?); blocks in other contexts", said)
    assert chosen and 50 < int(chosen[1]) <= int(chosen[2]), said
    assert re.fullmatch(r"TopMemoryContext \(\+[\d.]+ K?i?B\), CacheMemoryContext \(\+[\d.]+ K?i?B\).*", chosen[3]), said
    table = heapflame("contexts", "-d", "1s", "--rows", "2", pid).splitlines()[2:]
    assert [row.split("1  ", 1)[1].split("  ")[0] for row in table] == ["TopMemoryContext", "TopMemoryContext / CacheMemoryContext"], table


@contextlib.contextmanager
def hardly_running(pid):
    """The backend as a busy machine treats it: it runs for an eighth of the time."""
    throttle = subprocess.Popen([sys.executable, "-c", f"""
import os, signal, time
while True:
    os.kill({pid}, signal.SIGSTOP)
    time.sleep(1.4)
    os.kill({pid}, signal.SIGCONT)
    time.sleep(0.2)
"""])
    try:
        yield
    finally:
        throttle.kill()
        throttle.wait()
        os.kill(pid, signal.SIGCONT)


def test_choice_of_contexts_waits_for_a_backend_that_hardly_runs():
    """Of a backend that did not run while it was looked at, also the contexts of a query seem to last."""
    with server() as running:
        pid = running.work(rate=RATE)
        with hardly_running(pid), attached(pid, "-d", "1s", "--backend", "perf", "-o", "leaks.hfb") as tool:
            pass
        chosen = re.search(r"following (\d+) of (\d+) contexts, long-lived only; grew in (\d+) ms: ", tool.said)
        assert chosen and int(chosen[1]) < int(chosen[2]), tool.said
        assert "in short-lived contexts were left out" not in tool.said, tool.said


def check_all_contexts(pid):
    leaves = set()
    for duration in "500ms", "5s", "20s":  # on a busy machine the backend comes to little in each
        with attached(pid, "-d", duration, "--older", "0s", "--backend", "perf", "--all-contexts", "-o", "all.hfb") as tool:
            pass
        assert "the long-lived ones" not in tool.said and "left out; --older" not in tool.said, tool.said
        leaves |= {frames[-1] for frames, _ in stacks_of("all.hfb", "alloc_objects")}
        if "repalloc" in leaves:  # which nobody calls in contexts that last
            return
    raise AssertionError(leaves)


def test_two_leaks_by_each_backend():
    with server() as running:
        pid = running.work(rate=RATE)
        # Sanitized, perf is so slow to attach that there is no time of which it is sure that it was recorded.
        backends = [backend for backend in BACKENDS if backend == "bpf" or "HEAPFLAME_SANITIZED" not in os.environ]
        said = {backend: check_backend(backend, running, pid) for backend in backends}
        assert "the long-lived ones" not in said["bpf"], said["bpf"]
        if "perf" in said:
            check_choice(said["perf"], pid)
            check_all_contexts(pid)
        if HAS_SYMBOLS:
            Path("named.spec").write_text(NAMED)
            check_backend("perf", running, pid, spec="./named.spec")
        # The article's own steps.
        with attached(pid, "-d", "3s", "-o", "leaks.stap"):
            pass
        with open("leaks.stap", "rb") as text:
            collapsed = run(HEAPFLAME, "stackcollapse-stap.pl", stdin=text)
        heaviest = max(folded(collapsed), key=lambda stack: stack[1])
        assert heaviest[0][-len(LEAKS[0][1]):] == LEAKS[0][1], heaviest
        icicle = heapflame("flame", "--reverse", "--inverted", "leaks.stap")
        assert "<title>" in icicle and "policy_fetch" in icicle
        assert icicle.index("MemoryContextAlloc") < icicle.index("[CacheMemoryContext]"), "the leaf is no root"
        with attached(pid, "-d", "3s") as tool:
            pass
        frames, values = tool.out.splitlines(), [int(line) for line in tool.out.splitlines() if line.startswith("\t")]
        assert frames[0].endswith(" : palloc") and frames[1].endswith(" : psprintf"), tool.out
        assert values == sorted(values, reverse=True) and values[0] % 128 == 0, values


def test_tree_of_a_postmaster():
    """Backends that are there and one that comes: each is a root, and leaks alike."""
    with server() as running:
        first = running.work(rate=RATE)
        with attached(running.postmaster.pid, "--tree", "-d", "60s", "--older", "0s", "-o", "tree.hfb") as tool:
            second = running.work(rate=RATE)
            line = ""
            while f"process {second} (postgres) is followed, too" not in line:
                line = tool.stderr.readline()
                assert line, tool.said
                tool.said += line
            begin = time.time()
            running.wait_for(lambda: running.done(begin, time.time()) >= 2 * RATE)  # of both
            tool.send_signal(signal.SIGINT)
        assert "; nothing was lost\n" in tool.said and "another tool" not in tool.said, tool.said
    stacks = stacks_of("tree.hfb")
    for pid in first, second:
        of_one = [(frames[1:], value) for frames, value in stacks if frames[0] == f"[postgres {pid}]"]
        leaked = [sum(value for frames, value in of_one if frames[0] == label and frames[-len(leaf):] == leaf) // size
                  for label, leaf, size in LEAKS]
        assert min(leaked) > 0 and max(leaked) - min(leaked) <= 1, (leaked, of_one)


def check_layout(mock, layout, backend, spec="postgres"):
    with attached(mock.process.pid, "-d", "60s", "--older", "0s", "--backend", backend, "-o", "mock.hfb", spec=spec) as tool:
        mock.tick(100, pause=0.005)  # or perf could not keep up
        tool.send_signal(signal.SIGINT)
    assert "; nothing was lost\n" in tool.said, (layout, tool.said)
    stacks = {(frames[0], frames[-2], frames[-1]): value for frames, value in stacks_of("mock.hfb")}
    assert stacks == {
        ("[TopMemoryContext]", "truncate_replay", "palloc_in"): 7200,
        ("[CacheMemoryContext]", "policy_fetch", "palloc_in"): 4800,
    }, (layout, backend, stacks)


def test_layouts_of_other_versions():
    """By one backend each, as what finds the functions knows of none; by both in test_functions_by_their_names."""
    for turn, layout in enumerate((904, 905, 1000, 1100, 1300, 1600, 1700, 6, 7)):
        with Mock(layout) as mock:
            check_layout(mock, layout, BACKENDS[turn % 2])


def test_parents():
    with Mock(1300) as mock:
        with attached(mock.process.pid, "-d", "60s", "--older", "0s", "--parents", "-o", "mock.hfb") as tool:
            mock.tick(100, pause=0.005)
            tool.send_signal(signal.SIGINT)
    assert {tuple(frames[:2]) for frames, _ in stacks_of("mock.hfb")} == {
        ("[TopMemoryContext]", "_start"), ("[TopMemoryContext]", "[CacheMemoryContext]")}
    assert re.search(r"palloc_in < truncate_replay .* in \[TopMemoryContext\]\n", tool.said), tool.said
    assert re.search(r"palloc_in < policy_fetch .* in \[CacheMemoryContext\]\n", tool.said), tool.said


def test_functions_by_their_names():
    Path("named.spec").write_text(NAMED)
    with Mock(1300) as mock:
        for backend in BACKENDS:
            check_layout(mock, 1300, backend, spec="./named.spec")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
