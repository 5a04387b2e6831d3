#!/usr/bin/env python3
"""What was in use over time, and at the start: kept by `run` without an option."""

import json
import re
import subprocess
from pathlib import Path

from _run import expect_equal, heapflame, run, run_leaker_tests
from _schemas import held

PROGRAM = Path("steps").resolve()
SOURCE = """#include <stdlib.h>
#include <unistd.h>
void *volatile sink;
static void *early_kept[1000], *late_kept[1000];
__attribute__((noinline)) void tick(int ms)
{
    for (int i = 0; i < ms; i++) {
        sink = malloc(10);
        free(sink);
        usleep(1000);
    }
}
__attribute__((noinline)) void early(void)
{
    for (int i = 0; i < 1000; i++)
        early_kept[i] = malloc(4096);
}
__attribute__((noinline)) void late(void)
{
    for (int i = 0; i < 1000; i++)
        late_kept[i] = malloc(20000);
}
int main(int argc, char **argv)
{
    early();
    tick(atoi(argv[1]));
    late();
    tick(atoi(argv[2]));
    for (int i = 0; i < 1000; i++)
        free(late_kept[i]);
    tick(300);
    _exit(0);
}
"""
EARLY, LATE = 4_096_000, 20_000_000


def leaves(operand, *options):
    code, out, err = heapflame("top", "--json", "-q", "--by=leaf", *options, operand)
    assert code == 0, err
    document = held(json.loads(out))
    return {row["name"]: row["flat"] for row in document["rows"] if row["flat"] > 10}, document


def test_three_moments_in_one_file():
    run("--exact", "-o", "t.hfb", PROGRAM, "1700", "100")
    heapflame("convert", "t.hfb", "-o", "t.pb.gz")
    for file in ["t.hfb", "t.pb.gz"]:
        expect_equal(leaves(file + "@start")[0], {"early": EARLY})
        peak = leaves(file + "@peak")[0]  # of an instant at which at least 99.2 % was in use
        assert peak["early"] == EARLY and 0 <= LATE - peak["late"] <= 0.008 * (EARLY + LATE), peak
        expect_equal(leaves(file + "@end")[0], {"early": EARLY})
        code, out, err = heapflame("diff", "--show_bytes", file + "@start", file + "@peak")
        assert code == 0 and re.search(rf"^\+{peak['late']} B .* late ", out, re.M), (out, err)
        code, out, err = heapflame("diff", file + "@start", file + "@end")
        assert code == 0 and out.startswith("Nothing changed"), (out, err)
        expect_equal(leaves(file, "--value", "start_space")[0], {"early": EARLY})
    code, out, _ = heapflame("top", "--value", "start_space", "t.hfb")
    assert out.startswith("3.9 MiB at the start; "), out
    code, _, err = heapflame("flame", "t.hfb@start", "-o", "start.svg")
    assert code == 0 and "early" in Path("start.svg").read_text(), err


def test_it_ended_before_it_started():
    run("--exact", "-o", "short.hfb", PROGRAM, "1", "1")
    code, _, err = heapflame("top", "short.hfb@start")
    assert code == 2 and "'@start' needs values of type 'start_space'" in err and "longer than a second" in err, (code, err)


def test_curve():
    err = run("--exact", "-o", "t.hfb", PROGRAM, "1200", "800")[2]
    assert re.search(r"^heapflame: in use over [2-9] s: [▁-█]{8,32}, at most 23.0 MiB; 23\.\d MiB allocated, \S+ MiB/s$", err, re.M), err
    _, document = leaves("t.hfb")
    curve = document["curve"]
    in_use, allocated = curve["inuse_bytes"], curve["allocated_bytes"]
    assert 32 <= len(in_use) <= 64 and curve["span_ns"] & (curve["span_ns"] - 1) == 0, curve
    spans_at = lambda level: [i for i, value in enumerate(in_use) if 0 <= value - level <= 100]
    full = spans_at(EARLY + LATE)
    before = [i for i in spans_at(EARLY) if i < full[0]]
    lasting = lambda seconds: seconds * 1e9 / curve["span_ns"] - 2  # a span in which it changes is neither, and load only adds
    assert len(before) >= lasting(1.2) and len(full) >= lasting(0.8), curve
    assert full == list(range(full[0], full[-1] + 1)) and len(spans_at(EARLY)) + len(full) >= len(in_use) - 3, curve
    assert 0 <= in_use[-1] - EARLY <= 100, curve
    expect_equal(allocated, sorted(allocated))
    expect_equal(allocated[-1], leaves("t.hfb", "--alloc_space")[1]["total"])
    code, out, err = heapflame("bundle", "t.hfb", "-o", "again.hfb")
    expect_equal(leaves("again.hfb")[1]["curve"], curve)


def test_nothing_happens_at_the_end():
    err = run("--exact", "-o", "idle.hfb", IDLE, "700", "700")[2]
    assert re.search(r"^heapflame: in use over [3-9] s: ", err, re.M), err
    curve = leaves("idle.hfb")[1]["curve"]
    in_use = curve["inuse_bytes"]
    assert 3e9 <= len(in_use) * curve["span_ns"] < 20e9 and len(in_use) <= 64, curve
    assert [bytes for bytes in in_use if bytes > EARLY + LATE / 2] and in_use[-1] == in_use[len(in_use) // 2], curve


def test_nothing_to_say():
    for arguments in [["1", "1"], ["1500", "0"]]:
        file = "flat" if arguments[1] == "0" else "short"
        err = run("--exact", "-o", file + ".hfb", FLAT if file == "flat" else PROGRAM, *arguments)[2]
        assert "in use over" not in err, err


FLAT, IDLE = Path("flat").resolve(), Path("idle").resolve()

if __name__ == "__main__":
    Path("steps.c").write_text(SOURCE)
    Path("flat.c").write_text(SOURCE.replace("    late();", ""))
    Path("idle.c").write_text(SOURCE.replace("    tick(300);", "    sleep(3);"))
    for program in [PROGRAM, FLAT, IDLE]:
        subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "-o", program, program.name + ".c"], check=True)
    run_leaker_tests(globals())
