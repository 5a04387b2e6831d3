#!/usr/bin/env python3
"""`run` says where the resident memory is if malloc explains little of it: mappings, brk, data, files, of a known program."""

import re
import shutil
import subprocess
from pathlib import Path

from _run import MIB, end, run_leaker_tests, start, wait_for

# Maps, allocates and has as data so many MiB, all of them touched; says what it has resident, and waits.
MAPPER = Path("mapper").resolve()
SOURCE = r"""#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char data[1 << 30];
static char *blocks[1 << 20];
int main(int argc, char **argv)
{
    size_t mapped = strtoul(argv[1], NULL, 10) << 20, blocks_kib = strtoul(argv[2], NULL, 10) << 10;
    size_t data_bytes = strtoul(argv[3], NULL, 10) << 20;
    if (mapped != 0)
        memset(mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, mapped);
    for (size_t i = 0; i < blocks_kib; i++)
        memset(blocks[i] = malloc(1024), 1, 1024);
    memset(data, 1, data_bytes);
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            fputs(line, stdout);
    fclose(status);
    fflush(stdout);
    return argc > 4 || getchar() == EOF;
}
"""
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
PARTS = ["mapped", "heap", "data", "stack", "files", "live table"]


def in_bytes(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def account_of(err):
    """(resident, in use by malloc, {part: bytes}) of the line, in bytes; None: there is no such line."""
    lines = [line for line in err.splitlines() if "resident" in line]
    assert len(lines) <= 1, err
    if not lines:
        return None
    whole = re.fullmatch(r"heapflame: resident (\S+ \S+), of which malloc has (\S+ \S+) in use: (.*)", lines[0])
    assert whole, lines
    parts = {}
    for part in whole[3].split(", "):
        name, number, unit = re.fullmatch(r"([a-z ]+) (\S+) (\S+)", part).groups()
        parts[name] = in_bytes(f"{number} {unit}")
    assert list(parts) == [name for name in PARTS if name in parts], lines
    return in_bytes(whole[1]), in_bytes(whole[2]), parts


def looked_at(command, *options):
    """What `run` says of a program that was looked at after it said what it has resident, and that in bytes."""
    process = start("heapflame", "run", *options, "--every", "100ms", "-o", "m.%n.hfb", *command, stdin=subprocess.PIPE)
    resident = int(process.stdout.readline().split()[1]) << 10
    dumps = {path.name for path in Path.cwd().glob("m.*.hfb")}
    wait_for(lambda: len({path.name for path in Path.cwd().glob("m.*.hfb")} - dumps) >= 12, process)
    process.stdin.write(b"\n")
    code, _, err = end(process)
    for path in Path.cwd().glob("m.*.hfb"):
        path.unlink()
    assert code == 0, err
    return account_of(err), resident, err


def expect_near(got, expected, slack=0):
    assert abs(got - expected) <= expected / 100 + slack, f"expected {expected / MIB} MiB, got {got / MIB} MiB"


def test_mapped_memory_is_told():
    account, resident, err = looked_at([MAPPER, 200, 2, 30], "--exact")
    assert account, err
    total, in_use, parts = account
    expect_near(total, resident, MIB)
    expect_near(sum(parts.values()), total)
    expect_near(in_use, 2 * MIB, MIB / 10)
    expect_near(parts["mapped"], 200 * MIB, 4 * MIB)  # and what the agent itself has
    expect_near(parts["data"], 30 * MIB, MIB)
    expect_near(parts["heap"], 2 * MIB, MIB)


def test_sampled():
    account, resident, err = looked_at([MAPPER, 100, 0, 0])
    assert account, err
    expect_near(account[0], resident, MIB)
    expect_near(account[2]["mapped"], 100 * MIB, 2 * MIB)


def test_what_malloc_explains_needs_no_line():
    account, _, err = looked_at([MAPPER, 10, 120, 0], "--exact")
    assert account is None and "holds 120.0 MiB" in err, err


def test_little_needs_no_line():
    account, _, err = looked_at([MAPPER, 20, 0, 0], "--exact")
    assert account is None, err


def test_quiet():
    account, _, err = looked_at([MAPPER, 100, 0, 0], "-q")
    assert (account, err) == (None, ""), err


INTERPRETERS = {
    "php": ["php", "-r", "$a=[]; for($i=0;$i<1000000;$i++) $a[]=[$i]; echo shell_exec('grep VmRSS /proc/'.getmypid().'/status'); fgets(STDIN);"],
    "python3": [
        "python3", "-c",
        "a = [[i] for i in range(10**6)]\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmRSS')), end='', flush=True)\ninput()",
    ],
}  # fmt: skip


def test_interpreters():
    """Their heaps are mapped: nearly all that they have resident."""
    seen = []
    for name, command in INTERPRETERS.items():
        if shutil.which(name) is None:
            continue
        account, resident, err = looked_at(command)
        assert account, (name, err)
        total, in_use, parts = account
        expect_near(total, resident, MIB)
        expect_near(sum(parts.values()), total)
        assert parts["mapped"] > total / 2 > 2 * in_use, (name, err)
        seen.append(name)
    assert seen


if __name__ == "__main__":
    Path("mapper.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-o", MAPPER, "mapper.c"], check=True)
    run_leaker_tests(globals())
