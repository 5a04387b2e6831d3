#!/usr/bin/env python3
"""mallctl of heapflame's agent: the same answers as jemalloc's, dumps that jeprof reads, a real jemalloc that is not in
the way; and the functions of heapflame/heapflame.h in a program with a pool of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import PROGRAMS, SOURCE, folded, heapflame, run, skip
from _suite import run_tests

BUILD = Path(os.environ["BUILD"]).resolve()
AGENT = BUILD / "agent/libheapflame.so"
POOL = BUILD / "examples/pool"
JEMALLOC = Path("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2")
CONF = "prof:true,lg_prof_sample:0,prof_prefix:p,lg_prof_interval:40,prof_final:true"
CTL = [f"-I{SOURCE / 'include'}", f"-L{BUILD / 'ctl'}", f"-Wl,-rpath,{BUILD / 'ctl'}", "-lheapflame-ctl"]


def build(name, source, *flags):
    run("gcc", "-O2", "-g", "-o", name, source, *flags)
    return f"./{name}"


def compiled(name, code, *flags):
    Path(f"{name}.c").write_text(code)
    return build(name, f"{name}.c", *flags)


def profiled(*command, conf=CONF, preload=AGENT, status=0):
    """(standard output, standard error)"""
    env = {**os.environ, "HEAPFLAME_CONF": conf, "LD_PRELOAD": str(preload)}
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def test_answers_as_jemalloc():
    if not JEMALLOC.exists():
        return
    theirs = build("theirs", PROGRAMS / "mallctl_rules.c", "-ljemalloc")
    ours = build("ours", PROGRAMS / "mallctl_rules.c", *CTL)
    expected = run(theirs, env={**os.environ, "MALLOC_CONF": CONF}).splitlines()
    got = profiled(ours)[0].splitlines()
    assert len(expected) > 600, expected
    for line, other in zip(expected, got):
        assert line == other, f"jemalloc: {line}; the agent: {other}"
    assert len(got) == len(expected), got[len(expected):]


def test_recording_that_is_switched_on():
    """prof_active:false, and the program activates it itself."""
    code = """
#include <heapflame/mallctl.h>
#include <stdbool.h>
#include <stdlib.h>
int main(void)
{
    void *volatile a = malloc(1000);
    bool on = true;
    const char *path = "on.heap";
    int failed = mallctl("prof.active", NULL, NULL, &on, sizeof on);
    void *volatile b = malloc(3000);
    return failed || a == b || mallctl("prof.dump", NULL, NULL, &path, sizeof path);
}
"""
    profiled(compiled("switched", code, *CTL), conf="prof:true,lg_prof_sample:0,prof_active:false")
    sizes = [size for _, size in folded(heapflame("fold", "on.heap"))]
    assert sizes == [3000], sizes


def test_a_real_jemalloc_behind():
    """What is not about profiles is its own; if it profiles itself, everything is."""
    if not JEMALLOC.exists():
        return
    code = """
