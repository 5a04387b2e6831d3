#!/usr/bin/env python3
"""`heapflame mark` and `--since`, with the real agent: programs/leaker.c allocates by its arguments."""

import json
import os
import time
from pathlib import Path

from _run import LEAKER, Leaker, expect_equal, folded, heapflame, refused, run, run_leaker_tests, tables


WORDS = ["times=3", "leak=1000003", "line", "times=5", "cache=4001", "line", "times=2", "leak=100003", "line"]


def marks():
    return sorted(path.name.split(".", 1)[1] for path in Path.cwd().glob("heapflame-*/*.mark"))


def test_what_came_after():
    with Leaker(*WORDS) as leaker:
        expect_equal(
            heapflame("mark", leaker.pid, "warm"),
            (0, "", f"heapflame: mark 'warm': 2.9 MiB in use; heapflame top {leaker.pid} --since warm shows what was allocated since\n"),
        )
        [path] = Path.cwd().glob("heapflame-*/*.warm.mark")
        assert path.name == tables()[0].stem + ".warm.mark" and path.stat().st_mode & 0o777 == 0o600, path
        assert heapflame("top", leaker.pid, "--since", "warm")[1].startswith("Nothing changed.")
        leaker.go_on()
        expect_equal(heapflame("mark", "-q", leaker.pid, "cached"), (0, "", ""))
        leaker.go_on()
        for mark, expected in [("warm", {"cache_fill": 5 * 4001, "process_leak": 200006}), ("cached", {"process_leak": 200006})]:
            heapflame("convert", leaker.pid, "--since", mark, "-o", "since.folded")
            expect_equal(folded("since.folded"), expected)
        # The same by the table's file, and as a mark is a profile, by its own.
        for arguments in [[tables()[0], "--since", "cached"], [leaker.pid, "--since", path], [leaker.pid, "--base", path]]:
            code, out, _ = heapflame("fold", *arguments)
            expect_equal((code, "cache_fill" in out, "process_leak 200006" in out), (0, path in arguments, True))
        expect_equal(heapflame("top", path)[0], 0)
        table = json.loads(heapflame("top", leaker.pid, "--since", "warm", "--json")[1])
        expect_equal((table["total"]["grew"], table["total"]["released"]), (5 * 4001 + 200006, 0))
        heapflame("flame", leaker.pid, "--since", "warm", "-o", "since.svg")
        heapflame("graph", leaker.pid, "--since", "warm", "-o", "since.dot")
        for name in "since.svg", "since.dot":
            assert "cache_fill" in Path(name).read_text(), name


def test_a_mark_that_is_a_fifo():
    """Who owns the folder may put one there: nobody waits for it."""
    with Leaker(*WORDS) as leaker:
        heapflame("mark", "-q", leaker.pid, "warm")
        [path] = Path.cwd().glob("heapflame-*/*.warm.mark")
        path.unlink()
        os.mkfifo(path)
        code, _, said = heapflame("top", leaker.pid, "--since", "warm")
        assert code == 5 and f"{path.name} is not a regular file that you may read" in said, (code, said)


def test_what_is_refused():
    with Leaker(*WORDS) as leaker:
        assert "and no others" in refused(5, "top", leaker.pid, "--since", "warm")
        expect_equal(heapflame("mark", leaker.pid, "warm")[0], 0)
        before = list(Path.cwd().glob("heapflame-*/*.mark"))[0].read_bytes()
        assert "already" in refused(5, "mark", leaker.pid, "warm")
        expect_equal(list(Path.cwd().glob("heapflame-*/*.mark"))[0].read_bytes(), before)
        expect_equal(heapflame("mark", leaker.pid, "a-Z_" + "9" * 60)[0], 0)
        assert "it has a-Z_9" in refused(5, "top", leaker.pid, "--since", "cold")
        for name in ["", "a/b", "../x", "a.b", "ü", "9" * 65]:
            assert "letters, digits" in refused(2, "mark", leaker.pid, name), name
        assert "is not a file" in refused(2, "top", LEAKER, "--since", "warm")
        assert "found" in refused(2, "top", leaker.pid, tables()[0], "--since", "warm")
        assert "--base" in refused(2, "top", leaker.pid, "--since", "warm", "--base", LEAKER)
        assert "--series" in refused(2, "top", leaker.pid, leaker.pid, "--since", "warm", "--series")
        expect_equal(len(marks()), 2)
    for arguments in [[], ["4711"], ["warm", "4711"], ["x", "y", "z"]]:
        assert "4711 warm" in refused(2, "mark", *arguments)
    assert "has no live table" in refused(5, "mark", os.getpid(), "warm")


