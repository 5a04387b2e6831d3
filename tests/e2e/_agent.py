"""What the tests of the agent share: running programs under it, and reading the tables that come of it."""

import contextlib
import json
import mmap
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

from _heap import HEAPFLAME, SOURCE, TIMEOUT_S, run, skip

AGENT = HEAPFLAME.parent / "agent/libheapflame.so"
PROGRAMS = SOURCE / "tests/agent"
KINDS = ["text", "modules", "segments", "threads", "frames", "stacks", "frees", "blocks"]
LOSSES = ["stack", "block", "wait"]
ALLOCATORS = {
    name: next(Path("/usr/lib/x86_64-linux-gnu").glob(f"{name}.so.?"), None)
    for name in ("libjemalloc", "libtcmalloc_minimal", "libtcmalloc", "libmimalloc")
}
allocator = []  # the library that stands behind the agent; empty: glibc's
if not AGENT.exists():
    skip("the agent is for x86-64 alone")


def compile_agent_test(name, *extra, out=None):
    """tests/agent/NAME becomes a program in the current folder, in which every call is one, also of malloc and free."""
    out = Path(out or Path(name).stem).resolve()
    compiler = "g++" if name.endswith(".cc") else "gcc"
    options = ["-O1", "-g", "-D_GNU_SOURCE", f"-I{SOURCE}/include", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-pthread"]
    run(compiler, *options, "-o", out, PROGRAMS / name, *extra)
    return out


@contextlib.contextmanager
def on_allocator(name):
    """What is run meanwhile by the functions below is run on this allocator."""
    library = ALLOCATORS.get(name)
    assert name == "glibc" or library is not None, f"{name} is missing (script/bootstrap test installs it)"
    allocator[:] = [library] if library is not None else []
    try:
        yield
    finally:
        allocator.clear()


def on_every_allocator(test):
    """The test is run on glibc's allocator and on each other, in a folder of its own."""

    def on_each():
        top = Path.cwd()
        for name in ("glibc", *ALLOCATORS):
            (top / name).mkdir()
            os.chdir(top / name)
            try:
                with on_allocator(name):
                    test()
            except Exception:
                print(f"on {name}:")
                raise

    return on_each


def plain_environment(*preload, **variables):
    """That of a program which nobody profiles, or not by this alone: on its allocator, and what comes before that."""
    return {**os.environ, "LD_PRELOAD": " ".join(map(str, (*preload, *allocator))), **variables}


def cannot_run(statuses, program, *words, times=1, **variables):
    """True on an allocator of `statuses`: {its name: how the command ends there, also without the agent}. That is seen
    here, if need be by running it some times; docs/compat/agent.md says why."""
    expected = [status for name, status in statuses.items() if [ALLOCATORS[name]] == allocator]
    seen = []
    while expected and not set(seen) & set(expected):
        assert len(seen) < times, f"{program.name} runs on {allocator}, contrary to docs/compat/agent.md: {seen}"
        seen.append(status_of(program, *words, **variables))
    return bool(expected)


def status_of(*command, **variables):
    """How it ends without the agent; None: not within some seconds. Then its children are killed, too."""
    env = plain_environment(**variables)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, start_new_session=True) as child:
        try:
            return child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None


def family_on_allocator(program):
    """The command of tests/agent/family.c. jemalloc has no pvalloc: it would be given a block of glibc's to free."""
    return [program, "no-pvalloc"] if cannot_run({"libjemalloc": -signal.SIGSEGV}, program) else [program]


def environment(conf, preload=(AGENT,), **variables):
    """The environment in which a program is profiled; tables come into ./tables."""
    Path("tables").mkdir(exist_ok=True)
    full = f"prof:true,dir:{Path('tables').resolve()}" + (f",{conf}" if conf else "")
    return plain_environment(*preload, HEAPFLAME_CONF=full, **variables)


