#!/usr/bin/env python3
"""`top --temporary`, `--lifetimes` and `--sizes` of a program that knows what became of its blocks."""

import json
import subprocess
from pathlib import Path
from unittest.mock import ANY

from _agent import forget_tables, only_table, profiled
from _run import expect_equal, heapflame, run, run_leaker_tests
from _schemas import held

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
void *volatile kept[4000];
__attribute__((noinline)) void at_once(int count)
{
    for (int i = 0; i < count; i++) {
        kept[0] = malloc(300);
        free(kept[0]);
    }
}
__attribute__((noinline)) void take(int count, size_t size)
{
    for (int i = 0; i < count; i++)
        kept[i] = malloc(size);
}
__attribute__((noinline)) void keep_some(void)
{
    for (int i = 0; i < 40; i++)
        kept[1000 + i] = malloc(i % 2 == 0 ? 16 : 17);
    for (int i = 0; i < 30; i++)
        free(kept[1000 + i]);
}
static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
int main(void)
{
    at_once(1001);
    long long first = now_ns();
    take(500, 5000);
    long long last = now_ns();
    usleep(50000);
    long long freed = now_ns();
    for (int i = 0; i < 500; i++)
        free(kept[i]);
    fprintf(stderr, "%lld %lld\\n", freed - last, now_ns() - first);
    keep_some();
    kept[0] = malloc(3 << 20);
    return 0;
}
"""
BINARY = Path("churn").resolve()
TICK_NS = 4_000_000  # births and frees are as exact as the clock's tick


def recorded_table():
    """The table that the program leaves behind, and what it prints."""
    forget_tables()
    _, err = profiled("keep:true,lg_prof_sample:0", BINARY)
    return only_table(), err


def rows(*arguments):
    """{owner: its row} and the document."""
    code, out, err = heapflame("top", "--json", "-q", *arguments)
    assert code == 0, err
    document = held(json.loads(out))
    return {row["name"]: row for row in document["rows"]}, document


def test_temporary():
    run("--exact", "-o", "t.hfb", BINARY)
    found, document = rows("--temporary", "t.hfb")
    expect_equal(document["type"], "temporary_objects")
    expect_equal(list(found)[0], "at_once")
    row = found["at_once"]
    expect_equal((row["flat"], row["allocated_objects"], row["allocated_bytes"]), (1001, 1001, 300_300))
    assert "take" not in found, "a row without temporary allocations"
    code, out, err = heapflame("top", "-q", "--temporary", "t.hfb")
    assert code == 0, err
    title, row = out.splitlines()[1:3]
    assert title.split()[-6:-2] == ["of", "allocated", "bytes", "allocated"], title
    assert "  100.0 %        293.3 KiB  at_once" in row, row


def test_lifetimes():
    table, bounds = recorded_table()
    shortest, longest = map(int, bounds.split())
    found, _ = rows("--lifetimes", table)
    ages = {name: {age["below_ns"]: age["objects"] for age in row["lifetimes"]} for name, row in found.items()}
    expect_equal(sum(ages["take"].values()), 500)
    for below, objects in ages["take"].items():
        assert below > shortest - TICK_NS and below // 2 <= longest + TICK_NS, (below, objects, shortest, longest)
    expect_equal(sum(ages["at_once"].values()), 1001)
    assert min(ages["at_once"]) == 1 << 20, ages["at_once"]
    expect_equal((sum(ages["keep_some"].values()), found["keep_some"]["inuse_objects"]), (30, 10))
    code, out, err = heapflame("top", "-q", "--lifetimes", table)
    assert code == 0, err
    lines = out.splitlines()
    assert "  <1 ms  " in lines[1] and "  in use  " in lines[1], lines[1]
    (line,) = [line for line in lines if "keep_some" in line]
    assert "  25 %  keep_some" in line, line


def test_sizes():
    table, _ = recorded_table()
    found, _ = rows("--sizes", table)
    sizes = {name: {size["up_to_bytes"]: size["objects"] for size in row["sizes"]} for name, row in found.items()}
    expect_equal(sizes["take"], {8192: 500})
    expect_equal(sizes["at_once"], {512: 1001})
    expect_equal(sizes["keep_some"], {16: 20, 32: 20})
    expect_equal(sizes["main"], {None: 1})
    code, out, err = heapflame("top", "-q", "--sizes", table)
    assert code == 0, err
    (line,) = [line for line in out.splitlines() if "keep_some" in line]
    assert line.split("keep_some")[0].split()[-4:] == ["50", "%", "50", "%"], line


def test_births():
    table, _ = recorded_table()
    found, _ = rows("--births", table)
    sums = {name: (sum(b["allocated_bytes"] for b in row["births"]), sum(b["inuse_bytes"] for b in row["births"]))
            for name, row in found.items()}
    expect_equal(sums["take"], (500 * 5000, 0))
    expect_equal(sums["at_once"], (300_300, 0))
    expect_equal(sums["keep_some"], (20 * 16 + 20 * 17, 5 * 16 + 5 * 17))
    expect_equal(sums["main"], (3 << 20, 3 << 20))
    code, out, err = heapflame("top", "-q", "--births", table)
    assert code == 0, err
    (line,) = [line for line in out.splitlines() if "keep_some" in line]
    assert line.split("keep_some")[0].split()[-2:] == ["25", "%"], line


def test_files_say_what_the_table_says():
    """All formats that carry it, also after a way through several of them."""
    table, _ = recorded_table()
    for files in [["a.hfb"], ["a.pb.gz"], ["a.pb"], ["a.hfb", "b.pb.gz", "c.hfb", "d.hfb"]]:
        before = table
        for file in files:
            code, _, err = heapflame("convert", before, "-o", file)
            assert code == 0, err
            before = file
        for option in ["--temporary", "--lifetimes", "--sizes", "--births"]:
            expected, got = (rows(option, name)[1] for name in [table, files[-1]])
            assert expected.pop("curve") == (got.pop("curve") if all(".hfb" in file for file in files) else ANY)
            expect_equal(got, expected)
            expected, got = (heapflame("top", "-q", option, name) for name in [table, files[-1]])
            expect_equal(got, expected)
    expect_equal(Path("c.hfb").read_bytes(), Path("d.hfb").read_bytes())


def test_run_writes_them():
    for file in ["t.hfb", "t.pb.gz"]:
        run("--exact", "-o", file, BINARY)
        found, _ = rows("--sizes", file)
        expect_equal(found["take"]["sizes"], [{"up_to_bytes": 8192, "objects": 500}])


def test_threads_are_those_of_the_program():
    """Classes are no threads, whoever reads them."""
    run("--exact", "-o", "t.hfb", BINARY)
    for thread in ["9223372036854775808", "9223372036854776065"]:
        code, _, err = heapflame("top", "--thread", thread, "t.hfb")
        assert code == 2 and "it has 1 thread" in err, (code, err)
    heapflame("convert", "t.hfb", "-o", "t.heap")
    threads = [word for word in Path("t.heap").read_text().split() if word[:1] == "t" and word[1:2].isdigit()]
    expect_equal(len(set(threads)), 1)


def test_sums_of_several():
    """Ages and sizes add up; births only of one recording."""
    for file in ["a.hfb", "b.hfb"]:
        run("--exact", "-o", file, BINARY)
    heapflame("bundle", "a.hfb", "b.hfb", "-o", "sum.hfb")
    one, _ = rows("--sizes", "a.hfb")
    both, _ = rows("--sizes", "sum.hfb")
    expect_equal(both["take"]["sizes"], [{"up_to_bytes": 8192, "objects": 1000}])
    expect_equal([row["births"] for row in rows("--births", "sum.hfb")[0].values() if row["births"]], [])
    assert one["take"]["sizes"] == [{"up_to_bytes": 8192, "objects": 500}]


def test_a_profile_without_them():
    run("--exact", "-o", "t.heap", BINARY)
    for option in ["--lifetimes", "--sizes", "--births"]:
        code, out, err = heapflame("top", option, "t.heap")
        assert (code, out) == (3, ""), (code, out)
        assert "t.heap: has no lifetimes and sizes of freed blocks; expected a profile" in err, err


if __name__ == "__main__":
    Path("churn.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "-o", BINARY, "churn.c"], check=True)
    run_leaker_tests(globals())
