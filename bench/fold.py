#!/usr/bin/env python3
"""heapflame fold against jeprof with binutils' addr2line: the same dumps and binaries, in turns.

The big binary is Debian's ceph-mon with its debug information merged in: 305 MB, 167 MB of it .debug_info. Its dumps
are real ones: jemalloc profiled `--help`, `--mkfs`, and a monitor that ran for some seconds. The small one is small.c.
Everything is made once, in HEAPFLAME_BENCH_CACHE (empty it to begin anew); script/bench runs this.

Each round runs one after the other. Figures are medians; CPU is user + system with all children, the peak is that of
the largest process (not below the few MiB of this one, which started it). Both must find the same total within 0.1 %.
"""

import glob
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CACHE = os.environ["HEAPFLAME_BENCH_CACHE"]
SOURCE = os.path.dirname(os.path.abspath(__file__))
ROOT, DUMPS = os.path.join(CACHE, "root"), os.path.join(CACHE, "dumps")
CEPH, SMALL = os.path.join(CACHE, "ceph-mon"), os.path.join(CACHE, "small")
LIBRARIES = [os.path.join(ROOT, p) for p in ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/ceph",
                                             "lib/x86_64-linux-gnu")]
ROUNDS = 5
GOAL = 10  # times as fast as jeprof, where there is much debug information
CONFIG = """[global]
fsid = 11111111-1111-1111-1111-111111111111
mon host = 127.0.0.1:{port}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
log file = {folder}/log
plugin dir = {root}/usr/lib/x86_64-linux-gnu/ceph
erasure code dir = {root}/usr/lib/x86_64-linux-gnu/ceph/erasure-code
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def merge_debug_information():
    """CEPH: the stripped program and its debug file as one, as a program that was never stripped."""
    if os.path.exists(CEPH):
        return
    stripped = os.path.join(ROOT, "usr/bin/ceph-mon")
    build_id = output_of("readelf", "-n", stripped).split("Build ID: ")[1].split()[0]
    debug = os.path.join(ROOT, "usr/lib/debug/.build-id", build_id[:2], build_id[2:] + ".debug")
    merged = CEPH + ".tmp"
    subprocess.run(["eu-unstrip", "-o", merged, stripped, debug], check=True)
    subprocess.run(["objcopy", "--decompress-debug-sections", merged], check=True)
    os.rename(merged, CEPH)


def record(name, lg_sample, command, libraries=(), seconds=60):
    """Runs a program (so long) under jemalloc's profiler; its largest dump becomes DUMPS/name.heap."""
    path = os.path.join(DUMPS, name + ".heap")
    if os.path.exists(path):
        return
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "output"), "w+") as output:
        options = f"prof:true,prof_final:true,prof_accum:true,lg_prof_sample:{lg_sample},prof_prefix:{folder}/heap"
        env = dict(os.environ, LD_PRELOAD="libjemalloc.so.2", MALLOC_CONF=options,
                   LD_LIBRARY_PATH=":".join(libraries))
        child = subprocess.Popen(command, env=env, stdout=output, stderr=output)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.terminate()
            child.wait(60)
        found = sorted(glob.glob(os.path.join(folder, "heap.*.heap")), key=os.path.getsize)
        output.seek(0)
        if not found:
            sys.exit(f"{' '.join(command)} wrote no dump:\n{output.read()[-2000:]}")
        os.makedirs(DUMPS, exist_ok=True)
        shutil.copy(found[-1], path + ".tmp")
        os.rename(path + ".tmp", path)


def prepare():
    if not os.path.exists(SMALL):
        subprocess.run(["gcc", "-g", "-O2", "-o", SMALL, os.path.join(SOURCE, "small.c")], check=True)
    record("small", 0, [SMALL])
    merge_debug_information()
    record("ceph-help", 12, [CEPH, "--help"], LIBRARIES)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        config = os.path.join(folder, "ceph.conf")
        with open(config, "w", encoding="utf-8") as out:
            out.write(CONFIG.format(port=port, folder=folder, root=ROOT))
        data = os.path.join(folder, "mon")
        os.mkdir(data)
        monitor = [CEPH, "-c", config, "-i", "a", "--mon-data", data]
        record("ceph-mkfs", 6, monitor + ["--mkfs"], LIBRARIES)
        subprocess.run(monitor + ["--mkfs"], check=True, capture_output=True,
                       env=dict(os.environ, LD_LIBRARY_PATH=":".join(LIBRARIES)))
        record("ceph-run", 4, monitor + ["-f", "--public-addr", f"127.0.0.1:{port}"], LIBRARIES, seconds=10)


def measure(command):
    """One run: (CPU seconds, wall seconds, peak MiB), and the total of the folded stacks it printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            err.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{err.read()}")
        out.seek(0)
        total = sum(int(line.rsplit(" ", 1)[1]) for line in out)
    return (usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024), total


def compare(name, binary):
    """Prints the lines of one dump; returns how many times as fast heapflame is (wall)."""
    dump = os.path.join(DUMPS, name + ".heap")
    with open(dump, encoding="ascii", errors="replace") as lines:
        stacks = sum(line.startswith("@") for line in lines)
    tools = {
        "heapflame": ["heapflame", "fold", "--alloc_space", "-q", dump],
        "jeprof": ["jeprof", "--alloc_space", "--collapsed", binary, dump],
    }
    runs, totals = {tool: [] for tool in tools}, {}
    for _ in range(ROUNDS):
        for tool, command in tools.items():
            figures, totals[tool] = measure(command)
            runs[tool].append(figures)
    medians = {tool: [statistics.median(column) for column in zip(*rows)] for tool, rows in runs.items()}
    for tool, (cpu, wall, peak) in medians.items():
        spread = " ".join(f"{row[1]:.3f}" for row in sorted(runs[tool], key=lambda row: row[1]))
        print(f"{name:10} {stacks:6} {tool:10} {cpu:8.3f} {wall:8.3f} {peak:9.0f} {totals[tool]:12}   {spread}")
    ratios = [theirs / ours for ours, theirs in zip(medians["heapflame"], medians["jeprof"])]
    print(f"{name:10} {'':6} {'ratio':10} {ratios[0]:7.1f}x {ratios[1]:7.1f}x {ratios[2]:8.1f}x", flush=True)
    ours, theirs = totals["heapflame"], totals["jeprof"]
    if abs(ours - theirs) > theirs / 1000:
        sys.exit(f"{name}: the totals differ: {ours} and {theirs}")
    return ratios[1]


def main():
    prepare()
    for line in (output_of("heapflame", "--version"), output_of("jeprof", "--version"),
                 output_of("addr2line", "--version")):
        print(line.splitlines()[0])
    info = next(line.split() for line in output_of("readelf", "-WS", CEPH).splitlines() if " .debug_info " in line)
    size = int(info[info.index("PROGBITS") + 3], 16)
    print(f"ceph-mon: {os.path.getsize(CEPH) / 1e6:.0f} MB, .debug_info {size / 1e6:.0f} MB; {ROUNDS} rounds in turns")
    print(f"load before: {os.getloadavg()[0]:.2f}\n")
    print("dump       stacks tool          CPU s   wall s  peak MiB        total   all wall times, s")
    compare("small", SMALL)
    slowest = min(compare(name, CEPH) for name in ("ceph-help", "ceph-mkfs", "ceph-run"))
    print(f"\nceph-mon: at least {slowest:.1f} times as fast as jeprof; the goal is {GOAL}: "
          f"{'met' if slowest >= GOAL else 'MISSED'}")
    return 0 if slowest >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
