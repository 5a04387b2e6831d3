#!/usr/bin/env python3
"""What the agent adds to a program, beside jemalloc's profiler, gperftools' and heaptrack; script/bench runs this.

Real programs: sqlite3 with tables in memory, python3 with PYTHONMALLOC=malloc, the C compiler itself, redis-server under
redis-benchmark (the server's own CPU; Debian's has jemalloc in it, so "bare" is jemalloc there). Then allocate.c, which
does nothing but allocate. Each round runs one setting after the other; a setting's figure is the median over the rounds
of its CPU (user + system, with children) against the same round's bare run, in brackets the 95 % interval of that median
by order statistics. What costs much more than that is run in fewer rounds, and a short program, bare and sampled, in more.

heaptrack's library takes itself out of LD_PRELOAD in the first process it is in, so no wrapper stands between; that it
wrote a trace is checked. `heaptrack, library` writes it to a file in memory; `heaptrack, whole` is the command, with the
process that reads the trace.

Instructions are callgrind's; bytes for a live block are the resident memory of 10 million blocks with the agent, less
that of the same run without, table and all. On a machine that is busy with other work, these are all that is measured.
"""

import json
import math
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from _measure import expect

BUILD, SOURCE = os.environ["BUILD"], os.environ["HEAPFLAME_SRC"]
ALLOCATE = f"{BUILD}/bench/allocate"
AGENT = f"{BUILD}/agent/libheapflame.so"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
JEMALLOC, GPERFTOOLS = f"{LIBRARIES}/libjemalloc.so.2", f"{LIBRARIES}/libtcmalloc.so.4"
HEAPTRACK = "/usr/lib/heaptrack/libheaptrack_preload.so"
WORK = tempfile.mkdtemp(prefix="heapflame-bench-", dir="/dev/shm")
TRACE = f"{WORK}/trace"
ROUNDS, SLOW_ROUNDS = 15, 5
LOAD_MAX = 2  # of a processor: with more, times say nothing
SHORT_S, SHORT_ROUNDS = 0.5, 60  # a program of so little CPU needs more rounds to tell 2 % from noise

GOALS = {"instructions": 14, "sampled, median": 1.02, "sampled, each": 1.04, "4 KiB, of jemalloc's": 1 / 2.5,
         "exact, of heaptrack's library": 1 / 2, "exact, of heaptrack's library, median": 1 / 2.5,
         "exact, of heaptrack": 1 / 8, "bytes of a block": 64}


def agent(options):
    return {"LD_PRELOAD": AGENT, "HEAPFLAME_CONF": f"prof:true,dir:{WORK},{options}"}


def jemalloc(options):
    return {"LD_PRELOAD": JEMALLOC, **({"MALLOC_CONF": f"prof:true,{options}"} if options else {})}


SETTINGS = {  # name: (environment, words before the command)
    "bare": ({}, []),
    "heapflame, 512 KiB": (agent("lg_prof_sample:19"), []),
    "heapflame, 4 KiB": (agent("lg_prof_sample:12"), []),
    "heapflame, exact": (agent("lg_prof_sample:0"), []),
    "heaptrack, library": ({"LD_PRELOAD": HEAPTRACK, "DUMP_HEAPTRACK_OUTPUT": TRACE}, []),
    "heaptrack, whole": ({}, ["heaptrack", "-o", TRACE]),
    "jemalloc": (jemalloc(""), []),
    "jemalloc, 512 KiB": (jemalloc("lg_prof_sample:19"), []),
    "jemalloc, 4 KiB": (jemalloc("lg_prof_sample:12"), []),
    "jemalloc, exact": (jemalloc("lg_prof_sample:0"), []),
    "gperftools": ({"LD_PRELOAD": GPERFTOOLS, "HEAPPROFILE": f"{WORK}/gperf", "HEAP_PROFILE_ALLOCATION_INTERVAL": "0",
                    "HEAP_PROFILE_INUSE_INTERVAL": "0"}, []),
}
OWN = ("bare", "heapflame, 512 KiB")  # what the closest goal is about: in every round
SLOW = ("heaptrack, whole", "jemalloc, exact", "gperftools")

