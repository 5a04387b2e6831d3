#!/usr/bin/env python3
# timeout: 240
# sanitized: no, a sanitizer needs rights of its own, so the worker keeps them
"""`run`, `watch` and `mark` keep their rights and read without them: heapflame-planted runs an exploit where a live
table is added up, a dump is read, a file is read for names (tests/planted/planted.c, as in sandbox.py)."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from _run import AGENT, HELD, LEAKER, Leaker, end, expect_equal, folded, heapflame, run_leaker_tests, start, tables, wait_for
from sandbox import BUILD, IS_ROOT, NEEDS_ROOT, NOBODY, NOT_EVERYWHERE, PLANTED, WALLS, Scene, ends, tried_in


class Command(Scene):
    """heapflame-planted with an agent beside it."""

    def __init__(self, what):
        super().__init__(what)
        Path("bin").mkdir()
        shutil.copy(PLANTED, "bin/heapflame")
        Path("bin/agent").symlink_to(AGENT.parent)
        self.environment["XDG_RUNTIME_DIR"] = str(Path.cwd())

    def start(self, *arguments, **more):
        return subprocess.Popen([Path("bin/heapflame").absolute(), *map(str, arguments)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)  # fmt: skip

    def run(self, *arguments, stdin=subprocess.DEVNULL):
        return end(self.start(*arguments, stdin=stdin))


def expect_nothing_done(err, what=frozenset(WALLS), but=frozenset()):
    tried = tried_in(err)
    assert set(tried) >= what and "done" not in {tried[name] for name in tried if name not in but}, (tried, err)
    assert Path("secret").read_text() == "the secret" and Path("secret").stat().st_mode & 0o777 == 0o600
    assert Path("gone").exists() and not Path("new").exists() and not Path("link").is_symlink()


def test_the_end_of_run():
    with Command("walls") as command:
        code, _, err = command.run("run", "--exact", "-o", "x.folded", LEAKER, "leak=1000003", "exit=7")
        assert code == 125 and "the exploit has run" in err, (code, err)
        expect_nothing_done(err)


def test_with_its_rights_it_could():
    with Command("walls") as command:
        _, _, err = command.run("run", "--no-sandbox", "--exact", "-o", "x.folded", LEAKER, "leak=1000003")
        tried = tried_in(err)
        failed = {what for what, outcome in tried.items() if outcome != "done"}
        assert set(tried) >= WALLS and failed <= NOT_EVERYWHERE | (set() if IS_ROOT else NEEDS_ROOT), tried


def test_looks_of_run():
    with Command("look: walls") as command:
        code, _, err = command.run("run", "--exact", "-o", "x.folded", LEAKER, "leak=1000003", "rest", "rest", "rest")
        assert code == 125 and "the exploit has run" in err, (code, err)
        expect_nothing_done(err)


def test_a_dump_of_watch():
    with Leaker("leak=1000003") as leaker, Command("walls") as command:
        command.environment["PLANTED_PID"] = str(leaker.pid)
        code, _, err = command.run("watch", leaker.pid, "--every", "100ms", "-o", "x.%n.folded")
        assert code == 3 and "the exploit has run" in err, (code, err)
        expect_nothing_done(err)


def test_a_mark():
    with Leaker("leak=1000003") as leaker, Command("walls") as command:
        command.environment["PLANTED_PID"] = str(leaker.pid)
        code, _, err = command.run("mark", leaker.pid, "warm")
        assert code == 3 and "the exploit has run" in err, (code, err)
        expect_nothing_done(err)
        assert not list(Path.cwd().rglob("*.warm.mark"))


def test_the_broker_gives_names_alone():
    """Neither what the program's words name, nor other tables, nor the memory of the process that is watched."""
    with Leaker("leak=1000003") as leaker, Command("broker") as command:
        secret = command.environment["PLANTED_FILE"]
        code, _, err = command.run("run", "--exact", "-o", "x.folded", "sh", "-c", "exit 7", "sh", secret)
        assert code == 125 and len(tried_in(err)) == 15, (code, err)
        expect_nothing_done(err, frozenset(), {"a program"})
        command.environment["PLANTED_PID"] = str(leaker.pid)
        for arguments in ["watch", leaker.pid, "--every", "100ms", "-o", "x.%n.folded"], ["mark", leaker.pid, "warm"]:
            code, _, err = command.run(*arguments)
            assert code == 3 and len(tried_in(err)) == 15, (code, err)
            expect_nothing_done(err, frozenset(), {"a program"})


