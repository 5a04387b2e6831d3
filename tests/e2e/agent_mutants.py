#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 600
"""Each rule of the agent is missed: the object without it (one file compiled again with one flag; base/mutant.h) fails
the test that holds the rule, and in the way that the rule is there to prevent. docs/compat/agent.md lists them."""

import functools
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import agent as agent_object
import agent_code
import agent_filter
import agent_scenes
import agent_surroundings
import run as run_command
from _agent import AGENT, forget_tables
from _heap import run
from _suite import run_tests

BUILD = AGENT.parent.parent
TOP = Path.cwd()
CRASH = r"expected 0, got -(4|6|7|11)\b"
HANG = "timed out"
WRONG = "the table differs"
LOST = "lost "


def play(scene, **more):
    return functools.partial(agent_scenes.play, scene, **more)


def often(times, check, **more):
    """For what is seen only if a thread is stopped at the wrong moment, which no count makes sure."""

    def again(agent):
        for _ in range(times):
            check(agent=agent, **more)
            forget_tables()

    return again


# What is taken away: the file, the test that holds the rule, and how that fails.
MUTANTS = {
    "LOADER": ("modules.c", agent_code.check_loader, f"{LOST}|{WRONG}"),
    "BOUNDS": ("walk.c", agent_code.check_frames, CRASH),
    "GUESS": ("modules.c", agent_code.check_gone, CRASH),
    "CLOSING": ("modules.c", agent_code.check_closing, CRASH),
    "READABLE": ("thread.c", agent_code.check_frames, CRASH),
    "BOOTSTRAP": ("real.c", agent_code.check_early, CRASH),
    "LENT": ("thread.c", agent_scenes.check_late_destructors, "freed in destructors"),
    "ASIDE": ("thread.c", agent_scenes.check_thread_storm, "short threads left"),
    "FORK": ("start.c", play("clone"), WRONG),
    "FORGET": ("start.c", agent_scenes.check_fork_followed, "a child's table differs"),
    "VFORK": ("event.c", play("vfork"), WRONG),
    "BUSY": ("event.c", agent_scenes.check_signals, f"{CRASH}|{WRONG}|{LOST}|not recorded there"),
    "WAIT": ("spinlock.c", often(100, agent_scenes.check_stopped, conf="period:2", timeout=10), HANG),
    "MEND": ("thread.c", functools.partial(agent_scenes.check_interrupted, "left"), WRONG),
    "END": ("thread.c", agent_scenes.check_first, "it was enrolled"),
    "ROOM": ("record.c", agent_code.check_stack, "bytes of stack"),
    "CANCEL": ("map_file.c", agent_code.check_cancel, "it ended in the agent"),
    "DLCLOSE": ("hooks.c", agent_code.check_reload, "from_one"),
    "NEXT": ("real.c", agent_code.check_chain, "0 calls reached"),
    "SECURE": ("start.c", agent_surroundings.check_secure_execution, "a setuid program made a table"),
    "PID": ("start.c", agent_scenes.check_only_the_process_that_is_meant, "a table of another process"),
    "SYSCALL": ("record.c", agent_code.check_seccomp, r"got -9\b"),
    "SEAL": ("gate.c", functools.partial(agent_filter.check_filter, "prctl"), r"got -31\b"),
    "ROOM_LEFT": ("room.c", agent_surroundings.check_address_space, "the program gets"),
    "CLOSE": ("table_file.c", agent_object.check_no_descriptor_stays, "descriptors"),
    "SHARED": ("table_file.c", play("quit"), ""),
    "LOSE": ("writer.c", agent_scenes.check_distinct_stacks, WRONG),
    "COMMIT": ("table_file.c", agent_surroundings.check_full_tmpfs, "-7"),
    "FREE": ("hooks.c", agent_scenes.check_contention, WRONG),
    "REALLOC": ("hooks.c", agent_scenes.check_family, WRONG),
}

# The same of the command, which looks at a program before it starts it.
REFUSALS = {
    "STATIC": (run_command.check_static, r"expected \(125"),
    "MUSL": (run_command.check_musl, r"musl|got \(127,"),
    "SANITIZER": (run_command.check_sanitizers, r"expected \(125"),
    "RIGHTS": (run_command.check_other_rights, r"expected \(125"),
}


