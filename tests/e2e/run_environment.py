#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""`heapflame run` without --follow-fork: nobody sees the agent's variables, and what the process becomes is recorded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from _run import LEAKER, SOURCE, compile_leaker, expect_equal, folded, run, run_leaker_tests, tables

BECOME = Path("become").resolve()
LEAK = "leak=1000003"


def recorded(*command, **environment):
    """What `run` has of the leaker when it is started by this command."""
    Path("out.folded").unlink(missing_ok=True)
    code, out, err = run("--exact", "-o", "out.folded", *command, **environment)
    assert code == 0, (command, code, out, err)
    expect_equal(tables(), [])
    return folded("out.folded").get("process_leak", 0)


def compile_become():
    subprocess.run(["gcc", "-g", "-O1", "-D_GNU_SOURCE", SOURCE / "tests/programs/become.c", "-o", BECOME], check=True)


def test_nobody_sees_the_variables():
    compile_become()
    everybody = "main 0\nenviron 0\nchild 0\nchild 0\nchild 0\nshell "
    expect_equal(run("--no-final", BECOME, "seen")[:2], (0, everybody + "0\n"))
    code, out, _ = run("--no-final", "sh", "-c", "env; env | cat; exec env")
    assert code == 0 and "libheapflame" not in out.rsplit("\n_=", 1)[0] and "HEAPFLAME_CONF" not in out, out
    # With --follow-fork everybody is recorded, and so everybody sees them.
    assert "child 2" in run("--no-final", "--follow-fork", BECOME, "seen")[1]


def test_what_else_is_preloaded_stays():
    compile_become()
    other = Path("other.so").resolve()
    subprocess.run(["gcc", "-shared", "-o", other, "-x", "c", "-"], input=b"int nothing;", check=True)
    code, out, _ = run("--no-final", BECOME, "seen", LD_PRELOAD=str(other))
    assert code == 0 and out.endswith(f"shell {other}\n") and "environ 0\n" in out, out
    expect_equal(recorded(BECOME, "execv", LEAKER, LEAK, LD_PRELOAD=str(other)), 1000003)


def test_every_exec():
    compile_become()
    for how in ("execve", "execv", "execvp", "execvpe", "empty", "execl", "execlp", "execle", "fexecve", "execveat", "syscall"):
        expect_equal((how, recorded(BECOME, how, LEAKER, LEAK)), (how, 1000003))


def test_scripts_that_end_in_exec():
    script = Path("entry.sh")
    script.write_text(f'#!/bin/sh\nset -e\ncat /dev/null\nexec "$@"\n')
    script.chmod(0o755)
    expect_equal(recorded(script.resolve(), LEAKER, LEAK), 1000003)
    expect_equal(recorded("bash", "-c", f"true | cat; exec {LEAKER} {LEAK}"), 1000003)


def test_env():
    expect_equal(recorded("env", "A=1", LEAKER, LEAK), 1000003)
    expect_equal(recorded("env", "-i", LEAKER, LEAK), 1000003)


def test_nice():
    expect_equal(recorded("nice", "-n", "1", LEAKER, LEAK), 1000003)


def test_nohup():
    expect_equal(recorded("nohup", LEAKER, LEAK), 1000003)


def test_a_server_that_executes_itself_anew():
    program = (f"import os, sys\nif len(sys.argv) == 1: os.execv(sys.executable, [sys.executable, __file__, 'again'])\n"
               f"assert not [v for v in os.environ if 'HEAPFLAME_CONF' in v]\nos.execv('{LEAKER}', ['leaker', '{LEAK}'])\n")
    Path("server.py").write_text(program)
    expect_equal(recorded(sys.executable, Path("server.py").resolve()), 1000003)


def ended(*command, **environment):
    """What `run` says of where the recording ended, and what it concludes with."""
    code, _, err = run("--exact", "-o", "out.folded", *command, **environment)
    said = [line for line in err.splitlines() if line.startswith("heapflame: ") and " note: " not in line]
    assert code == 0 and len(said) >= 2, (code, err)
    expect_equal(tables(), [])
    return said[-2:]


def test_what_the_agent_cannot_enter():
    """The recording ends with the exec, and why is said: by an absolute name, a relative one and one of $PATH."""
    compile_become()
    compile_leaker("still", "-static")
    here = Path.cwd()
    ways = [("./still", ""), (here / "still", ""), ("still", f"{here}:{os.environ['PATH']}")]
    for name, path in ways:
        became, last = ended("sh", "-c", f"exec {name} {LEAK}", **({"PATH": path} if path else {}))
        start = "heapflame: the recording ended when sh executed "
        assert became.startswith(start) and became.endswith(
            "still is linked statically, so the agent cannot be preloaded: link it dynamically (without -static), or watch it while "
            "it runs (heapflame attach PID)"
        ), became  # fmt: skip
        assert last.startswith("heapflame: until then ") and last.endswith(": see out.folded"), last
    for how in ("execv", "execvp", "execl", "execveat", "syscall"):
        assert " linked statically, " in ended(BECOME, how, here / "still", LEAK)[0], how
    expect_equal(ended(BECOME, "fexecve", here / "still", LEAK)[0],
                 "heapflame: the recording ended when become executed an open file, which kept no live table")
    expect_equal(run("-q", "--no-final", BECOME, "execv", here / "still", LEAK)[2], "")


def test_an_exec_that_fails_is_none():
    code, _, err = run("--exact", "-o", "out.folded", "bash", "-O", "execfail", "-c", "exec ./nothing; exit 3")
    assert code == 3 and "the recording ended" not in err and "in use: see out.folded" in err, (code, err)


def test_a_child_by_vfork_is_not_what_is_recorded():
    compile_leaker("still", "-static")
    program = "import subprocess, sys\nsubprocess.run(sys.argv[1:], check=True, close_fds=False)\n"
    code, _, err = run("--exact", "-o", "out.folded", sys.executable, "-c", program, Path("still").resolve(), LEAK)
    assert code == 0 and "the recording ended" not in err and "in use: see out.folded" in err, (code, err)


def test_valgrind():
    if shutil.which("valgrind") is None:
        print("there is no valgrind here")
        return
    became, _ = ended("valgrind", "-q", LEAKER, LEAK)
    assert became.startswith("heapflame: the recording ended when valgrind executed /"), became
    assert " is linked statically, " in became, became


def test_a_child_is_a_child():
    """timeout(1) forks: what it starts is not what was asked for."""
    expect_equal(recorded("timeout", "30", LEAKER, LEAK), 0)
    expect_equal(recorded("sh", "-c", f"{LEAKER} {LEAK}; true"), 0)


run_leaker_tests(globals())
