#!/usr/bin/env python3
# timeout: 240
"""run and watch --alarm, and top --live --alarm: a leak is reported once, with a profile that stays and the user's command; a cache that is full is not."""

import os
import pty
import re
import subprocess
import threading
from pathlib import Path

from _run import expect_equal, run_leaker_tests, start, wait_for

# A ring of 256 blocks; from `from` seconds on, a leak beside it; both of some 1 MiB a second.
SERVER = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *ring[256];
__attribute__((noinline)) void *open_session(void) { void *p = malloc(4000); return p ? memset(p, 1, 4000) : p; }
__attribute__((noinline)) void *put_in_cache(void) { void *p = malloc(4000); return p ? memset(p, 1, 4000) : p; }
int main(int count, char **words)
{
    int seconds = atoi(words[1]), from = atoi(words[2]), at = 0;
    for (int i = 0; i < seconds * 50; i++) {
        for (int k = 0; k < 5; k++, at = (at + 1) % 256) {
            free(ring[at]);
            ring[at] = put_in_cache();
        }
        for (int k = 0; i >= from * 50 && k < 5; k++) {
            void *volatile kept = open_session();
            (void)kept;
        }
        usleep(20000);
    }
    return count == 0;
}
"""
HOOK = 'echo "$HEAPFLAME_LEAK|$HEAPFLAME_PROFILE" >> told.$HEAPFLAME_PID'
ALARM = ("--alarm", "--learn", "8s", "--false-alarm-every", "300d", "--on-leak", HOOK)


def build():
    Path("server.c").write_text(SERVER)
    subprocess.run(["gcc", "-O1", "-g", "-o", "server", "server.c"], check=True)


def check_told(said, pid):
    """One line, one call of the command, and the profile it names, which holds the leak."""
    lines = re.findall(r"LEAK(?: since \d\d:\d\d)?: (open_session keeps \S+ MiB/min \(.*?\), \d+ % of all growth[^\n]*); see (\S+)", said)
    assert len(lines) == 1 and said.count("LEAK") == 1, said
    what, profile = lines[0]
    expect_equal(Path(f"told.{pid}").read_text(), f"{what}|{profile}\n")
    top = subprocess.run(["heapflame", "top", "-n", "1", profile], check=True, capture_output=True, text=True).stdout
    assert "open_session" in top, top


def said_by(process):
    said = process.communicate(timeout=200)[1].decode()
    expect_equal(process.returncode, 0)
    return said


class Screen:
    """heapflame with its output on a terminal; standard error is a file."""

    def __init__(self, *arguments):
        self.master, terminal = pty.openpty()
        self.shown = b""
        with open("screen.err", "wb") as said:
            self.child = subprocess.Popen(["heapflame", *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=said)
        os.close(terminal)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while part := os.read(self.master, 65536):
                self.shown += part
        except OSError:  # nobody has the terminal open any more
            pass

    def end(self):
        self.child.wait()
        self.reader.join()
        os.close(self.master)


def test_alarms():
    """Of profiles that run writes every second two are kept, and that of the leak. All at once, for they take their time."""
    build()
    lasting = start("./server", 120, 6, LD_PRELOAD=str(Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"),
                    HEAPFLAME_CONF="prof:true,lg_prof_sample:14")
    wait_for(lambda: subprocess.run(["heapflame", "top", "-q", str(lasting.pid)], capture_output=True, check=False).returncode == 0)
    screen = Screen("top", "--live", str(lasting.pid), "--alarm", "--learn", "8s", "--false-alarm-every", "300d")
    run = start("heapflame", "run", "--period", "16KiB", *ALARM, "--every", "1s", "--keep", "2", "--", "./server", 22, 6)
    agent = Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"
    server = start("./server", 22, 6, LD_PRELOAD=str(agent), HEAPFLAME_CONF="prof:true,lg_prof_sample:14")
    wait_for(lambda: list(Path.cwd().glob(f"**/{server.pid}-*.live")))
    watch = start("heapflame", "watch", *ALARM, "-o", "watched.%n.hfb", server.pid)
    full = start("heapflame", "run", "--period", "16KiB", *ALARM, "-o", "full.%n.hfb", "--", "./server", 18, 1000)
    said = said_by(run)
    check_told(said, re.search(r"server\.(\d+)\.", said).group(1))
    check_told(said_by(watch), server.pid)
    server.communicate()
    said = said_by(full)
    assert "LEAK" not in said and len(list(Path.cwd().glob("told.*"))) == 2, said
    wait_for(lambda: screen.shown.count(b"LEAK") >= 2 or screen.child.poll() is not None)
    lasting.kill()
    lasting.communicate()
    screen.end()
    said = Path("screen.err").read_text()
    lines = re.findall(r"^heapflame: (LEAK(?: since \d\d:\d\d)?: open_session keeps \S+ MiB/min \(.*?\), \d+ % of all growth.*)$", said, re.M)
    assert len(lines) == 1 and said.count("LEAK") == 1, said
    assert screen.shown.count(lines[0][:40].encode()) >= 2, "it stays above the table"


SCRIPT = """import time
kept = []
class Registry:
    def record(self):
        kept.append(bytearray(20000))
registry = Registry()
for _ in range(100):
    for _ in range(20):
        registry.record()
    time.sleep(0.2)
"""


def test_names_the_owner():
    """As trend and top do of the profile: the user's function, not the interpreter's that allocates."""
    Path("leak.py").write_text(SCRIPT)
    run = start("heapflame", "run", *ALARM, "--", "/usr/bin/python3", "leak.py")
    said = said_by(run)
    assert re.search(r"LEAK.*: Registry\.record via \w+ keeps ", said), said


def test_what_does_not_go_together():
    for options, why in [
        (["--learn", "1d"], "--learn and --false-alarm-every need --alarm or --on-leak"),
        (["--alarm", "--engine", "jemalloc"], "--alarm needs the agent, which knows when blocks were allocated"),
    ]:
        done = subprocess.run(["heapflame", "run", *options, "--", "true"], capture_output=True, text=True)
        expect_equal(done.returncode, 125)
        assert why in done.stderr, done.stderr


run_leaker_tests(globals())
