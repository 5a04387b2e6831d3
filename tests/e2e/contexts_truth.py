#!/usr/bin/env python3
# sanitized: long, it waits for a server; the unit tests read the same
# timeout: 300
"""What heapflame says of memory contexts, held to what the server says itself: pg_log_backend_memory_contexts, row by row
where it lists all (100 children of a context), by its sum beyond."""

import collections
import json
import os
import re
import signal
import sys

from _attach import BACKENDS, Attached
from _heap import folded, heapflame
from _postgres import Mock, server
from _schemas import held
from _suite import run_tests

TOP = "TopMemoryContext"
PLANS = f"{TOP} / CacheMemoryContext / CachedPlanSource"
LINE = re.compile(r"LOG:  level: (\d+); (.*?): (\d+) total in \d+ blocks; \d+ free \(\d+ chunks\); (\d+) used(?:: (.*))?$")
PREPARE = """DO $$ BEGIN FOR i IN {0}..{1} LOOP
  EXECUTE format('PREPARE q%s AS SELECT * FROM pgbench_accounts WHERE aid = %s', i, i); END LOOP; END $$; SELECT 1;"""


def asked(client, text):
    client.stdin.write(text.replace("\n", " ") + "\n")
    client.stdin.flush()
    return client.stdout.readline().strip()


def logged(running, pid):
    """({path: (bytes, contexts)}, bytes of all) as the server has them. Hash tables have their ident as name there."""
    log = running.folder / "log"
    before = log.stat().st_size
    running.sql(f"SELECT pg_log_backend_memory_contexts({pid})")
    running.wait_for(lambda: "Grand total" in log.read_text()[before:])
    rows, names = collections.defaultdict(lambda: (0, 0)), []
    for line in log.read_text()[before:].splitlines():
        found = LINE.search(line)
        if found:
            level, name, total, _, ident = found.groups()
            names[int(level):] = [name]
            path = " / ".join(names) + (f": {ident}" if ident else "")
            rows[path] = (rows[path][0] + int(total), rows[path][1] + 1)
    return dict(rows), int(re.search(r"Grand total: (\d+) bytes", log.read_text()[before:])[1])


def looked(pid, *options):
    answer = held(json.loads(heapflame("contexts", "-d", "10ms", "--rows", "0", "--json", *options, pid)))
    assert answer["torn"] == 0, answer
    return answer


def bytes_of(rows, name):
    """Of all contexts of that name, as the server has them."""
    return sum(size for path, (size, _) in rows.items() if path.split(" / ")[-1].split(": ")[0] == name)


def test_each_row_is_the_servers():
    with server() as running:
        client, pid = running.idle()
        assert asked(client, "SELECT leak_contexts(40, 100);") == "40"
        assert asked(client, PREPARE.format(1, 5)) == "1"
        rows = {row["context"].replace("dynahash: ", ""): (row["after"]["held"], row["after"]["contexts"])
                for row in looked(pid, "--idents")["rows"]}
        server_rows, server_bytes = logged(running, pid)
        assert len(server_rows) > 90 and rows == server_rows, set(rows.items()) ^ set(server_rows.items())
        assert rows[f"{TOP} / leaked"] == (40 * 1024, 40), rows
        assert sum(size for size, _ in rows.values()) == server_bytes


def test_many_contexts_are_few_rows():
    with server() as running:
        client, pid = running.idle()
        assert asked(client, "SELECT leak_contexts(200, 0);") == "200"
        assert asked(client, PREPARE.format(1, 2150)) == "1"
        before = logged(running, pid)[1]
        answer = looked(pid)
        assert answer["after"]["held"] == before and answer["after"]["contexts"] > 4500, (answer["after"], before)
        rows = {row["context"]: row for row in answer["rows"]}
        assert len(rows) < 40, sorted(rows)
        plans = [row for path, row in rows.items() if path.startswith(PLANS) and "CachedPlanQuery" not in path]
        assert [row["after"]["contexts"] for row in plans] == [2150], plans
        assert plans[0]["cache"] == "plancache" and plans[0]["context"].endswith("WHERE aid = #"), plans
        assert rows[f"{TOP} / CacheMemoryContext / index info"]["cache"] == "relcache", rows
        assert rows[f"{TOP} / leaked"]["after"] == {"bytes": 200 * 264, "held": 200 * 1024, "contexts": 200}, rows
        assert f"{TOP} / dynahash: Timezones" in rows, sorted(rows)  # 100 KiB in one context: it keeps its ident


