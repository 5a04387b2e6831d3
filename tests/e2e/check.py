#!/usr/bin/env python3
"""`heapflame check`: exit status 1 says that a budget was exceeded, and nothing else does; its reports."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from _heap import HEAPFLAME, failing
from _set4 import simulate
from _suite import run_tests
from _verdicts import folded_series, trend

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


def late(minutes, step):
    """20 MiB for three quarters of the time, then `step` more at each of the last profiles."""
    return [{"main;serve;late": (20 << 20) + max(0, minute - 45) * step} for minute in range(minutes)]


def test_growth_is_what_grew():
    """By value, from the first profile to the last: a slope of nothing over most of the time excuses no growth."""
    status, text = check(folded_series(late(60, 14 << 20)), "--max-growth", "20%")
    assert status == 1 and "FAIL  growth" in text, text
    assert "all memory: +980.0 %, from 20,971,520 to 226,492,416, limit 20.0 %" in text, text
    step = folded_series([{"main;f": (100 if minute < 30 else 700) << 20} for minute in range(60)])
    assert check(step, "--max-growth", "601%")[0] == 0
    status, text = check(step, "--max-growth", "599%")
    assert status == 1 and "+600.0 %" in text, text
    noisy = [{"main;f": (100 << 20) + minute * (47 << 20) // 59 + minute * 7 % 5 * 100_000} for minute in range(60)]
    assert check(folded_series(noisy), "--max-growth", "20%")[0] == 1
    shrinks = folded_series([{"main;f": (100 - minute) << 20} for minute in range(60)])
    assert check(shrinks, "--max-growth", "0%")[0] == 0


def test_growth_from_nothing():
    grown = folded_series([{"main;f": max(0, minute - 40) * 100_000, "main;g": 0} for minute in range(60)])
    status, text = check(grown, "--max-growth", "1000%")
    assert status == 1 and "from nothing to 1,900,000" in text, text
    nothing = folded_series([{"main;f": 0} for _ in range(60)])
    assert check(nothing, "--max-growth", "0%")[0] == 0


def test_teeth_are_no_growth():
    """What goes up and down is what it is on average: not where its first and its last profile happen to be."""
    teeth = folded_series([{"main;f": (10 << 20) + minute % 12 * (10 << 20)} for minute in range(60)])
    assert check(teeth, "--max-growth", "20%")[0] == 0 and check(teeth, "--budget", "1MiB/min")[0] == 0


def test_limit():
    """280,000 at the end and 6,000 more each minute: 400,000 are reached in 20 minutes."""
    leak = folded_series(LEAK)
    status, text = check(leak, "--limit", "400000/21m")
    assert status == 1 and "FAIL  limit     all memory: the limit of 390.6 KiB would be reached in 20 min (20 min to 20 min), required: 21 min or more\n" == text, text
    assert check(leak, "--limit", "400000/19m")[0] == 0
    status, text = check(leak, "--limit", "280000/1s")
    assert status == 1 and "is exceeded" in text, text
    document = json.loads(check(leak, "--limit", "400000/1h", "--json")[1])["checks"][0]
    assert (document["name"], document["unit"], document["limit"], round(document["value"])) == ("limit", "seconds", 3600, 1200), document
    for wrong in "4GiB", "4GiB/", "0/1h", "much/1h", "4GiB/soon":
        assert "--limit: expected bytes and a time, e.g. '4GiB/24h'" in failing(2, "check", "--limit", wrong, leak)
    cache = folded_series([*CACHE, *CACHE[-1:] * 30])  # in the same folder
    status, text = check(cache, "--limit", "200000/365d")
    assert status == 0 and "is not getting closer" in text, text


def test_growth_that_sampling_could_do():
    """12 profiles of 50 samples each, one in the last more: +20 % that noise explains; and ten times that, which it does not."""
    os.makedirs("sampled", exist_ok=True)
    for last, expected in ((60, False), (500, True)):
        for minute in range(12):
            samples = last if minute == 11 else 50
            text = f"heap_v2/524288\n  t*: {samples}: {samples * 64} [0: 0]\n@ 0x1000 0x2000\n  t*: {samples}: {samples * 64} [0: 0]\n"
            path = Path("sampled", f"{minute:02}.heap")
            path.write_text(text)
            os.utime(path, (1_700_000_000 + minute * 60,) * 2)
        status, text = check("sampled", "--max-growth", "5%")
        assert (status == 1) == expected and " % (" in text, (last, text)


def test_budget_of_what_grew_late():
    status, text = check(folded_series(late(60, 14 << 20)), "--budget", "1MiB/min")
    assert status == 1 and "FAIL  budget    all memory: +3,483," in text, text


def test_fractions():
    leak = folded_series(LEAK)  # 6,000 bytes a minute, 5.86 KiB
    assert check(leak, "--budget", "5.8KiB/min")[0] == 1 and check(leak, "--budget", "5.9KiB/min")[0] == 0
    assert check(leak, "--budget", "0.5MiB/min")[0] == 0
    assert "--budget" in failing(2, "check", "--budget", "1.2.3MiB/min", leak)


def test_undecided_growth_is_said():
    """The default fails on leaks; what cannot be told from one yet is not passed over in silence."""
    root = folded_series([{"main;f": int(1e8 * (minute / 60) ** 0.5)} for minute in range(1, 61)], "root")
    assert trend(root)["places"][0]["verdict"] == "undecided"
    status, text = check(root)
    assert status == 0 and "?     undecided" in text and "it is too early to tell whether it is a leak" in text, text
    assert "?     undecided" not in check(folded_series(CACHE, "cache"))[1]


def test_verdicts():
    leak, cache = folded_series(LEAK, "leak"), folded_series(CACHE, "cache")
    assert check(leak)[0] == 1 and check(cache)[0] == 0, "the default is to fail on leaks"
    assert check(leak, "--fail-on", "leak")[0] == 1
    assert check(leak, "--fail-on", "undecided", "--fail-on", "filling-cache")[0] == 0
    assert check(cache, "--fail-on", "full-cache")[0] == 1


def simulated(program, period, name="series"):
    """Profiles of a labelled program (tests/leakers), sampled or (period 1) recorded exactly, with births."""
    simulate(program, 1, name, period)
    return name


def lines_of(text, name):
    """The lines of one check, by their outcome: [(outcome, message)]"""
    return re.findall(rf"^(ok|FAIL|\?) +{name} +(.*)$", text, re.M)


def test_exact_data_are_compared_exactly():
    """60 minutes, 2,000 KiB in each: a budget of a byte less fails, one of a byte more passes, and no interval is printed. Of samples, the
    whole interval must lie above it."""
    exact, sampled = simulated("slow_leak", 1, "exact"), simulated("slow_leak", 512 << 10, "sampled")
    text = check(exact, "--budget", "1/min", "--json")[1]
    rate = json.loads(text)["checks"][0]
    assert rate["compared"] == "exactly" and rate["interval_95"] is None, rate
    below, above = f"{rate['value'] - 0.001:.6f}/s", f"{rate['value'] + 0.001:.6f}/s"
    assert check(exact, "--budget", below)[0] == 1 and check(exact, "--budget", above)[0] == 0
    assert lines_of(check(exact, "--budget", "1MiB/min")[1], "budget") == [
        ("FAIL", "all memory: +2.0 MiB/min (exact), limit +1.0 MiB/min"), ("FAIL", "session_new: +2.0 MiB/min (exact), limit +1.0 MiB/min")]  # fmt: skip
    text = check(sampled, "--budget", "1/min", "--json")[1]
    rate = json.loads(text)["checks"][0]
    assert rate["compared"] == "by interval" and rate["interval_95"][0] < rate["value"] < rate["interval_95"][1], rate
    assert check(sampled, "--budget", f"{(rate['interval_95'][0] + rate['value']) / 2:.3f}/s")[0] == 0, "sampling could explain it"
    for gate, expected in (("--max-growth", "20%"), ("--limit", "1GiB/24h"), ("--survivors", "5%"), ("--survivors", "64KiB/min")):
        status, text = check(exact, gate, expected)
        assert status == 1 and "(exact)" in text and not re.search(r"\(\S+ \S+ to ", text), text
        status, text = check(sampled, gate, expected)
        assert status == 1 and "(exact)" not in text and re.search(r"\(\S+ \S+ to ", text), text


def test_survivors():
    """A leak keeps nearly all that its function allocates, and a tenth of what the program does; a full LRU, and what is loaded once, nothing."""
    leak = simulated("slow_leak", 1, "leak")
    assert check(leak, "--survivors", "99%")[0] == 1 and check(leak, "--survivors", "100%")[0] == 0
    status, text = check(leak, "--survivors", "50%")
    assert status == 1, text
    whole, place = lines_of(text, "survivors")
    assert whole[0] == "ok" and whole[1].startswith("all memory: keeps 9.4 % (exact) of what it allocated in "), whole
    assert place == ("FAIL", "session_new: keeps 99.9 % (exact) of what it allocated in 29 min and had 29 min to free, limit 50.0 %"), place
    assert check(leak, "--survivors", "1.9MiB/min")[0] == 1 and check(leak, "--survivors", "2MiB/min")[0] == 0
    document = json.loads(check(leak, "--survivors", "50%", "--json")[1])["checks"]
    assert [(one["name"], one["unit"], one["limit"]) for one in document] == [("survivors", "part", 0.5)] * 2, document
    for full in "lru_full_20", "startup":
        for period in 1, 512 << 10:
            status, text = check(simulated(full, period), "--survivors", "1%")
            assert status == 0, (full, text)


def test_survivors_need_births():
    status, text = check(folded_series(LEAK), "--survivors", "1%")
    assert status == 0 and "?     survivors  not known: that takes 16 or more profiles with births" in text, text
    for wrong in "5", "101%", "much%", "1KiB", "1KiB/1000":
        assert "--survivors: " in failing(2, "check", "--survivors", wrong, "profiles")


def test_onset():
    """Begins at 30 minutes of 60; the first profile is that of minute 1."""
    late = simulated("late_50", 512 << 10)
    for limit, outcome in (("0", "FAIL"), ("20m", "FAIL"), ("45m", "ok")):
        status, text = check(late, "--onset-after", limit)
        assert status == (outcome == "FAIL") and [line[0] for line in lines_of(text, "onset")] == [outcome], (limit, text)
    document = json.loads(check(late, "--onset-after", "0", "--json")[1])["checks"][0]
    low, high = document["interval_95"]
    assert low <= 29 * 60 <= high and document["unit"] == "seconds" and document["place"]["name"] == "node_new", document
    status, text = check(late, "--onset-after", f"{(low + high) / 2:.0f}s")
    assert status == 0 and text.startswith("?     onset     node_new: began "), text
    status, text = check(simulated("late_50", 1), "--onset-after", "20m")
    assert status == 1 and "node_new: began 28 min (exact)" in text or "node_new: began 29 min (exact)" in text, text


def test_onset_of_what_leaked_before():
    status, text = check(simulated("slow_leak", 512 << 10), "--onset-after", "0")
    assert status == 0 and lines_of(text, "onset")[0][0] == "?" and ", or before it, limit 0 s" in text, text
    assert check("series", "--onset-after", "10m")[0] == 0
    status, text = check(simulated("lru_full_20", 512 << 10), "--onset-after", "0")
    assert status == 0 and lines_of(text, "onset") == [("ok", "none")], text
    status, text = check(folded_series(LEAK), "--onset-after", "0")
    assert status == 0 and "?     onset     leak: leaks, but only profiles with births say when it began" in text, text


def test_onset_after_a_mark():
    """A file of the series stands for its time."""
    late = simulated("late_50", 512 << 10)
    files = sorted(Path(late).iterdir())
    assert check(late, "--onset-after", files[10])[0] == 1 and check(late, "--onset-after", files[50])[0] == 0
    assert "--onset-after: expected a file, or a mark" in failing(2, "check", "--onset-after", "nowhere", late)
    assert "--onset-after with --at: expected a time" in failing(2, "check", "--at", "60s", "--onset-after", "warm", late)


def test_per_requests():
    """A load that falls by half, of which 1,000 bytes stay of each request: by requests it is exactly that."""
    leak, total, lines = [], 0, ["time,requests"]
    for minute in range(60):
        total += 600 - 5 * minute
        lines.append(f"{1_700_000_000 + minute * 60},{600 - 5 * minute}")
        leak.append({"main;leak": total * 1000, "main;stay": 1_000_000})
    Path("load.csv").write_text("\n".join(lines) + "\n")
    series = folded_series(leak)
    load = ("--per", "load.csv")
    assert check(series, *load, "--budget", "1001/1")[0] == 0 and check(series, *load, "--budget", "999/1")[0] == 1
    status, text = check(series, *load, "--budget", "500KiB/1000")
    assert status == 1 and re.search(r"^FAIL  budget    leak: \+1,000,000 \(.*\), limit \+512,000 per 1,000 requests$", text, re.M), text
    number = json.loads(check(series, *load, "--budget", "500KiB/1000", "--json")[1])["checks"][0]
    assert number["unit"].endswith("/1000 requests") and abs(number["value"] - 1e6) < 1 and number["limit"] == 512_000, number
    assert "--budget: '1KiB/1000' is a limit by requests, which --per counts" in failing(2, "check", "--budget", "1KiB/1000", series)
    assert "--per-column needs --per" in failing(2, "check", "--per-column", "x", series)


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
