#!/usr/bin/env python3
# timeout: 240
"""`heapflame run`, `watch`, `env` and `top --live` with the real agent: programs/leaker.c allocates by its arguments."""

import fcntl
import os
import re
import shutil
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from _cgroup import NONE, Group
from _run import (
    AGENT, HELD, LEAKER, MIB, SOURCE, TIMEOUT_S, compile_leaker, end, expect_equal, folded, heapflame, run,
    run_leaker_tests, start, tables, wait_for,
)  # fmt: skip


def test_a_leak_is_named():
    code, out, err = run("--exact", "-o", "leak.folded", LEAKER, "times=17", "leak=1000003", "times=5", "cache=4001")
    expect_equal((code, out), (0, ""))
    expect_equal(err, f"heapflame: {HELD} holds 16.2 MiB of 16.2 MiB in use: see leak.folded\n")
    sums = folded("leak.folded")
    expect_equal((sums["process_leak"], sums["cache_fill"]), (17 * 1000003, 5 * 4001))
    expect_equal(tables(), [])


OVERLOADS = """#include <cstdlib>
struct Cache {
    __attribute__((noinline)) void *fill(int n) { return malloc(100000 + n); }
    __attribute__((noinline)) void *fill(double n) { return malloc(200000 + (int)n); }
    template <class T> __attribute__((noinline)) void *make(T n) { return malloc(140000 + (int)n); }
};
void *kept[4];
int main() {
    Cache cache;
    kept[0] = cache.fill(1), kept[1] = cache.fill(2.0), kept[2] = cache.make(3), kept[3] = cache.make(4.0f);
}
"""


def test_one_name_everywhere():
    """Overloads read the same, so they are one row and one frame, in the sentence of `run` as in all that it writes."""
    Path("o.cpp").write_text(OVERLOADS)
    subprocess.run(["g++", "-g", "-O1", "-o", "o", "o.cpp"], check=True)
    for name in ["o.hfb", "o.folded", "o.svg", "o.pb.gz"]:
        err = run("--exact", "-o", name, "./o")[2]
        expect_equal(err, f"heapflame: Cache::fill (o.cpp:4) holds 293.0 KiB of 566.4 KiB in use: see {name}\n")
    row = heapflame("top", "o.hfb")[1].splitlines()[2].split()
    expect_equal((row[:2], row[-2:]), (["293.0", "KiB"], ["Cache::fill", "o.cpp:4"]))
    lines = [line.rsplit(";", 1)[1] for path in ["o.hfb", "o.folded", "o.pb.gz"] for line in heapflame("fold", path)[1].splitlines()]
    expect_equal(sorted(lines), sorted(["Cache::fill 300003", "Cache::make 280007"] * 3))
    full = heapflame("fold", "--full-names", "o.hfb")[1]
    assert "main;Cache::fill(int) 100001" in full and "main;void* Cache::make<float>(float) 140004" in full, full


CHURN = """#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void keep(void) { kept = malloc(30000); }
__attribute__((noinline)) void churn(void) { for (int i = 0; i < 5; i++) { void *volatile p = malloc(10000); free(p); } }
int main(void) { keep(); churn(); }
"""


