#!/usr/bin/env python3
# timeout: 240
"""Code that a runtime makes, or maps again, has its names in what `run` writes."""

import re
import sys
from pathlib import Path

from _heap import heapflame, need, run
from _suite import run_tests

need("gcc", "node")

# As V8 does with its builtins: a page of the program's own code is mapped once more, and runs there.
TWICE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <fcntl.h>
extern const char __executable_start[];
typedef void *allocate(size_t);
__attribute__((noinline, noclone, aligned(4096))) void *again(allocate *give, size_t size)
{
    void *volatile block = give(size);
    return block;
}
__attribute__((noinline, noclone, aligned(4096))) void *last(void) { return (void *)&again; }
int main(void)
{
    int file = open("/proc/self/exe", O_RDONLY);
    char line[512];
    unsigned long start, end, offset = 0, at = (unsigned long)(uintptr_t)last() & ~4095ul;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) && !(sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= at && at < end)) {}
    fclose(maps);
    char *copy = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, (long)(offset + (at - start)));
    if (copy == MAP_FAILED) return 1;
    allocate *volatile give = malloc;
    void *volatile kept = ((void *(*)(allocate *, size_t))(void *)copy)(give, 5000);
    return kept == NULL;
}
"""


def test_code_mapped_twice():
    compile_text("twice", TWICE, "-g", "-O1", "-fno-omit-frame-pointer")
    heapflame("run", "--exact", "-q", "-o", "twice.hfb", "--", "./twice")
    folded = heapflame("fold", "twice.hfb")  # not "the file was replaced"
    assert re.search(r"(?m);main;again 5000$", folded), folded


# A function that a JIT makes, in the perf map and in nothing else; `argv[1]`: how the process ends.
JIT = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};
#else
static const unsigned code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0020, 0xa8c17bfd, 0xd65f03c0};
#endif
static void *volatile kept;
int main(int argc, char **argv)
{
    char path[64], *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    if (argc != 2 || mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
    __builtin___clear_cache(memory, memory + 4096);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "%lx 40 parse /srv/app.js:3\n", (unsigned long)memory);
    if (fclose(map) != 0) return 1;
    kept = ((void *(*)(size_t, void *(*)(size_t)))memory)(7000, malloc);
    if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
    if (strcmp(argv[1], "old") == 0) unlink(path);
    return 0;
}
"""


def pid_of(path):
    """Of what `run` wrote as by the pattern app.PID.hfb; its map goes, which nobody removes otherwise."""
    pid = int(path.name.split(".")[1])
    Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)
    return pid


def compile_text(name, text, *options):
    Path(f"{name}.c").write_text(text)
    run("gcc", "-o", name, f"{name}.c", *options)


def test_perf_map_of_a_process_that_ended():
    """`run` knows whose the map is: it started the process, and saw it end."""
    compile_text("jit", JIT, "-g", "-O1")
    for how, status in ("exit", 0), ("kill", 137):
        heapflame("run", "--exact", "-q", "-o", f"{how}.%p.hfb", "--", "./jit", how, status=status)
        [profile] = Path().glob(f"{how}.*.hfb")
        pid_of(profile)
        assert ";parse /srv/app.js:3 7000" in heapflame("fold", profile), heapflame("fold", profile)
    heapflame("run", "--exact", "-q", "-o", "old.%p.hfb", "--", "./jit", "old")
    [profile] = Path().glob("old.*.hfb")
    assert "parse" not in heapflame("fold", profile)


# The same function, told in a jitdump, which the process maps to say where it is.
JITDUMP = JIT.replace("#include <stdlib.h>", "#include <fcntl.h>\n#include <stdint.h>\n#include <stdlib.h>")
JITDUMP = JITDUMP[:JITDUMP.index("    snprintf(path")] + r"""
    struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } head = {0x4a695444, 1, 40, 62, 0, 0, 1, 0};
    struct { uint32_t kind, size; uint64_t time; uint32_t pid, tid; uint64_t vma, address, bytes, number; char name[8]; } record =
        {0, sizeof record + 64, 1, 0, 0, (uintptr_t)memory, (uintptr_t)memory, 64, 0, "compute"};
    head.pid = strcmp(argv[1], "other") == 0 ? 1 : (uint32_t)getpid();
    snprintf(path, sizeof path, "jit-%d.dump", getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(file, &head, sizeof head) < 0 || write(file, &record, sizeof record) < 0 || write(file, memory, 64) < 0) return 1;
    if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED) return 1;
    kept = ((void *(*)(size_t, void *(*)(size_t)))memory)(7000, malloc);
    return 0;
}
"""


def test_jit_dump():
    compile_text("dump", JITDUMP, "-g", "-O1")
    for how, name in ("exit", "compute"), ("other", "0x\\w+"):
        heapflame("run", "--exact", "-q", "-o", f"{how}.hfb", "--", "./dump", how)
        assert re.search(rf"(?m);main;{name} 7000$", heapflame("fold", f"{how}.hfb")), heapflame("fold", f"{how}.hfb")


KEEP = """const kept = [];
function holdBuffers(n) { for (let i = 0; i < n; i++) kept.push(Buffer.alloc(1 << 20, 1)); }
function outer(n) { holdBuffers(n); }
for (let i = 0; i < 20; i++) outer(4);
process.exit(0);
"""


def test_node():
    """Its functions are read by the agent; its perf map and its jitdump name what else it compiles."""
    Path("keep.js").write_text(KEEP)
    for number, options in enumerate(([], ["--perf-basic-prof"], ["--perf-prof"])):
        native = ["--interpreted-frames-native-stack"] if options else []
        heapflame("run", "-q", "-o", f"{number}.%p.hfb", "--", "node", *options, *native, "keep.js")
        [profile] = Path().glob(f"{number}.*.hfb")
        pid_of(profile)
        folded = heapflame("fold", "--lines", profile)
        assert re.search(r";outer \S*keep\.js:3;holdBuffers \S*keep\.js:2;", folded), folded
        assert not options or ";0x" not in folded, folded


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
