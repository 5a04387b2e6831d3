#!/usr/bin/env python3
# sanitized: long, it waits for its series; attach and trend run the same code
# timeout: 420
# lane: probes, which the kernel puts in and takes out one after the other
"""`attach --every`: a series of a process that runs already, its verdicts, and what is recorded a part of the time (--duty)."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from _attach import BACKENDS, breakpoints_of, need_root
from _heap import HEAPFLAME, PROGRAMS, failing, folded, heapflame, need, run
from _suite import run_tests

need("gcc")
need_root()

SESSION = 900  # bytes that slow_server leaks of each session
ENTRIES = 64 * 1200  # bytes that its cache holds
PROGRAM = Path("slow_server").resolve()
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Server:
    """slow_server, and what it says at its end: how many sessions it has leaked."""

    def __init__(self, *arguments):
        if not PROGRAM.exists():
            run("gcc", "-O2", "-g", "-o", PROGRAM, PROGRAMS / "slow_server.c")
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"
        self.began = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Bytes that it leaked a second, by its own count."""
        self.process.send_signal(signal.SIGTERM)
        leaked = int(self.process.communicate()[0])
        return leaked * SESSION / (time.monotonic() - self.began)


def begin(pid, *options):
    command = [HEAPFLAME, "attach", str(pid), "--max-overhead", "100000%", *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process, status=0):
    out, said = process.communicate(timeout=300)
    assert process.returncode == status, f"expected exit {status}, got {process.returncode}: {said}"
    return out, said


def said_until(process, words):
    """What it says up to the line that has these."""
    said = ""
    while words not in said:
        line = process.stderr.readline()
        assert line, f"exit {process.wait()}: {said}"
        said += line
    return said


def attach(pid, *options, status=0):
    return end(begin(pid, *options), status)


def rate_of(out, name):
    """Bytes a second that `name` leaks, as its sentence says."""
    found = re.search(rf"^LEAK.*: {name} (?:keeps|grows by) ([0-9.]+) (B|KiB|MiB)/min ", out, re.MULTILINE)
    assert found, out
    return float(found[1]) * UNITS[found[2]] / 60


def expect_only_leak(out):
    """The cache is full, and what a request allocates is freed: only sessions leak."""
    assert re.search(r"\nNext: while the process runs, heapflame heap \d+ shows what holds its memory\.\n", out), out
    assert len(re.findall("^LEAK", out, re.MULTILINE)) == 1 and re.search("^LEAK.*: remember_session keeps ", out, re.MULTILINE), out
    assert re.search(r"profiles over .* as a whole: leak\.", out), out


def number_of(path):
    return int(path.name.split(".")[-2])


def test_a_leak():
    for backend in BACKENDS:
        folder = Path(f"looks-{backend}")
        folder.mkdir()
        with Server(1000, 10) as server:
            out, said = attach(server.pid, "--every", "500ms", "--for", "12s", "-o", folder, "--backend", backend)
            assert breakpoints_of(server.pid) == []
            truth = server.end()
        expect_only_leak(out)
        assert abs(rate_of(out, "remember_session") / truth - 1) < 0.25, (out, truth)
        assert re.search(r"^heapflame: LEAK(?: since ..:..)?: remember_session keeps ", said, re.MULTILINE), said
        assert re.search(r"12\.\d s, \d+ looks: [0-9,]+ allocated; of these, [0-9,]+ freed, [0-9,]+ in use", said), said
        assert "a cache whose entries live longer than these 12 s looks like a leak" in said, said
        files = sorted(folder.glob(f"slow_server.{server.pid}.*.hfb"), key=number_of)
        assert 10 <= len(files) <= 26, files
        assert f"{len(files)} looks" in said, said
        # The files contain the births: trend says of them what attach said.
        document = json.loads(heapflame("trend", "--json", folder))
        leaks = [place for place in document["places"] if place["verdict"] == "leak"]
        assert [place["name"] for place in leaks] == ["remember_session"], leaks
        assert "stay: at most" in leaks[0]["evidence"], leaks[0]["evidence"]
        # Nothing is known of what was freed, so nobody is told about it.
        assert "has no lifetimes and sizes of freed blocks" in failing(3, "top", "--births", files[-1])
        heapflame("convert", files[-1], "-o", "last.pb.gz", "--to", "pprof")
        assert "remember_session" in heapflame("top", "last.pb.gz")
        # A second series goes on with the numbers.
    assert len(list(Path("looks-bpf").iterdir())) >= 10


