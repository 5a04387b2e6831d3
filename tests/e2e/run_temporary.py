#!/usr/bin/env python3
"""Temporary allocations: those of a program whose calls are known, by stack, and as heaptrack counts them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from _run import expect_equal, heapflame, run, run_leaker_tests

PROGRAM = """#include <stdlib.h>
void *volatile kept[8];
__attribute__((noinline)) void at_once(int count)
{
    for (int i = 0; i < count; i++) {
        kept[0] = malloc(300);
        free(kept[0]);
    }
}
__attribute__((noinline)) void crosswise(int count)
{
    for (int i = 0; i < count; i++) {
        kept[0] = malloc(100);
        kept[1] = malloc(200);
        free(kept[0]);
        free(kept[1]);
    }
}
__attribute__((noinline)) void replaced(int count)
{
    for (int i = 0; i < count; i++) {
        kept[0] = malloc(50);
        kept[0] = realloc(kept[0], 5000);
        free(kept[0]);
    }
}
int main(void)
{
    at_once(1000);
    crosswise(500);
    replaced(200);
    at_once(1);
}
"""
FUNCTIONS = ["at_once", "crosswise", "replaced", "main"]
BINARY = Path("temporary").resolve()


def temporary(path):
    """{function: temporary allocations}"""
    code, out, err = heapflame("top", "--json", "-q", "--value", "temporary_objects", path)
    assert code == 0, err
    return {row["name"]: row["flat"] for row in json.loads(out)["rows"] if row["flat"] != 0}


def test_by_stack():
    run("--exact", "-o", "t.hfb", BINARY)
    for name in ["t.hfb", "t.pb.gz"]:
        run("--exact", "-o", name, BINARY)
        found = temporary(name)
        expect_equal({name: count for name, count in found.items() if name in FUNCTIONS}, {"at_once": 1001, "replaced": 400})


def test_as_heaptrack():
    if shutil.which("heaptrack") is None or shutil.which("heaptrack_print") is None:
        return
    run("--exact", "-o", "t.hfb", BINARY)
    subprocess.run(["heaptrack", "-o", "trace", BINARY], check=True, capture_output=True)
    trace = next(Path.cwd().glob("trace*"))
    told = subprocess.run(["heaptrack_print", trace], check=True, capture_output=True, text=True).stdout
    total = int(re.search(r"^temporary memory allocations: (\d+)", told, re.MULTILINE)[1])
    expect_equal(total, sum(temporary("t.hfb").values()))


if __name__ == "__main__":
    Path("temporary.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "-o", BINARY, "temporary.c"], check=True)
    run_leaker_tests(globals())
