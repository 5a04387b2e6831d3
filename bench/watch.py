#!/usr/bin/env python3
"""What `watch --alarm` costs: a program of a thousand stacks, a tenth of which leak, is looked at twice a second (--learn 10s) until
its history is as long as it becomes. Without the alarm, watch does all the rest for as long: the difference, by looks, is what a
look costs. By default there is one a minute, so the share of a core is that by 60 s. CPU is user + system with all children.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

from _measure import expect

BUILD = os.environ["BUILD"]
SECONDS, LEARN, LOOKS_A_SECOND = 60, "10s", 2
STACKS = 1000
GOAL = 0.01
PROGRAM = f"""
import time
held = [None] * {STACKS}
leaked = []
def go(way, depth):
    return bytes(4000) if depth == 0 else turns[way % 10](way // 10, depth - 1)
turns = []
for number in range(10):
    exec(f"def turn{{number}}(way, depth): return go(way, depth)\\nturns.append(turn{{number}})")
for way in range({STACKS}):
    held[way] = [go(way, 3) for _ in range(4)]
print("ready", flush=True)
while True:
    for way in range(0, {STACKS}, 10):
        leaked.append(go(way, 3))
    time.sleep(0.5)
"""


def begin_program(folder):
    environment = {"LD_PRELOAD": f"{BUILD}/agent/libheapflame.so", "HEAPFLAME_CONF": f"prof:true,dir:{folder},lg_prof_sample:12"}
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, stdout=subprocess.PIPE)
    program.stdout.readline()
    return program


def watch_for(folder, options):
    """(CPU seconds, peak MiB) of a watch of SECONDS, with its end."""
    program = begin_program(folder)
    command = [f"{BUILD}/heapflame", "watch", "-q", *options, "-o", f"{folder}/%n.hfb", str(program.pid)]
    watch = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(SECONDS)
    watch.send_signal(signal.SIGTERM)
    _, _, usage = os.wait4(watch.pid, 0)
    program.kill()
    program.wait()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        without, peak_without = watch_for(folder, ["--every", "1h"])
        with_alarm, peak = watch_for(folder, ["--every", "1h", "--alarm", "--learn", LEARN])
    looks = SECONDS * LOOKS_A_SECOND
    each = (with_alarm - without) / looks
    print(f"{STACKS} stacks, {looks} looks in {SECONDS} s: {with_alarm:.2f} s of CPU, without the alarm {without:.2f} s")
    print(f"a look costs {each * 1000:.1f} ms; peak {peak:.0f} MiB, without the alarm {peak_without:.0f} MiB")
    share = (each + without / SECONDS * 60) / 60
    met = expect(share <= GOAL, f"watch takes {share:.2%} of a core at a look a minute; the goal is {GOAL:.0%}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