def test_keep():
    """All looks are judged, of which few files stay: the first, the last two, the peak, and pairs that grew most."""
    with Server(1000, 10) as server:
        Path("some").mkdir()
        Path(f"some/slow_server.{server.pid}.0.hfb").write_text("of an earlier series")
        out, said = attach(server.pid, "--every", "300ms", "--for", "9s", "--keep", "2", "-o", "some")
        last = int(re.search(r", (\d+) looks: ", said)[1])
        numbers = sorted(number_of(path) for path in Path("some").iterdir())
    expect_only_leak(out)
    assert numbers[:2] == [0, 1] and last >= 14 and numbers[-2:] == [last - 1, last], (numbers, said)
    assert len(numbers) <= 1 + 1 + 2 + 1 + 6, numbers
    judged = re.search(r"^(\d+) profiles over ", out, re.MULTILINE)
    assert judged and int(judged[1]) >= last - 2 > len(numbers), (last, numbers, out)  # the first and the last may be no points
    assert Path(f"some/slow_server.{server.pid}.0.hfb").read_text() == "of an earlier series"


def calls(profile):
    """How often a function of the server allocated, by a profile."""
    found = {}
    for frames, value in folded(heapflame("fold", "--alloc_objects", profile)):
        for name in ("cache_put", "renew_buffer", "remember_session"):
            found[name] = found.get(name, 0) + (value if name in frames else 0)
    return found


def test_a_part_of_the_time():
    with Server(1000, 10) as server:
        out, said = attach(server.pid, "--every", "1s", "-d", "20s", "--duty", "100ms/500ms", "-o", "part.%n.hfb")
        truth = server.end()
    expect_only_leak(out)
    assert abs(rate_of(out, "remember_session") / truth - 1) < 0.4, (out, truth)
    part = re.search(r"recorded for ([0-9.]+) of ([0-9.]+) s \(--duty\), so bytes and rates are multiplied by ([0-9.]+); frees", said)
    assert part and 2.5 < float(part[1]) < 6 and 20 <= float(part[2]) < 25, said
    assert abs(float(part[3]) * float(part[1]) / float(part[2]) - 1) < 0.12, said  # held, unless 5 % off; half a window
    last = max(Path().glob("part.*.hfb"), key=number_of)
    # Each of these is called once in each round. A realloc counts where it happens in a window, as a malloc does.
    counts = calls(last)
    assert abs(counts["renew_buffer"] / counts["cache_put"] - 1) < 0.2, counts
    assert abs(counts["remember_session"] * 10 / counts["cache_put"] - 1) < 0.3, counts
    # Entries live for less than a period: those that are recorded are freed outside of windows, and do not stay.
    held = sum(value for frames, value in folded(heapflame("fold", last)) if "cache_put" in frames)
    assert held <= ENTRIES * (float(part[3]) + 0.5), held
    document = json.loads(heapflame("trend", "--json", *sorted(Path().glob("part.*.hfb"), key=number_of)))
    verdicts = {place["name"]: place["verdict"] for place in document["places"]}
    assert verdicts["remember_session"] == "leak" and verdicts.get("cache_put") != "leak", verdicts


def test_looks_that_are_closer_than_windows():
    """What an allocation stands for is the same at each look: else what stays would seem to die as the windows become longer."""
    with Server(1000, 10) as server:
        attach(server.pid, "--every", "500ms", "-d", "30s", "--duty", "50ms/1s", "-o", "close.%n.hfb")
    files = sorted(Path().glob("close.*.hfb"), key=number_of)
    document = json.loads(heapflame("trend", "--json", *files))
    [place] = [place for place in document["places"] if place["name"] == "remember_session"]
    falls = sum(max(0, a - b) for a, b in zip(place["points"], place["points"][1:]))
    assert place["verdict"] == "leak" and falls < 0.2 * place["points"][-1], place  # a busy machine may be told once


