#!/usr/bin/env python3
"""The scenes that are hard on the agent, in great numbers, and for a minute on each allocator: every time the table has
what the program says it kept, lost what is counted as lost, and nobody waits for ten seconds. The short form of this are
tests/e2e/agent_scenes.py and agent_surroundings.py; docs/compat/agent.md says what each is for."""

import os
import sys
import tempfile
import time
from pathlib import Path

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
    ("stops in the agent", "stopped", 500, {"is_interruption": True}),
]


def run_numbers(e2e):
    for what, scene, amount, more in IN_NUMBERS:
        more = dict(more)
        program = e2e.INTERRUPTIONS if more.pop("is_interruption", False) else e2e.SCENES
        start = time.monotonic()
        lost = e2e.play_on(None, program, scene, amount, timeout=1200, **more)
        print(f"{amount:9,} {what:30} {time.monotonic() - start:6.0f} s, {lost} lost", flush=True)


def run_storms(e2e):
    for name, library in {"glibc": None, **e2e.ALLOCATORS}.items():
        start, rounds = time.monotonic(), 0
        while time.monotonic() - start < STORM_S:
            for program, scene in e2e.scenes_on(name):
                e2e.play_on(library, program, scene, timeout=QUIET_S)
            rounds += 1
        print(f"{rounds:9,} rounds of {len(e2e.scenes_on(name))} scenes on {name}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        import agent_surroundings as e2e  # compiles its programs where it stands

        Path("nothing.c").write_text("int main(void) { return 0; }\n")
        e2e.run("gcc", "-static", "-o", "nothing", "nothing.c")
        run_numbers(e2e)
        run_storms(e2e)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
