#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
# lane: probes, which the kernel puts in and takes out one after the other
"""Attaching to a process that records itself by the agent: it is said that the two are in each other's way."""

import sys

from _agent import environment
from _attach import Attached, Target, need_root
from _suite import run_tests

need_root()


def said_of(target, *options):
    attached = Attached(target.pid, "-d", "1s", *options)
    attached.end()
    return attached.said


def test_a_process_that_records_itself():
    with Target("idle", **environment("")) as target:
        line = (f"heapflame: process {target.pid} records itself (heapflame run): while attach runs, "
                f"its own record lacks the callers of the watched functions; 'heapflame top {target.pid}' needs no probes\n")
        assert line in said_of(target)
        assert "records itself" not in said_of(target, "--what", "fault")  # nothing of the process is probed


def test_one_that_does_not():
    with Target("idle") as target:
        assert "records itself" not in said_of(target)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
