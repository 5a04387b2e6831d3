#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 400
"""Programs under a seccomp filter that kills: the agent makes no call that could cost them their life."""

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

from _agent import AGENT, compile_agent_test, environment, expect_said, forget_tables, holdings, only_table
from _agent import profiled, said, state, tables, top
from _heap import HEAPFLAME, run
from _suite import run_tests

SANDBOX = compile_agent_test("sandbox.c")
CONFS = ["exact:true", "period:64", ""]  # everything; nearly everything, as a sample; the default


def check_filter(scene, agent=AGENT):
    """It ends as it does without the agent. With every allocation recorded, the table says what the program says."""
    for conf in CONFS:
        forget_tables()
        out, err = profiled(conf, SANDBOX, scene, preload=(agent,))
        assert said(out)["keep"][0] > 2000 and err == "", (conf, out, err)
        if conf == "exact:true":
            expect_said(out, only_table())
            bounds = struct.unpack_from("<Q", only_table().read_bytes(), 4096 + 112)[0]
            assert bounds == (0 if scene == "refused" else 1), bounds


def test_by_prctl():
    check_filter("prctl")


def test_before_anything_else():
    check_filter("first")


def test_by_syscall():
    check_filter("syscall")


def test_with_threads():
    check_filter("threads")


def test_a_child_is_inert():
    check_filter("fork")


def test_a_filter_that_is_refused_is_none():
    check_filter("refused")


def test_threads_have_their_numbers():
    """What is born under the filter has another number than what made it, and its name."""
    profiled("exact:true", SANDBOX, "first")
    data = only_table().read_bytes()
    offset = struct.unpack_from("<Q", data, 72 + 24 * 3)[0]
    seen = [struct.unpack_from("<Q16s", data, offset + 24 * i) for i in range(state(only_table())[0]["threads"])]
    numbers = {tid for tid, _ in seen}
    assert len(numbers) == len(seen) > 20 and 0 not in numbers, seen
    assert {name.rstrip(b"\0") for _, name in seen} == {b"sandbox"}, seen


def test_stacks_are_whole():
    """Of each thread's own stack all frames are there: as deep as without a filter."""
    deep = {}
    for scene in ("refused", "first"):
        forget_tables()
        profiled("exact:true", SANDBOX, scene)
        deep[scene] = top(only_table(), "--inuse_space", "--cum")
    for name in ("live", "work_below", "keep_below"):
        assert deep["first"][name]["cum"] == deep["refused"][name]["cum"], (name, deep["first"].get(name))


def test_room_that_is_used_up():
    """64 MiB of the table were there, half of them for blocks: what goes beyond is counted, and the report says why."""
    out, _ = profiled("exact:true", SANDBOX, "much", "2000000")
    table = only_table()
    kept, lost = holdings(table)["keep"][0], state(table)[1]["block"]
    assert kept >= 1_000_000 and lost > 0 and kept + lost == said(out)["keep"][0] == 2000000, (kept, lost)
    done = subprocess.run([HEAPFLAME, "top", table], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "its table of blocks was full" in done.stderr, done
    assert "the program runs under a seccomp filter" in done.stderr, done.stderr


def test_started_under_a_filter():
    """By its launcher: no call can be tried, and none is. By a parent that has it, too: what is tried is a child."""
    for scene in ("launch", "launch-below"):
        for conf in CONFS:
            forget_tables()
            out, err = profiled(f"{conf},follow_fork:true" if conf else "follow_fork:true", SANDBOX, scene)
            assert said(out)["keep"][0] > 2000, out
            assert "keep" not in json.dumps([list(holdings(table)) for table in tables()]), "it was recorded"
            told = "heapflame: this program was started under a seccomp filter that forbids the agent's system call gettid: " \
                "the program runs unprofiled\n"
            assert err == (told if scene == "launch-below" else ""), err


def test_started_under_a_filter_that_lets_all_pass():
    """As every process of a container is: nothing changes."""
    out, err = profiled("exact:true,follow_fork:true", SANDBOX, "launch-open")
    assert err == ""
    found = [holdings(table).get("keep", (0, 0)) for table in tables()]
    assert said(out)["keep"] in found, (out, found)
    forget_tables()
    program = Path("direct.c")
    program.write_text((Path(__file__).parent.parent / "agent/sandbox.c").read_text().replace(
        'launch(SECCOMP_RET_ALLOW, "guest", 1)', 'launch(SECCOMP_RET_ALLOW, "guest", 0)'))
    run("gcc", "-O1", "-g", "-D_GNU_SOURCE", "-fno-inline", "-fno-builtin", "-pthread", f"-I{Path(__file__).parent.parent}/agent",
        program, "-o", "direct")
    for conf, has_it in (("exact:true", False), ("exact:true,filtered:true", True)):
        forget_tables()
        out, _ = profiled(conf, "./direct", "launch-open")
        assert any(holdings(table).get("keep") == said(out)["keep"] for table in tables()) is has_it, conf


def ended(scene, *options):
    folder = Path("ended").resolve()
    folder.mkdir(exist_ok=True)
    return subprocess.run([HEAPFLAME, "run", *options, "-o", folder / "%p.%n.hfb", SANDBOX, scene], capture_output=True, text=True,
                          check=False, env={**environment(""), "LD_PRELOAD": "", "HEAPFLAME_CONF": ""})


def test_the_report_names_the_call():
    for options in (("--exact",), ("--period", "64")):
        done = ended("unseen", *options)
        assert done.returncode == 128 + 31, done
        assert "was killed by signal 31 (Bad system call)" in done.stderr, done.stderr
        assert re.search("its seccomp filter forbids the agent's system call (madvise|gettid|mmap): the agent did not see", done.stderr), done
        done = ended("own", *options)
        assert done.returncode == 128 + 31, done
        assert "its seccomp filter forbids a system call of the program itself; the agent was not making one" in done.stderr, done.stderr


def test_killed_before_anything_was_recorded():
    """While the table is made: that is said, by `run` and of the file, and nothing of it stays."""
    here = Path("early").resolve()
    here.mkdir()
    env = {**environment(""), "LD_PRELOAD": "", "HEAPFLAME_CONF": "filtered:true"}
    command = [SANDBOX, "without-ftruncate", HEAPFLAME, "run", "--dir", here, "-o", "x.hfb", SANDBOX, "refused"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 128 + 31, done
    assert done.stderr.endswith("heapflame: sandbox was killed before anything was recorded, so there is no profile\n"), done.stderr
    assert not list(here.glob("*/*")) and not Path("x.hfb").exists()
    for size in (0, 4096, 1 << 20):
        Path("unborn.live").write_bytes(bytes(size))
        done = subprocess.run([HEAPFLAME, "top", "unborn.live"], capture_output=True, text=True, check=False)
        assert done.returncode == 3 and done.stderr == (
            "heapflame: unborn.live: line 1: is the live table of a process that was killed before anything was recorded\n"), done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
