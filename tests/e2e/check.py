#!/usr/bin/env python3
"""`heapflame check`: exit status 1 says that a budget was exceeded, and nothing else does; its reports."""

import json
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from _heap import HEAPFLAME, failing
from _suite import run_tests
from _verdicts import folded_series

LEAK = [{"main;serve;leak": minute * 6000, "main;stay": 100_000} for minute in range(1, 31)]
CACHE = [{"main;serve;cache": min(minute, 12) * 6000, "main;stay": 100_000} for minute in range(1, 31)]


def check(series, *arguments):
    """(exit status, standard output)"""
    done = subprocess.run([HEAPFLAME, "check", "-q", *arguments, series], capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


def test_budget():
    leak = folded_series(LEAK)
    assert check(leak, "--budget", "5999/min")[0] == 1
    assert check(leak, "--budget", "6001/min")[0] == 0
    assert check(leak, "--budget", "101/s")[0] == 0 and check(leak, "--budget", "99/s")[0] == 1
    assert check(leak, "--budget", "350KiB/h")[0] == 1 and check(leak, "--budget", "352KiB/h")[0] == 0
    status, text = check(leak, "--budget", "1KiB/min")
    assert status == 1 and "FAIL  budget    leak: +6,000/min" in text, text


def test_growth():
    leak = folded_series(LEAK)  # the first quarter: 7 points with 24,000 on average, and 100,000
    assert check(leak, "--max-growth", "139%")[0] == 1
    assert check(leak, "--max-growth", "142%")[0] == 0


def test_verdicts():
    leak, cache = folded_series(LEAK, "leak"), folded_series(CACHE, "cache")
    assert check(leak)[0] == 1 and check(cache)[0] == 0, "the default is to fail on leaks"
    assert check(leak, "--fail-on", "leak")[0] == 1
    assert check(leak, "--fail-on", "undecided", "--fail-on", "filling-cache")[0] == 0
    assert check(cache, "--fail-on", "full-cache")[0] == 1


def test_suppressions():
    leak = folded_series(LEAK)
    Path("known.supp").write_text("# known\nleak:nowhere\nleak:^le*k$\n")
    status, text = check(leak, "--suppressions", "known.supp", "--budget", "1KiB/min", "--fail-on", "leak")
    assert status == 0 and "suppressed 1: leak:^le*k$" in text and "nowhere" not in text, text
    Path("bad.supp").write_text("leak:x\nnothing\n")
    assert "bad.supp" in failing(3, "check", "--suppressions", "bad.supp", leak)
    assert "none.supp" in failing(5, "check", "--suppressions", "none.supp", leak)


def test_reports():
    leak = folded_series([{"main;<leak> & \"co\"\x01": minute * 6000} for minute in range(1, 31)])
    status, text = check(leak, "--json", "--junit", "check.xml", "--budget", "1GiB/min", "--fail-on", "leak")
    document = json.loads(text)
    assert status == 1 and document["schema"] == "heapflame.check/1" and document["passed"] is False
    assert [(one["name"], one["passed"]) for one in document["checks"]] == [("budget", True), ("leak", False)]
    suite = xml.parse("check.xml").getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "2", "1")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["budget", "leak"]
    assert cases[0].find("failure") is None and "<leak> & \"co\"" in cases[1].find("failure").get("message")


def test_other_errors_are_other_statuses():
    leak = folded_series(LEAK)
    few = folded_series(LEAK[:5], "few")
    assert "at least 6" in failing(2, "check", few)
    assert "--budget" in failing(2, "check", "--budget", "fast", leak)
    assert "--max-growth" in failing(2, "check", "--max-growth", "much", leak)
    assert "--fail-on" in failing(2, "check", "--fail-on", "leek", leak)
    Path(leak, "999.folded").write_bytes(b"\x00\x01")
    assert "999.folded" in failing(3, "check", leak)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
