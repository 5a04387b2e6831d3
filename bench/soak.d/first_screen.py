#!/usr/bin/env python3
"""What the first screen of a page answers (tests/e2e/_first_screen.py): whether the guilty function of the programs of the first
two sets of tests/owners can be read there, and whether the graph of real programs of Debian, of all four sets, shows five levels
below its trunk. Programs are recorded as a new user records them, and their pages opened in Chromium at 1400 x 900 pixels."""

import os
import sys
import tempfile
from pathlib import Path

from _first_screen import LEVELS, Screen, look_at_pages
from _measure import expect
from _owners import SETS, labels, look_at

NAMED = 0.95
REAL = 20
SCREENED = "first", "second", "third", "fourth"
NAMED_SETS = SCREENED[:2]  # of the others, only real programs are looked at


def is_real(row):
    return row.source.suffix == ".sh"


def record(name, work):
    """Screens of the programs of a set that run here."""
    for row in labels(SETS[name]):
        if name not in NAMED_SETS and not is_real(row):
            continue
        place = Path(work, name, row.source.stem)
        place.mkdir(parents=True)
        for path in (place.parent, place):
            path.chmod(0o755)  # servers that do not run as root work there, too
        os.chdir(place)
        look_at(row)
        bundle = place / f"{row.source.stem}.hfb"
        if row.missing or not bundle.exists():
            print(f"{name:7} {row.program:20} not run: {row.missing or row.message}")
            continue
        yield Screen(row, bundle)
    os.chdir("/")


def set_of(screen):
    return next(name for name, folder in SETS.items() if folder == screen.label.source.parent)


def line_of(screen):
    read = "read" if screen.is_named else "NOT READ" if screen.is_known else "not in the profile"
    return f"{set_of(screen):7} {screen.label.program:20} {read:19} {screen.shown:3} of {screen.existing:3} levels"


def judge(screens):
    labelled = [screen for screen in screens if set_of(screen) in NAMED_SETS]
    known = [screen for screen in labelled if screen.is_known]
    named = [screen for screen in labelled if screen.is_named]
    real = [screen for screen in screens if is_real(screen.label)]
    deep = [screen for screen in real if screen.shown >= LEVELS]
    print(f"\n{len(labelled)} labelled programs: the guilty function of {len(named)} is read on the first screen, {len(named) / len(labelled):.1%};")
    print(f"of the {len(known)} whose profile has it (the others are scripts whose frames the agent does not know) {len(named) / len(known):.1%}")
    print(f"{len(real)} real programs: {len(deep)} pages show {LEVELS} levels or more below the trunk, and so many have no more than is shown:", end=" ")
    print(f"{sum(screen.shown < LEVELS and screen.is_deep for screen in real)}\n")
    met = expect(len(named) >= NAMED * len(known), f"{len(named) / len(known):.1%} are read where the profile has the name; the goal is {NAMED:.0%}")
    met &= expect(len(named) >= NAMED * len(labelled), f"{len(named) / len(labelled):.1%} of all are read; the goal is {NAMED:.0%}")
    met &= expect(all(screen.is_deep for screen in real), f"every page shows {LEVELS} levels below its trunk, or all there are")
    return met & expect(len(real) >= REAL, f"{len(real)} real programs; the goal is {REAL}")


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        screens = [screen for name in SCREENED for screen in record(name, work)]
        look_at_pages(screens)
        print("\n".join(map(line_of, screens)))
        return 0 if judge(screens) else 1


if __name__ == "__main__":
    sys.exit(main())