def profiled(conf, *command, status=0, preload=(AGENT,), variables=None, timeout=TIMEOUT_S, **more):
    """(standard output, standard error) of a command that ran under the agent."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=timeout, check=False,
        env=environment(conf, preload, **(variables or {})), **more,
    )
    assert done.returncode == status, f"{command}: expected {status}, got {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout, done.stderr


def tables(pid="*"):
    """The tables that there are, of one process or of all."""
    return list(Path("tables").glob(f"heapflame-*/{pid}-*.live"))


def only_table(pid="*"):
    found = tables(pid)
    assert len(found) == 1, f"expected one table, found {[path.name for path in found]}"
    return found[0]


def state(table):
    """({kind: records}, {loss: objects}) as docs/formats/live.md has them."""
    with open(table, "rb") as file:
        file.seek(4096)
        numbers = struct.unpack("<14Q", file.read(112))
    return dict(zip(KINDS, numbers)), dict(zip(LOSSES, numbers[8:11]))


def forget_tables():
    for table in tables():
        table.unlink()


def top(table, *arguments):
    """{function: its row}; heapflame ends with 4 where the table says that something was lost."""
    status = 4 if any(state(table)[1].values()) else 0
    answer = json.loads(run(HEAPFLAME, "top", "--by", "leaf", "--json", "--rows", "0", *arguments, table, status=status))
    return {row["name"]: row for row in answer["rows"]}


def rows(table, kind):
    """{function: what it has itself}"""
    return {name: row["flat"] for name, row in top(table, f"--{kind}").items()}


def holdings(table):
    """{function: (objects, bytes)} in use."""
    objects, sizes = rows(table, "inuse_objects"), rows(table, "inuse_space")
    return {name: (objects[name], sizes.get(name, 0)) for name in objects if objects[name] != 0}


def said(out):
    """The same of what the programs in tests/agent print."""
    lines = [line.split() for line in out.splitlines()]
    return {name: (int(objects), int(size)) for name, objects, size in lines if objects != "0"}


def stacks(table):
    """[(frames, flags)] as they are in the table."""
    with open(table, "rb") as file:
        bytes_of = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)  # of an exact run it has 1 GiB, most of it holes
    places = [struct.unpack_from("<3Q", bytes_of, 72 + 24 * KINDS.index(kind)) for kind in ("frames", "stacks")]
    (frames, _, _), (records, _, record_bytes) = places
    found = []
    for number in range(state(table)[0]["stacks"]):
        first, count, flags = struct.unpack_from("<IHH", bytes_of, records + record_bytes * number)
        found.append((struct.unpack_from(f"<{count}Q", bytes_of, frames + 8 * first), flags))
    return found


def command_of(table):
    """Of which command it is, as its head says."""
    with open(table, "rb") as file:
        return file.read(520)[264:].rstrip(b"\0").decode()


def own_holdings(table):
    """Without what the C library keeps for itself: a printf's buffer, the stacks' TLS."""
    own = ("keep", "aligned", "churn", "brief", "late", "child_works", "endless", "on_signal", "scene_", "spawns", "forks")
    return {name: value for name, value in holdings(table).items() if name.startswith(own)}


def expect_said(out, table, *lost):
    """The table has what the program says it kept, no block more, and lost nothing but what is named in `lost`."""
    found = own_holdings(table)
    assert found == said(out), f"the table differs in {sorted(set(found.items()) ^ set(said(out).items()))}"
    losses = {name: count for name, count in state(table)[1].items() if count and name not in lost}
    assert not losses, f"lost {losses}"


def umount(folder):
    """Whoever looks through all processes may have the table of one that has just ended open for a moment."""
    for _ in range(50):
        done = subprocess.run(["umount", folder], capture_output=True, text=True, check=False)
        if "busy" not in done.stderr:
            break
        time.sleep(0.1)
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def small_tmpfs(size="4m"):
    """A folder of so many bytes, or None where mounting is not allowed."""
    folder = Path("small").resolve()
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True, check=False)
    try:
        yield folder if mount.returncode == 0 else None
    finally:
        if mount.returncode == 0:
            umount(folder)


def fill_while_running(scenes, folder, agent=AGENT):
    """What the scene "patience" printed, whose table's folder was filled after it had begun."""
    conf = environment(f"exact:true,dir:{folder}", preload=(agent,))
    with subprocess.Popen([scenes, "patience"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=conf) as child:
        assert child.stdout.readline() == "ready\n"
        with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        out, _ = child.communicate("\n", timeout=TIMEOUT_S)
    assert child.returncode == 0, child.returncode
    return out
