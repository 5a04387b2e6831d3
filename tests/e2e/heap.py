#!/usr/bin/env python3
# timeout: 240
"""heap: the blocks of a process that nobody prepared, what holds them, and what is lost; the process never notices."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from _heap import HEAPFLAME, need
from _schemas import held
from _suite import run_tests

need("gcc", "g++")

PROGRAM = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node { struct node *next; char rest[100]; };
static struct node *volatile list;
static volatile unsigned long ticks;
static __attribute__((noinline)) void *get(size_t size) { return memset(malloc(size), 0, size); }
static __attribute__((noinline)) void keep(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = get(sizeof *node);
        node->next = list;
        list = node;
    }
}
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *volatile *parent = get(2000);
        *parent = get(50);
    }
}
/* With mappings of their own, of which the kernel makes one. */
static void *volatile large[9000];
static void keep_large(void)
{
    mallopt(M_MMAP_THRESHOLD, 131072);
    for (int i = 0; i < 9000; i++) *(char *)(large[i] = malloc(140000)) = 1;
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
/* The first thread has: the kernel has no memory by the number of the process then. */
static int is_ended(void)
{
    char line[512] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    if (!fgets(line, sizeof line, file)) line[0] = 0;
    fclose(file);
    return strstr(line, ") Z ") != NULL;
}
static void *work(void *unused)
{
    for (;;) { free(malloc(1 + ticks % 3000)); ticks++; }
    return unused;
}
static void *talk(void *unused)
{
    while (!is_ended()) usleep(1000);
    printf("ready\n");
    fflush(stdout);
    getchar();
    _exit(0);
    return unused;
}
int main(int count, char **words)
{
    pthread_t thread;
    keep(10000);
    lose(1000);
    wipe();
    if (count > 1 && words[1][0] == 'e') { pthread_create(&thread, NULL, talk, NULL); pthread_exit(NULL); }
    if (count > 1 && words[1][0] == 'l') keep_large();
    else if (count > 1) pthread_create(&thread, NULL, work, NULL);
    printf("ready %s\n", count > 1 ? words[1] : "");
    fflush(stdout);
    for (char line[16]; fgets(line, sizeof line, stdin);) { printf("%lu\n", ticks); fflush(stdout); }
    return 0;
}
"""


# Objects of each class: those of C++ with a table of functions have a name, also where there are no symbols.
CLASSES = r"""
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>
struct Base { virtual ~Base() {} long rest[3]; };
struct Other { virtual ~Other() {} virtual int run() { return 1; } };
namespace db { template <class T> struct Column : Base { std::vector<T> data; }; }
struct Both : Other, Base { int run() override { return 2; } };
struct Virtual : virtual Base { long more[9]; };
struct Node : Base { std::unique_ptr<Node> next; };
struct Plain { char bytes[300]; };
static std::vector<std::unique_ptr<Base>> all;
static std::vector<std::shared_ptr<Plain>> shared;
static std::unique_ptr<Node> list;
static std::vector<std::ostringstream *> streams; /* of the library's class: the program may have a copy of its table */
int main()
{
    for (int i = 0; i < 300; i++) {
        auto column = std::make_unique<db::Column<double>>();
        column->data.resize(1000);
        all.push_back(std::move(column));
    }
    for (int i = 0; i < 200; i++) all.push_back(std::make_unique<Virtual>());
    for (int i = 0; i < 20000; i++) {
        auto node = std::make_unique<Node>();
        node->next = std::move(list);
        list = std::move(node);
    }
    for (int i = 0; i < 100; i++) shared.push_back(std::make_shared<Plain>());
    for (int i = 0; i < 50; i++) new Both;
    for (int i = 0; i < 40; i++) streams.push_back(new std::ostringstream);
    for (volatile char wiped[65536] = {}; wiped[0] == 0; wiped[0] = 1) {}
    puts("ready");
    fflush(stdout);
    getchar();
    while (list) list = std::move(list->next);
}
"""
OBJECTS = {"db::Column<double>": 300, "Virtual": 200, "Node": 20000, "std::make_shared<Plain>": 100, "Both": 50,
           "std::__cxx11::basic_ostringstream": 40}  # fmt: skip

DRAWN = {r";db::Column<double> \d+ B;blocks of up to 8,192 B$": 300 * 8008, r";Node \d+ B$": 20000 * 40}  # ends of stacks


