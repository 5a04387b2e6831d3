"""What the tests of `run` and `watch` share: programs/leaker.c allocates by its arguments."""

import os
import subprocess
import sys
import time
from pathlib import Path

from _suite import run_tests

SOURCE = Path(os.environ["HEAPFLAME_SRC"])
AGENT = Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"
LEAKER = Path("leaker").resolve()
TIMEOUT_S = 600
MIB = 1 << 20
HELD = "process_leak (leaker.c:%d)" % next(
    number
    for number, line in enumerate((SOURCE / "tests/programs/leaker.c").read_text().splitlines(), 1)
    if "keep(malloc" in line
)


def expect_equal(got, expected):
    assert got == expected, f"expected {expected!r}, got {got!r}"


def run_leaker_tests(names):
    """`names`: globals() of a test that runs LEAKER under the agent. Ends the process."""
    if not AGENT.exists():
        print("the agent was not built: it is for x86-64 alone")
        sys.exit(77)
    compile_leaker(LEAKER)
    sys.exit(run_tests(names))


def start(*command, stdin=subprocess.DEVNULL, **environment):
    return subprocess.Popen(
        list(map(str, command)),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd()), **environment},
    )


def recorded(settings, *words, watcher=()):
    """The leaker with the agent, by the environment alone or by the command that starts it."""
    conf, preload = f"prof:true,{settings}", "" if watcher else str(AGENT)
    return start(*watcher, LEAKER, *words, stdin=subprocess.PIPE, HEAPFLAME_CONF=conf, LD_PRELOAD=preload)


def end(process):
    """(exit status, standard output, standard error)"""
    out, err = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, out.decode(errors="replace"), err.decode()


def heapflame(*arguments, **environment):
    return end(start("heapflame", *arguments, **environment))


def run(*arguments, **environment):
    return heapflame("run", *arguments, **environment)


def tables():
    return sorted(Path.cwd().glob("heapflame-*/*.live"))


def folded(path):
    """{function: bytes} of the leaves."""
    sums = {}
    for line in Path(path).read_text().splitlines():
        stack, value = line.rsplit(" ", 1)
        leaf = stack.rsplit(";", 1)[-1]
        sums[leaf] = sums.get(leaf, 0) + int(value)
    return sums


def wait_for(path_or_test, process=None):
    for _ in range(TIMEOUT_S * 50):
        if path_or_test():
            return
        time.sleep(0.02)
    raise AssertionError(f"it does not happen; {process and end(process)}")


def compile_leaker(name, *options, compiler="gcc"):
    source = SOURCE / "tests/programs/leaker.c"
    subprocess.run([compiler, "-g", "-O1", "-D_GNU_SOURCE", source, "-o", name, *options], check=True)


def refused(status, *arguments):
    code, out, err = heapflame(*arguments)
    assert (code, out, err.count("\n")) == (status, "", 1) and err.startswith("heapflame: "), (code, out, err)
    return err


class Leaker:
    """A process under the agent; `words` as in leaker.c. At each "line" it waits for go_on()."""

    def __init__(self, *words):
        settings = dict(setting.split("=", 1) for setting in heapflame("env", "exact:true")[1].split())
        self.process = subprocess.Popen(
            [LEAKER, "line", *words, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd()), **settings},
        )  # fmt: skip
        self.pid = self.process.pid
        self.process.stdout.readline()
        self.go_on()  # from here on it has its buffers

    def go_on(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