def test_since_when():
    with Server(1000, 10, 8) as server:
        out, said = attach(server.pid, "--every", "500ms", "--for", "24s")
        before = time.monotonic() - server.began - 8
    expect_only_leak(out)
    found = re.search(r"It began between (\d+) s and (\d+) s before the last profile", out)
    assert found and int(found[2]) - 3 <= before <= int(found[1]) + 3, (before, out)


def test_the_end_of_the_process():
    with Server(1000, 10) as server:
        process = begin(server.pid, "--every", "200ms", "--for", "1h", "--duty", "100ms/300ms")
        before = said_until(process, "attached;")
        time.sleep(10)
        server.end()
        out, said = end(process)
    said = before + said
    assert "note: the process ended after " in said and " looks: " in said, said
    assert "remember_session" in out, out


def test_to_be_told_to_end():
    """Without a time, it goes on until it is told; and who looks more often than is possible, looks as often as is possible."""
    with Server(1000, 10) as server:
        process = begin(server.pid, "--every", "10ms")
        before = said_until(process, "attached;")
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        out, said = end(process)
        said = before + said
        assert "remember_session" in out and "attached; press Ctrl-C for the verdicts so far" in said, (out, said)
        assert re.search(r"note: \d+ looks were left out, because the one before took longer than --every", said), said
        assert breakpoints_of(server.pid) == []
        process = begin(server.pid, "--every", "1s")
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode != 0
        assert breakpoints_of(server.pid) == []


def test_a_folder_that_is_full():
    folder = Path("full")
    folder.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=16k", "none", folder)
    try:
        with Server(1000, 10) as server:
            out, said = attach(server.pid, "--every", "500ms", "--for", "10s", "-o", folder, status=4)
        assert 1 <= len(list(folder.iterdir())) < 8
    finally:
        run("umount", folder)
    assert said.count("No space left on device") == 1, said
    assert "remember_session" in out and "lost: a profile, and perhaps later ones, because cannot write " in said, said


def test_usage():
    with Server(1000, 0) as server:
        pid = server.pid
        for options, expected in (
            (["--every", "1s", "--duty", "2s/1s"], "--duty: expected ON from 10 ms to less than PERIOD, e.g. 1s/60s; found '2s/1s'"),
            (["--every", "1s", "--duty", "1s/1s"], "--duty: expected ON from 10 ms to less than PERIOD, e.g. 1s/60s; found '1s/1s'"),
            (["--every", "1s", "--duty", "1ms/1s"], "--duty: expected ON from 10 ms to less than PERIOD, e.g. 1s/60s; found '1ms/1s'"),
            (["--every", "1s", "--duty", "1s"], "--duty: expected ON/PERIOD, e.g. 1s/60s to record 1 s of each 60 s; found '1s'"),
            (["--keep", "3"], "--keep needs --every and --output: it says which of several profiles are kept"),
            (["--every", "1s", "--keep", "3"], "--keep needs --every and --output: it says which of several profiles are kept"),
            (["--duty", "1s/60s"], "--duty needs --every: windows are a sample of time, which only a series can judge"),
            (["--every", "1s", "--tree"], "--every: expected one PID: several processes cannot be judged as one"),
            (["--every", "1s", "--older", "1s"], "--every and --older exclude each other: verdicts know how old each block is"),
            (["--every", "1s", "-o", "-"], "--output: expected a pattern or a folder, because --every writes several profiles"),
            (["--every", "1s", "-o", "x.%z.hfb"], "found '%z'"),
        ):
            assert expected in failing(2, "attach", pid, *options), (options, failing(2, "attach", pid, *options))
        said = failing(2, "attach", pid, "--every", "1s", "--duty", "100ms/1s", "--backend", "perf")
        assert "--duty: the perf backend follows allocations all of the time or not at all" in said, said


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