def test_the_streams_are_the_programs():
    with Command("look: streams") as command:
        words = "run", "--exact", "-o", "x.folded", "sh", "-c", "sleep 1; read line; echo $line"
        process = command.start(*words, stdin=subprocess.PIPE)
        process.stdin.write(b"hello\n")
        code, out, err = end(process)
        assert "read its input" in tried_in(err) and tried_in(err)["read its input"] != "done", err
        expect_equal(out, "hello\n")


def test_a_crash_costs_the_last_dump():
    """The program's status is passed on, and its table stays for who reads it another way."""
    with Command("crash") as command:
        code, _, err = command.run("run", "--exact", "-o", "x.folded", LEAKER, "leak=1000003", "exit=7")
        [table] = tables()
        expect_equal(code, 7)
        expect_equal(
            err,
            f"heapflame: lost: x.folded, because the reader of {table} crashed (signal 11)\n"
            f"heapflame: the live table is kept: heapflame dump {table} tries again\n",
        )
        assert not Path("x.folded").exists()
        expect_equal(heapflame("dump", table, "-o", "x.folded")[0], 0)
        expect_equal(folded("x.folded")["process_leak"], 1000003)


def test_later_dumps_come():
    with Command("crash for now") as command:
        words = "--exact", "--every", "100ms", "--keep", "0", "-o", "x.%n.folded", LEAKER, "leak=1000003", "wait"
        process = command.start("run", *words)
        expect_equal(process.stdout.readline(), b"ready\n")
        line = process.stderr.readline().decode()
        assert re.search(r"lost: x\.\d\.folded, because the reader of .* crashed \(signal 11\)$", line), line
        Path("flag").touch()
        wait_for(lambda: list(Path.cwd().glob("x.*")), process)
        process.terminate()
        code, _, err = end(process)
        expect_equal(code, 0)
        assert re.search(rf"{re.escape(HELD)} holds 976.6 KiB of \S+ KiB in use: see x\.\d+\.folded\n$", err), err
        expect_equal(tables(), [])


def test_a_watch_goes_on():
    with Leaker("leak=1000003") as leaker, Command("crash for now") as command:
        process = command.start("watch", leaker.pid, "--every", "100ms", "--keep", "0", "-o", "x.%n.folded")
        process.stderr.readline()
        Path("flag").touch()
        wait_for(lambda: list(Path.cwd().glob("x.*")), process)
        process.terminate()
        expect_equal(end(process)[0], 4)


def test_looks_that_crash_end():
    """There is no dump on the way any more, and the last one comes."""
    with Command("look: crash") as command:
        words = "--exact", "--every", "100ms", "-o", "x.%n.folded", LEAKER, "leak=1000003", *["rest"] * 12, "exit=7"
        code, _, err = command.run("run", *words)
        expect_equal(code, 7)
        lines = err.splitlines()
        assert len(lines) == 5 and all("look" in line and "crashed (signal 11)" in line for line in lines[:4]), err
        assert "all further readings" in lines[3] and HELD in lines[4], err
        expect_equal(folded("x.0.folded")["process_leak"], 1000003)


def test_a_crash_costs_the_names_of_one_file():
    Path("victim.c").write_text("#include <stdlib.h>\nvoid *volatile kept;\nvoid victim(void) { kept = malloc(1000003); }\n")
    Path("main.c").write_text("#include <dlfcn.h>\nint main(void) {\n"
                              'void (*victim)(void) = dlsym(dlopen("./libvictim.so", RTLD_NOW), "victim");\nvictim();\n}\n')
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", "libvictim.so", "victim.c"], check=True)
    subprocess.run(["gcc", "-g", "-o", "main", "main.c"], check=True)
    with Command("crash of an image") as command:
        code, _, err = command.run("run", "--exact", "-o", "x.folded", Path("main").absolute())
        expect_equal(code, 0)
        assert re.search(r"lost: the names in .*/libvictim.so, because its reader crashed \(signal 11\)\n", err), err
        assert re.search(r"main;libvictim.so\+0x\w+ 1000003\n", Path("x.folded").read_text())


