#!/usr/bin/env python3
# timeout: 400
"""Each rule of the agent is missed: an object without it (-DHF_MUTANT_x, one file compiled again) must fail."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

from _agent import AGENT, compile_agent_test, expect_said, fill_while_running, forget_tables, only_table, profiled, run
from _agent import small_tmpfs
from _suite import run_tests

FAMILY = compile_agent_test("family.c")
SCENES = compile_agent_test("scenes.c")
INTERRUPTIONS = compile_agent_test("interruptions.c")
EARLY = compile_agent_test("early.c", "-shared", "-fPIC", out="early.so")
BUILD = AGENT.parent.parent
ONE_ARENA = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"}


def mutant(file, name):
    """The agent with agent/FILE compiled with -DHF_MUTANT_NAME, the other objects as they are."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    objects = {entry["output"]: entry for entry in commands if entry["output"].startswith("agent/libheapflame.so.p/")}
    changed = next(output for output, entry in objects.items() if entry["file"].endswith(f"agent/{file}"))
    out, agent = Path("mutant.o").resolve(), Path("libheapflame.so").resolve()
    words = shlex.split(objects[changed]["command"])
    words = [str(out) if word == changed else word for word in words if not word.startswith("-Werror")]
    subprocess.run([*words, f"-DHF_MUTANT_{name}", "-w"], cwd=BUILD, check=True)
    others = [BUILD / output for output in objects if output != changed]
    run("gcc", "-shared", "-o", agent, out, *others, "-Wl,--gc-sections", "-Wl,-z,now", "-Wl,-z,nodelete")
    return agent


def plays(agent, scene, program=SCENES, **more):
    out, _ = profiled("exact:true,budget:64MiB", program, scene, preload=(agent,), **more)
    expect_said(out, only_table(), wait="in handlers" if scene == "signals" else "")


def missed(check, *arguments, **more):
    """The check must find that something is wrong."""
    try:
        check(*arguments, **more)
    except (AssertionError, subprocess.SubprocessError, OSError):
        return
    raise AssertionError("nothing noticed that the rule is missing")


def family(agent, *behind):
    out, _ = profiled("exact:true,budget:64MiB", FAMILY, preload=(agent, *behind))
    expect_said(out, only_table())


def test_fork_ownership():
    missed(plays, mutant("start.c", "FORK"), "clone")


def test_busy():
    missed(plays, mutant("event.c", "BUSY"), "signals", INTERRUPTIONS)


def test_jumps_out_of_the_agent():
    missed(plays, mutant("thread.c", "MEND"), "left", INTERRUPTIONS)


def test_free_before_it_is_recorded():
    missed(plays, mutant("hooks.c", "FREE"), "contention", variables=ONE_ARENA)


def test_commit_before_store():
    with small_tmpfs() as folder:
        if folder is not None:
            missed(fill_while_running, SCENES, folder, mutant("table_file.c", "COMMIT"))


def test_bootstrap_arena():
    missed(family, mutant("real.c", "BOOTSTRAP"), EARLY)


def test_realloc_by_its_outcome():
    missed(family, mutant("hooks.c", "REALLOC"))


def test_without_mutant():
    """The way of building them is not what fails."""
    agent = mutant("event.c", "NONE")
    family(agent)
    forget_tables()
    plays(agent, "clone")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