SQL = """
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60000)
    INSERT INTO t SELECT i, 'text '||i||' '||hex(i*7919), i*1.5, randomblob(i%200) FROM n;
CREATE INDEX tb ON t(b);
SELECT a%97, count(*), sum(c), max(b) FROM t GROUP BY 1 ORDER BY 2 DESC;
UPDATE t SET b = upper(b)||printf('%08d',a) WHERE a%3=0;
SELECT json_extract(json_object('a',a,'b',b),'$.b') FROM t WHERE a%2=0;
DELETE FROM t WHERE a%5=0;
"""
PYTHON = """
words = {}
for i in range(100000):
    key = "key%d" % (i % 5000)
    words.setdefault(key, []).append([i, str(i), {"a": i}])
    if len(words[key]) > 8:
        words[key] = words[key][4:]
"""
REDIS_LOAD = ("set,lpush,hset,zadd,lrange_100", "set,get,lpush,lpop,sadd,hset,spop,zadd")


def environment(setting, more=()):
    unwanted = ("LD_PRELOAD", "MALLOC_CONF", "HEAPFLAME_CONF")
    return {**{key: value for key, value in os.environ.items() if key not in unwanted}, **SETTINGS[setting][0], **dict(more)}


def check_trace(setting):
    """heaptrack that measured nothing would be fast."""
    if not setting.startswith("heaptrack"):
        return
    traces = [f"{WORK}/{name}" for name in os.listdir(WORK) if name.startswith("trace")]
    if sum(os.path.getsize(trace) for trace in traces) < 10000:
        sys.exit(f"{setting}: no trace came out")


def clear():
    for name in os.listdir(WORK):
        if not name.startswith("in."):
            path = f"{WORK}/{name}"
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


class Command:
    """A command's CPU seconds under a setting."""

    def __init__(self, command, more=()):
        self.command, self.more = command, more

    def cpu(self, setting):
        with open(os.devnull, "r+b") as null:
            child = subprocess.Popen(SETTINGS[setting][1] + self.command, env=environment(setting, self.more),
                                     stdin=null, stdout=null, stderr=null)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{setting}: {' '.join(self.command)} failed with status {child.returncode}")
        return usage.ru_utime + usage.ru_stime


class Redis:
    """The CPU seconds of redis-server while redis-benchmark asks it, without its start."""

    more = ()

    def cpu(self, setting):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        with open(os.devnull, "r+b") as null:
            server = subprocess.Popen(
                SETTINGS[setting][1] + ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", WORK],
                env=environment(setting), stdin=null, stdout=null, stderr=null)
            try:
                self.wait_for(port)
                for tests in REDIS_LOAD:
                    subprocess.run(["redis-benchmark", "-p", str(port), "-q", "-P", "16", "-c", "20", "-r", "100000",
                                    "-n", "60000", "-d", "100", "-t", tests], check=True, stdout=null, stderr=null)
                with socket.create_connection(("127.0.0.1", port)) as one:
                    one.sendall(b"SHUTDOWN NOSAVE\r\n")
                _, _, usage = os.wait4(server.pid, 0)
                server.returncode = 0
            finally:
                if server.returncode is None:
                    server.kill()
                    server.wait()
        return usage.ru_utime + usage.ru_stime

    @staticmethod
    def wait_for(port):
        for _ in range(200):
            try:
                with socket.create_connection(("127.0.0.1", port)) as one:
                    one.sendall(b"PING\r\n")
                    if one.recv(16):
                        return
            except OSError:
                pass
            time.sleep(0.05)
        sys.exit("redis-server did not start")


