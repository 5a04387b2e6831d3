#!/usr/bin/env python3
"""trend --per: what a program keeps of each request is judged by requests, so that its days and nights cancel."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME
from _schemas import held
from _suite import run_tests

MIB = 1 << 20
START = 1_700_000_000
STEP = 300  # seconds between two counts; every sixth has a profile


def load_at(step):
    """Requests of five minutes, on a day that begins at night."""
    return round(600 * (1 + 0.9 * math.sin(2 * math.pi * (step - 60) / 288)))


def write_profile(name, step, stacks):
    Path("d").mkdir(exist_ok=True)
    path = Path("d") / name
    path.write_text("".join(f"{stack} {value}\n" for stack, value in stacks.items()))
    os.utime(path, (START + step * STEP,) * 2)


def day(header="time,requests", counter=False):
    """700 bytes of each request stay; sessions follow the load. Returns the requests after the first profile."""
    total, counts, lines = 0, [], [header] if header else []
    for step in range(288):
        total += load_at(step)
        counts.append(total)
        lines.append(f"{START + step * STEP},{total if counter else load_at(step)}")
        if step % 6 == 0:
            write_profile(f"{step}.folded", step, {"main;leak": 20 * MIB + total * 700, "main;session": load_at(step) * 20000,
                                                    "main;config": 30 * MIB})
    Path("load.csv").write_text("\n".join(lines) + "\n")
    return counts[282] - counts[0]


def trend(*arguments):
    done = subprocess.run([HEAPFLAME, "trend", *arguments, "d"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def verdicts(*arguments):
    document = held(json.loads(trend("--json", *arguments)[1]))
    return {place["name"]: place["verdict"] for place in document["places"]}, document


def test_a_day_cancels():
    requests = day()
    assert verdicts()[0]["leak"] == "undecided", "by time it bends with the load"
    found, document = verdicts("--per", "load.csv")
    assert found == {"leak": "leak", "session": "steady", "config": "steady"}, found
    leak = next(place for place in document["places"] if place["name"] == "leak")
    assert abs(leak["per_1000"] - 700_000) < 100 and leak["per_1000_95"][0] <= leak["per_1000"] <= leak["per_1000_95"][1], leak
    assert document["per"] == {"name": "requests", "count": requests}, document["per"]
    assert document["times"][1] == 1800, "times are those of the clock"
    out = trend("--per", "load.csv")[1]
    assert re.search(r"(?m)^48 profiles over 24 h and 172,\d{3} requests: ", out) and " per 1,000 requests; as a whole: leak.\n" in out, out
    assert re.search(r"^LEAK: leak grows by 700,0\d\d \(.* to .*\) per 1,000 requests, ", out, re.M), out


def test_a_counter_and_a_column():
    requests = day("time,requests_total", counter=True)
    assert verdicts("--per", "load.csv")[1]["per"] == {"name": "requests_total", "count": requests}
    lines = Path("load.csv").read_text().splitlines()
    Path("load.csv").write_text("time,errors,orders\n" + "".join(f"{line.split(',')[0]},7,3\n" for line in lines[1:]))
    assert verdicts("--per", "load.csv", "--per-column", "orders")[1]["per"] == {"name": "orders", "count": 3 * 282}


def test_restarts_are_pooled_by_requests():
    """Two processes, known by where their modules lie."""
    lines, total = ["time,requests"], 0
    for step in range(600):
        total = total + load_at(step) if step % 300 else load_at(step)
        lines.append(f"{START + step * STEP},{load_at(step)}")
        if step % 6 == 0 and step % 300 < 288:
            run = step // 300
            base = 0x550000000000 + run * 0x1000000
            path = Path("d") / f"{step}.heap"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"--- symbol\nbinary=/opt/server\n{base + 0x10:#x} leak\n---\n--- heap\nheap_v2/1\n  t*: 1: {MIB + total * 700} "
                            f"[0: 0]\n@ {base + 0x11:#x}\n  t*: 1: {MIB + total * 700} [0: 0]\n\nMAPPED_LIBRARIES:\n"
                            f"{base:x}-{base + 0x1000:x} r-xp 0 0:0 0 /opt/server\n")
            os.utime(path, (START + step * STEP,) * 2)
    Path("load.csv").write_text("\n".join(lines) + "\n")
    out = trend("--per", "load.csv")[1]
    assert re.search(r"^leak leaks in 2 of 2 processes of server, \+683\.\d KiB \(\+.* KiB to \+.* KiB\) per 1,000 requests in each, again "
                     r"after each restart\.$", out, re.M), out
    together = held(json.loads(trend("--json", "--per", "load.csv")[1]))["together"][0]
    assert abs(together["per_1000"] - 700_000) < 100 and "per_second" not in together, together


def refused(text, status, sentence, *arguments):
    Path("load.csv").write_text(text)
    found, out, err = trend("--per", "load.csv", *arguments)
    assert found == status and out == "" and sentence in err and err.count("\n") == 1, (found, out, err)


def test_bad_counts_are_refused_in_one_sentence():
    day()
    good = Path("load.csv").read_text()
    refused("time,requests\nnoon,5\n", 3, "load.csv: line 2: expected a time in seconds since 1970, or 2025-01-31T23:59:59, found 'noon'")
    refused("1700000000,5\n1700000300,many\n", 3, "load.csv: line 2: expected a count, e.g. 1200, found 'many'")
    refused("1700000000,5\n1700000000,5\n", 3, "load.csv: line 2: expected a later time than that of the line before")
    refused("1700000000,5\n", 3, "load.csv: expected two lines or more of time,count; found 1")
    refused(good, 3, "load.csv: line 1: expected a first line that names a column 'orders'", "--per-column", "orders")
    whole = "--per: expected counts for all of the time of the profiles; load.csv "
    refused("\n".join(good.splitlines()[:100]) + "\n", 2, whole + "ends 55200 s before the last profile\n")
    refused("\n".join(good.splitlines()[100:]) + "\n", 2, whole + "begins 29700 s after the first profile\n")
    refused("1700000000,0\n1700086400,0\n", 2, "--per: expected counts above 0 in load.csv between the first profile and the last")
    found, _, err = trend("--per-column", "orders")
    assert found == 2 and "--per-column needs --per" in err, err
    assert trend("--per", "nowhere.csv")[0] == 5


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
