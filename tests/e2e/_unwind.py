"""Runs programs with tests/agent/check_unwind.c preloaded, which compares each of their stacks with libgcc's; and
tests/agent/unwind_cost.c, under callgrind, too."""

import os
import re
import struct
import subprocess
import tempfile
from pathlib import Path

from _heap import skip

BUILT = Path(os.environ["BUILD"]).resolve() / "tests"
CHECK = BUILT / "libcheck-unwind.so"
NUMBERS = "stacks same longer different replays elsewhere frames text_bytes".split()
TEXT_BYTES = 4096
TIMEOUT_S = 600


class Checked:
    """A command that ran, and what was counted in it and in all processes that it started."""

    def __init__(self, *command, status=0, **more):
        if not CHECK.exists():
            skip("the unwinder's check is not built: it needs x86-64 and glibc 2.35")
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(8 * len(NUMBERS) + TEXT_BYTES)
            done = subprocess.run(
                [str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S,
                env={**os.environ, "LD_PRELOAD": str(CHECK), "CHECK_UNWIND": file.name}, **more,
            )
            data = Path(file.name).read_bytes()
        assert status in (done.returncode, None), (command, done.returncode, done.stderr)
        for number, name in enumerate(NUMBERS):
            setattr(self, name, struct.unpack_from("<Q", data, 8 * number)[0])
        self.text = data[8 * len(NUMBERS):].rstrip(b"\0").decode(errors="replace")
        assert self.same + self.longer + self.different == self.stacks, self.line(command)

    def line(self, name):
        return (
            f"{name}: {self.stacks} stacks of {self.frames / max(self.stacks, 1):.1f} frames, {self.same} as libgcc's, "
            f"{self.longer} longer, {self.different} different, {self.replays} wrong by replay, "
            f"{self.elsewhere} on other stacks not compared\n{self.text}"
        ).rstrip()

    def check(self, name, stacks_min=1, may_be_longer=False):
        """No stack differs from libgcc's. Longer ones go on through code without call frame information."""
        print(self.line(name))
        assert self.different == 0 and self.replays == 0, self.line(name)
        assert self.stacks >= stacks_min, self.line(name)
        assert may_be_longer or self.longer == 0, self.line(name)


def cost_command(method, depth, changed, rounds, batches, with_pointers=False):
    program = BUILT / ("unwind-cost-pointers" if with_pointers or method == "pointers" else "unwind-cost")
    return [str(word) for word in (program, method, depth, changed, rounds, batches)]


def count_instructions(method, depth, changed, rounds=400, with_pointers=False):
    """Of one stack: the difference of two runs, which have everything else in common."""
    totals = []
    for count in rounds, 2 * rounds:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command = [*valgrind, *cost_command(method, depth, changed, count, 1, with_pointers)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
        totals.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
    return (totals[1] - totals[0]) / rounds
