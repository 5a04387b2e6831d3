#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# timeout: 400
"""The agent where there is little room, little right, or somebody else: limits, folders, allocators, kill -9."""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _agent import AGENT, ALLOCATORS, allocator, compile_agent_test, environment, expect_said, family_on_allocator
from _agent import fill_while_running, holdings, on_every_allocator, only_table, profiled, rows, run, said, small_tmpfs, state, tables
from _heap import HEAPFLAME
from _suite import run_tests

FAMILY = compile_agent_test("family.c")
OPERATORS = compile_agent_test("operators.cc", "-std=c++17")
SCENES = compile_agent_test("scenes.c")
LIMITED = compile_agent_test("limited.c")
KILLS = 8


def limited(which, limit):
    return {"preexec_fn": lambda: resource.setrlimit(which, (limit, limit))}


@on_every_allocator
def test_address_space():
    """An exact run asks for 1 GiB, and makes do with less."""
    out, err = profiled("exact:true", *family_on_allocator(FAMILY), **limited(resource.RLIMIT_AS, 256 << 20))
    assert err == ""
    expect_said(out, only_table())
    assert only_table().stat().st_size < 256 << 20


def blocks_of(*words, limit_kib=None, conf=None, agent=AGENT):
    """(how many blocks LIMITED gets, with the agent or without; its table)"""
    more = limited(resource.RLIMIT_AS, limit_kib << 10) if limit_kib else {}
    if conf is None:
        return int(run(LIMITED, *words, **more)), None
    shutil.rmtree("tables", ignore_errors=True)
    out, err = profiled(conf, LIMITED, *words, preload=(agent,), **more)
    assert err == "", err
    return int(out), only_table()


def check_address_space(agent=AGENT):
    """Under a limit, set before it starts or by itself, the program gets nearly all that it gets without the agent."""
    for words, limit_kib, share in (((), 50000, 0.80), ((), 300000, 0.92), (("64",), None, 0.80)):
        bare, _ = blocks_of(*words, limit_kib=limit_kib)
        for conf in ("period:4096", "exact:true"):
            got, table = blocks_of(*words, limit_kib=limit_kib, conf=conf, agent=agent)
            print(words, limit_kib, conf, f"{got} of {bare}")
            assert got >= bare * share, f"the program gets {got} blocks of {bare} ({words}, {limit_kib} KiB, {conf})"
            if conf == "exact:true":
                found = holdings(table)
                assert found["take_all"] == (got, got * 100000) and found["early"] == (50, sum(range(150, 200))), found
                assert not any(state(table)[1].values())


def test_address_space_is_the_programs():
    check_address_space()


def test_small_address_space_is_said():
    """What the table has no room for for that reason is said to be lost for that reason."""
    profiled("exact:true", LIMITED, "0", "100000", **limited(resource.RLIMIT_AS, 60 << 20))
    done = subprocess.run([HEAPFLAME, "top", only_table()], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "the table is small because the address space of the program is limited (ulimit -v)" in done.stderr, done


def test_file_system_that_is_too_small():
    with small_tmpfs("512k") as folder:
        if folder is None:
            print("mounting is not allowed here")
            return
        refused(f"dir:{folder}", f"cannot create a live table in {folder}: it has less than 1 MiB free")


@on_every_allocator
def test_file_size():
    """To write beyond RLIMIT_FSIZE is a signal. The table stays within it."""
    out, err = profiled("exact:true", *family_on_allocator(FAMILY), **limited(resource.RLIMIT_FSIZE, 3 << 20))
    assert err == "" and said(out)
    assert only_table().stat().st_size == 3 << 20
    rows(only_table(), "inuse_space")


def refused(conf, sentence, **more):
    out, err = profiled(conf, "/bin/echo", "here", **more)
    assert out == "here\n"
    assert err == f"heapflame: {sentence}; the program runs unprofiled; choose another folder with HEAPFLAME_CONF=dir:PATH\n", err


def test_no_table():
    here = Path("tables").resolve()
    refused("", f"cannot create a live table in {here}: files may not be that large (ulimit -f)",
            **limited(resource.RLIMIT_FSIZE, 100 << 10))
    assert not tables()
    refused("dir:/nowhere", "cannot create a live table in /nowhere: it is not a folder")
    refused("dir:/proc", "cannot create a live table in /proc: it is not a folder")
    refused("dir:/dev/null", "cannot create a live table in /dev/null: it is not a folder")


def in_namespace(script, *command, **variables):
    """(standard output, standard error) of the command, in mounts of its own that the script has made."""
    environ = {**os.environ, "LD_PRELOAD": "", "HEAPFLAME_CONF": "prof:true,exact:true", "XDG_RUNTIME_DIR": "", **variables}
    line = f'set -e; {script}; LD_PRELOAD="{" ".join(map(str, (AGENT, *allocator)))}" exec "$@"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", line, "sh", *command], capture_output=True, text=True, env=environ,
                          check=False)
    assert done.returncode == 0, done
    return done.stdout, done.stderr


