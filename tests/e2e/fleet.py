#!/usr/bin/env python3
# timeout: 600
"""Answers about a fleet, from a store: equal to least squares over the same profiles, and honest about what is missing."""

import json
import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from _fleet import HOUR_MS, START_MS, Instance, ask, ask_json, make
from _heap import HEAPFLAME
from _suite import run_tests


def near(got, expected):
    assert abs(got - expected) <= 1e-9 * max(abs(float(expected)), 1), (got, float(expected))


def minutes(count, held, first=0, step_ms=60000):
    return [(START_MS + first + i * step_ms, held(i)) for i in range(count)]


def sparse(seed):
    """Stacks that are there in some profiles only, beside a large steady one and a leak."""
    dice = random.Random(seed)

    def held(i):
        places = {"static": 40 << 30, "leak": 1000000 + 3000 * i + dice.randrange(5000)}
        places |= {f"rare{k}": dice.randrange(1, 1 << 20) for k in range(9) if dice.random() < 0.1 * k}
        return places

    return held


def fleet_of(seed=1):
    """Three nodes: one whole, one whose process was started again, one with two processes side by side."""
    return [
        Instance("a1", "node-a", profiles=minutes(600, sparse(seed))),
        Instance("b1", "node-b", profiles=minutes(250, sparse(seed + 1))),
        Instance("b2", "node-b", build="2.4.2", profiles=minutes(340, sparse(seed + 2), first=260 * 60000 + 17)),
        Instance("c1", "node-c", profiles=minutes(600, sparse(seed + 3), first=123)),
        Instance("c2", "node-c", service="till", profiles=minutes(120, sparse(seed + 4), first=480 * 60000, step_ms=59000)),
    ]


def node_slope(instances, place=None):
    """What they gained, over the time in which one of them ran at least."""
    runs, ran, end = sorted((one.profiles[0][0], one.profiles[-1][0]) for one in instances), 0, 0
    for first, last in runs:
        ran += max(0, last - max(first, end))
        end = max(end, last)
    return sum(one.slope(place) * one.ran_ms() for one in instances) / ran


def test_nodes():
    instances = fleet_of()
    got = ask_json("nodes", make("store", *instances))
    assert [node["name"] for node in got["nodes"]] == ["node-a", "node-b", "node-c"] and got["silent"] == []
    slopes = {}
    for node in got["nodes"]:
        its = [one for one in instances if one.node == node["name"]]
        slopes[node["name"]] = node_slope(its)
        near(node["per_second"], slopes[node["name"]])
        low, high = node["per_second_95"]
        assert low < node["per_second"] < high and node["instances"] == len(its)
        assert node["builds"] == sorted({one.build for one in its}) and node["services"] == sorted({one.service for one in its})
    near(got["per_second"], sum(slopes.values()))
    now = {one.name: sum(one.profiles[-1][1].values()) for one in instances}
    assert [node["bytes"] for node in got["nodes"]] == [now["a1"], now["b2"], now["c1"] + now["c2"]]
    assert got["bytes"] == sum(now.values()) - now["b1"]
    assert [node["rough"] for node in got["nodes"]] == [False, True, True]
    text = ask("nodes", "store")
    assert "3 nodes, 5 instances, 2025-11-28 10:00:00 to 2025-11-29 09:59:00 UTC" in text, text
    assert re.search(r" 2  node-c  shop, till  2\.4\.1\n", text), text
    assert "rough: an instance has profiles of fewer than 6 hours" in text