#include <heapflame/mallctl.h>
#include <stdbool.h>
#include <stdio.h>
int main(void)
{
    bool prof = false;
    size_t size = sizeof prof, count = 0;
    unsigned arenas = 0;
    const char *version = "", *prefix = "";
    mallctl("opt.prof", &prof, &size, NULL, 0);
    size = sizeof arenas;
    mallctl("arenas.narenas", &arenas, &size, NULL, 0);
    size = sizeof version;
    mallctl("version", &version, &size, NULL, 0);
    size = sizeof prefix;
    mallctl("opt.prof_prefix", &prefix, &size, NULL, 0);
    printf("%d %d %.1s %s\\n", prof, arenas != 0, version, prefix);
    (void)count;
    return 0;
}
"""
    program = compiled("asks", code, *CTL, "-Wl,--no-as-needed", "-ljemalloc")
    assert profiled(program, conf="prof:true,prof_prefix:ours")[0] == "1 1 5 ours\n"
    assert profiled(program, conf="prof:false")[0] == "0 1 5 jeprof\n"
    os.environ["MALLOC_CONF"] = "prof:true,prof_prefix:theirs"
    try:
        assert profiled(program, conf="prof:true,prof_prefix:ours")[0] == "1 1 5 theirs\n"
    finally:
        del os.environ["MALLOC_CONF"]
    program = compiled("alone", code, *CTL)
    assert profiled(program, conf="prof:true,prof_prefix:ours")[0] == "1 0 h ours\n"


LEAKS = """
#include <heapflame/mallctl.h>
#include <heapflame/heapflame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *kept[4000];
__attribute__((noinline)) void first(size_t n) { kept[n] = malloc(1009); memset(kept[n], 1, 1009); }
__attribute__((noinline)) void second(size_t n) { kept[n] = malloc(2003); memset(kept[n], 1, 2003); }
__attribute__((noinline)) void third(size_t n) { kept[n] = malloc(65537); memset(kept[n], 1, 65537); }
static void dump(const char *path) { if (heapflame_dump(path) != 0) exit(1); }
int main(void)
{
    for (size_t i = 0; i < 211; i++)
        first(i);
    dump("a.heap");
    if (heapflame_reset() != 0)
        return 2;
    for (size_t i = 211; i < 314; i++)
        second(i);
    free(kept[0]);
    dump("b.heap");
    heapflame_set_active(false);
    if (heapflame_is_active())
        return 3;
    second(400);
    heapflame_set_active(true);
    heapflame_set_thread_active(false);
    second(401);
    heapflame_set_thread_active(true);
    for (size_t i = 1000; i < 1101; i++)
        third(i);
    dump("c.heap");
    return 0;
}
"""


def in_use(profile, name):
    """(objects, bytes) of what passes through a function."""
    return tuple(sum(value for frames, value in folded(heapflame("fold", "-q", kind, profile)) if name in frames)
                 for kind in ("--inuse_objects", "--inuse_space"))


def expect(got, expected, what):
    assert got == expected, f"{what}: expected {expected}, got {got}"


def test_reset_and_switches():
    program = compiled("leaks", LEAKS, f"-I{SOURCE / 'include'}")
    profiled(program, conf="prof:true,lg_prof_sample:0,prof_accum:true")
    expect(in_use("a.heap", "first"), (211, 211 * 1009), "before the reset")
    expect(in_use("b.heap", "first"), (0, 0), "what was there at the reset")
    expect(in_use("b.heap", "second"), (103, 103 * 2003), "since the reset")
    expect(in_use("c.heap", "second"), (103, 103 * 2003), "while a switch was off")
    expect(in_use("c.heap", "third"), (101, 101 * 65537), "both switches on again")
    assert "[103: 206309]" in Path("b.heap").read_text(), "prof_accum"


def test_jeprof_reads_it():
    """Debian's jeprof corrects a sampled dump to what heapflame makes of it, which is near the truth."""
    if shutil.which("jeprof") is None:
        return
    program = compiled("leaks", LEAKS, f"-I{SOURCE / 'include'}")
    profiled(program, conf="prof:true,lg_prof_sample:12,seed:3")
    for kind in "--inuse_objects", "--inuse_space":
        unit = ["--show_bytes"] if kind == "--inuse_space" else []
        text = run("jeprof", "--text", kind, *unit, program, "c.heap")
        theirs = int(re.search(r"^ *(\d+) .* third$", text, re.M)[1])
        ours = in_use("c.heap", "third")[kind == "--inuse_space"]
        assert abs(theirs - ours) <= 1 + ours / 1000, (kind, theirs, ours)
        expect(ours, ours if abs(ours - 101 * (65537 if unit else 1)) <= 101 * (65537 if unit else 1) / 100 else 0,
               "65 KiB are always sampled at 4 KiB")