@functools.cache
def objects():
    """{source: (command, object)} of the agent's parts, compiled without link-time optimisation: a mutant is one of
    them compiled again, and a link of a moment."""
    folder, parts, running = TOP / "objects", {}, []
    folder.mkdir()
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if not entry["output"].startswith("agent/libheapflame.so.p/"):
            continue
        out = folder / entry["output"].rpartition("/")[2]
        words = [str(out) if word == entry["output"] else word for word in shlex.split(entry["command"])]
        words = [word for word in words if not word.startswith(("-Werror", "-flto"))]
        parts[entry["file"].rpartition("/")[2]] = ([*words, "-w"], out)
        running.append(subprocess.Popen([*words, "-w"], cwd=BUILD))
    assert not any([process.wait() for process in running])
    return parts


def build(file, flag, link=("-Wl,-z,nodelete",)):
    command, plain = objects()[file]
    changed, agent = Path("mutant.o").resolve(), Path("libheapflame.so").resolve()
    words = [str(changed) if word == str(plain) else word for word in command]
    subprocess.run([*words, flag], cwd=BUILD, check=True)
    others = [out for _, out in objects().values() if out != plain]
    run("gcc", "-shared", "-o", agent, changed, *others, "-Wl,--gc-sections", "-Wl,-z,now", *link)
    return agent


@functools.cache
def commands():
    """What compiles target.c of the command, and what links the command."""
    lines = [shlex.split(line) for line in run("ninja", "-C", BUILD, "-t", "commands", "heapflame").splitlines()]
    return next(words for words in lines if words[-1].endswith("src/capture/target.c")), lines[-1]


def build_command(flag):
    compiling, linking = commands()
    plain, changed, tool = compiling[compiling.index("-o") + 1], Path("target.o").resolve(), Path("heapflame").resolve()
    words = [str(changed) if word == plain else word for word in compiling]
    subprocess.run([*words, flag], cwd=BUILD, check=True)
    words = [str(tool) if word == "heapflame" else word for word in linking]
    subprocess.run([*words[:3], str(changed), *words[3:]], cwd=BUILD, check=True)
    Path("agent").symlink_to(AGENT.parent)
    return tool


def missed(check, how, **mutant):
    """The check must find that something is wrong, and what."""
    try:
        check(**mutant)
    except (AssertionError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
        assert re.search(how, str(error)), f"another fault: {error}"
    else:
        raise AssertionError("nothing noticed that the rule is missing")


def test_without_mutant():
    """The way of building them is not what fails."""
    agent = build("event.c", "-DHF_MUTANT_NONE")
    for check in (agent_scenes.check_family, play("clone"), agent_scenes.check_stopped, agent_code.check_stack):
        check(agent=agent)
        forget_tables()


def test_dynamic_thread_local_storage():
    missed(agent_object.check_imports, "__tls_get_addr", agent=build("hooks.c", "-ftls-model=global-dynamic"))


def test_unloaded_with_nodelete_missing():
    missed(agent_code.check_nodelete, "the agent is gone", agent=build("event.c", "-DHF_MUTANT_NONE", link=()))


def test_no_way_through_for_exceptions():
    missed(agent_surroundings.check_throwing, CRASH, agent=build("hooks_new.c", "-fno-asynchronous-unwind-tables"))


def test_without_mutant_of_the_command():
    tool = build_command("-DHF_MUTANT_NONE")
    for check, _ in REFUSALS.values():
        check(tool=tool)


def make_test(name, file, check, how):
    return lambda: missed(check, how, agent=build(file, f"-DHF_MUTANT_{name}"))


def make_refusal_test(name, check, how):
    return lambda: missed(check, how, tool=build_command(f"-DHF_MUTANT_{name}"))


globals().update({f"test_{name}": make_test(name, *mutant) for name, mutant in MUTANTS.items()})
globals().update({f"test_{name}": make_refusal_test(name, *refusal) for name, refusal in REFUSALS.items()})

if __name__ == "__main__":
    sys.exit(run_tests(globals()))
