#!/usr/bin/env python3
# timeout: 400
"""The agent where there is little room, little right, or somebody else: limits, folders, allocators, kill -9."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _agent import AGENT, compile_agent_test, environment, expect_said, only_table, own_holdings, profiled, rows
from _agent import fill_while_running, run, said, small_tmpfs, state, tables
from _suite import run_tests

FAMILY = compile_agent_test("family.c")
OPERATORS = compile_agent_test("operators.cc", "-std=c++17")
SCENES = compile_agent_test("scenes.c")
EARLY = compile_agent_test("early.c", "-shared", "-fPIC", out="early.so")
KILLS = 20
ALLOCATORS = {
    name: next(Path("/usr/lib/x86_64-linux-gnu").glob(f"{name}.so.?"), None)
    for name in ("libjemalloc", "libtcmalloc_minimal", "libtcmalloc", "libmimalloc")
}


def limited(which, limit):
    return {"preexec_fn": lambda: resource.setrlimit(which, (limit, limit))}


def test_address_space():
    """An exact run asks for 1 GiB, and makes do with less."""
    out, err = profiled("exact:true", FAMILY, **limited(resource.RLIMIT_AS, 256 << 20))
    assert err == ""
    expect_said(out, only_table())
    assert only_table().stat().st_size < 256 << 20


def test_file_size():
    """To write beyond RLIMIT_FSIZE is a signal. The table stays within it."""
    out, err = profiled("exact:true", FAMILY, **limited(resource.RLIMIT_FSIZE, 3 << 20))
    assert err == "" and said(out)
    assert only_table().stat().st_size == 3 << 20
    rows(only_table(), "inuse_space")


def refused(conf, sentence, **more):
    out, err = profiled(conf, "/bin/echo", "here", **more)
    assert out == "here\n"
    assert err == f"heapflame: {sentence}; the program runs unprofiled; HEAPFLAME_CONF=dir:PATH names another folder\n", err


def test_no_table():
    here = Path("tables").resolve()
    refused("", f"no table can be made in {here}: files may not be so big (ulimit -f)",
            **limited(resource.RLIMIT_FSIZE, 100 << 10))
    assert not tables()
    refused("dir:/nowhere", "no table can be made in /nowhere: it is no folder")
    refused("dir:/proc", "no table can be made in /proc: it is no folder")
    refused("dir:/dev/null", "no table can be made in /dev/null: it is no folder")


def test_foreign_folder():
    """A folder that others can write to is not used, nor one behind a link."""
    for make in (lambda path: path.mkdir(mode=0o777) or path.chmod(0o777), lambda path: path.symlink_to("/tmp")):
        shutil.rmtree("tables", ignore_errors=True)
        Path("tables").mkdir()
        make(Path(f"tables/heapflame-{os.geteuid()}"))
        out, err = profiled("", "/bin/echo", "here")
        assert out == "here\n" and "no table can be made in" in err, err
    assert not list(Path("/tmp").glob(f"{os.getpid()}-*.live"))


def test_full_tmpfs():
    """No store may meet a page that cannot be made: 4 MiB for an exact run, which somebody else fills."""
    with small_tmpfs() as folder:
        if folder is None:
            print("mounting is not allowed here: the full tmpfs is not tested")
            return
        out = fill_while_running(SCENES, folder)
        assert said(out) == {"keep": (80000, 80000 * 48)}
        table = next(folder.glob("*/*.live"))
        assert table.stat().st_size <= 4 << 20
        assert state(table)[1]["block"] > 0, "the folder was not full"


def test_secure_execution():
    """A program with more rights than its caller is left alone."""
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # where everybody may read
        folder = Path(name)
        folder.chmod(0o755)
        agent = shutil.copy(AGENT, folder)
        program = folder / "family"
        run("gcc", "-o", program, "-x", "c", "-", "-x", "none", "-Wl,--no-as-needed", agent, f"-Wl,-rpath,{folder}",
            input=b'#include <stdio.h>\nint main(void) { puts("here"); }')
        open_folder = folder / "tables"
        open_folder.mkdir()
        open_folder.chmod(0o777)
        conf = {**os.environ, "HEAPFLAME_CONF": f"prof:true,dir:{open_folder}"}
        assert run(program, env=conf) == "here\n"
        assert len(list(open_folder.glob("*/*.live"))) == 1, "linked with the agent, the program is profiled"
        os.chown(program, 65534, 65534)
        program.chmod(0o6755)
        assert run(program, env=conf) == "here\n"
        assert len(list(open_folder.glob("*/*.live"))) == 1, "a setuid program made a table"


def test_allocators_behind():
    """The same numbers on every allocator; operator new of these does not call malloc."""
    for name, library in ALLOCATORS.items():
        assert library is not None, f"{name} is missing (script/bootstrap test installs it)"
        for program in (FAMILY, OPERATORS):
            shutil.rmtree("tables", ignore_errors=True)
            if program is FAMILY and name == "libjemalloc":
                continue  # it has no pvalloc: blocks of glibc's would be freed by it, with the agent and without
            arguments = ["no-throw"] if name == "libmimalloc" else []
            out, err = profiled("exact:true", program, *arguments, preload=(AGENT, library))
            assert err == "", err
            expect_said(out, only_table())
        for scene in ("threads", "fork", "destructors", "vfork"):
            shutil.rmtree("tables", ignore_errors=True)
            out, _ = profiled("exact:true", SCENES, scene, preload=(AGENT, library))
            assert own_holdings(only_table())["keep"] == said(out)["keep"], (name, scene)


def test_allocators_before():
    """What is earlier in LD_PRELOAD gets the calls: that is said, and nothing else happens."""
    for name, library in ALLOCATORS.items():
        shutil.rmtree("tables", ignore_errors=True)
        out, err = profiled("exact:true", SCENES, "threads", preload=(library, AGENT))
        assert said(out) == {"keep": (61, 61 * 48)}
        assert err == (
            "heapflame: another malloc comes before the agent's, the program's own or one that is named earlier in "
            "LD_PRELOAD: nothing is recorded\n"
        ), (name, err)
        assert not tables()


def test_early_allocations():
    """Constructors allocate before the agent's, and dlsym does while the agent looks for the real malloc."""
    out, _ = profiled("exact:true", FAMILY, preload=(AGENT, EARLY))
    expect_said(out, only_table())


def test_killed(kills=KILLS):
    """At any instant: the table can be read, and nothing has more alive than it ever allocated."""
    chance, begun = random.Random(7), 0
    for _ in range(kills):
        shutil.rmtree("tables", ignore_errors=True)
        with subprocess.Popen([SCENES, "endless"], stdout=subprocess.PIPE, env=environment("exact:true,budget:64MiB")) as child:
            child.stdout.readline()
            time.sleep(chance.uniform(0, 0.2))
            child.send_signal(signal.SIGKILL)
        table = only_table()
        alive, ever = rows(table, "inuse_space"), rows(table, "alloc_space")
        begun += ever.get("endless", 0) > 0  # its threads may not have come that far
        assert all(alive[name] <= ever.get(name, 0) for name in alive), (alive, ever)
        assert alive.get("endless", 0) <= 4 * sum(i * 7 for i in range(100)), alive
        assert not any(state(table)[1].values()), state(table)
    assert begun >= kills * 0.9, f"{begun} of {kills} had begun"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
