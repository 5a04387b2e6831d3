"""heapflame with standard error on a terminal, as people have it."""

import os
import pty
import select
import subprocess

REALLY_LONG_S = 600


class Terminal:
    """heapflame with standard error on a terminal; `text` is what it wrote there so far."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL):
        self.master, terminal = pty.openpty()
        self.child = subprocess.Popen(
            ["heapflame", *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=terminal
        )
        os.close(terminal)
        self.text = b""

    def listen(self, seconds):
        """Takes what was written; False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            self.text += os.read(self.master, 65536)
        except OSError:  # nobody has the terminal open any more
            return False
        return True

    def end(self):
        out = self.child.stdout.read()
        while self.listen(REALLY_LONG_S):
            pass
        os.close(self.master)
        return self.child.wait(REALLY_LONG_S), out


def screen_of(text):
    """What a terminal shows in the end: carriage returns go back, characters overwrite."""
    lines = []
    for line in text.replace(b"\r\n", b"\n").split(b"\n"):
        shown = b""
        for part in line.split(b"\r"):
            shown = part + shown[len(part):]
        lines.append(shown.rstrip(b" "))
    return b"\n".join(lines)
