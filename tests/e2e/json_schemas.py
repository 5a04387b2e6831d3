#!/usr/bin/env python3
"""Every JSON document of every command is as its schema in docs/json says, and every schema describes one."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, SOURCE
from _schemas import FOLDER, faults_of, held, schema_of
from _suite import run_tests
from _verdicts import folded_series

LEAK = [{"main;serve;leak": minute * 6000, "main;stay": 100_000} for minute in range(1, 31)]
FIXTURES = SOURCE / "tests/fixtures"


def document(*arguments):
    done = subprocess.run([HEAPFLAME, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout, (arguments, done.stderr)
    return held(json.loads(done.stdout))


def test_every_name_has_a_schema():
    names = set()
    for path in (SOURCE / "src").rglob("*.[ch]"):
        names |= set(re.findall(r'\\?"(heapflame\.[a-z-]+/\d+)\\?"', path.read_text()))
    files = {path.name for path in FOLDER.glob("*.schema.json")}
    assert {name.removeprefix("heapflame.").replace("/", "-") + ".schema.json" for name in names} == files
    listed = set(re.findall(r"`([a-z0-9-]+\.schema\.json)`", (FOLDER / "README.md").read_text()))
    assert listed == files, listed ^ files
    for name in names:
        assert schema_of(name)["properties"]["schema"] == {"const": name}


def test_top():
    series = folded_series(LEAK)
    assert document("top", "--json", FIXTURES / "a.folded")["difference"] is False
    sampled = document("top", "--json", SOURCE / "fuzz/corpus/live/seed-sampled")
    assert "flat_95" in sampled["rows"][0], "a sampled profile has intervals"
    assert document("diff", "--json", FIXTURES / "a.folded", FIXTURES / "b.folded")["difference"] is True
    assert "trend" in document("top", "--json", "--trend", series)["rows"][0]
    assert "whole" in document("top", "--json", "--focus", "b", FIXTURES / "a.folded")


def test_trend():
    series = folded_series(LEAK)
    assert document("trend", "--json", series)["whole"]["points"][0] == 106_000
    Path("known.supp").write_text("leak:leak\n")
    found = document("trend", "--json", "--limit", "1.5GiB", "--suppressions", "known.supp", series)
    assert found["limit"]["bytes"] == 3 << 29 and found["suppressions"][0]["hits"] == 1
    document("trend", "--json", *sorted(Path(series).iterdir())[:3])


def test_check():
    series = folded_series(LEAK)
    asked = ["--budget", "0.5KiB/min", "--max-growth", "20%", "--fail-on", "leak", "--fail-on", "burst"]
    checks = {}
    for one in document("check", "--json", *asked, series)["checks"]:
        checks.setdefault(one["name"], []).append(one)
    whole, place = checks["budget"]
    assert whole["place"] is None and place["place"]["name"] == "leak" and place["place"]["stack"][0] == "leak"
    assert round(place["value"], 6) == 100 and round(place["limit"], 6) == round(512 / 60, 6), place
    assert place["unit"] == "count/second" and place["interval_95"][0] <= place["value"] <= place["interval_95"][1]
    growth = checks["growth"][0]
    assert (growth["value"], growth["limit"], growth["unit"]) == (round(174 / 124, 11), 0.2, "part"), growth
    leak = checks["leak"][0]
    assert round(leak["value"], 6) == 100 and leak["limit"] is None and leak["place"]["suppression"] == "leak:leak"
    assert checks["burst"] == [{"name": "burst", "passed": True, "decided": True, "message": "none", "value": None,
                                "compared": None, "interval_95": None, "limit": None, "unit": None, "place": None}]
    grown = folded_series([{"main;f": max(0, minute - 40) * 1000} for minute in range(60)], "grown")
    nothing = document("check", "--json", "--max-growth", "20%", grown)["checks"][0]
    assert nothing["value"] is None and nothing["interval_95"] == [None, None] and not nothing["passed"], nothing


def test_conf():
    assert document("conf", "check", "--json", "prof:true,lg_prof_sample:x,nothing:1")["ok"] is False
    assert document("conf", "check", "--json", "prof:true", HEAPFLAME)["jemalloc"]["found"] == "nowhere"
    assert len(document("conf", "explain", "--json", "--all")["options"]) > 20


def test_symbols_info():
    assert document("symbols", "info", "--json", HEAPFLAME)["file"]["path"].endswith("heapflame")


def test_the_schemas_are_schemas():
    """What they describe is held to them: not everything fits."""
    good = document("check", "--json", "--budget", "1KiB/min", folded_series(LEAK))
    schema = schema_of(good["schema"])
    for change in (lambda d: d.pop("passed"), lambda d: d.update(more=1), lambda d: d.update(passed="yes"),
                   lambda d: d["checks"][0].update(name="else"), lambda d: d["checks"][0].update(value="1"),
                   lambda d: d["checks"][0].update(interval_95=[1]), lambda d: d["checks"][1]["place"].pop("stack")):
        bad = copy.deepcopy(good)
        change(bad)
        assert faults_of(bad, schema, schema), bad


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
