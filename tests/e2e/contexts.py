#!/usr/bin/env python3
# sanitized: long, it waits for a server; the unit tests read the same
# timeout: 240
"""heapflame contexts: of Debian's own stripped PostgreSQL under load, and of processes with the layouts of other versions
(tests/pg/server.c)."""

import json
import os
import signal
import subprocess
import sys
import time

from _heap import HEAPFLAME, failing, heapflame
from _postgres import Mock, server
from _schemas import held
from _suite import run_tests

TOP = "TopMemoryContext"
CACHE = "TopMemoryContext / CacheMemoryContext"
LAYOUTS = {
    904: "9.4", 905: "9.5", 1000: "9.6 and 10", 1100: "11 and 12", 1300: "13 to 15", 1600: "16", 1700: "17",
    6: "Greenplum 6", 7: "Greenplum 7",
}


def rows(pid, duration="100ms"):
    """{context: (bytes before, after)}, those that grew most first."""
    answer = held(json.loads(heapflame("contexts", "-d", duration, "--rows", "0", "--idents", "--json", pid)))
    assert answer["torn"] == 0, answer
    return {row["context"]: (row["before"]["bytes"], row["after"]["bytes"]) for row in answer["rows"]}


def growing(pid, duration):
    """[(context, growth)] of those that grew."""
    return [(name, after - before) for name, (before, after) in rows(pid, duration).items() if after > before]


def test_each_layout_is_understood():
    for layout, name in LAYOUTS.items():
        with Mock(layout, strips=True) as mock:
            before = rows(mock.process.pid)
            mock.tick(1000)
            after = rows(mock.process.pid)
        ident = "" if layout in (6, 904, 905, 1000) else ": pg_class_oid_index"
        assert set(before) >= {TOP, CACHE, f"{CACHE} / index info{ident}", f"{TOP} / ErrorContext"}, (name, before)
        grew = {context: after[context][1] - before[context][1] for context in before}
        # A chunk's head is 16 bytes; where a block is full, less than a chunk of it stays empty.
        expected = {TOP: 1000 * (72 + 16), CACHE: 1000 * (48 + 16)}
        for context, size in expected.items():
            blocks = size // 8000 + 1
            assert 0 <= grew.pop(context) - size <= blocks * (88 + 48), (name, context)
        assert not any(grew.values()), (name, grew)


