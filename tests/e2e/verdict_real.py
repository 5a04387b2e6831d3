#!/usr/bin/env python3
# sanitized: no, verdict.py runs the same code
"""A healthy service and a leaking program by the clock of the machine, under the real agent: a cache of Python that is full soon and
asked for ever new entries is no leak whenever one looks, and a leak that begins after 16 s is named, with when it began. The
others are in bench/soak.d/verdict_real.py. What is sampled is drawn anew each time, so what comes out wrong runs once more."""

# timeout: 240

import sys
from pathlib import Path

from _agent import AGENT  # noqa: F401 (skips where there is none)
from _real import Found, look, record
from _real_healthy import PYTHON, lru_cache
from _real_leaking import LEAKING, leaking
from _heap import skip
from _suite import run_tests

HEALTHY_S = LEAKING_S = 16
SLACK_S = 1  # profiles are that far apart on a busy machine


def wrong_of():
    """What is wrong of the two, as texts."""
    (row,) = [row for row in LEAKING if row[1] == "c_plain.c"]
    service, program = look_at = [lru_cache(300), leaking(row, HEALTHY_S, LEAKING_S)]
    record(look_at, "650ms", HEALTHY_S + LEAKING_S)
    for one in look_at:
        look(one, looks_max=16)
    found = Found(program)
    wrong = [f"called a leak after {when:.0f} s: {names}" for when, names in service.leaks_seen()]
    if not service.full or len(service.path) < 10:
        wrong.append(f"full after {service.full} s, {len(service.files)} profiles")
    if not found.is_named:
        wrong.append(f"leaks in {found.names}")
    elif not found.holds(SLACK_S):
        wrong.append(f"the leak began after {found.onset:.1f} s; said: {found.interval}")
    if found.early:
        wrong.append(f"{found.early} of {len(program.path)} looks find a leak before there is one")
    return wrong


def test_a_service_and_a_leak():
    wrong = wrong_of()
    if wrong:
        for name in ("lru_cache", "c_plain_c"):
            Path(name).rename(f"{name}.first")
        assert not wrong_of(), f"wrong twice; at first: {wrong}"


if __name__ == "__main__":
    if not Path(PYTHON).exists():
        skip("Python of the system is missing")
    sys.exit(run_tests(globals()))