def programs():
    with open(f"{WORK}/in.sql", "w", encoding="ascii") as out:
        out.write(SQL)
    unit = f"{WORK}/in.ii"
    subprocess.run(["g++", "-E", "-P", f"{SOURCE}/tests/programs/shapes.cc", "-o", unit], check=True)
    compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True, capture_output=True, text=True).stdout.strip()
    return {"sqlite3": Command(["sqlite3", ":memory:", f".read {WORK}/in.sql"]),
            "python3": Command(["/usr/bin/python3", "-c", PYTHON], {"PYTHONMALLOC": "malloc"}.items()),
            "cc1plus": Command([compiler, "-quiet", "-O1", unit, "-o", "/dev/null"]),
            "redis-server": Redis()}


MICRO = {"pair": ["pair", "1", "0", "3000000"], "pair, 30 deep": ["pair", "1", "30", "3000000"],
         "live": ["live", "1", "0", "3000000"], "live, 30 deep": ["live", "1", "30", "3000000"],
         "live, 2 threads, 30 deep": ["live", "2", "30", "1500000"]}


def interval_of_median(values):
    """The 95 % interval from order statistics: the widest i with P(fewer than i of n below the median) <= 2.5 %."""
    n, below, i = len(values), 0.0, 0
    while below + math.comb(n, i) / 2 ** n <= 0.025:
        below += math.comb(n, i) / 2 ** n
        i += 1
    ordered = sorted(values)
    return ordered[max(i - 1, 0)], ordered[n - max(i, 1)]


def compare(name, program, without=()):
    """Runs all settings in turns and prints them; {setting: (ratio to bare, CPU added in seconds)}."""
    seconds = {setting: [] for setting in SETTINGS if setting not in without}
    for number in range(ROUNDS):
        for setting, figures in seconds.items():
            if number < SLOW_ROUNDS or setting not in SLOW:
                figures.append(program.cpu(setting))
                check_trace(setting)
                clear()
    bare, results = seconds["bare"], {}
    while statistics.median(bare) < SHORT_S and len(bare) < SHORT_ROUNDS:
        for setting in ("bare", "heapflame, 512 KiB"):
            seconds[setting].append(program.cpu(setting))
            clear()
    for setting, figures in seconds.items():
        ratios = [one / other for one, other in zip(figures, bare)]
        added = statistics.median(one - other for one, other in zip(figures, bare))
        low, high = interval_of_median(ratios)
        results[setting] = (statistics.median(ratios), added)
        print(f"{name:26} {setting:20} {statistics.median(figures):8.3f} s {results[setting][0]:8.3f}  [{low:.3f} {high:.3f}]",
              flush=True)
    print(flush=True)
    return results


def share(results, one, other, base="bare"):
    """What `one` adds, of what `other` adds to `base`."""
    added = results[other][1] - (results[base][1] if base != "bare" else 0)
    return results[one][1] / added if added > 0 else math.inf


def judge(results):
    """The goals over {program: results}."""
    sampled = {name: one["heapflame, 512 KiB"][0] for name, one in results.items()}
    library = {name: share(one, "heapflame, exact", "heaptrack, library") for name, one in results.items()}
    median = statistics.median(sampled.values())
    met = expect(median <= GOALS["sampled, median"], f"sampled at 512 KiB: median {median:.4f}; the goal is {GOALS['sampled, median']}")
    for name, ratio in sampled.items():
        met &= expect(ratio <= GOALS["sampled, each"], f"sampled at 512 KiB: {name} {ratio:.4f}; the goal is {GOALS['sampled, each']}")
    for name, one in results.items():
        ratio = share(one, "heapflame, 4 KiB", "jemalloc, 4 KiB", "bare" if name == "redis-server" else "jemalloc")
        met &= expect(ratio <= GOALS["4 KiB, of jemalloc's"], f"sampled at 4 KiB: {name} adds {ratio:.3f} of what jemalloc's profiler adds; "
                      f"the goal is {GOALS['4 KiB, of jemalloc' + chr(39) + 's']}")
    for name, ratio in library.items():
        met &= expect(ratio <= GOALS["exact, of heaptrack's library"], f"exact: {name} adds {ratio:.3f} of what heaptrack's library adds; the goal is 0.5")
    median = statistics.median(library.values())
    met &= expect(median <= GOALS["exact, of heaptrack's library, median"], f"exact: median {median:.3f} of heaptrack's library; the goal is 0.4")
    for name, one in results.items():
        ratio = share(one, "heapflame, exact", "heaptrack, whole")
        met &= expect(ratio <= GOALS["exact, of heaptrack"], f"exact: {name} adds {ratio:.3f} of what heaptrack adds; the goal is 0.125")
    return met


