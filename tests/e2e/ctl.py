#!/usr/bin/env python3
"""libheapflame-ctl and heapflame/heapflame.h in programs that nobody profiles: they build in each way programs are
built, run, and are told that nobody is there. With a jemalloc behind it, libheapflame-ctl is out of the way."""

import os
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

CTL = Path(os.environ["BUILD"]).resolve() / "ctl"
SRC = Path(os.environ["HEAPFLAME_SRC"])
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
INCLUDE = f"-I{SRC / 'include'}"
LINK = [f"-L{CTL}", f"-Wl,-rpath,{CTL}", "-lheapflame-ctl"]

ASKS = """
#include <heapflame/mallctl.h>
#include <stdio.h>

int main(void)
{
    const char *version = "";
    size_t size = sizeof version, mib[4], length = 4;
    int error = mallctl("version", &version, &size, NULL, 0);
    printf("%d %.2s\\n", error, version);
    printf("%d\\n", mallctl("prof.dump", NULL, NULL, NULL, 0));
    error = mallctlnametomib("arenas.narenas", mib, &length);
    unsigned count = 0;
    size = sizeof count;
    printf("%d %zu\\n", error, error == 0 ? length : 0);
    printf("%d\\n", error == 0 ? mallctlbymib(mib, length, &count, &size, NULL, 0)
                               : mallctlbymib(mib, 0, &count, &size, NULL, 0));
    return 0;
}
"""

CALLS_ALL = """
#include <heapflame/heapflame.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *piece = (char *)malloc(100);
    heapflame_pool_add(piece);
    heapflame_pool_alloc(piece, 48);
    heapflame_pool_free(piece);
    heapflame_pool_reset(piece, 100);
    free(piece);
    printf("%d %d %d %d %d\\n", heapflame_is_active(), heapflame_set_active(true) == ENOENT,
        heapflame_set_thread_active(true) == ENOENT, heapflame_dump("never.heap") == ENOENT,
        heapflame_reset() == ENOENT);
    return 0;
}
"""


def build(compiler, name, code, *flags):
    source = Path(f"{name}.{'cc' if '++' in compiler else 'c'}")
    source.write_text(code)
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", INCLUDE, source, "-o", name, *flags], check=True)
    return f"./{name}"


def answer(program, **env):
    return subprocess.run([program], env={**os.environ, **env}, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=600).stdout


def test_mallctl_says_nobody_knows():
    program = build("gcc", "asks", ASKS, *LINK)
    assert answer(program) == "2 \n2\n2 0\n2\n", answer(program)


def test_a_jemalloc_behind_it_answers():
    if not Path(JEMALLOC).exists():
        return
    program = build("gcc", "behind", ASKS, *LINK, "-Wl,--no-as-needed", "-ljemalloc")
    # It was started without prof:true, so it has no dump either.
    assert answer(program) == "0 5.\n2\n0 2\n0\n", answer(program)
    program = build("gcc", "before", ASKS, *LINK)
    assert answer(program, LD_PRELOAD=JEMALLOC) == "0 5.\n2\n0 2\n0\n", answer(program, LD_PRELOAD=JEMALLOC)


def test_the_declarations_are_jemallocs():
    both = "#include <jemalloc/jemalloc.h>\n"
    for compiler in "gcc", "g++":
        build(compiler, "first", both + ASKS, *LINK)
        build(compiler, "second", ASKS.replace("#include <stdio.h>", both + "#include <stdio.h>"), *LINK)


def test_the_header_works_alone():
    for compiler in "gcc", "g++", "clang":
        for flags in (["-O0"], ["-O2", "-fno-plt"], ["-O2", "-fno-pie", "-no-pie"], ["-O2", *LINK],
                      ["-O2", "-fno-pie", "-no-pie", *LINK]):
            program = build(compiler, "calls", CALLS_ALL, *flags)
            assert answer(program) == "0 1 1 1 1\n", (compiler, flags, answer(program))
    assert not Path("never.heap").exists()


def main():
    return run_tests(globals())


if __name__ == "__main__":
    sys.exit(main())
