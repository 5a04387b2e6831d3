#!/usr/bin/env python3
# timeout: 400
"""Programs that are hard on whoever lives in their process, in exact mode: the table must have every block that the
program says it kept, by function, and no other."""

import os
import re
import shutil
import sys

from _agent import command_of, compile_agent_test, expect_said, holdings, only_table, profiled, said, state, tables
from _suite import run_tests

FAMILY = compile_agent_test("family.c")
OPERATORS = compile_agent_test("operators.cc", "-std=c++17")
SCENES = compile_agent_test("scenes.c")
INTERRUPTIONS = compile_agent_test("interruptions.c")


def play(scene, *arguments, conf="exact:true", program=SCENES, **more):
    """What the scene said on standard error, after its table was found to be right."""
    out, err = profiled(conf, program, scene, *arguments, **more)
    expect_said(out, only_table())
    return err


def test_family():
    out, _ = profiled("exact:true", FAMILY)
    expect_said(out, only_table())


def test_operators():
    out, _ = profiled("exact:true", OPERATORS)
    expect_said(out, only_table())


def test_threads():
    play("threads")
    assert state(only_table())[0]["threads"] == 62


def test_thread_storm():
    grown = int(re.fullmatch(r"grew by (-?\d+) KiB\n", play("storm"))[1])
    assert grown < 4096, f"20,000 short threads left {grown} KiB"


def test_late_destructors():
    """Each thread's last allocation in a destructor is nobody's to free: glibc ends after four rounds."""
    out, _ = profiled("exact:true", SCENES, "destructors")
    found = holdings(only_table())
    assert found["keep"] == said(out)["keep"] == (53, 53 * 48)
    assert found["late_destructor"] == (53, 53 * 71), found
    assert "late" not in found, found


def test_fork():
    play("fork")


def test_raw_clone():
    play("clone")


def test_vfork():
    play("vfork")


def test_posix_spawn():
    out, _ = profiled("exact:true", SCENES, "spawn")
    mine = [table for table in tables() if "scenes" in command_of(table)]
    assert len(mine) == 1 and len(tables()) == 81
    expect_said(out, mine[0])


def test_fork_followed():
    out, _ = profiled("exact:true,follow_fork:true", SCENES, "clone")
    parent = [table for table in tables() if holdings(table).get("keep") == said(out)["keep"]]
    assert len(parent) == 1
    expect_said(out, parent[0])
    children = set(tables()) - set(parent)
    assert len(children) == 50
    for child in sorted(children)[:5]:
        assert holdings(child)["keep"] == (6, 6 * 48), holdings(child)


def test_exec():
    out, _ = profiled("exact:true", SCENES, "exec", "20")
    assert said(out) == {"keep": (1, 48)}
    assert len(tables()) == 21
    assert len({table.name.split("-")[0] for table in tables()}) == 1
    for table in tables():
        assert holdings(table)["keep"] == (1, 48)


def test_only_the_process_that_is_meant():
    profiled("exact:true,pid:1", SCENES, "threads")
    assert not tables()


def test_signals():
    """Handlers that allocate, in the middle of the agent: what of it is not recorded is counted as lost."""
    out, err = profiled("exact:true", INTERRUPTIONS, "signals")
    expect_said(out, only_table(), wait="in handlers")
    assert int(err.split()[1]) >= 300, err


def kept_after(scene, **lost):
    """Threads left the agent in the middle of an allocation, so that it is nobody's; nothing else is missing."""
    out, _ = profiled("exact:true,budget:64MiB", INTERRUPTIONS, scene)
    assert holdings(only_table())["keep"] == said(out)["keep"]
    losses = {name: count for name, count in state(only_table())[1].items() if count and name not in lost}
    assert not losses, losses


def test_jumps_out_of_the_agent():
    kept_after("left")


def test_threads_that_end_in_the_agent():
    kept_after("ended", wait="what the thread's end frees and allocates")


def test_stopped_in_the_agent():
    """Who waits for a stopped thread gives up; what is not recorded for it is counted."""
    out, _ = profiled("exact:true", INTERRUPTIONS, "stopped")
    lost = state(only_table())[1]
    kept = holdings(only_table()).get("keep", (0, 0))[0]
    assert kept <= said(out)["keep"][0] <= kept + lost["wait"] + lost["stack"] + lost["block"], (kept, lost)


def test_contention():
    """With one arena and no cache of the threads' own, what one frees is another's at once."""
    play("contention", variables={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"})


def test_altstack():
    play("altstack", program=INTERRUPTIONS)


def test_longjmp():
    play("longjmp", program=INTERRUPTIONS)


def test_coroutines():
    play("coroutines")


def test_recursion():
    play("recursion")


def test_tiny_stacks():
    play("tiny")


def test_cancellation():
    play("cancel")


def test_descriptors_closed():
    play("closefds")


def test_no_descriptors():
    play("nofile")


def test_chroot():
    if os.geteuid() == 0:
        play("chroot")


def test_sampled():
    """Whatever is hard on exact mode is as hard on a sampled run: nothing but the numbers may differ."""
    for scene in ("threads", "fork", "destructors", "coroutines", "recursion", "tiny", "cancel", "vfork"):
        shutil.rmtree("tables", ignore_errors=True)
        profiled("period:256", SCENES, scene)
        counts, lost = state(only_table())
        assert counts["stacks"] > 0 and not any(lost.values()), (scene, counts, lost)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
