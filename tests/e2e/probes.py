#!/usr/bin/env python3
"""The USDT probes of heapflame's agent: what their notes say, as readelf reads them, and what gdb finds in their
arguments when they fire."""

import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import need, run, skip
from _suite import run_tests

AGENT = Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"

PROGRAM = """
#include <stdlib.h>
int main(void)
{
    char *volatile first = malloc(1009);
    first = realloc(first, 2003);
    free(first);
    return 0;
}
"""


def notes():
    """{name: arguments} of the probes, and where they are."""
    found = re.findall(r"Provider: otel_memory\n\s+Name: (\w+)\n\s+Location: (\w+).*\n\s+Arguments: (.*)\n",
                       run("readelf", "-nW", AGENT))
    return [(name, int(place, 16), arguments.split()) for name, place, arguments in found]


def test_notes():
    found = notes()
    assert {name for name, _, _ in found} == {"alloc", "free"}, found
    for name, place, arguments in found:
        assert len(arguments) == {"alloc": 3, "free": 1}[name], (name, arguments)
        assert all(re.fullmatch(r"8@\S+", argument) for argument in arguments), (name, arguments)
        code = run("objdump", "-d", "--no-show-raw-insn", f"--start-address={place}", f"--stop-address={place + 1}", AGENT)
        assert re.search(rf"{place:x}:\s+nop", code), code


def test_arguments():
    Path("program.c").write_text(PROGRAM)
    run("gcc", "-O1", "-o", "program", "program.c")
    commands = ["set pagination off", "set confirm off", "set debuginfod enabled off",
                f"set environment LD_PRELOAD {AGENT}", "set environment HEAPFLAME_CONF prof:true,lg_prof_sample:0",
                "break main", "run", "delete",
                "break -probe-stap otel_memory:alloc", "commands", "silent",
                'printf "alloc %#lx %lu %lu\\n", $_probe_arg0, $_probe_arg1, $_probe_arg2', "continue", "end",
                "break -probe-stap otel_memory:free", "commands", "silent",
                'printf "free %#lx\\n", $_probe_arg0', "continue", "end", "continue"]
    Path("commands").write_text("\n".join(commands) + "\n")
    done = subprocess.run(["gdb", "-nx", "-batch", "-x", "commands", "./program"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600)
    events = re.findall(r"^(alloc|free) (0x\w+) ?(.*)$", done.stdout, re.M)
    assert len(events) >= 4, done.stdout + done.stderr
    (a, first, one), (b, freed, _), (c, second, two), (d, last, _) = events[:4]
    assert (a, b, c, d) == ("alloc", "free", "alloc", "free"), events
    assert (one, two) == ("1009 1009", "2003 2003"), events
    assert (freed, last) == (first, second), events


def main():
    return run_tests(globals())


if __name__ == "__main__":
    if not AGENT.exists():
        skip("the agent is for x86-64")
    need("readelf", "objdump", "gdb")
    sys.exit(main())
