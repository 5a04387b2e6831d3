#!/usr/bin/env python3
"""`run` says what the resident memory is if malloc explains little of it: of a known program who mapped what, data, files."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from _run import MIB, end, heapflame, run, run_leaker_tests, start, wait_for

# Maps, allocates and has as data so many MiB, all of them touched; says what it has resident, and waits.
MAPPER = Path("mapper").resolve()
SOURCE = r"""#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char data[1 << 30];
static char *blocks[1 << 20];
#define FLAGS MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
static char *make_pool(size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, FLAGS, -1, 0); }
static char *make_half(size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, FLAGS, -1, 0); }
static char *make_reservation(size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, FLAGS, -1, 0); }
int main(int argc, char **argv)
{
    size_t mapped = strtoul(argv[1], NULL, 10) << 20, blocks_kib = strtoul(argv[2], NULL, 10);
    size_t data_bytes = strtoul(argv[3], NULL, 10) << 20;
    if (argc > 4 && strcmp(argv[4], "slowly") == 0) { /* another size at each look, until it ends */
        char *pool = make_pool(mapped);
        for (size_t at = 0; at < mapped; at += 65536, usleep(1000))
            memset(pool + at, 1, 65536);
    } else if (mapped != 0) {
        char *pool = make_pool(mapped);
        memset(pool, 1, mapped);
        char *half = make_half(mapped); /* half of it is touched; what lies beside it is the pool's */
        munmap(pool + mapped / 4, mapped / 4); /* before there is more: the most is what is at the end */
        memset(half, 1, mapped / 2);
        (void)make_reservation(1UL << 40);
    }
    for (size_t i = 0; i < blocks_kib; i++)
        memset(blocks[i] = malloc(1024), 1, 1024);
    for (size_t i = 0; i + 1 < blocks_kib && argc > 4 && strcmp(argv[4], "free") == 0; i++)
        free(blocks[i]); /* all but the last: so the heap stays as it is */
    memset(data, 1, data_bytes);
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            fputs(line, stdout);
    fclose(status);
    fflush(stdout);
    return getchar() == EOF;
}
"""
# Its malloc cuts blocks from pools that it maps; the first caller is not who needs them.
OWN = Path("own").resolve()
OWN_SOURCE = r"""#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char *at, *end;
__attribute__((noinline)) static void map_pool(void)
{
    size_t bytes = at == NULL ? 1 << 20 : 32 << 20; /* the linker's own calls come before everything */
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end = at + bytes;
}
void *malloc(size_t size)
{
    if (at == NULL || size > (size_t)(end - at))
        map_pool();
    void *block = at;
    at += (size + 15) / 16 * 16;
    return block;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void *realloc(void *block, size_t size) { return block == NULL ? malloc(size) : memmove(malloc(size), block, size); }
__attribute__((noinline)) static void begin(void) { memset(malloc(100), 1, 100); }
__attribute__((noinline)) static void load(size_t count) { while (count-- != 0) memset(malloc(1000), 1, 1000); }
int main(void)
{
    begin();
    load(80000);
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            fputs(line, stdout);
    fflush(stdout);
    return getchar() == EOF;
}
"""
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
def in_bytes(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def account_of(err):
    """(resident, {part: bytes}) of the line; None: there is no such line."""
    lines = [line for line in err.splitlines() if "resident" in line]
    assert len(lines) <= 1, err
    if not lines:
        return None
    whole = re.fullmatch(r"heapflame: resident (\S+ [KMG]?i?B): (.*)", lines[0])
    assert whole, lines
    parts = {}
    for name, size in re.findall(r"(.+?) (\d[\d.]* [KMG]?i?B)(?:, |$)", whole[2]):
        assert name not in parts, lines
        parts[name] = in_bytes(size)
    return in_bytes(whole[1]), parts


def mapped_by(parts, *functions):
    """What the account says of these."""
    return sum(size for name, size in parts.items() if name.startswith(tuple(f"mapped by {function} (" for function in functions)))


def newest_dump():
    """The last but one of those that are there: it is complete. None: there are not so many."""
    dumps = sorted(Path.cwd().glob("m.*.hfb"), key=lambda path: int(path.name.split(".")[1]))
    return dumps[-2] if len(dumps) > 1 else None


def is_in_dumps(resident):
    """That so much is resident, by the newest dump: how soon the watcher looks again depends on what a look costs this machine. Where
    malloc explains all, dumps do not have it: then there need only be dumps."""
    dump = newest_dump()
    if dump is None:
        return False
    code, out, _ = heapflame("top", dump, "--value", "resident_space", "--json", "--rows", "0")
    seen = sum(row["flat"] for row in json.loads(out)["rows"]) if code == 0 else 0
    return abs(seen - resident) <= resident / 100 + MIB or (seen == 0 and int(dump.name.split(".")[1]) >= 12)


def looked_at(command, *options):
    """What `run` says of a program that was looked at after it said what it has resident, and that in bytes."""
    process = start("heapflame", "run", *options, "--every", "100ms", "-o", "m.%n.hfb", *command, stdin=subprocess.PIPE)
    resident = int(process.stdout.readline().split()[1]) << 10
    wait_for(lambda: is_in_dumps(resident), process)
    process.stdin.write(b"\n")
    code, _, err = end(process)
    for path in Path.cwd().glob("m.*.hfb"):
        path.unlink()
    assert code == 0, err
    return account_of(err), resident, err


def expect_near(got, expected, slack=0):
    assert abs(got - expected) <= expected / 100 + slack, f"expected {expected / MIB} MiB, got {got / MIB} MiB"


def check_mapper(account, resident, err, mapped, in_use, data):
    """MiB each. The parts add up to what the kernel says, and each function has what is resident of what it mapped; any of them may
    have grown by a hundredth of all since the last look."""
    assert account, err
    total, parts = account
    slack = total / 100 + MIB / 10
    expect_near(total, resident, MIB)
    expect_near(sum(parts.values()), total)
    expect_near(mapped_by(parts, "make_pool"), mapped * 3 / 4 * MIB, slack)
    expect_near(mapped_by(parts, "make_half"), mapped / 2 * MIB, slack)
    expect_near(mapped_by(parts, "make_reservation"), 0, MIB / 10)
    expect_near(parts["data of programs"], (data + 0.7) * MIB, MIB + slack)  # and of the libraries, the agent among them
    expect_near(parts.get("in use by malloc", 0), in_use * MIB, slack)
    assert parts["not seen"] < MIB and "nothing is in use" not in err, err


def test_a_malloc_of_its_own():
    """What it maps is its own, also what it mapped before the agent was loaded, and what is not seen is told."""
    account, resident, err = looked_at([OWN])
    assert account, err
    expect_near(account[0], resident, MIB)
    expect_near(mapped_by(account[1], "map_pool"), 80000 * 1008, 1.5 * MIB)
    assert account[1]["not seen"] < 1.5 * MIB, err
    assert "holds" not in err and re.search(r"heapflame: resident .*: see m\.\d+\.hfb\n", err), err
    assert "note: only mappings are recorded, because the program calls another malloc" in err, err


def test_mapped_memory_is_told():
    account, resident, err = looked_at([MAPPER, 200, 2000, 30], "--exact")
    check_mapper(account, resident, err, 200, 2000 / 1024, 30)
    assert account[1]["kept by malloc"] < MIB, err


def test_one_owner_of_half_is_the_answer():
    """What malloc has in use is told where it is a quarter of that, and not where it is less."""
    for blocks_kib, is_told in (5000, False), (40000, True):
        account, _, err = looked_at([MAPPER, 100, blocks_kib, 0], "--exact")
        assert account and (" holds " in err) == is_told, err


def test_sampled():
    account, resident, err = looked_at([MAPPER, 100, 0, 0])
    check_mapper(account, resident, err, 100, 0, 0)


def test_it_is_in_the_profile():
    """The same by stack, in the file that is left, and of the process while it runs; other kinds of values have no part in it."""
    process = start("heapflame", "run", "--every", "100ms", "-o", "m.%n.hfb", MAPPER, 100, 50000, 0, stdin=subprocess.PIPE)
    resident = int(process.stdout.readline().split()[1]) << 10
    wait_for(lambda: is_in_dumps(resident), process)
    (pid,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[:1]
    code, out, _ = heapflame("top", pid, "--value", "resident_space", "--json", "--rows", "0")
    live = {row["name"]: row["flat"] for row in json.loads(out)["rows"] if row["flat"] != 0}
    assert code == 0
    process.stdin.write(b"\n")
    assert end(process)[0] == 0
    last = max(Path.cwd().glob("m.*.hfb"), key=lambda path: int(path.name.split(".")[1]))
    kept = json.loads(heapflame("top", last, "--value", "resident_space", "--json", "--rows", "0")[1])["rows"]
    for rows in (live, {row["name"]: row["flat"] for row in kept if row["flat"] != 0}):
        expect_near(sum(rows.values()), resident, MIB)
        expect_near(rows["make_pool"], 75 * MIB)
        expect_near(rows["make_half"], 50 * MIB)
    for value in ("inuse_space", "alloc_space"):
        text = heapflame("fold", last, "--value", value)[1] + heapflame("fold", pid, "--value", value)[1]
        assert "[" not in text and "make_pool" not in text, text


def test_what_malloc_explains_needs_no_line():
    account, _, err = looked_at([MAPPER, 0, 122880, 0], "--exact")
    assert account is None and "holds 120.0 MiB" in err, err


def test_the_account_is_kept_up():
    """What malloc has in use soon explains most; what was seen before that is not told as what was resident in the end."""
    account, resident, err = looked_at([MAPPER, 20, 204800, 0], "--exact")
    assert account is None or abs(account[0] - resident) <= resident / 100 + MIB, err


def test_what_is_left_of_the_peak_needs_no_line():
    """xmllint and jq free all that they have: what malloc keeps then is told by the peak."""
    account, resident, err = looked_at([MAPPER, 0, 81920, 0, "free"], "--exact")
    assert resident > 80 * MIB and account is None and "peaked at 80.0 MiB" in err, err


def test_a_heap_beside_malloc_is_the_answer():
    """As PHP's: what malloc held of it at most is none."""
    account, _, err = looked_at([MAPPER, 200, 1500, 0], "--exact")
    assert account and "holds" not in err and re.search(r"heapflame: resident .*: see m\.\d+\.hfb\n", err), err


def check_grown(err):
    """Of what grows until it ends: what it had at the last look, whenever that was, is the pool's but for some MiB."""
    resident, parts = account_of(err)
    assert 10 * MIB <= resident < 60 * MIB and mapped_by(parts, "make_pool") >= resident - 6 * MIB, err


def test_what_a_script_becomes():
    """The shell's table is there first; the size of what it becomes changes at each look."""
    _, _, err = run("--exact", "sh", "-c", f"sleep 0.3; exec {MAPPER} 50 0 0 slowly </dev/null")
    check_grown(err)


PAST_THE_AGENT = """
import ctypes, os, sys, time
argv = (ctypes.c_char_p * len(sys.argv))(*[word.encode() for word in sys.argv[1:]], None)
time.sleep(0.3)
kernel = ctypes.CDLL(None)
kernel.syscall({"x86_64": 59, "aarch64": 221}[os.uname().machine], argv[0], argv, ctypes.POINTER(ctypes.c_char_p).in_dll(kernel, "environ"))
"""


def test_what_a_program_becomes_past_the_agent():
    """Nothing notes what it executes: its table is looked for all the same."""
    _, _, err = run("--exact", "python3", "-c", PAST_THE_AGENT, MAPPER, 50, 0, 0, "slowly")
    check_grown(err)


def test_little_needs_no_line():
    account, _, err = looked_at([MAPPER, 1, 0, 0], "--exact")
    assert account is None, err


def test_quiet():
    account, _, err = looked_at([MAPPER, 100, 0, 0], "-q")
    assert (account, err) == (None, ""), err


WHO = {"php": "Command line code:1", "python3": "<string>:1"}  # among those that mapped most
INTERPRETERS = {
    "php": ["php", "-r", "$a=[]; for($i=0;$i<1000000;$i++) $a[]=[$i]; echo shell_exec('grep VmRSS /proc/'.getmypid().'/status'); fgets(STDIN);"],
    "python3": [
        "python3", "-c",
        "a = [[i] for i in range(10**6)]\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmRSS')), end='', flush=True)\n"
        "input()\nimport os\nos._exit(0)",  # else the last look may see it half torn down
    ],
}  # fmt: skip


def test_interpreters():
    """Their heaps are mapped: nearly all that they have resident."""
    seen = []
    for name, command in INTERPRETERS.items():
        if shutil.which(name) is None:
            continue
        # Else the objects of Python are seen, each by itself, and not the arenas that they lie in.
        account, resident, err = looked_at(["env", "PYTHONMALLOC=pymalloc", *command])
        assert account, (name, err)
        total, parts = account
        expect_near(total, resident, MIB)
        expect_near(sum(parts.values()), total)
        named = sum(size for part, size in parts.items() if part.startswith(("mapped by", "by ")))
        assert named > total / 2 > 2 * parts["in use by malloc"] and WHO[name] in err, (name, err)
        seen.append(name)
    assert seen


if __name__ == "__main__":
    Path("mapper.c").write_text(SOURCE)
    Path("own.c").write_text(OWN_SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-o", MAPPER, "mapper.c"], check=True)
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", "-rdynamic", "-o", OWN, "own.c"], check=True)
    run_leaker_tests(globals())
