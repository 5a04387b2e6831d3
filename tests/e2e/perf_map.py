#!/usr/bin/env python3
# timeout: 240
"""Code that a process makes itself is named from the perf map that it writes, as JITs do: a real map of real code.
The C library's unwinder stops at such code, so that it is the root of its stacks. See src/symbol/lookup/perf_map.h for the
rules that keep another process's map away."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import need
from _suite import run_tests
from gone import Running, fold

need("gcc")

# Three copies of a function that calls its second argument; the map has lines for two of them, and an old one.
JIT = r"""
#define _GNU_SOURCE
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd6, 0x48, 0x83, 0xc4, 8, 0xc3};
#else
static const unsigned code[] = {0xa9bf7bfd, 0xd63f0020, 0xa8c17bfd, 0xd65f03c0};
#endif
static void *volatile kept;
__attribute__((noinline)) static void keep(size_t size) { kept = malloc(size); }
int main(void)
{
    char path[64], *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; i++) memcpy(memory + 64 * i, code, sizeof code);
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
    __builtin___clear_cache(memory, memory + 4096);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "%lx 100 before\n%lx 40 parse /srv/app.js:3\n", (unsigned long)memory + 64, (unsigned long)memory);
    fprintf(map, "%lx 40 _ZN3jit3runEv\n%lx 80\n", (unsigned long)memory + 64, (unsigned long)memory + 128);
    if (fclose(map) != 0) return 1;
    for (int i = 0; i < 3; i++) kept = ((void *(*)(size_t, void *(*)(size_t)))(memory + 64 * i))(1024 << i, malloc);
    keep(512);
    return mallctl("prof.dump", NULL, NULL, NULL, 0) != 0 || puts("ready") < 0 || fflush(stdout) != 0 || pause();
}
"""
NAMES = {1024: "parse /srv/app.js:3", 2048: "jit::run"}
RAW = r"\[anon\]\+0x\w+"


class Jit(Running):
    """It, and its map, which nobody removes otherwise."""

    def __init__(self, *before):
        super().__init__(*before, source=JIT)
        self.map = Path(f"/tmp/perf-{self.process.pid}.map")

    def __exit__(self, *error):
        super().__exit__(*error)
        self.map.unlink(missing_ok=True)
        self.dump.unlink()


def named(found):
    return {size: found[size] for size in NAMES}


def check_named(dump, *options):
    """Also what no line of the map names."""
    found, notes = fold(dump, *options)
    assert named(found) == NAMES, (found, notes)
    assert found[512].endswith(";main;keep"), found
    assert re.fullmatch(RAW, found[4096]), found
    assert re.search(r"addresses of \[anon\] without a name: no line of \S*perf-\d+\.map contains them", notes), notes


def check_refused(why, dump, *options):
    found, notes = fold(dump, *options)
    assert all(re.fullmatch(RAW, stack) for stack in named(found).values()), (found, notes)
    assert found[512].endswith(";main;keep"), found
    assert re.search(why, notes), notes


def test_while_it_runs():
    with Jit() as running:
        check_named(running.dump)
        assert fold(running.dump, "--full-names")[0][2048] == "jit::run()"
        running.map.unlink()
        check_refused(rf"its process has no {running.map}; let the JIT write one", running.dump)


def test_when_it_has_ended():
    """The map may be that of a later process; who says otherwise is believed."""
    with Jit() as running:
        running.end()
        check_refused(rf"its process has ended; if {running.map} belongs to that process", running.dump)
        check_named(running.dump, "--symdir", "/tmp")
        Path("kept").mkdir()
        shutil.copy(running.map, "kept")
        check_named(running.dump, "--symdir", "kept")
        shutil.copy(running.dump, "renamed")
        check_refused("to find its perf map, the PID is needed, which is part of the name", Path("renamed"), "--symdir", "kept")


def test_another_process_has_the_number():
    """Its [vdso] lies elsewhere."""
    with Jit() as running:
        text = running.dump.read_text()
        changed = re.sub(r"(?m)^(\w+)000-(\w+)000( .*\[vdso\])$", lambda m: f"{int(m[1], 16) - 16:x}000-{int(m[2], 16) - 16:x}000{m[3]}", text)
        assert changed != text
        running.dump.write_text(changed)
        check_refused("its process has ended", running.dump)


def test_whose_map_it_is():
    with Jit() as running:
        was = running.map.stat()
        os.utime(running.map, (was.st_atime, was.st_mtime - 3600))
        check_refused(r"perf-\d+\.map is stale: it belongs to an earlier process with this PID", running.dump)
        os.utime(running.map)
        check_named(running.dump)
        shutil.copy(running.map, "copy")
        running.map.unlink()
        running.map.symlink_to(Path("copy").resolve())
        check_refused(r"perf-\d+\.map is a link, not a file", running.dump)
        running.map.unlink()
        os.mkfifo(running.map)
        check_refused(rf"its process has no {running.map}", running.dump)
        running.map.unlink()
        shutil.copy("copy", running.map)
        if os.geteuid() != 0:
            print("only root can give a file to another user")
            return
        os.chown(running.map, 65534, 65534)
        for options in (), ("--symdir", "/tmp"):
            check_refused(r"perf-\d+\.map belongs neither to you nor to root", running.dump, *options)


def test_files_are_not_named():
    """Whatever a map says of their addresses."""
    with Jit() as running:
        running.map.write_text("0 ffffffffffffffff everything\n")
        Path("program").unlink()
        running.end()
        found, notes = fold(running.dump, "--symdir", "/tmp")
        assert found[1024 + 2048 + 4096] == "everything", (found, notes)
        assert re.search(r"program\+0x\w+;program\+0x\w+$", found[512]) and "everything" not in found[512], (found, notes)


def test_other_memory():
    """Anonymous memory that was given a name (prctl), and memory that is mapped no more."""
    with Jit() as running:
        text = running.dump.read_text()
        line = re.search(r"(?m)^\w+-\w+ r-xp 00000000 00:00 0 *$", text)[0]
        running.dump.write_text(text.replace(line, line.rstrip() + " [anon:v8]"))
        check_named(running.dump)
        running.dump.write_text(text.replace(line + "\n", ""))
        found, notes = fold(running.dump)
        assert named(found) == NAMES and re.fullmatch(r"0x\w+", found[4096]) and "perf-" not in notes, (found, notes)


def test_in_a_container():
    """Its /tmp is its own; the folder of the test is mounted there again."""
    script = 'mount -t tmpfs none /tmp && mkdir -p "$PWD" && mount -c --bind . "$PWD" && exec "$0"'
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    if subprocess.run([*namespace, "sh", "-c", script, "true"], capture_output=True, check=False).returncode != 0:
        print("no mount namespaces here")
        return
    with Jit(*namespace, "sh", "-c", script) as running:
        assert not running.map.exists()
        check_named(running.dump)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