@on_every_allocator
def test_no_shared_memory():
    """Without /dev/shm the table comes into /tmp."""
    if os.geteuid() != 0:
        print("only root can mount")
        return
    command = "echo here; ls /tmp/heapflame-0/$$-*; rm /tmp/heapflame-0/$$-*"
    out, err = in_namespace("mount -t tmpfs -o ro none /dev/shm", "env", "-u", "LD_PRELOAD", "sh", "-c", command)
    assert err == "" and re.fullmatch(r"here\n/tmp/heapflame-0/\d+-[0-9a-f]+\.live\n", out), (out, err)


@on_every_allocator
def test_read_only_system():
    if os.geteuid() != 0:
        print("only root can mount")
        return
    script = "for at in /tmp /dev/shm; do mount --bind $at $at; mount -o remount,ro,bind $at; done"
    out, err = in_namespace(script, "/bin/echo", "here")
    assert out == "here\n"
    assert err.endswith("cannot create a live table in /tmp: it is read-only; the program runs unprofiled; choose another folder with HEAPFLAME_CONF=dir:PATH\n"), err


@on_every_allocator
def test_few_descriptors():
    """One is enough for the loader, and the table needs two for a moment."""
    out, err = profiled("exact:true", "/bin/echo", "here", **limited(resource.RLIMIT_NOFILE, 4))
    assert out == "here\n" and "no more files can be opened (ulimit -n)" in err, err


@on_every_allocator
def test_truncated():
    """Whatever somebody leaves of a table, it is read or refused; the program's own stores go where they went."""
    profiled("exact:true,budget:2MiB", *family_on_allocator(FAMILY))
    whole = only_table().read_bytes()
    for size in (0, 1, 100, 4095, 4096, 4200, 8192, 12288, 40000, 100000, 1 << 20, len(whole) - 1):
        Path("cut.live").write_bytes(whole[:size])
        done = subprocess.run([HEAPFLAME, "top", "cut.live"], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3, 4) and done.stderr.count("\n") <= 3, (size, done)
        assert done.returncode != 0 or size > 1 << 20, size


def test_foreign_folder():
    """A folder that others can write to is not used, nor one behind a link."""
    for make in (lambda path: path.mkdir(mode=0o777) or path.chmod(0o777), lambda path: path.symlink_to("/tmp")):
        shutil.rmtree("tables", ignore_errors=True)
        Path("tables").mkdir()
        make(Path(f"tables/heapflame-{os.geteuid()}"))
        out, err = profiled("", "/bin/echo", "here")
        assert out == "here\n" and "cannot create a live table in" in err, err
    assert not list(Path("/tmp").glob(f"{os.getpid()}-*.live"))


def check_full_tmpfs(agent=AGENT):
    """No store may meet a page that cannot be made: 4 MiB for an exact run, which somebody else fills."""
    with small_tmpfs() as folder:
        if folder is None:
            print("mounting is not allowed here: the full tmpfs is not tested")
            return
        out = fill_while_running(SCENES, folder, agent)
        assert said(out) == {"keep": (80000, 80000 * 48)}
        table = next(folder.glob("*/*.live"))
        assert table.stat().st_size <= 4 << 20
        assert state(table)[1]["block"] > 0, "the folder was not full"


@on_every_allocator
def test_full_tmpfs():
    check_full_tmpfs()


def check_secure_execution(agent=AGENT):
    """A program with more rights than its caller is left alone: by setuid, and by capabilities of its file."""
    if os.geteuid() != 0:
        print("only root can give rights to a program")
        return
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # where everybody may read
        folder = Path(name)
        folder.chmod(0o755)
        agent = shutil.copy(agent, folder)
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
        os.chown(program, 0, 0)
        program.chmod(0o755)
        run("setcap", "cap_net_bind_service=ep", program)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        assert run(*as_nobody, program, env=conf) == "here\n"
        assert len(list(open_folder.glob("*/*.live"))) == 1, "a program with capabilities made a table"
        run("setcap", "-r", program)
        assert run(*as_nobody, program, env=conf) == "here\n"
        assert len(list(open_folder.glob("*/*.live"))) == 2, "without them it is profiled"


def test_secure_execution():
    check_secure_execution()


def check_throwing(agent=AGENT):
    """An exception passes through the hook of operator new, which is on its way where that does not call malloc."""
    out, _ = profiled("exact:true,budget:64MiB", OPERATORS, preload=(agent, ALLOCATORS["libtcmalloc"]))
    expect_said(out, only_table())


def test_throwing():
    check_throwing()


def test_allocators_before():
    """What is earlier in LD_PRELOAD gets the calls: only mappings are recorded, unless it has those calls, too (tcmalloc)."""
    nothing = (
        "heapflame: nothing is recorded, because another malloc comes before the agent's: the program's own, or one earlier in LD_PRELOAD\n"
    )
    for name, library in ALLOCATORS.items():
        shutil.rmtree("tables", ignore_errors=True)
        out, err = profiled("exact:true", SCENES, "threads", preload=(library, AGENT))
        assert said(out) == {"keep": (61, 61 * 48)} and err == (nothing if "tcmalloc" in name else ""), (name, err)
        assert not tables() if err else not rows(only_table(), "alloc_space"), name


def check_killed(kills):
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
    assert begun >= kills * 0.75, f"{begun} of {kills} had begun"


@on_every_allocator
def test_killed():
    check_killed(KILLS)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
