"""What the first screen of a page answers, in Chromium at 1400 x 900 pixels (tests/browser/first_screen.mjs): whether the guilty
function of a program of tests/owners can be read there, and how many levels the graph shows below its trunk, which is the last
frame with 99 % of all. The short form is in first_screen.py, the long one in bench/soak.d/first_screen.py."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import SOURCE

SCRIPT = SOURCE / "tests/browser/first_screen.mjs"
LEVELS = 5


class Screen:
    """The page of one program: of its recording as `run` keeps it, without options."""

    def __init__(self, label, bundle):
        self.label = label
        self.page = Path(bundle).absolute().with_suffix(".html")
        drawn = subprocess.run(["heapflame", "flame", "-q", "-o", self.page, bundle], capture_output=True, text=True, check=False)
        assert drawn.returncode in (0, 4), drawn.stderr  # 4: part of the recording is lost, as its page says, too
        self.names, self.texts = [], []
        self.shown = self.existing = 0

    @property
    def question(self):
        return "|".join(pattern.pattern for pattern in self.label.guilty)

    def see(self, found):
        self.names, self.texts = found["names"], found["texts"]
        self.shown, self.existing = found["shown"], found["existing"]

    @property
    def is_known(self):
        """The profile has the guilty function at all: of most interpreters it has the C functions alone."""
        return bool(self.names)

    @property
    def is_named(self):
        """As a whole name: the end of another one is none."""
        return any(re.search(rf"(?<![\w:]){re.escape(name)}(?!\w)", text) for name in self.names for text in self.texts)

    @property
    def is_deep(self):
        return self.shown >= min(LEVELS, self.existing)


def look_at_pages(screens):
    """Opens all of them; ends the test if there is no browser."""
    asked = [f"{screen.page}\t{screen.question}" for screen in screens]
    done = subprocess.run(["node", SCRIPT, *asked], capture_output=True, text=True, check=False, env={**os.environ, "HEAPFLAME_SRC": str(SOURCE)})
    if done.returncode == 77:
        print(done.stdout, end="")
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    found = done.stdout.splitlines()
    assert len(found) == len(screens), (len(found), len(screens))
    for screen, line in zip(screens, found):
        screen.see(json.loads(line))