class Program:
    def __init__(self, *words):
        Path("program.c").write_text(PROGRAM)
        subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", "program", "program.c"], check=True)
        self.process = subprocess.Popen(["./program", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def ticks(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.communicate()
        assert self.process.returncode == 0, self.process.returncode


def heap(*words, status=0):
    done = subprocess.run([HEAPFLAME, "heap", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def document(*words):
    return held(json.loads(heap("--json", *words)))


def sizes_of(found):
    return {row["size"]: row for row in found["sizes"]}


def test_held_and_lost():
    """A stale word may hold one of those that are lost."""
    with Program() as program:
        found = document("--rows", 0, program.pid)
        by_size = sizes_of(found)
        assert by_size[120]["all"]["blocks"] == 10000 and by_size[120]["lost"]["blocks"] == 0, by_size
        assert by_size[2008]["lost"]["blocks"] >= 999 and by_size[56]["lost"]["blocks"] >= 999, by_size
        assert 999 <= found["lost"]["blocks"] <= 1010 and 999 <= found["lost_with"]["blocks"] <= 1010, found
        total = sum(row["bytes"] for row in found["holders"]) + found["lost"]["bytes"] + found["lost_with"]["bytes"]
        assert total == found["blocks"]["bytes"], found
        first = found["holders"][0]
        assert first["kind"] == "data" and first["path"].endswith("/program") and first["bytes"] >= 10000 * 120, found["holders"]
        assert all(part["unknown"] == 0 for part in found["heaps"]), found["heaps"]
        assert sizes_of(document("--lost", "--rows", 1, program.pid)).keys() == {2008}


def test_text():
    with Program() as program:
        said = heap(program.pid)
        assert said.startswith(f"process {program.pid}: "), said
        assert re.search(r"nothing: (999|1,00\d) lost blocks\n", said) and re.search(r"lost blocks only: (999|1,00\d) blocks\n", said), said
        for words in "data of program\n", "main arena", "120 B", "2,008 B":
            assert words in said, said


def test_at_work():
    """It goes on, has no child of ours, and has seen no signal; each look finds the same."""
    with Program("work") as program:
        before = program.ticks()
        for _ in range(20):
            found = document("--rows", 0, program.pid)
            # What the thread just has may be of that size, too, and in its cache.
            assert 10000 <= sizes_of(found)[120]["all"]["blocks"] <= 10001, found
            assert found["stopped_ns"] > 0, found
        assert program.ticks() > before
        for thread in Path(f"/proc/{program.pid}/task").iterdir():
            assert (thread / "children").read_text() == "", thread
            status = (thread / "status").read_text()
            assert "SigPnd:\t0000000000000000" in status and "TracerPid:\t0" in status, status


def test_main_thread_ended():
    with Program("ended") as program:
        for _ in range(3):
            found = document(program.pid)
            assert found["blocks"]["bytes"] >= 3_000_000 and 990 <= found["lost"]["blocks"] <= 1010, found
            parts = found["resident"]
            assert sum(part["bytes"] for part in parts["parts"]) == parts["bytes"] >= 1_000_000, parts
        assert "ok " in check_lost("3MiB", program.pid)
        assert "copies         yes  none left behind" in subprocess.run([HEAPFLAME, "doctor", str(program.pid)], capture_output=True, text=True, check=False).stdout


SHELL = "while :; do x=$(echo 1); y=$(echo 2); done"


def test_signals_all_the_time():
    """A shell's children end all the time: at many stops a signal is on its way to its only thread, which cannot make a call then."""
    with subprocess.Popen(["bash", "-c", SHELL]) as process:
        try:
            for _ in range(60):
                heap(process.pid)
            assert process.poll() is None
        finally:
            process.kill()


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def killed_with_its_guardian(pid):
    """A heap that is killed while there is a copy, and its guardian with it; returns the copy."""
    tool = subprocess.Popen([HEAPFLAME, "heap", str(pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    guardian = copy = None
    while guardian is None or copy is None:
        assert tool.poll() is None, "it ended before there was a copy"
        guards = [child for child in children(tool.pid) if Path(f"/proc/{child}/comm").read_text() == "heapflame-guard\n"]
        guardian, copy = (guards or [None])[0], (children(pid) or [None])[0]
    os.kill(guardian, signal.SIGKILL)
    tool.kill()
    tool.wait()
    while Path(f"/proc/{copy}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)  # it has to get a processor to end
    return copy


def test_left_by_a_killed_tool():
    """Where tool and guardian are killed at once, doctor names the copy, which has no memory any more, and the next look removes it."""
    with Program("large") as program:
        copy = killed_with_its_guardian(program.pid)
        said = subprocess.check_output([HEAPFLAME, "doctor", str(program.pid)], text=True)
        left = "1 copy of the process without memory( and code at its entry, which never runs)?, left by a heapflame that was killed"
        assert re.search(rf"^copies +no +{left}: the next 'heapflame heap {program.pid}' removes (it|them)$", said, re.M), said
        assert children(program.pid) == [copy], copy
        heap(program.pid)
        assert children(program.pid) == [], children(program.pid)
        said = subprocess.check_output([HEAPFLAME, "doctor", str(program.pid)], text=True)
        assert re.search(r"^copies +yes +none left behind$", said, re.M), said


def test_large_blocks():
    """More than 1 GiB of them lie in one mapping, and hardly any of it is in memory."""
    with Program("large") as program:
        found = document("--rows", 0, program.pid)
        (part,) = [part for part in found["heaps"] if part["part"] == "mapped block"]
        assert part["in_use"]["blocks"] == 9000, found["heaps"]
        assert sum(row["all"]["blocks"] for row in found["sizes"] if row["size"] > 140000) == 9000, found["sizes"]
        assert found["lost"]["blocks"] <= 1010, found


def test_classes():
    for options in (["-O1", "-g"], ["-O2", "-s"], ["-O0", "-no-pie", "-s"]):
        Path("classes.cc").write_text(CLASSES)
        subprocess.run(["g++", *options, "-o", "classes", "classes.cc"], check=True)
        with subprocess.Popen(["./classes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            classes = {row["name"]: row for row in document("--rows", 0, process.pid)["classes"]}
            assert {name: classes[name]["all"]["blocks"] for name in OBJECTS} == OBJECTS, (options, classes)
            assert 49 <= classes["Both"]["lost"]["blocks"] <= 50, (options, classes)
            of = {name: (row["retained_bytes"], row["all"]["bytes"]) for name, row in classes.items()}
            columns, own = of["db::Column<double>"]
            assert columns == own + 300 * 8008, (options, of)
            assert of["Node"] == (20000 * 40, 20000 * 40), (options, of)
            said = heap(process.pid)
            assert re.search(r"^ +retains +bytes +blocks +lost  class\n +2\.\d MiB +[\d.]+ KiB +300 +0  db::Column<double>\n", said, re.M), said
            heap("-o", "held.folded", process.pid)
            held_stacks = dict(line.rsplit(" ", 1) for line in Path("held.folded").read_text().splitlines())
            assert sum(map(int, held_stacks.values())) == document(process.pid)["blocks"]["bytes"], held_stacks
            sizes = {end: sum(int(size) for stack, size in held_stacks.items() if re.search(end, stack)) for end in DRAWN}
            assert sizes == DRAWN, held_stacks
            if "-g" in options:
                assert held_stacks["global list (classes);Node 40 B"] == str(20000 * 40), held_stacks
                assert "global all (classes);blocks of up to 8,192 B;db::Column<double> 56 B;blocks of up to 8,192 B" in held_stacks, held_stacks
            lost = heap("--lost", process.pid)
            assert "  Both\n" in lost and "Node" not in lost, lost
            process.communicate()


def test_picture():
    """A list of 10,000 is one frame, whatever draws it; and what was asked for beside it is refused."""
    with Program() as program:
        heap("-o", "held.svg", program.pid)
        heap("-o", "held.html", program.pid)
        drawn = Path("held.svg").read_text()
        assert f"What holds the memory of process {program.pid}" in drawn and "global list (program)" in drawn, drawn[:3000]
        assert drawn.count("120 B") <= 3, drawn
        assert f"What holds the memory of process {program.pid}" in Path("held.html").read_text()
        for option in "--json", "--lost":
            assert f"--output draws everything that is held: leave out {option}" in heap("-o", "x.svg", option, program.pid, status=2)
        assert not Path("x.svg").exists()


def check_lost(limit, *words, status=0):
    command = [HEAPFLAME, "check", "--lost", str(limit), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout if status <= 1 else done.stderr


def test_check():
    """1,000 blocks of 2,008 bytes are lost, and as many of 56 with them; a few may still be held by a stale word."""
    with Program() as program:
        said = check_lost("3MiB", program.pid)
        assert re.fullmatch(r"ok +lost +2\.0 MiB in (1,99\d|2,0\d\d) blocks, of 3\.0 MiB\n", said), said
        said = check_lost("64KiB", "--junit", "lost.xml", program.pid, status=1)
        assert said.startswith("FAIL  lost") and f", of 64.0 KiB; see heapflame heap --lost {program.pid}\n" in said, said
        assert said.count("\n") == 1 and 'failures="1"' in Path("lost.xml").read_text(), said
        (check,) = held(json.loads(check_lost(0, "--json", program.pid, status=1)))["checks"]
        assert check["unit"] == "bytes" and check["limit"] == 0 and 2e6 < check["value"] < 2.1e6, check
        for words in (["--budget", "1MiB/min", program.pid], [program.pid, program.pid], ["folder"]):
            assert "--lost" in check_lost(0, *words, status=2), words
        assert "expected bytes, e.g. '64KiB' or '0', found 'some'" in check_lost("some", program.pid, status=2)
    assert "there is no process 4000000" in check_lost(0, 4000000, status=5)


def test_refused():
    assert "expected one PID" in heap(status=2)
    assert "expected a PID, e.g. 4711; found 'me'" in heap("me", status=2)
    assert "there is no process 4000000" in heap(4000000, status=5)
    Path("none.c").write_text("#include <unistd.h>\nint main(void) { return (int)write(1, \"r\", 1) + pause(); }\n")
    subprocess.run(["gcc", "-O1", "-o", "none", "none.c"], check=True)
    with subprocess.Popen(["./none"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        why = "the process has no heap of glibc's malloc, jemalloc 5.3, mimalloc 2.0 or gperftools' tcmalloc; other allocators"
        assert why in heap("-o", "x.svg", process.pid, status=3)
        assert why in check_lost(0, process.pid, status=3)
        process.kill()


# All that calls malloc gets memory of it: one step further for each.
OTHER_MALLOC = r"""
#include <string.h>
#include <sys/mman.h>
static char *at, *end;
void *malloc(size_t size)
{
    size = (size + 31) & ~(size_t)15;
    if (at + size > end) at = mmap(0, size + (8 << 20), 3, 34, -1, 0), end = at + size + (8 << 20);
    at += size;
    return at - size + 16;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size) { void *new = malloc(size); return block ? memcpy(new, block, size) : new; }
"""


def nothing_of(process):
    """What heap says of a process whose blocks cannot be read, as a document and as text, and why check refuses it; it is ended."""
    process.stdout.read(1)
    found = document(process.pid)
    said = subprocess.run([HEAPFLAME, "heap", str(process.pid)], capture_output=True, text=True, check=True)
    why = check_lost(0, process.pid, status=3)
    process.kill()
    assert found["blocks"]["blocks"] == 0 and found["lost"]["blocks"] == 0 and found["heaps"] == [], found
    return found, said, why


def test_another_allocator():
    """Nothing of what it has is known, and nothing else is said of it: a note, and a region with its size."""
    Path("other.c").write_text(OTHER_MALLOC)
    Path("some.c").write_text("#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
                              "int main(void) { for (int i = 0; i < 5000; i++) memset(malloc(2000), 1, 2000);\n"
                              "return (int)write(1, \"r\", 1) + pause(); }\n")  # fmt: skip
    subprocess.run(["gcc", "-O1", "-w", "-fno-builtin", "-shared", "-fPIC", "-o", "libmimalloc.so.9", "other.c"], check=True)
    subprocess.run(["gcc", "-O0", "-o", "some", "some.c"], check=True)
    with subprocess.Popen(["./some"], stdout=subprocess.PIPE, env={**os.environ, "LD_PRELOAD": "./libmimalloc.so.9"}) as process:
        found, said, why = nothing_of(process)
    assert found["not_read"][0]["library"].endswith("/libmimalloc.so.9") and 10e6 <= found["not_read"][0]["most_bytes"] <= 11e6, found
    assert "libmimalloc.so.9 is not read: its segments are not those of mimalloc 2.0" in said.stderr, said
    assert "note: the process has no heap of glibc's malloc" in said.stderr, said
    assert re.search(r"anonymous memory that is not understood \(\d+\): with all of libmimalloc.so.9\n", said.stdout), said
    assert "libmimalloc.so.9, which cannot be read: its segments are not those of mimalloc 2.0" in why, why


# Linked statically, without free(), musl takes all of its memory from brk(2).
MUSL = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *volatile table[5000];
int main(void)
{
    for (int i = 0; i < 5000; i++) table[i] = memset(malloc(2000), 1, 2000);
    return (int)write(1, "r", 1) + pause();
}
"""


def test_musl():
    """Its malloc is not read: that is said, and nothing of it counts as another allocator's."""
    if not shutil.which("musl-gcc"):
        return print("musl-gcc is missing (script/bootstrap test installs it)")
    Path("musl.c").write_text(MUSL)
    for option in "-O1", "-static":
        subprocess.run(["musl-gcc", option, "-o", "musl", "musl.c"], check=True)
        with subprocess.Popen(["./musl"], stdout=subprocess.PIPE) as process:
            found, said, why = nothing_of(process)
        unknown = sum(part["bytes"] for part in found["resident"]["parts"] if part["part"] == "unknown")
        assert 10e6 <= unknown <= 11e6, found["resident"]
        assert "note: the process has no heap of glibc's malloc" in said.stderr and "(Google's newer tcmalloc, musl," in said.stderr, said
        assert re.search(r"9\d\.\d %  anonymous memory that is not understood", said.stdout), said
        if option == "-static":
            assert found["not_read"] == [] and "other allocators" in why, (found, why)
            continue
        assert "musl" in found["not_read"][0]["library"] and 10e6 <= found["not_read"][0]["most_bytes"] <= 11e6, found
        assert "libc.so is not read: its malloc is musl's" in said.stderr and "libc.so, which cannot be read: its malloc is musl's" in why, (said, why)


def resident(pid):
    return int(re.search(r"^Rss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1]) << 10


STOCK = {
    "python3": ["python3", "-c", "import time, ssl, sqlite3; kept = {str(i): i for i in range(100000)}; print(flush=True); time.sleep(1000)"],
    "perl": ["perl", "-e", "my @kept = map { \"$_\" } 0 .. 100000; $| = 1; print \"\\n\"; sleep 1000"],
    "node": ["node", "-e", "let kept = []; for (let i = 0; i < 100000; i++) kept.push({i}); setTimeout(() => console.log(), 500); setInterval(() => {}, 1e6)"],
}


def test_parts_of_resident():
    """They add up to what the kernel says of the process, within 1 %."""
    with Program("large") as program:
        found, expected = document(program.pid), resident(program.pid)
        parts = found["resident"]["parts"]
        assert sum(part["bytes"] for part in parts) == found["resident"]["bytes"], found["resident"]
        assert abs(found["resident"]["bytes"] - expected) <= 0.01 * expected, (expected, found["resident"])
        blocks = sum(part["bytes"] for part in parts if part["part"] == "blocks")
        # Of each of the large blocks, one page is there, which begins with its head.
        assert 9000 * 4080 <= blocks <= 9000 * 4096 + 4e6, parts
        said = heap(program.pid)
        assert re.search(r"^ +resident +share  what it is, of \d\d\.\d MiB\n +3\d\.\d MiB +\d\d\.\d %  glibc: blocks in use\n", said, re.M), said
    for name, command in STOCK.items():
        if not shutil.which(name):
            continue
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                process.stdout.readline()
                time.sleep(0.2)
                found, expected = document(process.pid)["resident"], resident(process.pid)
            finally:
                process.kill()
        assert sum(part["bytes"] for part in found["parts"]) == found["bytes"], (name, found)
        assert abs(found["bytes"] - expected) <= 0.01 * expected, (name, expected, found)


def test_without_rights():
    """Who may not trace it gets a sentence, and the process goes on."""
    if os.geteuid() != 0:
        return print("only root can start a process of somebody else")
    with Program() as program:
        command = ["setpriv", "--reuid", "nobody", "--clear-groups", HEAPFLAME, "heap", str(program.pid)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 5 and "Operation not permitted" in done.stderr, done


sys.exit(run_tests(globals()))
