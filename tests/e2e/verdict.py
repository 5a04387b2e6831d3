#!/usr/bin/env python3
# timeout: 240
"""The goals of verdicts, with few seeds (bench/soak.d/verdict.py has all of them); and what a verdict must never say."""

import json
import os
import shutil
import sys
from pathlib import Path

from _heap import failing, heapflame
from _suite import run_tests
from _verdicts import LABELS, LEAKERS, Sums, folded_series, judge, labels, outcome, place_of, run_program, table, trend

SEEDS = range(101, 102 if "HEAPFLAME_SANITIZED" in os.environ else 104)
MIB = 1 << 20


def test_labelled_programs():
    rows = judge(labels(), SEEDS)
    sums = Sums(rows)
    assert sums.right >= 0.95, f"{sums.right:.1%} are right\n{table(rows)}"
    assert sums.false_leaks == 0, f"a cache that levels off was called a leak\n{table(rows)}"
    assert sums.unsure <= 0.10, f"{sums.unsure:.1%} of the leaks were not decided\n{table(rows)}"
    assert sums.covered >= 0.93, f"{sums.covered:.1%} of the intervals hold the true slope\n{table(rows)}"


def test_programs_made_afterwards():
    """The other sets are reported as they come out; but of what levels off, "leak" is never said."""
    for path in LABELS[1:]:
        rows = judge(labels(path), SEEDS)
        print(f"{path.name}: {outcome(rows)}\n{table(rows)}")
        assert Sums(rows).false_leaks == 0, f"a cache that levels off was called a leak\n{table(rows)}"


def test_the_same_again():
    first = run_program("slow_leak", 7, "profiles")
    assert run_program("slow_leak", 7, "profiles") == first


def test_exact_numbers():
    """Nothing was sampled: a leak of 1 MiB a minute beside what stays, to the byte."""
    series = folded_series({"main;leak": minute * MIB, "main;stay": 5 * MIB} for minute in range(1, 31))
    leak = place_of(trend(series), "leak", ["leak"])
    assert leak["verdict"] == "leak" and round(leak["per_second"] * 60) == MIB, leak
    assert leak["points"] == [minute * MIB for minute in range(1, 31)], leak["points"]
    assert leak["stack"] == ["leak", "main"] and leak["suppression"] == "leak:leak", leak
    text = heapflame("trend", series, "--limit", "1GiB")
    assert "LEAK: leak grows by 1,048,576/min" in text and "would be reached in 16 h" in text, text


def test_points_are_bounded():
    """Of 1,000 profiles 64 points or fewer are kept; each is the mean of its profiles."""
    series = folded_series({"main;leak": minute * 1000} for minute in range(1000))
    leak = place_of(trend(series, "--value", "samples"), "leak", ["leak"])
    count = len(leak["points"])
    assert 32 <= count <= 64, count
    assert leak["points"][:2] == [7500, 23500], leak["points"][:2]
    assert leak["verdict"] == "leak" and round(leak["per_second"] * 60) == 1000, leak


def test_times():
    series = folded_series([{"main;leak": MIB}, {"main;leak": 2 * MIB}])
    files = sorted(map(str, Path(series).iterdir()))
    assert trend(series)["times"] == [0, 60]
    assert trend("--at", "0,90s", *files)["times"] == [0, 90]
    assert trend("--at", "2m", *files)["times"] == [0, 120]
    assert trend("--at", "60s,0", *files)["places"][0]["points"] == [2 * MIB, MIB], "the oldest is the first"
    for name in ("a.20250101-000000.x", "a.2025-01-01T00:00:30.x"):
        shutil.copy(files[0], name)
    assert trend("a.20250101-000000.x", "a.2025-01-01T00:00:30.x")["times"] == [0, 30]
    shutil.copy(files[0], "b.1735689660.x")
    assert trend("a.20250101-000000.x", "b.1735689660.x")["times"] == [0, 60]
    for age, name in enumerate(["4711-5123456789abcdef.x", "4711-1735689660abcdef.x", "4711-abcdef2025010100.x"]):
        shutil.copy(files[0], name)
        os.utime(name, (1_700_000_000 + age,) * 2)
    assert trend(*map(str, Path().glob("4711-*.x")))["times"] == [0, 1, 2], "what is drawn at random is no time"
    os.utime(files[1], (1_700_000_000,) * 2)
    assert "the same time" in failing(2, "trend", *files)
    assert "at least two" in failing(2, "trend", files[0])
    assert "--at" in failing(2, "trend", "--at", "soon", *files)


