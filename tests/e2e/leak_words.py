#!/usr/bin/env python3
"""What a leak is told in: the same sentence as text, JSON, JUnit and on the page, with the mark before it began; and what stands where
in the text of `heapflame trend`."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from datetime import datetime, timezone
from pathlib import Path

from _heap import HEAPFLAME, heapflame
from _schemas import held
from _set4 import LEAKERS, simulate
from _suite import run_tests

EXACT, SAMPLED = 1, 512 << 10
LIMIT = ("--limit", "4GiB")


def late_leak(period):
    """Leaks from minute 30 of 60 on, beside a cache that is full by then; a mark is made in minute 26."""
    simulate("late_50", 1, "series", period)
    files = sorted(Path("series").iterdir())
    start = min(path.stat().st_mtime for path in files)
    return files, start


def mark(files, minute, name):
    """A mark among the profiles: a profile of that minute, under the name of a mark."""
    path = Path("series", f"4711-0123456789abcdef.{name}.mark")
    path.write_bytes(files[minute - 1].read_bytes())
    os.utime(path, (files[minute - 1].stat().st_mtime + 1,) * 2)


def trend(*arguments):
    done = subprocess.run([HEAPFLAME, "trend", "-q", *arguments, "series"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_line_is_one_to_act_on():
    files, start = late_leak(SAMPLED)
    mark(files, 26, "deploy-17")
    line = trend(*LIMIT).splitlines()[0]
    found = re.fullmatch(
        r"LEAK since ((?:\S+ )?\d\d:\d\d) UTC, ([\d.]+) min after mark deploy-17: node_new keeps ([\d.]+) MiB/min \(.*\), \d+ % of all growth; "
        r"at this rate the limit of 4\.0 GiB is reached at (?:\S+ )?\d\d:\d\d UTC ± .*; of \d+ sampled blocks that stayed, at most \d+ % were "
        r"freed(?:; siblings are freed in \w+)?\.",
        line,
    )
    assert found, line
    document = held(json.loads(trend("--json", *LIMIT)))
    place = document["places"][0]
    since = datetime.fromtimestamp(start + place["survivors"]["since"], timezone.utc)
    assert found[1].split()[-1] == since.strftime("%H:%M"), (found[1], since)
    assert place["after"]["kind"] == "mark" and place["after"]["name"] == "deploy-17", place["after"]
    assert abs(place["after"]["seconds"] - 60 * float(found[2])) < 6, (place["after"], found[2])


def test_all_say_the_same():
    files, _ = late_leak(SAMPLED)
    mark(files, 26, "deploy-17")
    text = trend().splitlines()[0]
    place = held(json.loads(trend("--json")))["places"][0]
    assert place["sentence"] == text, (place["sentence"], text)
    done = subprocess.run([HEAPFLAME, "check", "-q", "--json", "--junit", "check.xml", "series"], capture_output=True, text=True, check=False)
    messages = [one["message"] for one in json.loads(done.stdout)["checks"] if one["name"] == "leak"]
    failures = [one.get("message") for one in xml.parse("check.xml").getroot().iter("failure")]
    assert messages == failures == [text], (messages, failures, text)
    assert f"FAIL  leak      {text}\n" in subprocess.run([HEAPFLAME, "check", "-q", "series"], capture_output=True, text=True, check=False).stdout
    heapflame("flame", "-q", "--series", "-o", "page.html", "series")
    assert text in Path("page.html").read_text(), "the page has the sentence, too"


def test_no_confidence_is_said():
    """It would have to be the measured share of right verdicts (docs/verdict.md); intervals are of rates and times."""
    word = re.compile(r"(?i)confiden|probab|certainty")
    assert word.search("leak, confidence 98 %")
    late_leak(SAMPLED)
    subprocess.run([HEAPFLAME, "check", "-q", "--junit", "check.xml", "series"], capture_output=True, check=False)
    heapflame("flame", "-q", "--series", "-o", "page.html", "series")
    said = {
        "text": trend(*LIMIT), "explained": trend("--explain"), "JSON": trend("--json"),
        "JUnit": Path("check.xml").read_text(), "page": Path("page.html").read_text(),
    }  # fmt: skip
    found = {name: text[max(0, match.start() - 60) : match.end() + 60] for name, text in said.items() if (match := word.search(text))}
    assert "leak" in said["JUnit"] and not found, found


def test_every_block_is_counted_where_it_was_recorded():
    late_leak(EXACT)
    line = trend().splitlines()[0]
    assert re.search(r"; of [\d,]+ blocks 0 were freed", line), line
    assert " after mark " not in line, line


def test_the_order_of_the_text():
    late_leak(SAMPLED)
    text, lines = trend(), trend().splitlines()
    assert lines[0].startswith("LEAK since ") and lines[1].startswith("  It went from "), text
    assert lines[2] == "  in node_new < serve < run_server", lines[2]
    rows = [line for line in lines if re.search(r" % {2}[▁▂▃▄▅▆▇█]{8} ", line)]
    assert "  leak  " in rows[0] and rows[0].endswith("node_new"), rows
    assert re.search(r"^60 profiles over 59 min: .*; as a whole: leak\.$", text, re.M), text
    assert lines[-1].startswith("Next: while the process runs, heapflame who "), text
    assert lines[-1].endswith(" node_new shows what keeps these blocks."), text
    assert "Bend " not in text and "samples" not in lines[1], "figures stand behind --explain"
    explained = trend("--explain")
    assert "Bend " in explained and "the growth is estimated from " in explained, explained
    assert "Bend " in json.loads(trend("--json"))["places"][0]["evidence"]


def test_a_steady_program_needs_nothing():
    simulate("lru_full_20", 1, "series", SAMPLED)
    text = trend()
    assert re.match(r"60 profiles over ", text) and "Next: " not in text, text
    assert json.loads(trend("--json"))["next"] is None


def test_marks_after_the_beginning_do_not_count():
    files, _ = late_leak(SAMPLED)
    mark(files, 50, "too-late")
    assert " after mark " not in trend().splitlines()[0]


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
