#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 600
"""Programs that are hard on whoever lives in their process, in exact mode: the table must have every block that the
program says it kept, by function, and no other."""

import os
import re
import shutil
import signal
import sys
from pathlib import Path

from _agent import AGENT, allocator, cannot_run, command_of, compile_agent_test, expect_said, family_on_allocator, forget_tables
from _agent import holdings, on_every_allocator, only_table, own_holdings, profiled, said, state, tables
from _suite import run_tests

FAMILY = compile_agent_test("family.c")
OPERATORS = compile_agent_test("operators.cc", "-std=c++17")
SCENES = compile_agent_test("scenes.c")
# What one thread frees is another's at once.
ONE_ARENA = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"}
INTERRUPTIONS = compile_agent_test("interruptions.c", "-rdynamic")
IN_STORMS = {
    SCENES: ("threads", "fork", "atfork", "clones", "vfork", "destructors", "coroutines", "recursion", "tiny", "crowd",
             "contention", "cancel", "closefds", "nofile", "exit", "quit"),
    INTERRUPTIONS: ("signals", "storm", "left", "ended", "first", "stopped", "altstack", "longjmp"),
}
WITH_LOSSES = ("signals", "storm", "ended", "first", "stopped")  # what the handlers themselves allocate, and what was waited for


def play(scene, *arguments, program=SCENES, agent=AGENT, lost=(), **more):
    """What the scene said on standard error, after its table was found to be right. `lost`: what may be."""
    out, err = profiled("exact:true,budget:64MiB", program, scene, *arguments, preload=(agent,), **more)
    expect_said(out, only_table(), *lost)
    return err


def check_family(agent=AGENT):
    out, _ = profiled("exact:true,budget:64MiB", *family_on_allocator(FAMILY), preload=(agent,))
    expect_said(out, only_table())


@on_every_allocator
def test_family():
    check_family()


@on_every_allocator
def test_operators():
    """Some allocators' operator new does not call malloc; mimalloc's ends the program instead of throwing."""
    words = ["no-throw"] if cannot_run({"libmimalloc": -signal.SIGABRT}, OPERATORS) else []
    out, _ = profiled("exact:true", OPERATORS, *words)
    expect_said(out, only_table())


@on_every_allocator
def test_threads():
    play("threads")
    assert state(only_table())[0]["threads"] == 62


def check_thread_storm(agent=AGENT, *amount):
    grown = int(re.fullmatch(r"grew by (-?\d+) KiB\n", play("storm", *amount, agent=agent))[1])
    assert grown < 4096, f"short threads left {grown} KiB"


@on_every_allocator
def test_thread_storm():
    check_thread_storm()


@on_every_allocator
def test_many_threads_at_a_time():
    play("crowd")
    assert state(only_table())[0]["threads"] == 501


def check_late_destructors(agent=AGENT):
    """Each thread's last allocation in a destructor is nobody's to free: glibc ends after four rounds."""
    out, _ = profiled("exact:true,budget:64MiB", SCENES, "destructors", preload=(agent,))
    found = holdings(only_table())
    assert found["keep"] == said(out)["keep"] == (53, 53 * 48)
    assert found["late_destructor"] == (53, 53 * 71), f"freed in destructors: {found}"
    assert "late" not in found, found
    assert not any(state(only_table())[1].values()), f"freed in destructors: {state(only_table())}"


@on_every_allocator
def test_late_destructors():
    check_late_destructors()


@on_every_allocator
def test_fork():
    play("fork")


@on_every_allocator
def test_handlers_of_fork():
    """Of functions that were registered before the agent was there, and after."""
    play("atfork", variables={"ATFORK": "1"})


@on_every_allocator
def test_raw_clone():
    play("clone")


@on_every_allocator
def test_raw_clones_of_threads():
    """The child may wait for a lock of tcmalloc's own."""
    if not cannot_run({"libtcmalloc_minimal": None, "libtcmalloc": None}, SCENES, "clones", "1600", times=20):
        play("clones")


@on_every_allocator
def test_vfork():
    play("vfork")