def test_skip():
    """What is loaded at the start is no growth."""
    series = folded_series({"main;load": min(minute, 5) * 100 * MIB, "main;leak": minute * MIB} for minute in range(60))
    assert place_of(trend(series), "load", ["load"])["verdict"] == "burst"
    place = place_of(trend(series, "--skip", "5m"), "load", ["load"])
    assert place["verdict"] == "steady" and place["share"] == 0, place


def test_tables_say_the_same():
    """A function of one place alone has in `top` the points, slope and verdict that the place has in `trend`."""
    for program, function in [("behind_cache", "parse_name"), ("behind_cache", "cache_insert"), ("invalidated", "row_cache")]:
        place = place_of(run_program(program, 5, "profiles"), function, [function])
        document = json.loads(heapflame("top", "-q", "--json", "profiles"))
        row = next(row for row in document["rows"] if row["name"] == function)
        for member in ("verdict", "points", "per_second", "per_second_95", "share", "old_freed", "shape"):
            assert row["trend"][member] == place[member], (function, member, row["trend"], place)
        assert place_of(document["trend"], function, [function]) == place, function
        assert row["flat"] == place["points"][-1], row


def test_a_small_leak_beside_large_ones():
    """0.2 % of all growth is still found and called what it is."""
    series = folded_series(
        {"main;cache": min(minute, 30) * 100 * MIB, "main;serve;leak": minute * MIB // 10} for minute in range(60)
    )
    places = trend(series)
    assert place_of(places, "cache", ["cache"])["verdict"] == "full cache"
    assert any(place["name"] == "leak" for place in places["places"]) is False, "below one percent, it is not worth a line"
    series = folded_series(
        {"main;cache": min(minute, 30) * 100 * MIB, "main;serve;leak": minute * MIB} for minute in range(60)
    )
    assert place_of(trend(series), "leak", ["leak"])["verdict"] == "leak"


def test_a_loss_is_no_leak():
    """Where something was lost that could be the growth, no leak is claimed, and the exit status says so."""
    run_program("slow_leak", 1, "profiles")
    last = max(Path("profiles").iterdir())
    table = bytearray(last.read_bytes())
    time = last.stat().st_mtime
    lost = 4096 + 8 * 8  # the first of the losses behind eight counts
    table[lost : lost + 8] = (10_000).to_bytes(8, "little")
    last.write_bytes(table)
    os.utime(last, (time, time))
    place = place_of(trend("profiles", status=4), "session_new", ["session_new"])
    assert place["verdict"] == "undecided" and "lost" in place["evidence"], place


def test_survivors():
    """A leak that begins at minute 45 is found, with when it began and its rate since, also in files that `convert` made of
    live tables; a queue that follows its load is none, though it grows as straight. Without births neither is known."""
    cases = [("late_75", "node_new", "leak", "stay"), ("queue_ramp", "job_put", "steady", "renewed")]
    for program, function, verdict, kind in cases:
        run_program(program, 3, "profiles")
        for ending in ("live", "hfb", "pb.gz"):
            shutil.rmtree("converted", ignore_errors=True)
            Path("converted").mkdir()
            for path in sorted(Path("profiles").iterdir()):
                file = f"converted/{path.stem}.{ending}"
                if ending == "live":
                    shutil.copy(path, file)
                else:
                    heapflame("convert", "-q", path, "-o", file)
                os.utime(file, (path.stat().st_mtime,) * 2)
            place = place_of(trend("converted"), function, [function])
            assert (place["verdict"], place["survivors"]["kind"]) == (verdict, kind), (ending, place)
            if verdict == "leak":
                low, high = place["survivors"]["since_95"]
                assert low - 60 <= 44 * 60 <= high + 60 and high - low < 900, place["survivors"]
                assert place["sentence"].startswith("LEAK since ") and " UTC" in place["sentence"] and "keep coming" in place["evidence"], place
            else:
                assert "is renewed all the time" in place["sentence"] and "90 % is freed within" in place["evidence"], place
    at = ["--at", "60s"]
    assert "survivors" not in place_of(trend("profiles", *at), "job_put", ["job_put"])


def test_the_missing_free():
    """Of the blocks of conn_open, those that came by retry_path are never freed; the others are, in conn_close."""
    run_program("rare_path", 5, "profiles")
    leak = place_of(trend("profiles", "--older", "30m"), "retry_path", ["retry_path"])
    assert leak["freed_in"] == "conn_close" and leak["freed"] == 0 and leak["freed_elsewhere"] > 1000, leak
    assert leak["old_freed"] < 0.01 and 0.4 < leak["old_bytes"] / leak["points"][-1] < 0.6, leak
    assert abs(leak["allocated_per_second"] - leak["per_second"]) < 0.1 * leak["per_second"], leak
    assert "of those allocated on this path, none was" in leak["evidence"], leak["evidence"]
    cache = place_of(run_program("invalidated", 5, "profiles"), "row_cache", ["row_cache"])
    assert cache["verdict"] == "undecided" and cache["old_freed"] > 0.08 and cache["freed_in"] == "row_invalidate", cache


def cgroup(name, **files):
    """A folder that looks like a memory cgroup."""
    Path(name).mkdir()
    for file, text in files.items():
        Path(name, "memory." + file).write_text(f"{text}\n")
    return f"./{name}"


def test_limits():
    """1 MiB a minute, 30 MiB at the end; of a group what else it uses counts, too."""
    series = folded_series({"main;leak": minute * MIB} for minute in range(1, 31))
    unlimited = cgroup("unlimited", current=90 * MIB, max="max", high="max")
    v1 = cgroup("v1", usage_in_bytes=40 * MIB, limit_in_bytes=100 * MIB)
    for limit, used, minutes in [
        ("100MiB", 30, 70),
        (v1, 40, 60),
        (cgroup("v2", current=80 * MIB, max=100 * MIB, high="max"), 80, 20),
        (cgroup("high", current=90 * MIB, max=200 * MIB, high=100 * MIB), 90, 10),
        (cgroup("behind", current=10 * MIB, max=100 * MIB, high="max"), 30, 70),
        (cgroup("over", current=101 * MIB, max=100 * MIB, high="max"), 100, 0),
    ]:
        left = trend(series, "--limit", limit)["limit"]
        assert (left["bytes"], left["used"], round(left["seconds_left"])) == (100 * MIB, used * MIB, minutes * 60), left
        low, high = left["seconds_left_95"]
        assert low <= left["seconds_left"] <= high, left
    assert "The limit of 100.0 MiB (40.0 MiB in use) would be reached in 60 min" in heapflame("trend", series, "--limit", v1)
    assert "is exceeded" in heapflame("trend", series, "--limit", "./over")
    still = folded_series(({"main;stay": MIB} for minute in range(30)), "still")
    assert trend(still, "--limit", v1)["limit"]["seconds_left"] is None
    assert "is not getting closer" in heapflame("trend", still, "--limit", "1GiB")
    assert "limit" not in trend(series)
    assert "has no limit" in failing(5, "trend", series, "--limit", unlimited)
    assert "is not a memory cgroup" in failing(5, "trend", series, "--limit", "./nowhere")
    assert "a PID among the operands" in failing(2, "trend", series, "--limit", "cgroup")
    assert "'4GiB'), 'cgroup'" in failing(2, "trend", series, "--limit", "much")


def test_suppressions():
    """What is known is left out, of the whole, too; the hits of each line are counted."""
    series = folded_series({"main;known": minute * 3 * MIB, "main;leak": minute * MIB} for minute in range(1, 31))
    Path("known.supp").write_text("# known\nleak:nowhere\nleak:^kn*n$\n")
    document = trend(series, "--suppressions", "known.supp")
    assert [place["name"] for place in document["places"]] == ["leak"], document["places"]
    assert document["whole"]["points"] == [minute * MIB for minute in range(1, 31)], document["whole"]["points"]
    assert round(document["whole"]["per_second"] * 60) == MIB, document["whole"]
    assert document["suppressions"] == [{"pattern": "nowhere", "hits": 0}, {"pattern": "^kn*n$", "hits": 1}], document
    text = heapflame("trend", series, "--suppressions", "known.supp")
    assert text.endswith("\nsuppressed 1: leak:^kn*n$\n") and "known " not in text, text
    assert trend(series)["suppressions"] == []
    assert "none.supp" in failing(5, "trend", series, "--suppressions", "none.supp")
    Path("bad.supp").write_text("race:x\n")
    assert "bad.supp" in failing(3, "trend", series, "--suppressions", "bad.supp")


def test_hostile_names():
    series = folded_series({"main;\x1b[31mred\x07": minute * MIB} for minute in range(1, 20))
    assert "\x1b" not in heapflame("trend", series), "a name reached the terminal as it is"
    json.loads(heapflame("trend", "--json", series))


if __name__ == "__main__":
    if not LEAKERS.exists():
        print("the labelled programs are not built")
        sys.exit(77)
    sys.exit(run_tests(globals()))