def held_by_label(tool):
    """{outermost frame: bytes held}, when it has ended."""
    tool.process.send_signal(signal.SIGINT)
    tool.said += tool.process.communicate(timeout=600)[1]
    assert tool.process.returncode == 0, tool.said
    sums = collections.Counter()
    for frames, value in folded(heapflame("fold", "--value", "held_space", tool.output)):
        sums[frames[0].strip("[]")] += value
    return sums


def check_attach(running, backend):
    """Contexts that came while it was watched weigh what the server gave them, with all that is in them; of those that were
    there, attach and contexts say the same."""
    client, pid = running.idle()
    assert asked(client, PREPARE.format(1, 2)) == "1" and asked(client, "SELECT leak_contexts(1, 0);") == "1"
    before, _ = logged(running, pid)
    tool = Attached(pid, "--spec", "postgres", "-d", "60s", "--older", "0s", "--backend", backend, output="truth.hfb")
    assert asked(client, "SELECT leak_contexts(60, 100);") == "60"
    assert asked(client, PREPARE.format(3, 7)) == "1"
    client.stdin.write("DEALLOCATE q3;\n")  # now its class is known to be short-lived; what comes weighs all the same
    assert asked(client, PREPARE.format(8, 9)) == "1"
    used = {row["context"]: row["after"]["bytes"] for row in looked(pid)["rows"]}[TOP]
    assert asked(client, "SELECT count(replay_truncate()) FROM generate_series(1, 200);") == "200"
    grew = {row["context"]: row["after"]["bytes"] for row in looked(pid)["rows"]}[TOP] - used
    sums = held_by_label(tool)
    after, _ = logged(running, pid)
    assert 200 * (128 + 16) <= sums[TOP] < 200 * (128 + 16) + 1024, (backend, sums)
    assert abs(grew - sums[TOP]) < 4096, (backend, grew, sums)  # some were free in it before
    assert re.search(r"in use \([^)]*\), which take .* with their headers; nothing was lost", tool.said), tool.said
    assert re.search(r"this includes caches that every server process fills and keeps: .*plancache 48\.\d KiB", tool.said), tool.said
    assert re.search(r"\n +held +in use +per second +blocks ", tool.said), tool.said
    assert sums["leaked"] == 60 * 1024, (backend, sums)
    for name in "CachedPlanSource", "CachedPlanQuery":
        came = bytes_of(after, name) - bytes_of(before, name)
        assert came == 6 * 4096 and sums[name] == came, (backend, name, came, sums)
    assert not any("q9" in label for label in sums), sums


def test_attach_weighs_contexts():
    with server() as running:
        for backend in BACKENDS if os.geteuid() == 0 else ():
            check_attach(running, backend)


def test_more_contexts_than_anybody_has():
    with Mock(1300, many=70000) as mock:
        rows = {row["context"]: row for row in looked(mock.process.pid)["rows"]}
        assert rows[f"{TOP} / many"]["after"] == {"bytes": 70000 * 40, "held": 70000 * 1024, "contexts": 70000}, rows
        for backend in BACKENDS if os.geteuid() == 0 else ():
            tool = Attached(mock.process.pid, "--spec", "postgres", "-d", "60s", "--older", "0s", "--backend", backend)
            mock.tick(10, pause=0.005)
            stacks = tool.end(signal=signal.SIGINT)
            # Of 70,000 that last, perf follows 128: the larger ones.
            assert sorted((frames[0], value) for frames, value in stacks) == [
                ("[CacheMemoryContext]", 480), ("[TopMemoryContext]", 720)], (backend, stacks, tool.said)


def test_a_tree_that_never_rests():
    """Contexts come and go by the 100,000 a second, and 20,000 stay: there is a profile all the same."""
    if os.geteuid() != 0:
        return
    with Mock(1300, storm=4, swell=20000) as mock:
        tool = Attached(mock.process.pid, "--spec", "postgres", "-d", "1s", "--older", "0s", "--backend", "bpf")
        stacks = tool.end()
    assert {"[TopMemoryContext]", "[CacheMemoryContext]"} <= {frames[0] for frames, _ in stacks}, stacks
    assert all(value < 64 << 20 for _, value in stacks), stacks  # what was deleted since has no size that is read of ruins


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
