"""Runs programs with tests/agent/check_unwind.c preloaded, which compares each of their stacks with libgcc's."""

import os
import struct
import subprocess
import tempfile
from pathlib import Path

from _heap import skip

CHECK = Path(os.environ["BUILD"]).resolve() / "tests/libcheck-unwind.so"
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