def workers_of(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if "Seccomp:\t2" in Path(f"/proc/{child}/status").read_text()]


def test_no_worker_is_left():
    """SIGKILL of the command, and SIGINT of its whole group, as of Ctrl-C: the program, too, ends of that."""
    for name in signal.SIGKILL, signal.SIGINT:
        process = start("heapflame", "run", "--exact", "-o", f"x{name}.folded", "sh", "-c",
                        'trap "exit 7" INT; echo ready; while :; do sleep 0.1; done')  # fmt: skip
        expect_equal(process.stdout.readline(), b"ready\n")
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        wait_for(lambda: workers_of(process.pid), process)
        [worker] = workers_of(process.pid)
        for each in [process.pid] if name == signal.SIGKILL else [worker, child]:
            os.kill(each, name)
        if name == signal.SIGKILL:
            assert ends(worker), "the worker still runs"
            os.kill(child, signal.SIGKILL)
        code = end(process)[0]
        expect_equal(code, -9 if name == signal.SIGKILL else 7)
        assert ends(worker) and Path(f"x{name}.folded").exists() == (name == signal.SIGINT)
    assert not [entry for entry in Path.cwd().iterdir() if entry.name.startswith(".heapflame")]


def test_signals_come_through_meanwhile():
    """The worker sleeps over a dump, and the program is told to end all the same."""
    with Command("stall") as command:
        words = "--exact", "--every", "100ms", "-o", "x.%n.folded", LEAKER, "leak=1000003", "wait"
        process = command.start("run", *words)
        expect_equal(process.stdout.readline(), b"ready\n")
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        wait_for(lambda: workers_of(process.pid), process)
        time.sleep(1)
        from_s = time.monotonic()
        process.terminate()
        wait_for(lambda: "State:\tZ" in Path(f"/proc/{child}/status").read_text() if Path(f"/proc/{child}").exists() else True)
        took_s = time.monotonic() - from_s
        code, _, err = end(process)
        assert code == 0 and "HF_LIMIT_ORDER_SECONDS" in err, (code, err)
        assert took_s < 2 or os.getloadavg()[0] > 4, took_s


def test_no_process_is_to_be_had():
    """Its user has no more of them when the last dump is due: that is lost, and nothing else."""
    if not IS_ROOT:
        return  # it takes another user, whom the limit holds
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the test's own is root's alone
        shutil.copy(LEAKER, f"{folder}/leaker")
        os.mkdir(f"{folder}/agent")  # as beside the built command, which may lie in a home that is closed to others
        for name in "heapflame", "agent/libheapflame.so":
            shutil.copy(BUILD / name, f"{folder}/{name}")
        os.chown(folder, NOBODY, NOBODY)
        process = subprocess.Popen(
            ["./heapflame", "run", "--exact", "-o", "x.folded", "./leaker", "line", "leak=1000003", "exit=7"],
            user=NOBODY, group=NOBODY, extra_groups=[], cwd=folder, env={**os.environ, "XDG_RUNTIME_DIR": folder},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout.readline() == b"ready\n", end(process)
        wait_for(lambda: workers_of(process.pid), process)
        subprocess.run(["prlimit", "--pid", str(process.pid), "--nproc=0:0"], user=NOBODY, group=NOBODY, extra_groups=[],
                       check=True)  # fmt: skip
        [worker] = workers_of(process.pid)
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: not workers_of(process.pid), process)
        process.stdin.write(b"\n")
        code, _, err = end(process)
        expect_equal(code, 7)
        said = re.search(r"lost: x.folded, because the reader of (\S+) could not be started: cannot start a process: ", err)
        assert said, err
        table = said.group(1)
        expect_equal(heapflame("dump", table, "-o", "x.folded")[0], 0)
        expect_equal(folded("x.folded")["process_leak"], 1000003)


if __name__ == "__main__":
    run_leaker_tests(globals())