def test_a_mark_is_of_one_process():
    """Of the same number, and with the same name: not that of the process that runs."""
    with Leaker(*WORDS) as leaker:
        heapflame("mark", leaker.pid, "warm")
        [path] = Path.cwd().glob("heapflame-*/*.mark")
        path.rename(path.with_name(f"{leaker.pid}-0123456789abcdef.warm.mark"))
        assert "an earlier process with this PID" in refused(5, "top", leaker.pid, "--since", "warm")
        heapflame("mark", leaker.pid, "warm")
        expect_equal(heapflame("top", leaker.pid, "--since", "warm")[0], 0)
        expect_equal(len(marks()), 2)


def test_nothing_is_followed_or_replaced():
    with Leaker(*WORDS) as leaker:
        table, away = tables()[0], Path("away")
        Path("file").write_text("mine")
        link = table.with_suffix(".warm.mark")
        for target in ["file", "nowhere"]:
            link.symlink_to(Path(target).absolute())
            refused(5, "mark", leaker.pid, "warm")
            assert link.is_symlink() and Path("file").read_text() == "mine" and not Path("nowhere").exists()
            link.unlink()
        expect_equal(sorted(path.name for path in table.parent.iterdir()), [table.name])
        # The table through a link to its folder: a folder that somebody may have put there.
        away.symlink_to(table.parent)
        heapflame("mark", leaker.pid, "warm")
        assert "cannot reach" in refused(5, "top", away / table.name, "--since", "warm")


def test_they_go_with_the_table():
    with Leaker(*WORDS) as leaker:
        heapflame("mark", leaker.pid, "warm")
    # Of a dead process its table tells still; then both go, and nothing else.
    assert heapflame("top", leaker.pid, "--since", "warm")[1].startswith("Nothing changed.")
    other = tables()[0].with_name("12-ab.warm.mark")
    other.write_text("")
    expect_equal(heapflame("dump", "--rm", leaker.pid), (0, "", ""))
    expect_equal(list(other.parent.iterdir()), [other])
    other.unlink()
    script = 'heapflame mark -q $PPID warm && heapflame top -q $PPID --since warm'
    Path("child").write_text(f"#!/bin/sh\nunset LD_PRELOAD\n{script}\n")
    Path("child").chmod(0o755)
    code, out, err = run("--exact", "--no-final", "sh", "-c", "./child; exit $?")
    assert code == 0 and out, (code, out, err)
    expect_equal(list(other.parent.iterdir()), [])


def test_profiles_from_before_are_left_out():
    """`trend` and `check`: by the mark of the process, or the time of a file. Before it, 40 MB are loaded."""
    words = [*["times=10", "cache=1000003", "line"] * 4, *["times=5", "leak=100003", "line"] * 8]
    now = time.time()
    with Leaker(*words) as leaker:
        Path("dumps").mkdir()
        for number in range(12):
            if number == 4:
                heapflame("mark", leaker.pid, "warm")
                [mark] = Path.cwd().glob("heapflame-*/*.mark")
                os.utime(mark, (now - 850,) * 2)
            heapflame("dump", "-q", leaker.pid, "-o", f"dumps/{number:02}.hfb")
            os.utime(f"dumps/{number:02}.hfb", (now - 1200 + 100 * number,) * 2)
            leaker.go_on()
        document = json.loads(heapflame("trend", "--json", "dumps", "--since", mark)[1])
        found = {place["name"]: place["verdict"] for place in document["places"]}
        expect_equal((document["profiles"], found), (8, {"process_leak": "leak", "cache_fill": "steady"}))
        expect_equal(heapflame("top", "--trend", "dumps", "--since", mark)[0], 0)
        document = json.loads(heapflame("trend", "--json", "dumps", "--since", "warm", leaker.pid)[1])
        expect_equal(document["profiles"], 9)  # and now
        for since, status in [([], 1), (["--since", "warm", leaker.pid], 0)]:
            expect_equal(heapflame("check", "dumps", "--fail-on", "full-cache", *since)[0], status)
        assert "found 1" in refused(2, "trend", leaker.pid, "dumps/00.hfb", "--since", "warm")
    assert "--at" in refused(2, "trend", "--at", "1s", "--since", mark, "dumps")
    assert "is not a file" in refused(2, "trend", "--since", "nothing", "dumps")


if __name__ == "__main__":
    run_leaker_tests(globals())