def test_filters_and_spans():
    instances = fleet_of()
    make("store", *instances)
    one = ask_json("nodes", "store", "--service", "^till$")
    assert [node["name"] for node in one["nodes"]] == ["node-c"] and one["instance_count"] == 1
    near(one["per_second"], instances[4].slope())
    assert ask_json("nodes", "store", "--build", "2.4.2")["instance_count"] == 1
    assert [node["name"] for node in ask_json("nodes", "store", "--node", "node-[ab]")["nodes"]] == ["node-a", "node-b"]
    span = {"since": START_MS + HOUR_MS, "until": START_MS + 4 * HOUR_MS}
    for since, until in [("2025-11-29 01:00", "2025-11-29T04:00Z"), ("2025-11-29 01:59:59", "2025-11-29 03:00:01"), ("8h", "6h")]:
        got = ask_json("nodes", "store", "--since", since, "--until", until, "--node", "node-a")
        assert (got["since"], got["until"]) == (span["since"] / 1000, span["until"] / 1000), got
        near(got["per_second"], instances[0].slope(**span))
        assert got["bytes"] == instances[0].points(until=span["until"])[-1][1]
    assert "the asked time" in ask("nodes", "store", "--service", "none", status=3)
    assert "the asked time" in ask("nodes", "store", "--until", "2025-11-28 00:00", status=3)
    for wrong in ["yesterday", "2025-11-31", "2025-11-29 24:00", "2025-11-29 1:00", "2025-11-29 01:00:00.5", "1969-01-01", "$"]:
        assert "--since: expected a time" in ask("nodes", "store", "--since", wrong, status=2)
    assert "before that of --until" in ask("nodes", "store", "--since", "1h", "--until", "5h", status=2)
    assert "--service: " in ask("nodes", "store", "--service", "(", status=2)


def test_silent_nodes():
    """Who has sent nothing for three intervals is named, and the answer is a partial one."""
    quiet = [Instance(f"q{i}", f"quiet-{i}", profiles=minutes(30, lambda i: {"f": 1000})) for i in range(6)]
    awake = [Instance("w1", "awake-1", profiles=minutes(60, lambda i: {"f": 1000})),
             Instance("w2", "awake-2", profiles=minutes(57, lambda i: {"f": 1000})),
             Instance("new", "awake-3", profiles=minutes(1, lambda i: {"f": 1000}, first=59 * 60000))]  # fmt: skip
    make("store", *quiet, *awake)
    got = ask_json("nodes", "store", status=4)
    assert got["silent"] == [f"quiet-{i}" for i in range(6)] and got["bytes"] == 3000, got
    assert [node["silent"] for node in got["nodes"]] == [False] * 3 + [True] * 6
    text = ask("nodes", "store", status=4)
    assert text.startswith("3 of 9 nodes, 9 instances, ") and "30 min silent" in text, text
    done = subprocess.run([HEAPFLAME, "fleet", "nodes", "--store", "store"], capture_output=True, text=True, check=False)
    assert done.stderr == ("heapflame: lost: 6 of 9 nodes sent nothing: quiet-0 since 2025-11-29 00:29:00, quiet-1 since 2025-11-29 "
                           "00:29:00, quiet-2 since 2025-11-29 00:29:00, quiet-3 since 2025-11-29 00:29:00, and 2 more\n"), done.stderr
    assert ask_json("nodes", "store", "--node", "awake")["silent"] == []
    late = [Instance("l1", "later", profiles=minutes(60, lambda i: {"f": 1}, first=30 * HOUR_MS))]
    make("store", *late)
    now = ask_json("nodes", "store", status=4)  # the others are not in the last day
    assert len(now["silent"]) == 9 and {node["bytes"] for node in now["nodes"]} == {None, 1}, now
    then = ask_json("nodes", "store", "--until", "2025-11-29 00:10", status=4)  # a whole hour: all of it
    assert [node["name"] for node in then["nodes"] if not node["silent"]] == ["awake-1", "awake-2", "awake-3"]


def places_of(instances):
    return sorted({place for one in instances for _, held in one.profiles for place in held})


