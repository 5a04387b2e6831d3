#!/usr/bin/env python3
"""The scenes that are hard on the agent, in great numbers, and for a minute on each allocator: every time the table has
what the program says it kept, lost what is counted as lost, and nobody waits for ten seconds. The short form of this are
tests/e2e/agent_scenes.py; docs/compat/agent.md says what each is for."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _agent import ALLOCATORS, on_allocator

STORM_S = 60
QUIET_S = 10  # no scene of the storms takes half of that when nobody waits for anybody
IN_NUMBERS = [  # what, scene, amount, more
    ("forks of 16 threads", "fork", 100_000, {}),
    ("forks with handlers", "atfork", 10_000, {"variables": {"ATFORK": "1"}}),
    ("raw clones of 16 threads", "clones", 100_000, {}),
    ("vforks", "vfork", 100_000, {}),
    ("posix_spawns of 16 threads", "spawn", 100_000, {"variables": {"SPAWN": "./nothing"}}),
    ("short threads", "storm", 100_000, {}),
    ("threads at a time", "crowd", 10_000, {}),
    ("distinct stacks", "stacks", 1_000_000, {"budget": "2GiB"}),
    ("signals, and dumps meanwhile", "storm", 1_000_000, {"is_interruption": True}),
    ("jumps out of the agent", "left", 10_000, {"is_interruption": True, "budget": "1GiB"}),
    ("threads that end in the agent", "ended", 2_000, {"is_interruption": True}),
    ("threads that leave their first event", "first", 2_000, {"is_interruption": True}),
    ("stops in the agent", "stopped", 500, {"is_interruption": True}),
]


def run_numbers(e2e):
    for what, scene, amount, more in IN_NUMBERS:
        more = dict(more)
        program = e2e.INTERRUPTIONS if more.pop("is_interruption", False) else e2e.SCENES
        start = time.monotonic()
        lost = e2e.play_in_storm(program, scene, amount, timeout=1200, **more)
        print(f"{amount:9,} {what:36} {time.monotonic() - start:6.0f} s, {lost} lost", flush=True)


def run_storms(e2e):
    for name in ("glibc", *ALLOCATORS):
        start, rounds, scenes = time.monotonic(), 0, e2e.scenes_of_storms(name)
        while time.monotonic() - start < STORM_S:
            with on_allocator(name):
                for program, scene in scenes:
                    e2e.play_in_storm(program, scene, timeout=QUIET_S)
            rounds += 1
        print(f"{rounds:9,} rounds of {len(scenes)} scenes on {name}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        import agent_scenes as e2e  # compiles its programs where it stands

        Path("nothing.c").write_text("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-static", "-o", "nothing", "nothing.c"], check=True)
        run_numbers(e2e)
        run_storms(e2e)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
