#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""The objects of Java: a leak is named with its line, what the collector freed is not in use, and the program ends as it does
without the agent, with each collector, however it ends, and beside another tool."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS
from _heap import HEAPFLAME, MIB, need, skip
from _suite import run_tests

need("java", "javac", "gcc")
CLASSES = Path.cwd() / "classes"
HOME = Path(subprocess.run(["bash", "-c", "readlink -f $(command -v javac)"], capture_output=True, text=True, check=True).stdout.strip()).parents[1]
INCLUDES = [f"-I{HOME}/include", f"-I{HOME}/include/linux"]
LEAK = "JavaObjects.addToCart (JavaObjects.java:10)"
NOT_RECORDED = "the objects of Java are not recorded"
COLLECTORS = ["G1", "Serial", "Parallel", "Shenandoah", "Z"]


def version():
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "(\d+)\.0\.(\d+)', said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def under(*words, status=0, options=(), program=("java", "-Xmx512m"), more=("-cp", CLASSES, "JavaObjects")):
    """What `run` says of the program, which ends like this."""
    command = [HEAPFLAME, "run", *options, "-o", "objects.hfb", "--", *program, *more, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stderr}"
    crashes = list(Path.cwd().glob("hs_err*"))
    assert not crashes, crashes
    return done.stderr


def held(function):
    """Bytes in use by the function at the end, as the profile says; and by all."""
    done = subprocess.run([HEAPFLAME, "convert", "--to", "folded", "-o", "-", "objects.hfb"], capture_output=True, text=True, check=True)
    stacks = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    return sum(int(size) for stack, size in stacks if function in stack), sum(int(size) for _, size in stacks)


def test_leak_is_named():
    """10,000 arrays of 10,016 bytes: 95.5 MiB, of which a sample of every 512 KiB is within 29 at 4 sigma."""
    said = under("10000", "0", "return")
    assert f"{LEAK} holds" in said, said
    assert NOT_RECORDED not in said, said
    found, every = held("addToCart")
    assert 66 * MIB < found < 125 * MIB, found / MIB
    assert every - found < 40 * MIB, (found, every)


def test_stacks_begin_with_java():
    """What HotSpot does for an object is not in its stack, and Java's callers are."""
    under("3000", "0", "return")
    done = subprocess.run([HEAPFLAME, "convert", "--to", "folded", "-o", "-", "objects.hfb"], capture_output=True, text=True, check=True)
    stacks = [line.rsplit(" ", 1)[0].split(";") for line in done.stdout.splitlines() if "addToCart" in line]
    objects = [stack for stack in stacks if stack[-1].startswith("JavaObjects.addToCart")]
    assert objects and all(stack[-2].startswith("JavaObjects.main") for stack in objects), stacks


def test_garbage_is_not_in_use():
    """1.9 GiB are dropped and 29 MiB kept."""
    said = under("3000", "200000", "return")
    assert f"{LEAK} holds" in said, said
    dropped, _ = held("browse")
    kept, _ = held("addToCart")
    assert dropped < 8 * MIB, dropped / MIB
    assert 11 * MIB < kept < 47 * MIB, kept / MIB