def test_top():
    """The last profiles of what runs, to the byte; who was followed by another start does not count."""
    instances = fleet_of()
    got = ask_json("top", make("store", *instances), "-n", "0")
    now, nodes = {}, {}
    for one in [instances[0], *instances[2:]]:
        for place, held in one.profiles[-1][1].items():
            now[place] = now.get(place, 0) + held
            nodes.setdefault(place, set()).add(one.node)
    assert {row["name"]: row["bytes"] for row in got["places"]} == now and got["bytes"] == sum(now.values())
    assert {row["name"]: row["nodes"] for row in got["places"]} == {place: len(on) for place, on in nodes.items()}
    assert [row["bytes"] for row in got["places"]] == sorted(now.values(), reverse=True)
    text = ask("top", "store", "--rows", "2")
    assert re.search(r"^120\.0 GiB +\d+\.\d % +3  static$", text, re.M) is None and "in use: 160.0 GiB" in text, text
    assert text.endswith(f"and {len(now) - 2} more rows\n"), text
    then = {"until": START_MS + 2 * HOUR_MS}
    got = ask_json("top", "store", "--until", "2025-11-29 02:00", "--node", "node-a")
    assert {row["name"]: row["bytes"] for row in got["places"]} == {
        place: held for place, held in instances[0].profiles[119][1].items()}, then


def test_trend():
    """The slopes of all places, dense and sparse, over a restart, and of two processes side by side."""
    instances = fleet_of()
    got = ask_json("trend", make("store", *instances), "-n", "0")
    assert [row["name"] for row in got["places"]][0] == "leak" and {row["name"] for row in got["places"]} == set(places_of(instances))
    for row in got["places"]:
        slopes = {node: node_slope([one for one in instances if one.node == node], row["name"])
                  for node in ["node-a", "node-b", "node-c"]}  # fmt: skip
        near(row["per_second"], sum(slopes.values()))
        assert row["per_second_95"][0] <= row["per_second"] <= row["per_second_95"][1]
        for node in row["nodes"]:
            near(node["per_second"], slopes.pop(node["name"]))
        assert not any(slopes.values()), slopes  # who is not there held nothing
    leak = got["places"][0]
    assert leak["growing"] == 3 and leak["rough"] and [node["rough"] for node in leak["nodes"]] == [False, True, True]
    text = ask("trend", "store", "-n", "1")
    assert re.search(r" rough  3 of 3  \S+ \S+ on node-c  leak\nand 9 more rows\n", text), text


def test_trend_by_build():
    """The mean of the nodes that ran a build, those included on which the place held nothing."""
    old, new = {"f": 7000}, lambda i: {"f": 7000 + 600 * i}
    instances = [Instance(f"o{node}", f"n{node}", profiles=minutes(400, lambda i: old)) for node in range(3)]
    instances += [Instance(f"u{node}", f"n{node}", build="2.5.0", profiles=minutes(400, new, first=401 * 60000)) for node in range(2)]
    instances += [Instance("u2", "n2", build="2.5.0", profiles=minutes(400, lambda i: {"g": 1}, first=401 * 60000))]
    got = ask_json("trend", make("store", *instances), "--by", "build")
    row = next(row for row in got["places"] if row["name"] == "f")
    assert [(build["name"], build["nodes"]) for build in row["builds"]] == [("2.4.1", 3), ("2.5.0", 3)]
    near(row["builds"][0]["per_second"], 0)
    near(row["builds"][1]["per_second"], 20 / 3)
    assert re.search(r"\+400 B/min .* 3  2\.5\.0  f\n", ask("trend", "store", "--by", "build"))
    assert "--by: expected build" in ask("trend", "store", "--by", "node", status=2)