def test_one_value_everywhere():
    """What a picture counts, the sentence counts, too."""
    Path("churn.c").write_text(CHURN)
    subprocess.run(["gcc", "-g", "-O1", "-o", "churn", "churn.c"], check=True)
    for value, said, leaves in (
        ("inuse_space", "keep (churn.c:3) holds 29.3 KiB of 29.3 KiB in use", ["keep 30000"]),
        ("inuse_objects", "keep (churn.c:3) holds 1 of 1 object in use", ["keep 1"]),
        ("alloc_space", "churn (churn.c:4) allocated 48.8 KiB of 78.1 KiB, freed or not", ["churn 50000", "keep 30000"]),
        ("alloc_objects", r"churn (churn.c:4) allocated 5 of [67] objects, freed or not", ["churn 5", "keep 1"]),
    ):
        for name in "c.folded", "c.svg", "c.hfb":
            err = run("--exact", f"--{value}", "-o", name, "./churn")[2]
            pattern = said.replace("(", r"\(").replace(")", r"\)")
            assert re.fullmatch(f"heapflame: {pattern}: see {name}\n", err), err
        lines = [line.rsplit(";", 1)[1] for line in Path("c.folded").read_text().splitlines()]
        expect_equal(sorted(line for line in lines if "call_init" not in line), leaves)  # a library may allocate, too
        picture = Path("c.svg").read_text()
        assert ("churn (" in picture) == (len(leaves) == 2), picture
    status, _, err = run("--engine", "jemalloc", "--alloc_space", "./churn")
    assert status == 125 and "--alloc_space needs the agent" in err, (status, err)


def test_every_format():
    for name in ["leak.svg", "leak.html", "leak.hfb", "leak.heap", "leak.pb.gz", "leak.speedscope.json"]:
        expect_equal(run("--exact", "-o", name, LEAKER, "leak=1000003")[0], 0)
        assert "process_leak" in Path(name).read_bytes().decode(errors="replace") or name[-3:] in ["hfb", ".gz"]
        expect_equal(Path(name).stat().st_mode & 0o777, 0o600)
    for name in ["leak.svg", "leak.html"]:  # the process and the moment
        assert re.search(r"leaker, process \d+", Path(name).read_text()), name
        assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}", Path(name).read_text()), name
    assert re.search(r'"process":\d{2,},"command":"\S*leaker leak=1000003"', Path("leak.html").read_text())
    out = heapflame("top", "leak.hfb")[1]
    assert re.search(r"process_leak +leaker.c", out.splitlines()[2]), out


def test_exit_statuses():
    for word, status in [("exit=0", 0), ("exit=7", 7), ("exit=255", 255), ("signal=15", 143), ("signal=11", 139)]:
        expect_equal(run("--no-final", LEAKER, word)[0], status)
    expect_equal(run("--no-final", "-q", LEAKER, "signal=15"), (143, "", ""))
    expect_equal(run("-q", "-o", "no/folder.svg", LEAKER, "exit=7")[0], 125)
    for arguments in [[], ["--nonsense", LEAKER], ["-o", "x.foo", LEAKER], ["-o", "%x.svg", LEAKER], ["nothing-of-this-name"]]:
        code, out, err = run(*arguments)
        expect_equal((code, out), (125, ""))
        assert err.startswith("heapflame: ") and err.count("\n") == 1, err


def test_options_end_at_the_command():
    expect_equal(run("--no-final", "sh", "-c", 'echo "$0 $1"', "-o", "-q")[:2], (0, "-o -q\n"))
    expect_equal(run("--no-final", "--", "sh", "-c", "exit 3")[0], 3)


