#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 400
"""The agent where code comes and goes, where stacks are as no compiler makes them, and where its code is loaded in other
ways than first of all: the table has what the program says it kept, and nobody waits for anybody."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from _agent import AGENT, PROGRAMS, allocator, cannot_run, compile_agent_test, expect_said, family_on_allocator
from _agent import forget_tables, holdings, on_every_allocator, only_table, plain_environment, profiled, run, said, stacks
from _suite import run_tests

CODE = compile_agent_test("code.c")
SCENES = compile_agent_test("scenes.c")
FAMILY = compile_agent_test("family.c")
EARLY = compile_agent_test("early.c", "-shared", "-fPIC", out="early.so")
EARLY_DLSYM = compile_agent_test("early.c", "-shared", "-fPIC", "-DDLSYM", out="early-dlsym.so")
BEHIND = compile_agent_test("behind.c", "-shared", "-fPIC", out="behind.so")
CHOICE = compile_agent_test("choice.c", "-shared", "-fPIC", out="libchoice.so")
BEHIND_DLCLOSE = compile_agent_test("behind_dlclose.c", "-shared", "-fPIC", out="behind_dlclose.so")
PLUGINS = {"plugin0": "allocate", "module0": "allocate", "reload0": "from_one", "reload1": "from_other"}


def make_plugins():
    """In the current folder; what is loaded once more than another is another file."""
    for name, function in PLUGINS.items():
        compile_agent_test("plugin.c", "-shared", "-fPIC", f"-DFUNCTION={function}", out=f"{name}.so")
    for name, count in (("plugin", 8), ("module", 80)):
        for number in range(1, count):
            shutil.copy(f"{name}0.so", f"{name}{number}.so")


def play(scene, *arguments, program=CODE, agent=AGENT, **more):
    out, err = profiled("exact:true,budget:64MiB", program, scene, *arguments, preload=(agent,), **more)
    expect_said(out, only_table())
    return err


def check_loader(agent=AGENT):
    make_plugins()
    play("loader", agent=agent)


def check_reload(agent=AGENT):
    """What is at one address belongs to whose code was there when it was called."""
    make_plugins()
    out, _ = profiled("exact:true", CODE, "reload", preload=(agent,))
    found = holdings(only_table())
    assert {name: found.get(name) for name in ("from_one", "from_other")} == said(out), found


def check_moving(agent=AGENT):
    """A stack is one, wherever its code is."""
    make_plugins()
    play("moving", agent=agent)
    every = stacks(only_table())
    assert len(set(every)) == len(every), f"{len(every)} stacks, of which {len(set(every))} differ"


def check_modules(agent=AGENT):
    make_plugins()
    play("modules", agent=agent)


def check_frames(agent=AGENT):
    play("frames", agent=agent)


def check_gone(agent=AGENT):
    """The image is one mapping, as the linker makes it that leaves code and what is read beside each other."""
    compile_agent_test("plugin.c", "-shared", "-fPIC", "-DFUNCTION=allocate", "-Wl,-z,noseparate-code", out="plugin0.so")
    play("gone", agent=agent)


def check_closing(agent=AGENT):
    make_plugins()
    out, _ = profiled("exact:true", CODE, "closing", preload=(agent, BEHIND_DLCLOSE))
    expect_said(out, only_table())


def check_cancel(agent=AGENT):
    play("cancel", agent=agent)


def check_stack(agent=AGENT):
    """How many bytes of stack the agent adds: 1 KiB where all is known, 4 KiB where it is not."""
    env = plain_environment(LD_BIND_NOW="1")
    plain = subprocess.run([CODE, "stack"], capture_output=True, text=True, check=True, env=env).stderr
    _, profiled_too = profiled("exact:true", CODE, "stack", preload=(agent,), variables={"LD_BIND_NOW": "1"})
    used = {name: int(size) for name, size in re.findall(r"(\S+) (\d+)", profiled_too)}
    added = {name: used[name] - int(size) for name, size in re.findall(r"(\S+) (\d+)", plain)}
    assert 0 < added["hot"] <= 1024 and max(added.values()) <= 4096, f"the agent takes {added} bytes of stack"


def check_seccomp(agent=AGENT):
    play("seccomp", agent=agent)


def check_nodelete(agent=AGENT):
    """dlclose leaves the agent where it is: threads may be inside. Opened so late, it stands before nothing."""
    done = run(CODE, "nodelete", env=plain_environment(AGENT=str(agent), HEAPFLAME_CONF=f"prof:true,dir:{os.getcwd()}"))
    assert done == "keep 20 960\n"
    assert not list(Path().glob("heapflame-*"))


def check_chain(agent=AGENT):
    """Another library that stands in for malloc sees each call, behind the agent and before it."""
    for preload in ((agent, BEHIND), (BEHIND, agent)):
        forget_tables()
        out, err = profiled("exact:true", *family_on_allocator(FAMILY), preload=preload)
        expect_said(out, only_table())
        calls = int(re.fullmatch(r"(\d+) calls\n", err)[1])
        assert calls > sum(objects for objects, _ in said(out).values()), f"{calls} calls reached the other library"


@on_every_allocator
def test_under_the_loaders_lock():
    check_loader()


@on_every_allocator
def test_code_that_is_replaced():
    check_reload()


@on_every_allocator
def test_code_that_moves():
    check_moving()


@on_every_allocator
def test_many_modules_with_thread_local_storage():
    check_modules()


@on_every_allocator
def test_frame_pointers_that_point_anywhere():
    check_frames()


@on_every_allocator
def test_code_that_is_gone():
    check_gone()


@on_every_allocator
def test_code_that_is_being_closed():
    check_closing()


@on_every_allocator
def test_nobody_is_cancelled_in_the_agent():
    check_cancel()


@on_every_allocator
def test_stack_that_is_used():
    check_stack()


@on_every_allocator
def test_strict_seccomp():
    check_seccomp()


@on_every_allocator
def test_closed_agent():
    check_nodelete()
    play("nodelete", variables={"AGENT": str(AGENT)})


@on_every_allocator
def test_another_preload():
    check_chain()


@on_every_allocator
def test_functions_chosen_by_functions_that_allocate():
    """IFUNC: such a function runs while libraries are still being relocated, perhaps the allocator itself."""
    program = compile_agent_test("chosen.c", str(CHOICE))
    crash = -signal.SIGSEGV
    for now in ("", "1"):
        if now and cannot_run({"libjemalloc": crash, "libmimalloc": crash}, program, LD_BIND_NOW=now):
            continue
        forget_tables()
        out, err = profiled("exact:true", program, variables={"LD_BIND_NOW": now})
        assert err == "", err
        expect_said(out, only_table())


def check_early(agent=AGENT):
    """Constructors allocate before the agent's, and dlsym does while the agent looks for the real malloc."""
    for preload in ((agent, EARLY_DLSYM), (agent, EARLY), (EARLY, agent)):
        forget_tables()
        out, err = profiled("exact:true", *family_on_allocator(FAMILY), preload=preload)
        assert err == "", err
        expect_said(out, only_table())


@on_every_allocator
def test_early_allocations():
    check_early()


@on_every_allocator
def test_needed_library():
    """The program is linked with the agent; nobody preloads it."""
    run("gcc", "-O1", "-g", "-D_GNU_SOURCE", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-pthread",
        "-o", "needing", "-Wl,--no-as-needed", AGENT, *allocator, f"-Wl,-rpath,{AGENT.parent}", PROGRAMS / "scenes.c")
    allocator.clear()
    out, _ = profiled("exact:true", Path("needing").resolve(), "threads", preload=())
    expect_said(out, only_table())


@on_every_allocator
def test_audited():
    """An auditor has a copy of libc of its own, and sees every library come, also the agent."""
    audit = compile_agent_test("audit.c", "-shared", "-fPIC", out="audit.so")
    if cannot_run({"libjemalloc": 127}, SCENES, "threads", LD_AUDIT=str(audit)):
        return  # its own thread-local storage has no room then
    out, err = profiled("exact:true", SCENES, "threads", variables={"LD_AUDIT": str(audit)})
    expect_said(out, only_table())
    assert "libheapflame.so" in err, err


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