def healthy(seed, leak_per_minute=0, place="cache_put"):
    """Twelve hours of a node: caches that wander, a burst, a warm-up."""
    dice, places = random.Random(seed), {f"cache{k}": 10_000_000 for k in range(12)}

    def held(i):
        for name in places:
            places[name] = max(1000, int(places[name] + 0.02 * (10_000_000 - places[name]) + dice.gauss(0, 100_000)))
        now = places | {"warm": min(i, 90) * 50_000, "steady": 5_000_000, place: 8_000_000 + leak_per_minute * i}
        return now | ({"burst": 30_000_000} if 200 < i < 215 else {})

    return minutes(720 // 4, lambda i: held(4 * i), step_ms=240000)


def test_outliers():
    """A leak in three of eight nodes is named with node, build and place; nothing else is; and none where all are alike."""
    leaks = {2: 2_100_000, 5: 1_900_000, 7: 2_200_000}
    instances = [Instance(f"i{node}", f"shop-{node}", build="2.4.1" if node in leaks else "2.4.0",
                          profiles=healthy(node, leaks.get(node, 0))) for node in range(8)]  # fmt: skip
    instances += [Instance(f"t{node}", f"till-{node}", service="till", profiles=healthy(100 + node, 3_000_000)) for node in range(8)]
    instances += [Instance("few", "lone", service="few", profiles=healthy(77))]
    got = ask_json("outliers", make("store", *instances))
    assert {(row["node"], row["build"], row["place"]) for row in got["outliers"]} == {
        (f"shop-{node}", "2.4.1", "cache_put") for node in leaks}, got["outliers"]  # fmt: skip
    assert [row["node"] for row in got["outliers"]] == ["shop-7", "shop-2", "shop-5"]
    assert got["rate"] == 0.01 and (got["services"], got["services_compared"]) == (3, 2)
    assert got["comparisons"] == 2 * 8 * len(places_of(instances)), got["comparisons"]
    for row in got["outliers"]:
        near(row["per_second"], next(one for one in instances if one.node == row["node"]).slope("cache_put"))
        assert row["probability"] <= 0.01 / got["comparisons"] and (row["nodes"], row["core"]["nodes"]) == (8, 5)
    text = ask("outliers", "store")
    assert "3 outliers in 256 comparisons" in text and "1 service was not compared" in text, text
    assert re.search(r"\+2\.1 MiB/min .* to .* on 5 of 8  shop-7  shop     2\.4\.1  cache_put\n", text), text
    assert ask_json("outliers", "store", "--service", "till")["outliers"] == []
    assert ask_json("outliers", "store", "--least", "100GiB")["outliers"] == []
    assert "--rate: expected" in ask("outliers", "store", "--rate", "2", status=2)


def test_names_are_escaped():
    bad = "n\x1b[31m\u202e\"<\\"
    make("store", Instance("i\x07", bad, service="s\x1b", build="b\x9b", profiles=minutes(9, lambda i: {"p\x1b[2J": 5 + i})))
    for what in QUESTIONS:
        text = ask(what, "store", "--since", "1h")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), text
        ask_json(what, "store")