@on_every_allocator
def test_posix_spawn():
    out, _ = profiled("exact:true", SCENES, "spawn")
    mine = [table for table in tables() if "scenes" in command_of(table)]
    assert len(mine) == 1 and len(tables()) == 81
    expect_said(out, mine[0])


def check_fork_followed(agent=AGENT):
    out, _ = profiled("exact:true,budget:64MiB,follow_fork:true", SCENES, "clone", preload=(agent,))
    parent = [table for table in tables() if holdings(table).get("keep") == said(out)["keep"]]
    assert len(parent) == 1
    expect_said(out, parent[0])
    children = set(tables()) - set(parent)
    assert len(children) == 50
    for child in sorted(children)[:5]:
        assert holdings(child).get("keep") == (7, 7 * 48), f"a child's table differs: {holdings(child)}"


@on_every_allocator
def test_fork_followed():
    check_fork_followed()


@on_every_allocator
def test_fork_followed_behind_a_title():
    """nginx and PostgreSQL overwrite their environment before they start a worker."""
    out, err = profiled("exact:true,follow_fork:true", SCENES, "titled")
    assert "heapflame: cannot" not in err, err
    children = [table for table in tables() if holdings(table).get("keep") == (6, 6 * 48)]
    assert len(children) == 10 and len(tables()) == 11, [holdings(table) for table in tables()]
    (parent,) = set(tables()) - set(children)
    expect_said(out, parent)


@on_every_allocator
def test_exec():
    out, _ = profiled("exact:true", SCENES, "exec", "20")
    assert said(out) == {"keep": (1, 48)}
    assert len(tables()) == 21
    assert len({table.name.split("-")[0] for table in tables()}) == 1
    for table in sorted(tables())[::5]:
        assert holdings(table)["keep"] == (1, 48)


@on_every_allocator
def test_exec_without_environment():
    """What loses the environment on its way is not profiled, and runs; scripts and what they start are."""
    out, err = profiled("exact:true", "env", "-i", SCENES, "threads")
    assert (out, err) == ("keep 61 2928\n", "")
    assert {command_of(table).split()[0] for table in tables()} == {"env"}
    Path("script").write_text(f"#!/bin/sh\nenv {SCENES} quit\n")
    Path("script").chmod(0o755)
    out, _ = profiled("exact:true", "./script")
    (mine,) = [table for table in tables() if "quit" in command_of(table) and "env" not in command_of(table)]
    expect_said(out, mine)


def check_only_the_process_that_is_meant(agent=AGENT):
    profiled("exact:true,pid:1", SCENES, "threads", preload=(agent,))
    assert not tables(), "a table of another process"


@on_every_allocator
def test_only_the_process_that_is_meant():
    check_only_the_process_that_is_meant()


@on_every_allocator
def test_the_end():
    """What is allocated after main is there, and so is all where nothing is run at the end."""
    play("exit")
    forget_tables()
    play("quit")


def check_signals(agent=AGENT):
    """Handlers that allocate, in the middle of the agent: what of it is not recorded is counted as lost."""
    interrupted = int(play("signals", program=INTERRUPTIONS, agent=agent, lost=("wait",)).split()[1])
    lost = state(only_table())[1]["wait"]
    assert interrupted >= 300 and lost >= interrupted, f"{interrupted} times in the agent, {lost} allocations not recorded there"


def check_interrupted(scene, *lost, agent=AGENT):
    """Threads left the agent in the middle of an allocation, so that it is nobody's; nothing else is missing."""
    out, _ = profiled("exact:true,budget:64MiB", INTERRUPTIONS, scene, preload=(agent,))
    found = holdings(only_table()).get("keep")
    assert found == said(out)["keep"], f"the table differs: {found}, not {said(out)['keep']}, {state(only_table())[1]}"
    losses = {name: count for name, count in state(only_table())[1].items() if count and name not in lost}
    assert not losses, losses


@on_every_allocator
def test_signals():
    check_signals()


@on_every_allocator
def test_jumps_out_of_the_agent():
    check_interrupted("left")


@on_every_allocator
def test_threads_that_end_in_the_agent():
    """What ending a thread from there allocates is lost."""
    check_interrupted("ended", "wait")