def test_signals_are_forwarded():
    process = start("heapflame", "run", "--exact", "-o", "leak.folded", LEAKER, "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    for _ in range(3):
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
    process.terminate()
    code, _, err = end(process)
    expect_equal(code, 3)
    expect_equal(folded("leak.folded")["process_leak"], 1000003)


def test_the_target_is_killed():
    process = start("heapflame", "run", "--exact", "-o", "leak.folded", LEAKER, "times=10", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
    os.kill(int(child), signal.SIGKILL)
    code, _, err = end(process)
    expect_equal(code, 137)
    expect_equal(
        err,
        "heapflame: leaker was killed by signal 9 (Killed)\n"
        f"heapflame: {HELD} holds 9.5 MiB of 9.5 MiB in use: see leak.folded\n",
    )
    expect_equal(folded("leak.folded")["process_leak"], 10 * 1000003)


def test_target_and_watcher_are_killed_at_once():
    process = start("heapflame", "run", "--exact", "-o", "leak.folded", LEAKER, "times=10", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(child, signal.SIGKILL)
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    [table] = tables()
    for operand in [table, child]:
        code, _, err = heapflame("dump", operand, "-o", "leak.folded")
        expect_equal(code, 0)
        assert err.startswith("heapflame: "), err
        expect_equal(folded("leak.folded")["process_leak"], 10 * 1000003)
        out = heapflame("top", operand)[1]
        assert re.search(r"process_leak +leaker.c", out.splitlines()[2]), out
    expect_equal(heapflame("dump", "--rm", child), (0, "", ""))
    expect_equal(tables(), [])


def test_the_kernel_kills_for_memory():
    group = Group(100 * MIB)
    if group.version == 0:
        print(NONE)
        return
    try:
        # The program alone is in the group, as heapflame is beside a container.
        enter = f'echo $$ >{group.folder}/cgroup.procs; exec "$@"'
        process = start(
            "heapflame", "run", "--exact", "--cgroup", group.folder, "--dir", Path.cwd(), "-o", "leak.%n.folded",
            "sh", "-c", enter, "sh", LEAKER, "times=300", "leak=1000003",
        )  # fmt: skip
        code, _, err = end(process)
    finally:
        group.remove()
    expect_equal(code, 137)
    # On a busy machine the program lives long enough for a curve.
    first, second = (line for line in err.splitlines() if not line.startswith("heapflame: in use over "))
    expect_equal(first, "heapflame: the kernel killed sh: its memory cgroup was at its limit of 100.0 MiB")
    assert re.fullmatch(rf"heapflame: {re.escape(HELD)} holds [89]\d\.\d MiB of [89]\d\.\d MiB in use: see leak.\d.folded", second), second
    assert folded(second.split()[-1])["process_leak"] > 80 * MIB


def test_dumps_on_the_way():
    code, _, err = run(
        "--exact", "--interval", "10MiB", "-o", "%e.%n.folded", LEAKER,
        "times=11", "leak=1000003", *["rest"] * 5, "cache=1000003", *["rest"] * 5,
    )  # fmt: skip
    expect_equal(code, 0)
    sums = [folded(f"leaker.{n}.folded") for n in range(3)]
    expect_equal([s["process_leak"] // 1000003 for s in sums], [11, 11, 11])
    expect_equal([s.get("cache_fill", 0) // 1000003 for s in sums], [0, 11, 11])
    expect_equal(len(list(Path.cwd().glob("*.folded"))), 3)


def test_high_water_and_time():
    run("--exact", "--high-water", "+8MiB", "-o", "h.%n.folded", LEAKER, "times=9", "leak=1000003", "rest", "rest", "churn=99000000", "rest")
    expect_equal(sorted(p.name for p in Path.cwd().glob("h.*")), ["h.0.folded", "h.1.folded"])
    run("--exact", "--every", "200ms", "--keep", "2", "--no-final", "-o", "t.%n.folded", LEAKER, "churn=4096", *["leak=100003", "rest"] * 8)
    names = sorted(p.name for p in Path.cwd().glob("t.*"))
    assert "t.0.folded" in names and 3 <= len(names) <= 10, names


def test_numbers_go_on():
    Path("leaker.0.folded").write_text("")
    Path("leaker.1.folded").write_text("")
    run("--exact", "-o", "%e.%n.folded", LEAKER, "leak=1000003")
    expect_equal(folded("leaker.2.folded")["process_leak"], 1000003)


def test_patterns():
    code, _, err = run("--exact", "-o", "%%.%e.%p.%h.%t.folded", LEAKER, "leak=1000003")
    [path] = Path.cwd().glob("*.folded")
    assert re.fullmatch(rf"%\.leaker\.\d+\.{re.escape(os.uname().nodename)}\.1\d{{9}}\.folded", path.name), path


def test_exec_and_scripts():
    """The table is that of the last image; those before it go, too."""
    Path("script").write_text(f'#!/bin/sh\nexec {LEAKER} times=3 leak=1000003\n')
    Path("script").chmod(0o755)
    expect_equal(run("--exact", "-o", "leak.folded", "./script")[0], 0)
    expect_equal(folded("leak.folded")["process_leak"], 3 * 1000003)
    expect_equal(tables(), [])


def test_children():
    run("--exact", "-o", "leak.folded", LEAKER, "leak=1000003", "fork=500009")
    expect_equal(folded("leak.folded").get("child_leak", 0), 0)
    expect_equal(tables(), [])


def expect_refused(program, *words, tool):
    started = time.monotonic()
    code, out, err = end(start(tool, "run", program, "leak=5"))
    assert time.monotonic() - started < 60
    expect_equal((code, out, err.count("\n")), (125, "", 1))
    for word in words:
        assert word in err, (word, err)


def check_static(tool="heapflame"):
    compile_leaker("static", "-static")
    expect_refused("./static", "linked statically", "link it dynamically", tool=tool)
    compile_leaker("static-pie", "-static-pie")
    expect_refused("./static-pie", "linked statically", "heapflame attach PID", tool=tool)


def test_go_programs():
    """Go has an allocator of its own: a static one is refused with what helps, of another only C is recorded."""
    Path("small.go").write_text("package main\nfunc main() {}\n")
    Path("mixed.go").write_text(
        "package main\n// #include <stdlib.h>\nimport \"C\"\nfunc main() { for i := 0; i < 9; i++ { C.malloc(1000) } }\n")
    for name in "small", "mixed":
        subprocess.run(["go", "build", "-o", name, f"{name}.go"], check=True, env={
            **os.environ, "HOME": str(Path.cwd()), "GOCACHE": str(Path("go-cache").resolve()), "GO111MODULE": "off"})
    expect_refused("./small", "./small is a Go program", "runtime/pprof", "attach --what fault PID", tool="heapflame")
    code, _, err = run("--exact", "-o", "mixed.folded", "./mixed")
    assert code == 0 and err.startswith("heapflame: ./mixed is a Go program: only what its C code allocates is recorded;"), err
    assert sum(folded("mixed.folded").values()) >= 9000
    assert "Go program" not in run("-q", "-o", "mixed.folded", "./mixed")[2]


def test_static_programs_are_refused():
    check_static()


def check_sanitizers(tool="heapflame"):
    compile_leaker("asan", "-fsanitize=address")
    expect_refused("./asan", "AddressSanitizer", "-fsanitize", tool=tool)
    compile_leaker("tsan", "-fsanitize=thread")
    expect_refused("./tsan", "ThreadSanitizer", tool=tool)
    if shutil.which("clang"):
        compile_leaker("clang-asan", "-fsanitize=address", compiler="clang")
        expect_refused("./clang-asan", "AddressSanitizer", tool=tool)


def test_sanitizers_are_refused():
    check_sanitizers()


def check_musl(tool="heapflame"):
    compile_leaker("musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
    expect_refused("./musl", "musl", "glibc", tool=tool)
    Path("script").write_text("#!./musl\n")
    Path("script").chmod(0o755)
    expect_refused("./script", "musl", tool=tool)


def test_musl_is_refused():
    check_musl()


def check_other_rights(tool="heapflame"):
    if os.geteuid() != 0:
        print("only root can give a program to another user")
        return
    compile_leaker("other")
    for mode, owner in [(0o4755, (1, 0)), (0o2755, (0, 1))]:
        os.chown("other", *owner)
        os.chmod("other", mode)
        expect_refused("./other", "setuid", "preloads nothing", tool=tool)


def test_other_rights_are_refused():
    check_other_rights()


def test_a_malloc_of_its_own():
    Path("own.c").write_text("""
        #include <stddef.h>
        static char arena[1 << 20]; static size_t used;
        void *malloc(size_t n) { void *p = arena + used; used += (n + 15) & ~15ul; return p; }
        void *calloc(size_t a, size_t b) { return malloc(a * b); }
        void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
        void free(void *p) { (void)p; }
        int main(void) { return malloc(100) == NULL; }
    """)
    subprocess.run(["gcc", "own.c", "-o", "own"], check=True)
    code, _, err = run("-o", "x.folded", "./own")
    expect_equal(code, 0)
    assert "its own malloc" in err, err


def test_no_table():
    """A program that loses LD_PRELOAD on the way runs as ever."""
    code, out, err = run("-o", "x.folded", "env", "-i", "/bin/echo", "hello")
    expect_equal((code, out), (0, "hello\n"))


def test_the_environment():
    code, out, err = heapflame("env")
    expect_equal((code, out, err), (0, f"LD_PRELOAD={AGENT} HEAPFLAME_CONF=prof:true\n", ""))
    code, out, err = heapflame("env", "exact:true")
    process = start("sh", "-c", f'{out.strip()} exec "$@"', "sh", LEAKER, "times=3", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    heapflame("dump", process.pid, "-o", "leak.folded")
    process.terminate()
    end(process)
    expect_equal(folded("leak.folded")["process_leak"], 3 * 1000003)


def test_watch():
    settings = heapflame("env", "exact:true")[1].strip()
    process = start("sh", "-c", f'{settings} exec "$@"', "sh", LEAKER, "times=3", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    # Stopped and killed, a watcher leaves the process and its table alone.
    for ending in [signal.SIGTERM, signal.SIGKILL]:
        watcher = start("heapflame", "watch", process.pid, "--every", "100ms", "-o", f"w{ending}.%n.folded")
        wait_for(lambda: Path(f"w{ending}.1.folded").exists(), watcher)
        watcher.send_signal(ending)
        expect_equal(end(watcher)[0], 0 if ending == signal.SIGTERM else -9)
    watcher = start("heapflame", "watch", process.pid, "-o", "last.folded")
    time.sleep(2)
    process.kill()
    process.wait()
    code, _, err = end(watcher)
    expect_equal((code, err), (0, f"heapflame: {HELD} holds 2.9 MiB of 2.9 MiB in use: see last.folded\n"))
    end(process)
    expect_equal(folded("last.folded")["process_leak"], 3 * 1000003)
    expect_equal(tables(), [])


def test_top_live_stays_in_its_window():
    """Whatever its size, and when that changes: nothing scrolls, and the name is there."""
    settings = heapflame("env", "exact:true")[1].strip()
    process = start("sh", "-c", f'{settings} exec "$@"', "sh", LEAKER, "times=3", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    terminal, other_end = os.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 4, 64, 0, 0))
    top = subprocess.Popen(["heapflame", "top", "--live", str(process.pid)], stdout=other_end, stderr=other_end)
    seen = b""

    def screens(rows, columns, done):
        nonlocal seen
        while True:
            seen += os.read(terminal, 4096)
            parts = seen.split(b"\x1b[2J")[1:]
            whole = [part.decode().replace("\x1b[H", "").replace("\r", "") for part in parts[:-1]]
            if whole and done(whole[-1]):
                break
        lines = whole[-1].split("\n")
        assert len(lines) <= rows and all(len(line) <= columns for line in lines), lines
        return lines

    first = screens(4, 64, lambda text: "verdict" in text)
    assert "process_leak" in first[2] and "steady" in first[2] and "cum" not in first[1], first
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 120, 0, 0))
    wide = screens(3, 120, lambda text: "cum" in text)
    assert "process_leak" in wide[2] and "leaker.c" in wide[2], wide
    process.terminate()
    end(process)
    top.terminate()
    top.wait()
    os.close(other_end)
    os.close(terminal)


def test_top_live_shows_leaks_first():
    """Also where they hold less than what does not grow, and the window has room for one row only."""
    settings = heapflame("env", "exact:true")[1].strip()
    leaks = ["leak=50021", "rest"] * 400
    process = start("sh", "-c", f'{settings} exec "$@"', "sh", LEAKER, "cache=30000000", *leaks, "wait")
    wait_for(lambda: heapflame("top", process.pid)[1].count("cache_fill"), process)
    terminal, other_end = os.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 120, 0, 0))
    top = subprocess.Popen(["heapflame", "top", "--live", str(process.pid)], stdout=other_end, stderr=other_end)
    seen = b""
    # It is a leak as soon as the data say so; until then, who holds most is first.
    while not re.search(rb" leak  |process_leak", seen.split(b"\x1b[2J")[-1]):
        assert seen.count(b"\x1b[2J") < 60, seen
        seen += os.read(terminal, 4096)
    screens = [part.decode().replace("\x1b[H", "").replace("\r", "").split("\n") for part in seen.split(b"\x1b[2J")[1:]]
    assert "cache_fill" in screens[0][2], screens
    assert re.search(r" leak +process_leak ", screens[-1][2]), screens
    process.terminate()
    end(process)
    top.terminate()
    top.wait()
    os.close(other_end)
    os.close(terminal)


def test_top_live():
    settings = heapflame("env", "exact:true")[1].strip()
    process = start("sh", "-c", f'{settings} exec "$@"', "sh", LEAKER, "times=3", "leak=1000003", "wait")
    expect_equal(process.stdout.readline(), b"ready\n")
    code, out, _ = heapflame("top", "--live", process.pid)  # no terminal: once
    expect_equal(code, 0)
    assert re.search(r"process_leak +leaker.c", out.splitlines()[2]), out
    terminal, other_end = os.openpty()
    top = subprocess.Popen(["heapflame", "top", "--live", str(process.pid)], stdout=other_end, stderr=subprocess.PIPE)
    os.close(other_end)
    seen = b""
    # From the sixth on, its way over time: what it allocated once is steady.
    while not re.search(rb"process_leak", seen.split(b"\x1b[2J")[-1]) or seen.count(b"\x1b[2J") < 6:
        seen += os.read(terminal, 4096)
    screens = [screen.decode() for screen in seen.split(b"\x1b[2J")[1:]]
    assert "verdict" not in screens[4] and re.search(r" in 6 profiles over 1\d s", screens[5]), screens
    assert re.search(r"\+0 B/min ± 0 B +0 %  ████████  steady +process_leak", screens[5]), screens
    process.terminate()
    end(process)
    out, err = top.communicate(timeout=TIMEOUT_S)
    os.close(terminal)
    expect_equal((top.returncode, err), (0, f"heapflame: process {process.pid} has ended\n".encode()))
    expect_equal(heapflame("top", "--live", "leaker.c")[0], 2)


def test_nothing_to_watch():
    expect_equal(heapflame("watch", "."), (5, "", "heapflame: no running process has a live table in .\n"))
    assert heapflame("watch", str(os.getpid()))[2].endswith("or with the environment that heapflame env prints\n")
    for arguments in [[], ["1", "2"], ["1", "--every", "x"], ["1", "--interval", "0"]]:
        expect_equal(heapflame("watch", *arguments)[0], 2)


def test_what_was_there_stays():
    show = 'echo "$LD_PRELOAD"; echo "$HEAPFLAME_CONF"'
    os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0"  # of a sanitized heapflame, which is preloaded into, too
    settings = ("--no-final", "--period", "64KiB")
    before = {"LD_PRELOAD": "libm.so.6", "HEAPFLAME_CONF": "prof_accum:true"}
    out = run(*settings, "--follow-fork", "sh", "-c", show, **before)[1]
    preload, conf = out.splitlines()
    expect_equal(preload, f"{AGENT}:libm.so.6")
    assert re.fullmatch(r"prof_accum:true,period:65536,follow_fork:true,family:\d+,prof:true", conf), conf
    # Without --follow-fork they are this process's own, and nobody sees them (run_environment.py).
    expect_equal(run(*settings, "sh", "-c", show, **before)[1], "libm.so.6\n\n")


if __name__ == "__main__":
    run_leaker_tests(globals())