# What somebody may have made of a store, and what is said of it.
BROKEN = [
    ("UPDATE instance SET last_ms=9223372036854775807", "are damaged|cannot be"),
    ("UPDATE instance SET first_ms=-9223372036854775808", "cannot be"),
    ("UPDATE instance SET first_ms=last_ms+1", "cannot be"),
    ("UPDATE instance SET profiles=-1", "cannot be"),
    ("UPDATE hour SET last_ms=9223372036854775807", "cannot be"),
    ("UPDATE hour SET first_ms=-9223372036854775807", "cannot be"),
    ("UPDATE hour SET n=0", "cannot be"),
    ("UPDATE hour SET n=9e999", "cannot be"),
    ("UPDATE hour SET y=9e999", "cannot be"),
    ("UPDATE hour SET most=-1, last=-1", "cannot be"),
    ("DELETE FROM instance", "there is no profile"),
    ("DROP TABLE hour", "no such table"),
    ("ALTER TABLE hour RENAME TO h; CREATE VIEW hour AS WITH RECURSIVE x(hour) AS (SELECT 1 UNION ALL SELECT hour+1 FROM x) "
     "SELECT hour, 1 AS instance, 0 AS first_ms, 0 AS last_ms, 1 AS n, 0 AS t, 0 AS tt, 0 AS y, 0 AS ty, 0 AS yy, 0 AS most, "
     "0 AS last FROM x", "contains views"),
    ("CREATE TRIGGER t AFTER UPDATE ON hour BEGIN SELECT 1; END", "contains views"),
    ("PRAGMA application_id=7", "is not a store"),
    ("PRAGMA user_version=99", "use a newer heapflame"),
]  # fmt: skip
ODD = ["UPDATE rollup SET stack=stack+1000", "UPDATE rollup SET y=9e999", "UPDATE profiles SET profiles=x'00'", "DELETE FROM profiles",
       "UPDATE profiles SET stacks=x'789c030000000001', stack_count=4000000000", "UPDATE stack SET place=zeroblob(1000000)",
       "UPDATE rollup SET y=1.7e308, ty=-1.7e308, yy=-1, most=-1", "DELETE FROM stack", "UPDATE instance SET node=x'', service=x'1b5b326a', build=zeroblob(100000)",
       "UPDATE hour SET t='abc', y='def'", "UPDATE hour SET y=1.7e308, ty=-1.7e308, tt=1e-300, yy=1.7e308",
       "UPDATE hour SET tt=-1, n=1e300", "DELETE FROM hour", "DELETE FROM batch", "UPDATE profiles SET size=-1"]  # fmt: skip


def changed(statements):
    for path in Path(".").glob("broken*"):
        path.unlink()
    Path("broken").write_bytes(Path("store").read_bytes())
    connection = sqlite3.connect("broken", isolation_level=None)
    connection.executescript(statements)
    connection.close()
    return "broken"


QUESTIONS = ["nodes", "top", "trend", "outliers"]


def test_broken_stores():
    """One sentence, and no crash; what is odd, but can be, is answered."""
    make("store", *fleet_of())
    connection = sqlite3.connect("store")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for statements, sentence in BROKEN:
        said = ask("nodes", changed(statements), status=5 if "DROP" in statements else 3)
        assert len(said.splitlines()) == 1 and re.search(sentence, said), (statements, said)
    for statements in ODD:
        for what in QUESTIONS:
            changed(statements)
            done = subprocess.run([HEAPFLAME, "fleet", what, "--json", "--store", "broken"], capture_output=True, check=False)
            assert done.returncode in (0, 3, 4), (statements, done)
            assert done.returncode == 3 or json.loads(done.stdout), statements


def test_damaged_bytes():
    """Bytes of the file changed at random places: an answer or a sentence, never a signal."""
    make("store", *fleet_of()[:3])
    connection = sqlite3.connect("store")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    sound, dice = Path("store").read_bytes(), random.Random(5)
    for _ in range(60):
        bytes_ = bytearray(sound)
        for _ in range(dice.choice([1, 8, 200])):
            bytes_[dice.randrange(100, len(bytes_))] = dice.randrange(256)
        Path("damaged").write_bytes(bytes_)
        for what in QUESTIONS:
            done = subprocess.run([HEAPFLAME, "fleet", what, "--store", "damaged"], capture_output=True, check=False)
            assert done.returncode in (0, 3, 4, 5) and len(done.stderr.splitlines()) <= 1, done


def test_usage():
    make("store", Instance("i", "n", profiles=minutes(9, lambda i: {"p": 5})))
    done = subprocess.run([HEAPFLAME, "fleet", "nodes"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "expected --store FILE" in done.stderr
    assert "expected fleet nodes, fleet top" in ask("no", "store", status=2)
    assert "there is no store 'missing'" in ask("nodes", "missing", status=5)
    Path("text").write_text("no store\n" * 1000)
    assert "'text' is not a store" in ask("nodes", "text", status=3)
    assert ask("nodes", "store", "-o", "answer") == "" and "1 node, 1 instance" in Path("answer").read_text()


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
