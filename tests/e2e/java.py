#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Java frames in the stacks that the agent records: equal to what the virtual machine says at each allocation, interpreted and
compiled by both compilers, inlined methods, lambdas and reflection included."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS
from _heap import HEAPFLAME, need, skip
from _interpreted import CUT, play_scenes
from _suite import run_tests

need("java", "javac", "gcc")
CLASSES = Path.cwd() / "classes"
EXACT = "exact:true,budget:256MiB"
ALLOCATED = ["jdk.internal.misc.Unsafe.allocateMemory0", "jdk.internal.misc.Unsafe.allocateMemory", "sun.misc.Unsafe.allocateMemory"]


def version():
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return int(re.search(r'version "(\d+)', said)[1])


def play(conf, scenes, options):
    # Hidden frames are those of lambda forms, which Java leaves out of its traces.
    shown = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames", "-XX:MaxJavaStackTraceDepth=2000", "-Xmx128m"]
    return play_scenes(conf, "java", *shown, *options, "-cp", CLASSES, "JavaScenes", *scenes, path_bytes=256)


def plain_name(frame):
    """As the agent writes it: a hidden class without its number."""
    name, file, line = frame
    return [re.sub(r"/0x[0-9a-f]+", "", re.sub(r"\$\$Lambda[^.]*", "$$Lambda", name)), file, line]


def check(conf, *scenes, options=()):
    """Returns how many stacks were compared."""
    said, table = play(conf, scenes, options)
    stacks = table.stacks()
    compared = 0
    for size, expected in said.items():
        if size not in stacks:
            assert conf != EXACT, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        assert [name for name, _, _ in found[: len(ALLOCATED)]] == ALLOCATED, f"block {size}: {found}"
        found, expected = found[len(ALLOCATED) :], [plain_name(frame) for frame in expected]
        assert found == expected, f"block {size}:\n{found}\nbut Java says\n{expected}"
        assert not flags & CUT, f"block {size} is cut"
        compared += 1
    return compared


COMPILED = ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,JavaScenes*::*"]
SCENES = {"plain": 16, "callbacks": 15, "reflected": 22, "hot": 200, "given_up": 1, "collecting": 60, "threads": 20, "deep": 1}


def mode(*options, without=()):
    def test():
        scenes = [name for name in SCENES if name not in without]
        compared = check(EXACT, *scenes, options=options)
        print(f"{compared} stacks")
        assert compared == sum(SCENES[name] for name in scenes), f"{compared} stacks"

    return test


test_as_it_comes = mode()
test_interpreted = mode("-Xint")
test_c1 = mode("-XX:TieredStopAtLevel=1", *COMPILED)
test_c2 = mode("-XX:-TieredCompilation", *COMPILED)
test_serial = mode("-XX:+UseSerialGC", without=["deep"])


KEEPS = """import java.nio.ByteBuffer;
public class Keeps {
    static final ByteBuffer[] kept = new ByteBuffer[300];
    static ByteBuffer filled(int i) {
        return kept[i] = ByteBuffer.allocateDirect(100000 + i);
    }
    public static void main(String[] a) {
        for (int i = 0; i < kept.length; i++)
            filled(i);
        Runtime.getRuntime().halt(0);
    }
}
"""


def test_answer():
    """With lines, and with the file alone."""
    Path("Keeps.java").write_text(KEEPS)
    for option, place in ("-g", "Keeps.java:5"), ("-g:source", "Keeps.java"):
        subprocess.run(["javac", option, "Keeps.java"], check=True)
        done = subprocess.run([HEAPFLAME, "run", "-o", "keeps.hfb", "--", "java", "-cp", ".", "Keeps"], capture_output=True, text=True, check=True)
        assert re.search(rf"^heapflame: Keeps\.filled \({place}\) via DirectByteBuffer holds \S+ MiB of", done.stderr, re.M), done.stderr


# What a library exports as HotSpot does, and code without a rule that calls malloc.
OTHER = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct field { const char *type, *name, *kind; int is_static; unsigned long offset; void *address; };
static int version = VERSION;
static struct field fields[] = {{"Abstract_VM_Version", "_vm_major_version", "int", 1, 0, &version}, {0}};
static char none[64];
struct field *gHotSpotVMStructs = fields;
void *gHotSpotVMTypes = none, *gHotSpotVMIntConstants = none;
"""
OTHER_MAIN = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
extern void *gHotSpotVMStructs;
void *volatile used;
int main(void)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    used = gHotSpotVMStructs;
    for (int i = 0; i < 100; i++)
        used = ((void *(*)(size_t, void *(*)(size_t)))memory)(7000, malloc);
    return 0;
}
"""


def test_refused():
    """Another version of Java, and a known one that does not export where it keeps things."""
    Path("other.c").write_text(OTHER)
    Path("main.c").write_text(OTHER_MAIN)
    for major, said in (21, "heapflame knows HotSpot 17, and this is HotSpot 21.0"), (17, "the memory of this HotSpot 17.0 is not laid out"):
        subprocess.run(["gcc", f"-DVERSION={major}", "-shared", "-fPIC", "-o", "libjvm.so", "other.c"], check=True)
        subprocess.run(["gcc", "-o", "other", "main.c", "./libjvm.so"], check=True)
        done = subprocess.run([HEAPFLAME, "run", "--exact", "-o", "other.hfb", "--", "./other"], capture_output=True, text=True, check=True)
        assert f"Java functions are not shown: {said}" in done.stderr, done.stderr


if __name__ == "__main__":
    if version() != 17:
        skip("Java 17 is not installed")
    subprocess.run(["javac", "-d", CLASSES, "-Xlint:none", PROGRAMS / "JavaScenes.java"], check=True, stderr=subprocess.DEVNULL)
    sys.exit(run_tests(globals()))
