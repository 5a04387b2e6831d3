"""What the tests of the agent share: running programs under it, and reading the tables that come of it."""

import json
import os
import subprocess
from pathlib import Path

from _heap import HEAPFLAME, SOURCE, TIMEOUT_S, run, skip

AGENT = HEAPFLAME.parent / "agent/libheapflame.so"
PROGRAMS = SOURCE / "tests/agent"
if not AGENT.exists():
    skip("the agent is for x86-64 alone")


def compile_agent_test(name, *extra, compiler="gcc", out=None):
    """tests/agent/NAME becomes a program in the current folder."""
    out = Path(out or Path(name).stem).resolve()
    run(compiler, "-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls", "-pthread", "-o", out, PROGRAMS / name, *extra)
    return out


def environment(conf, preload=(AGENT,), **more):
    """The environment in which a program is profiled; tables come into ./tables."""
    Path("tables").mkdir(exist_ok=True)
    full = f"prof:true,dir:{Path('tables').resolve()}" + (f",{conf}" if conf else "")
    return {**os.environ, "LD_PRELOAD": " ".join(map(str, preload)), "HEAPFLAME_CONF": full, **more}


def profiled(conf, *command, status=0, preload=(AGENT,), **more):
    """(standard output, standard error) of a command that ran under the agent."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env=environment(conf, preload), **more,
    )
    assert done.returncode == status, f"{command}: expected {status}, got {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout, done.stderr


def tables(pid=None):
    """The tables that there are, of one process or of all, oldest first."""
    found = Path("tables").glob(f"heapflame-*/{pid or '*'}-*.live")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def only_table():
    found = tables()
    assert len(found) == 1, f"expected one table, found {[path.name for path in found]}"
    return found[0]


def forget_tables():
    for table in tables():
        table.unlink()


def top(table, *arguments):
    """{function: (objects, bytes)} that a table has in use."""
    answer = json.loads(run(HEAPFLAME, "top", "--json", "--rows", "0", *arguments, table))
    return {row["name"]: row for row in answer["rows"]}