def check_first(agent=AGENT):
    check_interrupted("first", "wait", agent=agent)


@on_every_allocator
def test_threads_that_leave_their_first_event():
    check_first()


def check_stopped(*amount, agent=AGENT, conf="exact:true", **more):
    """Who waits for a stopped thread gives up; what is not recorded for it is counted. An exact event waits for little,
    one that is sampled for a lock in each block."""
    out, _ = profiled(f"{conf},budget:64MiB", INTERRUPTIONS, "stopped", *amount, preload=(agent,), variables=ONE_ARENA, **more)
    lost = state(only_table())[1]
    kept = holdings(only_table()).get("keep", (0, 0))[0]
    assert kept <= said(out)["keep"][0] <= kept + lost["wait"] + lost["stack"] + lost["block"], (kept, lost)


@on_every_allocator
def test_stopped_in_the_agent():
    check_stopped()
    forget_tables()
    check_stopped(conf="period:2")


def check_contention(agent=AGENT):
    play("contention", agent=agent, variables=ONE_ARENA)


@on_every_allocator
def test_contention():
    check_contention()


@on_every_allocator
def test_altstack():
    play("altstack", program=INTERRUPTIONS)


@on_every_allocator
def test_longjmp():
    play("longjmp", program=INTERRUPTIONS)


@on_every_allocator
def test_coroutines():
    play("coroutines")


@on_every_allocator
def test_recursion():
    play("recursion")


def check_distinct_stacks(agent=AGENT):
    """More of them than the table has room for: what is not in it is counted."""
    out, _ = profiled("exact:true,budget:1MiB", SCENES, "stacks", preload=(agent,))
    counts, lost = state(only_table())
    assert 500 < counts["stacks"] < 5000
    found = holdings(only_table())["keep"][0] + sum(lost.values())
    assert found == said(out)["keep"][0], f"the table differs: {found} of {said(out)['keep'][0]}"


@on_every_allocator
def test_distinct_stacks():
    check_distinct_stacks()


@on_every_allocator
def test_tiny_stacks():
    play("tiny")


@on_every_allocator
def test_cancellation():
    play("cancel")


@on_every_allocator
def test_descriptors_closed():
    play("closefds")


@on_every_allocator
def test_no_descriptors():
    play("nofile")


@on_every_allocator
def test_chroot():
    if os.geteuid() == 0:
        play("chroot")


def play_in_storm(program, scene, *amount, budget="64MiB", **more):
    """Returns how much is counted as lost, which in some scenes may be anything."""
    shutil.rmtree("tables", ignore_errors=True)
    out, _ = profiled(f"exact:true,budget:{budget}", program, scene, *amount, **more)
    counts, lost = state(only_table())
    found, expected = (numbers.get("keep", (0, 0)) for numbers in (own_holdings(only_table()), said(out)))
    allowed = sum(lost.values()) if scene in WITH_LOSSES else 0
    assert expected[0] - allowed <= found[0] <= expected[0], (allocator, scene, found, expected, lost)
    assert sum(lost.values()) == allowed, (allocator, scene, counts, lost)
    return allowed


def scenes_of_storms(name):
    """[(program, scene)] for an allocator; test_raw_clones_of_threads says what tcmalloc cannot do."""
    scenes = [(program, scene) for program, names in IN_STORMS.items() for scene in names]
    return [pair for pair in scenes if not ("tcmalloc" in name and pair[1] == "clones")]


@on_every_allocator
def test_signals_and_dumps():
    play_in_storm(INTERRUPTIONS, "storm")


@on_every_allocator
def test_sampled():
    """Whatever is hard on exact mode is as hard on a sampled run: nothing but the numbers may differ."""
    for scene in ("threads", "fork", "destructors", "coroutines", "recursion", "tiny", "cancel", "vfork"):
        shutil.rmtree("tables", ignore_errors=True)
        profiled("period:256,seed:1", SCENES, scene)  # some allocate so little that by chance none of it is sampled
        counts, lost = state(only_table())
        assert counts["stacks"] > 0 and not any(lost.values()), (scene, counts, lost)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
