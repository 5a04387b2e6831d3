#!/usr/bin/env python3
"""A thousand snapshots (heapflame heap) of six programs at work: each lives and goes on, no child, no signal and no code of ours
stays. A snapshot that is refused because a thread gets no processor for a second is counted, and taken again. Then the tool, its guardian and both are killed 500 times each at random instants. tests/unit/test_snapshot.c is
the short form of it.

usage: script/soak snapshots [--count N] [--kills N]"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measure import expect

BUILD = Path(os.environ["BUILD"])
CLEAN_MS = 1000
SETTLED_S, SETTLE_MOST_S = 1, 60  # so long the code stays the same when a program has begun; so long that may take

STORM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void heard(int signal) { (void)signal; _exit(3); }
static void *storm(void *seed) {
    void *blocks[1024] = {0};
    for (unsigned long i = (unsigned long)seed;; i += 7) {
        free(blocks[i % 1024]);
        blocks[i % 1024] = malloc(16 + i * 97 % 5000);
        if (i % 4096 == 0) usleep(100);
    }
}
static void *nap(void *unused) { for (;;) usleep(20000); return unused; }
int main(int argc, char **argv) {
    pthread_t thread;
    signal(SIGCHLD, heard);
    for (int i = 0; i < atoi(argv[1]); i++) pthread_create(&thread, NULL, storm, (void *)(long)i);
    for (int i = 0; i < atoi(argv[2]); i++) pthread_create(&thread, NULL, nap, NULL);
    for (;;) pause();
}
"""
PYTHON = "import time\nd = {}\ni = 0\nwhile True:\n  i += 1\n  d[i % 5000] = 'x' * (i % 700)\n  i % 2000 or time.sleep(.001)"
PERL = "my %d; for (my $i = 0;; $i++) { $d{$i % 5000} = 'x' x ($i % 700); select(undef, undef, undef, .001) unless $i % 2000 }"
NODE = "const d = new Map(); let i = 0; setInterval(() => { for (let k = 0; k < 2000; k++) d.set(i++ % 5000, Buffer.alloc(i % 700)) }, 1)"
SHELL = "n=0; while :; do n=$((n + 1)); x[n % 100]=$(echo $n); ls / >/dev/null || exit 1; done"


def programs():
    Path("storm.c").write_text(STORM)
    subprocess.run(["gcc", "-O1", "-pthread", "-o", "storm", "storm.c"], check=True)
    return {
        "malloc storm": ["./storm", "3", "0"],
        "200 threads": ["./storm", "1", "200"],
        "python3": ["python3", "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "node": ["node", "-e", NODE],
        "bash": ["bash", "-c", SHELL],
    }


def processor_time(pid):
    """Ticks of the process and of the children it waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def code_of(pid):
    """The mappings that can be executed: whatever of ours stays would be among them."""
    return [line for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if " r-x" in line or " rwx" in line]


def settled_code(pid):
    """Its code when it has begun: an interpreter under load loads libraries for seconds."""
    code, since, until = None, 0, time.monotonic() + SETTLE_MOST_S
    while time.monotonic() < until:
        now = code_of(pid)
        if now != code:
            code, since = now, time.monotonic()
        elif code and time.monotonic() - since > SETTLED_S:
            return code
        time.sleep(0.05)
    raise AssertionError(f"the code of process {pid} changes for {SETTLE_MOST_S} s")


def ended_children(pid):
    """The children that have ended and are not waited for; a shell has one for moments."""
    ids = re.findall(r"\d+", Path(f"/proc/{pid}/task/{pid}/children").read_text())
    ended = set()
    for child in ids:
        try:
            if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                ended.add(child)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return ended


BUSY = "it got no processor for a second"


def snapshot(pid):
    return subprocess.run([BUILD / "heapflame", "heap", str(pid)], capture_output=True, text=True, check=False)


def look(name, command, count):
    """Takes so many snapshots of one program, and checks it after each."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    stops, refused = [], 0
    try:
        has_code_of_its_own = name == "node"  # a compiler's code comes and goes
        time.sleep(1)
        code = [] if has_code_of_its_own else settled_code(process.pid)
        for i in range(count):
            done = snapshot(process.pid)
            while done.returncode == 5 and BUSY in done.stderr:
                refused += 1
                assert refused <= count, f"{name}: refused {refused} times"
                done = snapshot(process.pid)
            assert done.returncode in (0, 4), f"{name}, snapshot {i}: exit {done.returncode}: {done.stderr}"
            stop = re.search(r"stood still for ([\d.]+) (ms|us|s)", done.stdout + done.stderr)
            stops += [float(stop[1]) * {"us": 0.001, "ms": 1, "s": 1000}[stop[2]]] if stop else []
            assert process.poll() is None, f"{name}: ended after snapshot {i} ({process.returncode})"
            changed = [] if has_code_of_its_own else sorted(set(code_of(process.pid)) ^ set(code))
            assert not changed, f"{name}: its code is another after snapshot {i}: {changed}"
            before, until = processor_time(process.pid), time.monotonic() + 60
            while processor_time(process.pid) == before and time.monotonic() < until:
                time.sleep(0.01)
            assert processor_time(process.pid) > before, f"{name}: stands still after snapshot {i}"
            left = ended_children(process.pid)
            while left and time.monotonic() < until:
                time.sleep(0.01)
                left &= ended_children(process.pid)
            assert not left, f"{name}: children {left} stay after snapshot {i}"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    stopped = f"stopped for {statistics.median(stops):.1f} ms, at most {max(stops):.1f}" if stops else "no stop was told"
    print(f"{name:14} {count} snapshots; {stopped}" + (f"; refused {refused} times" if refused else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        commands = programs()
        for name, command in commands.items():
            look(name, command, -(-args.count // len(commands)))
        os.chdir("/")
    environment = {**os.environ, "SNAPSHOTS": str(args.count), "KILLS": str(args.kills), "CMOCKA_MESSAGE_OUTPUT": "STANDARD"}
    done = subprocess.run([BUILD / "tests/test_snapshot"], env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    print(said, end="")
    took = re.search(r"tool killed \d+ times: cleaned up after at most (\d+) ms", said)
    met = expect(took is not None and int(took[1]) <= CLEAN_MS, f"the guardian cleans up within {CLEAN_MS} ms")
    return 0 if met and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