def test_a_backend_under_load():
    with server() as running:
        pid = running.work()
        grew = []
        for _ in range(5):  # on a busy machine the backend may hardly run in two seconds
            grew = grew if len(grew) >= 2 else growing(pid, "2s")
        first, second, *rest = grew
        assert (first[0], second[0]) == (TOP, CACHE), (first, second, rest)
        # 128 and 48 bytes, and heads of 16: each call leaves both, so one is the other's measure.
        ratio = first[1] / second[1]
        assert abs(ratio - (128 + 16) / (64 + 16)) < 0.1, ratio
        assert all(growth < second[1] // 10 for _, growth in rest), rest
        text = heapflame("contexts", "-d", "500ms", "--rows", "2", "-x", pid).splitlines()
        assert text[0].startswith(f"process {pid}: ") and " held by 11" in text[0] and " 0.5 s later " in text[0], text[0]
        assert text[1].split() == ["grew", "held", "in", "use", "contexts", "context"], text[1]
        assert [line.split("1  ", 1)[1] for line in text[2:]] == [TOP, f"{CACHE}  (relcache, catcache)"], text
        for _ in range(50):  # its lists change while they are read: what does not fit is read again
            assert {TOP, CACHE} <= set(rows(pid, "1ms"))
        idle = running.idle()[1]
        assert growing(idle, "200ms") == []
        assert TOP in rows(running.postmaster.pid)


class Follower:
    """`contexts --follow`, until it is told to end."""

    def __init__(self, pid, *options):
        self.process = subprocess.Popen(
            [HEAPFLAME, "contexts", str(pid), "--follow", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, said
        return out, said


def test_an_even_growth_is_a_leak():
    with Mock(1300) as mock:
        follower = Follower(mock.process.pid, "--every", "200ms", "--json", "--rows", "0")
        for _ in range(40):
            mock.tick(200)
            time.sleep(0.2)
        document = held(json.loads(follower.end()[0]))
    places = {place["name"]: place for place in document["places"]}
    assert document["schema"] == "heapflame.trend/1" and document["profiles"] >= 8, document["profiles"]
    assert places[TOP]["verdict"] == "leak" and places[f"{CACHE}  (relcache, catcache)"]["slope"].startswith("+"), places
    assert document["whole"]["points"] == sorted(document["whole"]["points"]), document["whole"]


def test_a_cache_that_is_full_is_no_leak():
    """A session that touches its tables, and goes on with them for longer than that took."""
    with server() as running:
        running.sql("DO $$ BEGIN FOR i IN 1..150 LOOP EXECUTE format('CREATE TABLE t%s (a int PRIMARY KEY)', i); END LOOP; END $$")
        session = subprocess.Popen(
            ["psql", "-XAtq", "-h", running.folder, "-U", "postgres", "postgres"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        session.stdin.write("SELECT pg_backend_pid();\n")
        session.stdin.flush()
        follower = Follower(session.stdout.readline().strip(), "--every", "300ms")
        began = time.monotonic()
        session.stdin.write("".join(f"SELECT a, pg_sleep(0) FROM t{i};\nSELECT pg_sleep(0.01);\n" for i in range(1, 151)))
        session.stdin.write("SELECT 'touched';\n")
        session.stdin.flush()
        while session.stdout.readline().strip() != "touched":
            continue
        session.stdin.write("SELECT count(pg_sleep(0.05)) FROM generate_series(1, 10000);\n")
        session.stdin.flush()
        time.sleep(8 + 2 * (time.monotonic() - began))
        out, said = follower.end()
        session.kill()
        session.wait()
    assert "  (relcache" in out and " profiles over " in out, out
    assert " leaks " not in out and "  leak  " not in out, out
    assert "note: verdicts are by shape alone, because it is not known when the memory in a context was allocated" in said, said


def test_following_a_process_that_ends():
    with Mock(1300) as mock:
        process = subprocess.Popen(
            [HEAPFLAME, "contexts", str(mock.process.pid), "--follow", "--every", "100ms"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        mock.process.kill()
        mock.process.wait()
        out, said = process.communicate(timeout=60)
    assert process.returncode == 0 and "has ended" in said and " profiles over " in out, (out, said)


def test_usage_of_following():
    with Mock(1300) as mock:
        pid = str(mock.process.pid)
        assert "--every needs --follow" in failing(2, "contexts", pid, "--every", "1s")
        said = failing(2, "contexts", pid, "--follow", "--every", "5s", "-d", "1s")
        assert "was read only 1 time: a trend needs at least 2 readings, a verdict 6" in said, said


def test_a_chain_of_contexts_is_refused():
    """Of 10,000 contexts in one another the names together have 400 MB; of 1,000 they have 4."""
    with Mock(1300, chain=1000) as mock:
        assert len(rows(mock.process.pid)) > 1000
    with Mock(1300, chain=10000) as mock:
        said = failing(3, "contexts", "-d", "1ms", mock.process.pid)
    assert "MiB of memory, too much for" in said and "allow N times as much with --input-budget N" in said, said


def test_what_it_cannot_read():
    own = failing(3, "contexts", os.getpid())
    assert own == (f"heapflame: process {os.getpid()} has no TopMemoryContext: it is not a server process of PostgreSQL\n")
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert failing(5, "contexts", ended.pid) == f"heapflame: there is no process {ended.pid}\n"
    assert "expected a PID" in failing(2, "contexts", "postgres")
    assert "expected one PID; found 2" in failing(2, "contexts", "1", "-x", "1")
    assert "expected a time, e.g. '30s'" in failing(2, "contexts", "-d", "soon", os.getpid())
    if os.geteuid() == 0:
        with Mock(1300) as mock:
            command = ["setpriv", "--reuid", "nobody", "--clear-groups", HEAPFLAME, "contexts", str(mock.process.pid)]
            os.chmod(".", 0o755)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 5 and "Permission denied" in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
