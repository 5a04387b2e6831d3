#!/usr/bin/env python3
# timeout: 300
# sanitized: no, what it tests is what the kernel and the process do, which is the same there
# alone: beside others, a round takes up to twice the time of a processor, and what probes cost is another part of it
"""attach says how much slower it makes a process, in the process's own time: also of one that seldom gets a processor.
--max-overhead holds, by following allocations a part of the time, and what is shown is right all the same."""

import contextlib
import os
import re
import signal
import struct
import sys
import threading
import time

from _attach import Attached, Target, need_root, of_leaf
from _heap import need
from _suite import measures, run_tests

need("gcc")
need_root()

BLOCK = 48  # that leak_small keeps
SPEEDS = r"about 1/(\d+) of its speed|about (\d+) % of its speed|its (full) speed"


class Worker(Target):
    """A process that counts what it gets done."""

    def __init__(self):
        super().__init__("works", "rounds")
        self.file = open("rounds", "rb", buffering=0)

    def done(self):
        self.file.seek(0)
        return struct.unpack("Q", self.file.read(8))[0]

    @contextlib.contextmanager
    def measured(self):
        """A list, which has at the end the seconds that it computed for one round."""
        found, done, computed = [], self.done(), self.computed()
        yield found
        found.append((self.computed() - computed) / (self.done() - done))

    def compute(self, seconds):
        """Waits until it has computed for so long, however little of a processor it gets."""
        end = self.computed() + seconds
        while self.computed() < end:
            time.sleep(0.01)

    def bare(self, seconds=0.1):
        with self.measured() as found:
            self.compute(seconds)
        return found[0]


@contextlib.contextmanager
def throttled(pid):
    """A processor for one tenth of the time, as a limit of its group leaves it."""
    is_over = threading.Event()

    def starve():
        while not is_over.is_set():
            os.kill(pid, signal.SIGSTOP)
            is_over.wait(0.045)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.005)

    thread = threading.Thread(target=starve)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def slower(sentence, said):
    """How many times as long it takes, as a sentence has it."""
    match = re.search(f"{sentence} (?:{SPEEDS})", said)
    assert match, f"no '{sentence} about ... of its speed' in: {said}"
    return float(match[1]) if match[1] else 100 / float(match[2]) if match[2] else 1


def price_of_a_throttled_process(backend):
    with Worker() as target, throttled(target.pid):
        bare = target.bare()
        attached = Attached(target.pid, "-d", "4s", "--period", "1", "--backend", backend)
        with target.measured() as during:
            time.sleep(3)
        attached.end(status=(0, 4))  # perf may lose calls on a busy machine
        bare = (bare + target.bare()) / 2
    true, told = during[0] / bare, slower("will run at", attached.said)
    found = slower("while attached, the process ran at", attached.said)
    print(f"{backend}: {bare * 1e9:.0f} ns a round; {true:.1f} times as long; told {told:.1f}, found {found:.1f}")
    assert true / 2 < told < true * 2 and true / 2 < found < true * 2, (true, attached.said)


@measures
def test_price_of_a_throttled_process_by_bpf():
    """Both before and after it is what the process gets done in its own time, though it has a tenth of a processor."""
    price_of_a_throttled_process("bpf")


@measures
def test_price_of_a_throttled_process_by_perf():
    price_of_a_throttled_process("perf")


@measures
def test_max_overhead_holds():
    """Allowed is more than following frees takes, and less than everything: allocations are followed a part of the time."""
    with Worker() as target:
        bare = target.bare(0.3)
        attached = Attached(target.pid, "-d", "60s", "--period", "1", "--backend", "bpf")
        with target.measured() as during:  # clock ticks, by which attach tells what it cost, need a second of its time
            target.compute(1.2)
        attached.end(signal=signal.SIGINT)
        bare = (bare + target.bare(0.3)) / 2
        full = during[0] / bare - 1
        most = min(full, slower("while attached, the process ran at", attached.said) - 1) * 0.6
    # Another process: what the first did in the kernel, for its probes, is nobody's habit.
    with Worker() as target:
        bare = target.bare(0.3)
        attached = Attached(target.pid, "-d", "6s", "--period", "1", "--backend", "bpf", "--max-overhead",
                            f"{most * 100:.0f}%", output="held.folded")
        with target.measured() as during:
            time.sleep(5)
        stacks = attached.end()
        held = during[0] / bare - 1
    print(f"{full * 100:.0f} % more by following all; held at {held * 100:.0f} %: {attached.said}")
    assert held < full * 0.8, (full, held, attached.said)
    share = re.search(r"allocations were followed for (\d+\.\d) of 6\.\d s, .* the process made about (\d+\.\d) times as many", attached.said)
    assert share and 0.1 < float(share[1]) < 5.7, attached.said
    leaked = sum(of_leaf(stacks, "leak_small").values())
    assert leaked and leaked % BLOCK == 0, stacks
    assert sum(value for _, value in stacks) - leaked <= 200, f"what was freed while allocations were not followed: {stacks}"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
