#!/usr/bin/env python3
# sanitized: long, it waits; attach runs the same code
# timeout: 300
# lane: probes, which the kernel puts in and takes out one after the other
"""What attach does on kernels that lack something: it takes the next best way, which has the same answer, or says what is
missing. The kernel here lacks nothing, so programs/old_kernel.c answers in its place. docs/attach.md has the table."""

import os
import re
import signal
import subprocess
import sys
import time

from _attach import WAYS, Attached, Target, by_way, need_root, old_kernel
from _heap import HEAPFLAME, need
from _suite import run_tests

need("gcc")
need_root()

COUNT = 100
HAS_WORKER = "HEAPFLAME_SANITIZED" not in os.environ  # a sanitizer needs rights of its own, so the worker keeps them


def the_account(*options, **more):
    """What attach says of a program that frees two of three blocks; checks that it is right."""
    with Target("halves", COUNT) as target:
        attached = Attached(target.pid, "-d", "60s", "--period", "1", *options, **more)
        target.go_on()
        target.heard("done")
        attached.end(signal=signal.SIGINT)
    account = f" s: {3 * COUNT} allocated, {2 * COUNT} freed, {COUNT} in use (9.8 KiB); nothing was lost\n"
    assert account in attached.said and "had not returned" not in attached.said, attached.said
    return attached.said


def heapflame_on(lacking, *arguments):
    """(exit status, what it says) of a command under a kernel that lacks something."""
    done = subprocess.run([HEAPFLAME, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False,
                          env=old_kernel(*lacking) if lacking else None)
    return done.returncode, done.stdout + done.stderr


def test_the_same_answer():
    for lacking, backend in ("sessions", "bpf"), ("btf", "bpf"), ("pidfd", "perf"):
        said = the_account("--backend", backend, lacking=[lacking])
        assert f"{backend} follows them " in said, f"{lacking}: {said}"


def test_doctor_says_whether_maps_are_read_without_rights():
    if not HAS_WORKER:
        return
    for lacking, answer, then in (("users", "no", "yes  with bpf and --no-sandbox"), ("sessions", "yes", "yes  with bpf; ")):
        status, said = heapflame_on((lacking,), "doctor")
        assert status == 0 and f"bpf maps       {answer}" in said and f"attach         {then}" in said, said


def test_places_of_tracefs():
    """In a mount namespace where it is nowhere, it is mounted privately; else it is also below debugfs."""
    unmount = "findmnt -rno TARGET -t tracefs,debugfs | tac | xargs -r umount -l"
    for more in "", "mount -t debugfs debugfs /sys/kernel/debug && ls /sys/kernel/debug/tracing/uprobe_events >/dev/null":
        if subprocess.run(["unshare", "--mount", "sh", "-c", f"{unmount}; {more}"], capture_output=True).returncode == 0:
            the_account("--backend", "perf", lacking=["fsopen"],
                        through=("unshare", "--mount", "sh", "-c", f'{unmount}; {more}\nexec "$@"', "sh"))


def test_perf_in_the_place_of_bpf():
    for lacking, why in (
        (("ringbuf",), "cannot load a program into the kernel: Invalid argument (libbpf: map 'stacks': failed to create"),
        *[(("users", "sessions"), "before Linux 5.19, a process without rights may not write to a map of the kernel: use --no-sandbox")] * HAS_WORKER,
    ):
        said = the_account(lacking=lacking)
        assert f"note: using the perf backend, because bpf failed: {why}" in said, said
    the_account("--backend", "bpf", "--no-sandbox", lacking=("users", "sessions"))


def test_without_events_of_perf():
    status, said = heapflame_on(["perf"], "attach", os.getpid(), "-d", "1s", "--backend", "perf")
    assert status == 5 and "no permission to watch process" in said and ": run as root (CAP_SYS_ADMIN), or see 'heapflame doctor'" in said, said


def test_doctor():
    for lacking, says in (
        ("sessions", "bpf            yes  the program loads; sampling costs more without uprobe sessions (Linux 6.13, BTF)"),
        ("btf", "bpf            yes  the program loads; sampling costs more without uprobe sessions (Linux 6.13, BTF)"),
        ("ringbuf", "bpf            no   cannot load a program into the kernel: Invalid argument"),
        ("fsopen", "tracefs        yes  user-space probes can be created"),
    ):
        _, said = heapflame_on([lacking], "doctor")
        assert says in said and "attach         yes" in said, f"{lacking}: {said}"


def test_probes_come_and_go_at_once():
    """They are put in and taken out one after another; of a process that allocates and frees all the time, that is not
    seen: at most the block of the moment is in use."""
    for way in WAYS:
        with Target("busy") as target:
            backend, lacking = by_way(way)
            _, said = heapflame_on(lacking, "attach", target.pid, "-o", "out.folded", "-d", "100ms", "--period", "1",
                                   "--max-overhead", "100000%", "--backend", backend)
        # perf loses some, and says so; of what it did not lose the same holds.
        in_use = int(re.search(r" freed, ([\d,]+) in use", said)[1].replace(",", ""))
        assert in_use <= 1 or " lost before heapflame" in said, f"{way}: {said}"
        assert way == "perf" or "had not returned" not in said, f"{way}: {said}"


def test_the_end_of_a_process_without_descriptors_of_it():
    with Target("dies") as target:
        attached = Attached(target.pid, "-d", "60s", lacking=["pidfd"])
        target.go_on()
        target.heard("done")
        start = time.monotonic()
        target.go_on()
        target.process.wait()
        attached.end()
        assert "the process ended after" in attached.said and time.monotonic() - start < 50, attached.said


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
