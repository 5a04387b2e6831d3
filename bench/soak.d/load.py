#!/usr/bin/env python3
"""The test suite on a machine that has other things to do: 20 processes want a processor all the time. No test may fail
of that; how long the whole takes is another matter (about an hour on two cores).

HEAPFLAME_LOAD says how many they are, HEAPFLAME_LOAD_FILTER which tests (both for trying this out)."""

import os
import subprocess
import sys
import threading
from pathlib import Path

SOURCE, BUILD = os.environ["HEAPFLAME_SRC"], os.environ["BUILD"]
BUSY = int(os.environ.get("HEAPFLAME_LOAD", "20"))
FILTER = os.environ.get("HEAPFLAME_LOAD_FILTER", "")

# It ends by itself when this program is gone, however that came.
SPIN = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


def measure(looks, is_over):
    """Load averages of a minute, one each minute, from the second on."""
    while not is_over.wait(60):
        looks.append(float(Path("/proc/loadavg").read_text().split()[0]))


def main():
    looks, is_over = [], threading.Event()
    busy = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(BUSY)]
    meter = threading.Thread(target=measure, args=(looks, is_over))
    meter.start()
    try:
        suite = subprocess.run(
            [f"{SOURCE}/tests/run", "--build", BUILD, "--filter", FILTER, "--progress", "600"], check=False)
    finally:
        is_over.set()
        meter.join()
        ended = [process for process in busy if process.poll() is not None]
        for process in busy:
            process.kill()
            process.wait()
    later = looks[1:] or looks
    if later:
        print(f"load of a minute beside {BUSY} busy processes: {min(later):.1f} to {max(later):.1f}, {len(looks)} looks")
    if ended:
        print(f"{len(ended)} of the busy processes ended before the suite")
    return 1 if suite.returncode != 0 or ended else 0


if __name__ == "__main__":
    sys.exit(main())