def test_dumps_nobody_asked_for():
    code = "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (int i = 0; i < 100; i++) " \
           "if (i != 50) memset(malloc(1 << 20), 1, 1 << 20); return 0; }\n"
    program = compiled("grows", code)
    conf = "prof:true,lg_prof_sample:0,prof_prefix:g,prof_final:true"
    _, err = profiled(program, conf=f"{conf},lg_prof_interval:25,prof_leak:true")
    names = sorted(path.name.split(".", 2)[2] for path in Path().glob("g.*"))
    expect(names, ["0.i0.heap", "1.i1.heap", "2.i2.heap", "3.f.heap"], "99 MiB in steps of 32")
    final = next(Path().glob("g.*.f.heap"))
    expect(err, f"heapflame: leak summary: ~{99 << 20} bytes, ~99 objects, >= 1 stacks: heapflame top {final}\n", "leak")
    for path in Path().glob("g.*"):
        path.unlink()
    profiled(program, conf=f"{conf},prof_gdump:true")
    names = [path.name.split(".")[3] for path in Path().glob("g.*.heap")]
    assert "f" in names and len([name for name in names if name.startswith("u")]) > 50, names
    for path in Path().glob("g.*"):
        path.unlink()
    profiled(program, conf="prof_leak:true,prof_final:true,lg_prof_sample:0,lg_prof_interval:20,prof_prefix:g")
    expect([path.name.split(".")[3] for path in Path().glob("g.*")], ["f"], "as jemalloc: prof_leak without prof")
    _, err = profiled(program, conf=f"{conf},prof_prefix:nowhere/at/all")
    assert re.fullmatch(r"heapflame: 'nowhere/at/all\.\d+\.0\.f\.heap' cannot be written, so this heap profile is lost\n", err), err
    _, err = profiled(program, conf=f"{conf},prof_prefix:")
    expect((err, list(Path().glob(".*.heap"))), ("", []), "no prefix, no dumps")


THREADS = """
#include <heapflame/heapflame.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *number)
{
    void *kept[50] = {0};
    char path[32];
    for (int i = 0; i < 20000; i++) {
        free(kept[i % 50]);
        kept[i % 50] = malloc(100 + i % 1000);
        if (i % 2000 == 0) {
            snprintf(path, sizeof path, "t%d.%d.heap", *(int *)number, i / 2000);
            if (heapflame_dump(path) != 0 || (i == 8000 && heapflame_reset() != 0))
                exit(1);
        }
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


def test_threads_that_dump():
    program = compiled("threads", THREADS, f"-I{SOURCE / 'include'}", "-pthread")
    profiled(program, conf="prof:true,lg_prof_sample:0,prof_accum:true")
    dumps = sorted(Path().glob("t*.heap"))
    expect(len(dumps), 40, "dumps")
    for path in dumps:
        done = subprocess.run(["heapflame", "fold", path], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and "work" in done.stdout, (path, done.stderr)


FORKS = """
#include <heapflame/heapflame.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void in_child(void) { kept = malloc(1009); }
int main(void)
{
    int status = 0;
    kept = malloc(3001);
    pid_t child = fork();
    if (child == 0) {
        in_child();
        int error = heapflame_dump("child.heap");
        printf("%d\\n", error);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return heapflame_dump("parent.heap") | status;
}
"""


def test_a_forked_child():
    """It is not its parent: nobody profiles it, or it has a table and dumps of its own."""
    program = compiled("forks", FORKS, f"-I{SOURCE / 'include'}")
    expect(profiled(program, conf="prof:true,lg_prof_sample:0")[0], "2\n", "ENOENT in the child")
    expect((in_use("parent.heap", "main"), Path("child.heap").exists()), ((1, 3001), False), "the parent alone")
    expect(profiled(program, conf="prof:true,lg_prof_sample:0,follow_fork:true")[0], "0\n", "a child that is followed")
    expect(in_use("child.heap", "in_child"), (1, 1009), "the child's own")
    expect(in_use("parent.heap", "in_child"), (0, 0), "none of the child's")


def test_a_pool():
    profiled(POOL, "pool.heap")
    expect(in_use("pool.heap", "read_names"), (1009, 1009 * 40), "small pieces")
    expect(in_use("pool.heap", "read_values"), (401, 401 * 1000), "the other pool was emptied")
    expect(in_use("pool.heap", "pool_grow"), (0, 0), "big pieces")
    top = heapflame("top", "-q", "pool.heap")
    assert "heapflame_pool_alloc" not in top, top


def main():
    return run_tests(globals())


if __name__ == "__main__":
    if not AGENT.exists():
        skip("the agent is for x86-64")
    sys.exit(main())
