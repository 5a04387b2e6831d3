#!/usr/bin/env python3
# timeout: 120
"""What real programs under jemalloc's profiler trip other tools on: see the tables in docs/compat/symbolize.md."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, SOURCE, folded, heapflame, need, run, run_profiled
from _suite import run_tests

need("gcc", "nm", "objdump")

DUMP = "prof:true,lg_prof_sample:0,prof_final:true,prof_prefix:dump"

ENDS_WITH_A_CALL = r"""
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline, noreturn)) void last(void) { kept = malloc(3000); exit(0); }
__attribute__((noinline)) void first(void) { kept = malloc(1000); last(); }
__attribute__((noinline)) void behind(void) { kept = malloc(2000); }
int main(int argc, char **argv) { (void)argv; if (argc > 9) behind(); first(); }
"""


def profile(*command):
    run_profiled(*command, conf=DUMP)
    (dump,) = Path().glob("dump.*.heap")
    return dump


def stack_of(size, text):
    """The frames from main on of the one stack that allocated so much."""
    (frames,) = [frames for frames, value in folded(text) if value == size]
    return frames[frames.index("main") :]


def test_a_function_that_ends_with_a_call():
    """The return address is the first byte of the next function."""
    Path("program.c").write_text(ENDS_WITH_A_CALL)
    run("gcc", "-O1", "-g", "-falign-functions=1", "-fno-toplevel-reorder", "-o", "program", "program.c", "-ljemalloc")
    symbols = {name: (int(start, 16), int(size, 16)) for start, size, _, name in
               re.findall(r"(?m)^(\w+) (\w+) (\w) (\w+)$", run("nm", "-S", "program"))}
    assert sum(symbols["first"]) == symbols["behind"][0], symbols
    code = run("objdump", "-d", "--disassemble=first", "program")
    assert "<last>" in [line for line in code.splitlines() if "\t" in line][-1], code
    assert stack_of(3072, heapflame("fold", profile(Path("program").resolve()))) == ["main", "first", "last"]


PLUGIN = r"""
#include <stdlib.h>
void *volatile plugged;
void plug(void) { plugged = malloc(7000); }
"""
LOADER = r"""
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW);
    void (*plug)(void) = (void (*)(void))dlsym(library, "plug");
    plug();
    if (argc > 2) dlclose(library);
    return 0;
}
"""


def load(*more):
    """The dump of a program that allocates in a library without .so in its name."""
    Path("plugin.c").write_text(PLUGIN)
    Path("program.c").write_text(LOADER)
    run("gcc", "-O1", "-g", "-shared", "-fPIC", "-o", "plugin", "plugin.c")
    run("gcc", "-O1", "-g", "-o", "program", "program.c", "-Wl,--no-as-needed", "-ljemalloc", "-ldl")
    return profile(Path("program").resolve(), Path("plugin").resolve(), *more)


def test_a_library_of_any_name():
    assert stack_of(7168, heapflame("fold", load())) == ["main", "plug"]


def test_a_library_that_is_gone():
    """Its addresses are in no mapping: nothing is known of them, and that is said."""
    done = subprocess.run([HEAPFLAME, "fold", load("close")], capture_output=True, text=True)
    assert done.returncode == 0, done
    assert re.search(r": 1 of \d+ addresses (is in no mapping: its file was|are in no mapping: their files were) unmapped", done.stderr), done
    main, unknown = stack_of(7168, done.stdout)
    assert re.fullmatch(r"0x[0-9a-f]+", unknown), unknown


def test_a_path_with_blanks_and_line_feeds():
    """The kernel writes the line feed of a path as \\012 in the map."""
    Path("program.c").write_text(ENDS_WITH_A_CALL)
    folder = Path("my app\n1")
    folder.mkdir()
    run("gcc", "-O1", "-g", "-o", "program", "program.c", "-ljemalloc")
    shutil.move("program", folder)
    dump = profile((folder / "program").resolve())
    assert b"my app\\0121/program" in dump.read_bytes()
    assert stack_of(3072, heapflame("fold", dump)) == ["main", "first", "last"]


def expect_tests(cell):
    """It names tests, and they are there."""
    tests = re.findall(r"`([\w/.-]+)(?: ([\w-]+))?`", cell)
    assert tests, cell
    for file, name in tests:
        folder = "" if file.startswith("cmd/") else "e2e/" if file.endswith(".py") else "unit/"
        path = SOURCE / "tests" / (folder + file + (".c" if folder == "unit/" else ""))
        assert path.is_dir() or re.search(rf"\b{re.escape(name)}\b", path.read_text()), (file, name)


def rows(document):
    lines = (SOURCE / "docs/compat" / document).read_text().splitlines()
    return [line.split("|")[1:-1] for line in lines if line.startswith("| ") and not line.endswith(("| test |", "| mutant |"))]


def test_the_tables_name_tests():
    """Each row of docs/compat/symbolize.md says where its test is."""
    for *_, tests in rows("symbolize.md"):
        expect_tests(tests)


def test_the_agents_rules_have_tests_and_mutants():
    """Each row of docs/compat/agent.md names both, and each mutant that there is has its row."""
    found = set()
    for _, _, tests, mutants in rows("agent.md"):
        expect_tests(tests)
        found |= set(re.findall(r"`([A-Z]+)`", mutants))
        assert re.search("`", mutants), f"no mutant: {mutants}"
    sources = [*SOURCE.glob("agent/*.[ch]"), *SOURCE.glob("src/*/*.[ch]")]
    there = {name for path in sources for name in re.findall(r"HF_MUTANT\(([A-Z]+)\)", path.read_text())} - {"NAME"}
    assert found == there, f"differs in {sorted(found ^ there)}"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
