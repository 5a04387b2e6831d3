#!/usr/bin/env python3
"""What was in use when most was: recorded by the program itself, whoever looks at it when."""

import json
import os
import re
import subprocess
from pathlib import Path

from _run import AGENT, expect_equal, heapflame, run, run_leaker_tests

# 40 blocks of 1 MB stay for 1 ms, after 0.3 s; before and afterwards there are only small ones.
SPIKE = Path("spike").resolve()
SOURCE = """#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void *kept[1000];
__attribute__((noinline)) void spike(int count)
{
    for (int i = 0; i < count; i++)
        kept[i] = malloc(1000000);
    struct timespec rest = {0, 1000000};
    nanosleep(&rest, NULL);
    for (int i = 0; i < count; i++)
        free(kept[i]);
}
__attribute__((noinline)) void plateau(int count)
{
    for (int i = 0; i < count; i++)
        kept[i] = malloc(1000);
    usleep(300000);
    for (int i = 0; i < count; i++)
        free(kept[i]);
}
int main(int argc, char **argv)
{
    plateau(900);
    kept[999] = malloc(2000000);
    spike(40);
    free(kept[999]);
    plateau(900);
    if (argc > 1)
        kept[0] = malloc(strtoul(argv[1], NULL, 10));
    _exit(0);
}
"""


def build():
    Path("spike.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-o", SPIKE, "spike.c"], check=True)


def leaves(operand, *options):
    """{function: bytes} of what allocated, and the sum."""
    code, out, err = heapflame("top", "--json", "-q", *options, operand)
    assert code == 0, err
    answer = json.loads(out)
    return {row["name"]: row["flat"] for row in answer["rows"] if row["flat"] != 0}, answer["total"]


def test_a_peak_of_a_millisecond():
    err = run("--exact", "-o", "spike.hfb", SPIKE)[2]
    found = re.fullmatch(
        r"heapflame: peaked at 40.1 MiB after 0\.(\d) s: spike \(spike.c:9\) held 38.1 MiB of 40.1 MiB; "
        r"at the end 0 B are in use: see spike.hfb\n", err)
    assert found and found[1] in "345678", err
    expect_equal(leaves("spike.hfb@peak"), ({"spike": 40000000, "main": 2000000}, 42000000))
    expect_equal(leaves("spike.hfb@end"), ({}, 0))
    expect_equal(leaves("spike.hfb"), leaves("spike.hfb@peak"))
    out = heapflame("top", "spike.hfb")[1]
    assert out.startswith("40.1 MiB at the peak; "), out
    out = heapflame("diff", "spike.hfb@peak", "spike.hfb@end")[1]
    assert "A 40.1 MiB → B 0 B" in out, out


def test_both_at_the_end():
    err = run("--exact", "-o", "both.hfb", SPIKE, "1000000")[2]
    assert re.search(r"held 38.1 MiB of 40.1 MiB; at the end main \(spike.c:31\) holds 976.6 KiB of 976.6 KiB in use: see both.hfb\n$", err), err
    expect_equal(leaves("both.hfb")[1], 1000000)
    expect_equal(leaves("both.hfb@peak")[1], 42000000)
    err = run("--exact", "-o", "most.hfb", SPIKE, "41000000")[2]
    assert "heapflame: main (spike.c:31) holds 39.1 MiB of 39.1 MiB in use: see most.hfb" in err, err


def test_every_format_that_can():
    for name in ["x.pb.gz", "x.hfb"]:
        run("--exact", "-o", name, SPIKE)
        expect_equal(leaves(f"{name}@peak")[1], 42000000)
    for name in ["x.folded", "x.svg"]:
        run("--exact", "-o", name, SPIKE)
        assert "spike" in Path(name).read_text(), name
    run("--exact", "-o", "x.heap", SPIKE)
    code, _, err = heapflame("top", "x.heap@peak")
    expect_equal((code, err), (2, "heapflame: x.heap: '@peak' needs values of type 'peak_space', which the profile does not have\n"))


def test_files_of_that_name_come_first():
    run("--exact", "-o", "x.hfb", SPIKE, "1000000")
    os.chmod("x.hfb", 0o600)
    expect_equal(leaves("x.hfb@peak")[1], 42000000)
    Path("x.hfb@peak").write_bytes(Path("x.hfb").read_bytes())
    expect_equal(leaves("x.hfb@peak")[1], 1000000)
    Path("x.hfb@peak").unlink()


def test_sampled():
    """What was in use at the peak, within the error of 42 samples or so of 512 KiB."""
    for seed in range(5):
        run("-o", "s.hfb", SPIKE, HEAPFLAME_CONF=f"seed:{seed}")
        total = leaves("s.hfb@peak")[1]
        assert 36e6 < total < 48e6, (seed, total)


def test_while_it_runs_and_after_a_kill():
    Path("stay.c").write_text(SOURCE.replace("_exit(0)", "raise(9)").replace("#include <stdlib.h>", "#include <signal.h>\n#include <stdlib.h>"))
    subprocess.run(["gcc", "-g", "-O1", "-o", "stay", "stay.c"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(AGENT), "HEAPFLAME_CONF": f"prof:true,exact:true,dir:{Path.cwd()}"}
    process = subprocess.run(["./stay"], env=environment, check=False)
    expect_equal(process.returncode, -9)
    table = next(Path.cwd().glob("heapflame-*/*.live"))
    expect_equal(leaves(f"{table}@peak"), ({"spike": 40000000, "main": 2000000}, 42000000))
    table.unlink()


if __name__ == "__main__":
    build()
    run_leaker_tests(globals())
