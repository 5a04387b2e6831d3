#!/usr/bin/env python3
# timeout: 240
"""`heapflame trend PID` and `check PID`, with the real agent: a process is looked at while it runs."""

import json
import os
import signal
import threading
import time
from pathlib import Path

from _run import Leaker, end, expect_equal, heapflame, refused, run_leaker_tests, start, wait_for

LINES = 400


class LeakingProcess(Leaker):
    """Keeps 100,003 bytes more each twentieth of a second."""

    def __init__(self):
        super().__init__("leak=1000003", "line", *["leak=100003", "line"] * LINES)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.leak)
        self.thread.start()

    def leak(self):
        for _ in range(LINES):
            if self.is_over.wait(0.05):
                return
            self.go_on()

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        super().__exit__()


def trend(*arguments):
    code, out, err = heapflame("trend", "--json", *arguments)
    expect_equal((code, err), (0, ""))
    return json.loads(out)


def expect_leak(document):
    """Found by name, and ever more; how fast is the machine's business."""
    place = document["places"][0]
    expect_equal((place["name"], place["shape"]), ("process_leak", "growing"))
    assert place["points"] == sorted(place["points"]) and place["per_second"] > 100_000, place
    assert all((point - 1000003) % 100003 == 0 for point in place["points"]), place["points"]
    assert abs(place["old_freed"]) < 0.08 and place["allocated_per_second"] > 0, "it is known when its blocks were born"


def test_for_some_time():
    with LeakingProcess() as leaker:
        started = time.monotonic()
        document = trend(leaker.pid, "-d", "3s")
        assert 3 <= time.monotonic() - started
        assert 8 <= len(document["times"]) <= 13, document["times"]
        expect_leak(document)
        assert 4 <= len(trend(leaker.pid, "-d", "2s", "--every", "200ms", "--skip", "1s")["times"]) <= 6
        expect_equal(heapflame("check", "-q", leaker.pid, "-d", "2s", "--budget", "1KiB/min")[0], 1)
        expect_equal(heapflame("check", "-q", leaker.pid, "-d", "2s", "--budget", "1GiB/s")[0], 0)
        heapflame("mark", leaker.pid, "warm")
        expect_leak(trend(leaker.pid, "-d", "2s", "--since", "warm"))
        assert "no mark" in refused(5, "trend", leaker.pid, "-d", "1s", "--since", "cold")


def test_until_interrupted():
    with LeakingProcess() as leaker:
        for number in [signal.SIGINT, signal.SIGTERM]:
            process = start("heapflame", "trend", leaker.pid, "--every", "100ms", "--json")
            time.sleep(2)
            process.send_signal(number)
            code, out, err = end(process)
            expect_equal((code, err), (0, ""))
            expect_leak(json.loads(out))
        process = start("heapflame", "trend", leaker.pid)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        code, out, err = end(process)
        assert (code, out) == (2, "") and "only 1 time: a trend needs at least 2 readings, a verdict 6" in err, (code, out, err)


def test_until_it_ends():
    with LeakingProcess() as leaker:
        process = start("heapflame", "trend", leaker.pid, "--every", "100ms")
        time.sleep(2)
    code, out, err = end(process)
    expect_equal((code, err), (0, f"heapflame: process {leaker.pid} has ended\n"))
    assert "process_leak" in out, out
    with LeakingProcess() as leaker:
        process = start("heapflame", "trend", "--who", leaker.pid, "--every", "100ms")
        time.sleep(2)
    code, out, err = end(process)
    assert code == 0 and "process_leak" in out and "held by" not in out, (code, out)
    assert "the process has ended, so nothing is known about what held its blocks" in err, err
    assert "cannot watch" in refused(5, "trend", leaker.pid)


def test_another_program():
    """After exec there is another table: what came before is told, and not taken for a process that stands still."""
    settings = heapflame("env", "exact:true")[1].split()
    process = start("env", *settings, "sh", "-c", "sleep 2; exec sleep 60")
    wait_for(lambda: "sh" in Path(f"/proc/{process.pid}/comm").read_text() and heapflame("top", process.pid)[0] == 0)
    code, _, err = heapflame("trend", process.pid, "--every", "100ms")
    process.kill()
    end(process)
    expected = f"heapflame: process {process.pid} became another program (exec): the report covers the time before\n"
    assert code == 0 and err.startswith(expected), (code, err)


def test_what_is_refused():
    with Leaker("leak=1000003") as leaker:
        for arguments, word in [
            ([leaker.pid, "--every", "10s", "-d", "100ms"], "only 1 time: a trend needs"),
            ([leaker.pid, "--at", "1s"], "--every"),
            ([leaker.pid, "--every", "soon"], "--every"),
            ([leaker.pid, "--every", "0s"], "millisecond"),
            ([leaker.pid, "-d", "0s"], "millisecond"),
            (["x.heap", "y.heap", "--every", "1s"], "one PID"),
            (["x.heap", "-d", "1s"], "--duration"),
        ]:
            assert word in refused(2, "trend", *arguments), arguments
    assert "has no live table" in refused(5, "trend", os.getpid())


if __name__ == "__main__":
    run_leaker_tests(globals())