def resident_parts():
    """MiB that HotSpot mapped and that malloc keeps, as run's line on the resident memory says."""
    command = [HEAPFLAME, "run", "-o", "objects.hfb", "--", "java", "-Xms300m", "-Xmx300m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    done = subprocess.run([*command, "-cp", CLASSES, "JavaObjects", "10000", "400000", "return"], capture_output=True, text=True, check=True)
    line = re.search(r"resident .*", done.stderr)
    assert line, done.stderr
    mapped = sum(float(size) * {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}[unit] for size, unit in re.findall(r"mapped by [^,]*? ([\d.]+) (KiB|MiB|GiB)", line[0]))
    kept = re.search(r"kept by malloc ([\d.]+) MiB", line[0])
    return mapped, float(kept[1]) if kept else 0, line[0]


def test_heap_is_not_counted_twice():
    """Resident memory that HotSpot mapped for objects belongs to the allocator, beside what it needs itself. On a busy machine,
    the largest look may be one before HotSpot was made, when its heap is not known to be one: then the program runs again."""
    seen = []
    for _ in range(5):
        mapped, kept, line = resident_parts()
        seen.append(line)
        if mapped < 100 and kept > 100:
            return
    assert False, "\n".join(seen)


def test_collectors():
    for name in COLLECTORS:
        said = under("10000", "20000", "exit", status=7, program=("java", "-Xmx512m", f"-XX:+Use{name}GC"))
        assert f"{LEAK} holds" in said, (name, said)


def test_ends():
    for how, status in ("exit", 7), ("halt", 8), ("throw", 1), ("threads", 9), ("return", 0):
        under("100", "0", how, status=status)


def test_ends_at_once():
    """While the agent's thread asks."""
    for _ in range(6):
        under("0", "0", "exit", status=7)


def test_without_performance_data():
    assert f"{LEAK} holds" in under("10000", "0", "exit", status=7, program=("java", "-XX:-UsePerfData", "-Xcheck:jni"))


TAKER = r"""
#include <jvmti.h>
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *env;
    jvmtiCapabilities wanted = {0};
    wanted.can_generate_sampled_object_alloc_events = 1;
    return (*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_11) != 0 || (*env)->AddCapabilities(env, &wanted) != 0;
}
"""


def test_another_tool():
    """It samples objects: the agent leaves them to it, and says so."""
    Path("taker.c").write_text(TAKER)
    subprocess.run(["gcc", "-shared", "-fPIC", *INCLUDES, "-o", "libtaker.so", "taker.c"], check=True)
    said = under("3000", "0", "exit", status=7, program=("java", f"-agentpath:{Path.cwd()}/libtaker.so"))
    assert f"{NOT_RECORDED}, because another tool samples them" in said, said
    assert LEAK not in said, said


# A program that makes the virtual machine itself; UPDATE: what it says to be.
EMBEDDING = r"""
#include <dlfcn.h>
#include <jni.h>
#include <string.h>
#include <sys/mman.h>
static void be_update(void *library, int update)
{
    char *entry = *(char **)dlsym(library, "gHotSpotVMStructs");
    for (; *(char **)entry != NULL; entry += 48) {
        if (strcmp(((char **)entry)[1], "_vm_security_version") != 0)
            continue;
        int *at = *(int **)(entry + 40);
        mprotect((void *)((unsigned long)at & ~4095ul), 4096, PROT_READ | PROT_WRITE);
        *at = update;
    }
}
int main(int count, char **words)
{
    JavaVM *machine;
    JNIEnv *env;
    JavaVMOption option = {words[2], NULL};
    JavaVMInitArgs how = {JNI_VERSION_10, 1, &option, 0};
    void *library = dlopen(words[1], RTLD_NOW);
    jint (*create)(JavaVM **, void **, void *) = (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
#ifdef UPDATE
    be_update(library, UPDATE);
#endif
    if (create(&machine, (void **)&env, &how) != 0)
        return 2;
    jclass class = (*env)->FindClass(env, "JavaObjects"), text = (*env)->FindClass(env, "java/lang/String");
    jmethodID begin = class == NULL ? NULL : (*env)->GetStaticMethodID(env, class, "main", "([Ljava/lang/String;)V");
    jobjectArray given = (*env)->NewObjectArray(env, 3, text, NULL);
    if (begin == NULL)
        return 3;
    for (int i = 0; i < 3; i++)
        (*env)->SetObjectArrayElement(env, given, i, (*env)->NewStringUTF(env, words[3 + i]));
    (*env)->CallStaticVoidMethod(env, class, begin, given);
    return (*machine)->DestroyJavaVM(machine) == 0 ? 5 : 4;
}
"""


def embedding(*options):
    Path("embedding.c").write_text(EMBEDDING)
    subprocess.run(["gcc", *options, *INCLUDES, "-o", "embedding", "embedding.c", "-ldl"], check=True)
    return ("./embedding", HOME / "lib/server/libjvm.so", f"-Djava.class.path={CLASSES}")


def test_embedded():
    program = embedding()
    said = under("10000", "0", "return", status=5, program=program, more=())
    assert f"{LEAK} holds" in said, said
    for _ in range(4):
        under("0", "0", "return", status=5, program=program, more=())


def test_older_update():
    said = under("10000", "0", "return", status=5, program=embedding("-DUPDATE=14"), more=())
    assert f"{NOT_RECORDED}: heapflame samples them in OpenJDK 17.0.15" in said, said
    assert LEAK not in said, said


def test_exact():
    said = under("100", "0", "exit", status=7, options=["--exact"])
    assert f"{NOT_RECORDED} in an exact run" in said, said


if __name__ == "__main__":
    if version()[0] != 17 or version()[1] < 15:
        skip("Java 17.0.15 or a later update of 17 is not installed")
    subprocess.run(["javac", "-g", "-d", CLASSES, PROGRAMS / "JavaObjects.java"], check=True, stderr=subprocess.DEVNULL)
    sys.exit(run_tests(globals()))
