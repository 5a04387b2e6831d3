#!/usr/bin/env python3
# timeout: 300
"""At least 85 % of the anonymous memory of small programs is attributed to code, and all parts add up to what the kernel says;
bench/soak.d/coverage.py looks at larger ones, and at servers."""

import shutil
import sys

import _agent  # skips where there is no agent
from _coverage import MIB, PROGRAMS
from _suite import run_tests

SMALL = ["mmap", "php", "python3", "node"]


def check(name, account):
    text = "\n".join([f"{name}: {account.anonymous / MIB:.1f} of {account.resident / MIB:.1f} MiB anonymous", *account.lines()])
    assert account.anonymous > 50 * MIB, text
    assert 0.85 <= account.share() <= 1.01, text
    assert abs(account.error()) <= 0.01 and abs(account.sum - account.told_resident) <= account.told_resident / 100, text
    assert not any("anon" in cause for cause in account.causes), text


def test_small_programs():
    seen = [name for name in SMALL if shutil.which(PROGRAMS[name][0])]
    assert len(seen) >= 2, seen
    for name in seen:
        check(name, PROGRAMS[name][1]())


def test_the_judge_sees_what_is_missing():
    """Of the same program without what it mapped, the share would fail."""
    account = PROGRAMS["mmap"][1]()
    account.code.pop("main")
    assert account.share() < 0.85, account.lines()


if __name__ == "__main__":
    assert _agent.AGENT.exists()
    sys.exit(run_tests(globals()))