def instructions(options, count):
    """callgrind's count of so many pairs, with the agent if there are options."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={WORK}/callgrind", ALLOCATE, "pair", "1", "0", str(count)]
    setting = {**environment("bare"), **(agent(options) if options else {})}
    err = subprocess.run(command, env=setting, capture_output=True, text=True, check=True).stderr
    clear()
    return int(re.search(r"Collected : (\d+)", err).group(1))


def judge_instructions(pairs=3_000_000):
    """What a pair adds: what so many more of them add. Sizes are those of allocate.c, 680 bytes in the mean."""
    def added(options, pairs=pairs):
        few, many = (instructions(options, count) - instructions("", count) for count in (pairs // 3, pairs // 3 + pairs))
        return (many - few) / pairs

    inert, sampled, exact = added("prof_active:false"), added("lg_prof_sample:19"), added("lg_prof_sample:0", pairs // 20)
    print(f"instructions added to a pair of malloc and free: {inert:.2f} when switched off, {exact:.0f} exact")
    return expect(sampled <= GOALS["instructions"],
                  f"instructions added to a pair: {sampled:.2f} sampled at 512 KiB; the goal is {GOALS['instructions']}")


def judge_blocks(count=10_000_000):
    command = [ALLOCATE, "hold", "1", "30", str(count)]
    resident = [int(subprocess.run(command, env=environment(setting), check=True, capture_output=True, text=True).stdout)
                for setting in ("bare", "heapflame, exact")]
    table = next(f"{folder}/{name}" for folder, _, names in os.walk(WORK) for name in names if name.endswith(".live"))
    answer = json.loads(subprocess.run(["heapflame", "top", "--json", "-q", table], check=True, capture_output=True, text=True).stdout)
    print(f"10 million blocks: heapflame top tells of {answer['total']:,} bytes; resident {resident[0]:,} KiB without, {resident[1]:,} KiB with the agent")
    each = (resident[1] - resident[0]) * 1024 / count
    clear()
    return expect(each <= GOALS["bytes of a block"], f"exact: {each:.1f} bytes for each of {count:,} live blocks; the goal is 64")


def main():
    load = os.getloadavg()[0]
    print(f"load before: {load:.2f}; {ROUNDS} rounds, {SLOW_ROUNDS} of {', '.join(SLOW)}\n")
    try:
        met = [judge_instructions(), judge_blocks()]
        if load > LOAD_MAX * os.cpu_count():
            expect(False, f"no times: the load is above {LOAD_MAX} for each processor, so only what can be counted was")
            return 1
        print(f"\n{'program':26} {'setting':20} {'CPU':>10} {'of bare':>8}  [95 %]")
        met.append(judge({name: compare(name, program, ("jemalloc, exact", "gperftools")) for name, program in programs().items()}))
        print("\nbeside, without a goal: nothing but allocation\n")
        for name, arguments in MICRO.items():
            compare(name, Command([ALLOCATE, *arguments]), ("jemalloc, exact", "gperftools"))
        few = [arguments[:3] + ["60000"] for arguments in (MICRO["pair, 30 deep"],)]
        compare("pair, 30 deep, 60,000", Command([ALLOCATE, *few[0]]))
        return 0 if all(met) else 1
    finally:
        shutil.rmtree(WORK)


if __name__ == "__main__":
    sys.exit(main())
