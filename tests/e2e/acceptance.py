#!/usr/bin/env python3
"""The seeds' stories, step by step, on the example service: A1-A4, A6, A7 and B2, B3, B6 of what the seed documents ask
for. The service counts every allocation, so each amount is exact. The stories of B are told twice: on jemalloc, and on
glibc's malloc with heapflame's agent in jemalloc's place."""

import html
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from _cgroup import NONE, Group
from _heap import EVERY_ALLOCATION, HEAPFLAME, MIB, Dump, failing, folded, heapflame, need, run, skip, sum_folded
from _suite import run_tests
from service import AGENT, SERVICE, PlainService, Service

# A proxy of this machine has no business between us and 127.0.0.1.
os.environ.update(no_proxy="127.0.0.1", NO_PROXY="127.0.0.1")


def expect(got, expected, what):
    assert got == expected, f"{what}: expected {expected}, got {got}"


def live_in(text, name):
    return sum(value for frames, value in folded(text) if name in frames)


def fetch(service, name):
    heapflame("dump", "-q", f"http://127.0.0.1:{service.port}", "-o", name)
    return name


def test_a1_nothing_else_is_needed():
    """One binary: no Perl, binutils or Graphviz; nothing is on PATH at all."""
    with Service(EVERY_ALLOCATION) as service:
        service.get("/leak?n=3")
        fetch(service, "mem.hprof")
    bare = {"env": {"PATH": "/nonexistent"}}
    expect(live_in(run(HEAPFLAME, "fold", "-q", "mem.hprof", **bare), "process_leak"), 3 * MIB, "fold")
    assert "process_leak" in run(HEAPFLAME, "flame", "-q", "mem.hprof", **bare)
    assert "process_leak" in run(HEAPFLAME, "top", "-q", "mem.hprof", **bare)
    assert "process_leak" in run(HEAPFLAME, "graph", "-q", "mem.hprof", **bare)
    done = subprocess.run([HEAPFLAME, "graph", "-q", "mem.hprof", "-o", "graph.svg"], capture_output=True, **bare)
    assert done.returncode == 5 and b"graphviz" in done.stderr and not Path("graph.svg").exists(), done


def test_a2_armed_and_off():
    """prof:true arms the profiler; whether it samples is asked and switched over HTTP."""
    with Service("prof:true,prof_active:false,lg_prof_sample:0") as service:
        url = f"http://127.0.0.1:{service.port}"
        assert "inactive" in heapflame("dump", url, "--status") or "off" in heapflame("dump", url, "--status")
        service.get("/leak?n=2")
        expect(sum_folded(heapflame("fold", "-q", url)), 0, "nothing is sampled yet")
        heapflame("dump", url, "--activate")
        service.get("/leak?n=5")
        heapflame("dump", url, "--deactivate")
        service.get("/leak?n=7")
        expect(live_in(heapflame("fold", "-q", url), "process_leak"), 5 * MIB, "only while it was active")


def test_a3_fetched_over_http():
    for endpoints in "greptime", "greptime-old", "pprof":
        with Service(EVERY_ALLOCATION, f"--endpoints={endpoints}") as service:
            service.get("/leak?n=4")
            fetch(service, "mem.hprof")
            expect(live_in(heapflame("fold", "-q", "mem.hprof"), "process_leak"), 4 * MIB, endpoints)
            url = f"http://127.0.0.1:{service.port}"
            expect(live_in(heapflame("fold", "-q", url), "process_leak"), 4 * MIB, "a URL in a file's place")
    with Service() as service:
        error = failing(5, "dump", f"http://127.0.0.1:{service.port}", "-o", "none.hprof")
        assert "prof:true" in error and error.count("\n") == 1, error
        assert not Path("none.hprof").exists(), "an error left a file"
    with Service("prof:true", "--endpoints=disabled") as service:
        error = failing(5, "dump", f"http://127.0.0.1:{service.port}")
        assert error.startswith("heapflame: ") and error.count("\n") == 1, error
    # As printed in a seed: the first line was lost on the way.
    text = Path("mem.hprof").read_text()
    Path("lost.hprof").write_text(text.partition("\n")[2])
    assert "process_leak" in heapflame("fold", "lost.hprof")


def rows_of(svg):
    """function -> where it stands first, from the top"""
    y = {}
    for title, at in re.findall(r"<title>(\w+) .*?</title>\s*<rect[^>]* y=\"([\d.]+)\"", svg, re.S):
        y.setdefault(title, float(at))
    return y


def test_a4_the_picture():
    with Service(EVERY_ALLOCATION) as service:
        service.get("/leak?n=6")
        fetch(service, "mem.hprof")
        service.get("/cache?n=3")
    heapflame("flame", "-q", "mem.hprof", "-o", "mem-prof.svg")  # the program is found by the maps
    svg = Path("mem-prof.svg").read_text()
    run("xmllint", "--noout", "mem-prof.svg")
    leak = html.unescape(re.search(r"<title>(process_leak .*?)</title>", svg)[1])
    share = 100 * 6 * MIB / Dump("mem.hprof").total
    assert "6.0 MiB" in leak and f"{share:.1f}" in leak, f"expected 6.0 MiB, {share:.1f} %: {leak}"
    y = rows_of(svg)
    assert y["all"] < y["main"] < y["process_leak"], f"the root is not on top: {y}"
    y = rows_of(heapflame("flame", "-q", "--classic", "mem.hprof"))
    assert y["main"] > y["process_leak"], f"the root is not at the bottom, as the seed has it: {y}"
    assert heapflame("flame", "-q", "mem.hprof") == svg, "the same input, other bytes"


def test_a4_a_moved_program():
    shutil.copy(SERVICE, "moved")
    Path("away").mkdir()
    shutil.copy(SERVICE, "away/service")
    binary = Path("away/service").absolute()
    env = {k: v for k, v in os.environ.items() if k != "MALLOC_CONF"}
    with subprocess.Popen(
        [binary, "--port", "0"], env={**env, "MALLOC_CONF": EVERY_ALLOCATION}, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as service:
        try:
            url = service.stdout.readline().decode().removeprefix("listening on ").strip()
            run("curl", "-sf", "--noproxy", "*", f"{url}/leak?n=2")
            heapflame("dump", "-q", url, "-o", "mem.hprof")
        finally:
            service.terminate()
    shutil.rmtree("away")
    gone = heapflame("fold", "mem.hprof")
    assert "process_leak" not in gone and "service+0x" in gone, "a program that is gone has names"
    expect(live_in(heapflame("fold", "-q", "mem.hprof", "--exe", "moved"), "process_leak"), 2 * MIB, "--exe")
    os.mkdir("symbols")
    os.rename("moved", "symbols/service")
    expect(live_in(heapflame("fold", "-q", "mem.hprof", "--symdir", "symbols"), "process_leak"), 2 * MIB, "--symdir")
    for wrong, status, word in (
        (HEAPFLAME, 3, "another build"),
        ("mem.hprof", 3, "ELF"),
        ("/dev/null", 5, "regular file"),
        ("nowhere", 5, "nowhere"),
    ):
        error = failing(status, "fold", "mem.hprof", "--exe", wrong)
        assert word in error and error.count("\n") == 1, f"--exe {wrong}: {error}"


def story_of_a6(service):
    service.get("/cache?n=200&size=1MiB")
    fetch(service, "base.hprof")
    service.get("/cache/drop?n=150")
    service.get("/leak?n=100")
    fetch(service, "leak.hprof")


def check_a6(base, leak):
    a, b = Dump(base).total, Dump(leak).total
    text = heapflame("fold", "-q", leak, "--base", base)
    expect(sum_folded(text), b - a, "fold --base and the dumps' heads")
    # Both functions pass through what the web server does: what it does besides may differ by a few bytes.
    expect(live_in(text, "process_leak"), 100 * MIB, "process_leak")
    expect(live_in(text, "cache_fill"), -150 * MIB, "cache_fill")
    table = json.loads(heapflame("diff", "-q", "--json", base, leak))
    expect(a + table["total"]["grew"] - table["total"]["released"], b, "A + grew - released = B")
    grown = heapflame("fold", "-q", leak, "--base", base, "--drop_negative")
    expect((live_in(grown, "process_leak"), live_in(grown, "cache_fill")), (100 * MIB, 0), "--drop_negative")
    heapflame("diff", "-q", base, leak, "-o", "leak.svg")
    svg = Path("leak.svg").read_text()
    run("xmllint", "--noout", "leak.svg")
    assert "process_leak" in svg and "cache_fill" in svg and "grew" in svg and "released" in svg
    heapflame("diff", "-q", base, leak, "--growth-only", "-o", "grown.svg")
    assert "process_leak" in Path("grown.svg").read_text() and "cache_fill" not in Path("grown.svg").read_text()


def test_a6_what_changed():
    with Service(EVERY_ALLOCATION, "--cache-limit", "256MiB") as service:
        story_of_a6(service)
    check_a6("base.hprof", "leak.hprof")


def test_a7_across_a_restart():
    for attempt in range(5):
        names = []
        for step in "base", "leak":
            with Service(EVERY_ALLOCATION, "--cache-limit", "256MiB") as service:
                story_of_a6(service)
            names.append(f"run-{step}.hprof")
            os.rename(f"{step}.hprof", names[-1])
        if Dump(names[0]).load_address(SERVICE) != Dump(names[1]).load_address(SERVICE):
            return check_a6(*names)
    raise AssertionError("five pairs of runs at the same addresses: is ASLR off?")


def story_of_b2(kind):
    with kind(f"{EVERY_ALLOCATION},prof_prefix:jemalloc") as service:
        service.get("/dump")
        service.get("/leak?n=50")
        service.get("/dump")
    a, b = f"jemalloc.{service.pid}.0.m0.heap", f"jemalloc.{service.pid}.1.m1.heap"
    expect(sorted(p.name for p in Path().glob("*.heap")), [a, b], "names of the dumps")
    # B3: the first line says who, where and how much.
    first = heapflame("diff", "-q", a, b).splitlines()[0]
    assert re.match(r"\+50\.0 MiB +\d+\.\d % +process_leak +leak\.c:\d+$", first), first
    check_graph(kind.program, a, b)
    check_links(kind.program, a, b)


def test_b2_files_by_prof_dump():
    story_of_b2(Service)


def test_b2_on_any_allocator():
    if AGENT.exists():
        story_of_b2(PlainService)


def story_of_b6(kind):
    """A loop that runs away: a dump each time so much was allocated, and nothing after the last but SIGKILL."""
    with kind(f"{EVERY_ALLOCATION},prof_prefix:oom,prof_final:true,lg_prof_interval:26") as service:
        service.get("/cache?n=30")
        service.get("/leak?n=400")
        service.kill()
    dumps = sorted(Path().glob("*.heap"), key=lambda path: int(path.name.split(".")[2]))
    expect([p.name for p in dumps], [f"oom.{service.pid}.{i}.i{i}.heap" for i in range(6)], "430 MiB in steps of 64")
    for older, newer in zip(dumps[1:], dumps[2:]):
        first = heapflame("diff", "-q", older, newer).splitlines()[0]
        assert re.match(r"\+6[345]\.\d MiB +\d+\.\d % +process_leak ", first), f"{newer}: {first}"
    first = heapflame("top", "-q", "--series", *dumps).splitlines()
    grown = next(line for line in first if "process_leak" in line or "cache_fill" in line)
    assert "process_leak" in grown, f"who grew most comes first: {first}"
    place = trend("--at", "1s", *dumps)["places"][0]
    assert place["name"] == "process_leak", f"the steepest comes first: {place}"


def test_b6_dumps_by_volume():
    story_of_b6(Service)


def test_b6_on_any_allocator():
    if AGENT.exists():
        story_of_b6(PlainService)


def leak_until_killed(service):
    """A leak beside a cache that is full, of one service, until the kernel has no more memory for it."""
    service.expected_code = -signal.SIGKILL
    service.get("/cache?n=12")
    try:
        while service.process.poll() is None:
            service.get("/leak?n=2")
            service.get("/cache?n=1")
    except (OSError, http.client.HTTPException):
        service.process.wait()


def story_of_b6_out_of_memory(kind):
    """The kernel kills it; the dumps from before, one for each 8 MiB, say which function leaked."""
    group = Group(160 * MIB)
    if group.version == 0:
        print(NONE)
        return
    service = kind(f"{EVERY_ALLOCATION},prof_prefix:oom,lg_prof_interval:23", "--cache-limit=8MiB")
    service.env["XDG_RUNTIME_DIR"] = os.getcwd()
    try:
        with service:
            group.add(service.pid)
            if kind is PlainService:
                limit = trend(str(service.pid), "-d", "500ms", "--limit", "cgroup")["limit"]
                assert limit["bytes"] == 160 * MIB and limit["used"] > 0, limit
            leak_until_killed(service)
    finally:
        group.remove()
    dumps = sorted(Path().glob("oom.*.heap"), key=lambda path: int(path.name.split(".")[2]))
    assert len(dumps) > 12, f"of some 150 MiB of leak and as much of the cache: {dumps}"
    found = trend("--at", "1s", *dumps[:-1])  # it may have died over the last one
    expect(found["places"][0]["name"], "process_leak", "the steepest comes first")
    expect(verdicts_of(found)["process_leak"], "leak", "the verdict")
    assert verdicts_of(found).get("cache_fill", "steady") != "leak", verdicts_of(found)


def test_b6_out_of_memory():
    story_of_b6_out_of_memory(Service)


def test_b6_out_of_memory_on_any_allocator():
    if AGENT.exists():
        story_of_b6_out_of_memory(PlainService)


def check_graph(program, a, b):
    for text in (
        heapflame("graph", "-q", b, "--base", a),
        heapflame("jeprof", "-q", "--dot", program, f"--base={a}", b),
    ):
        Path("graph.dot").write_text(text)
        svg = run("dot", "-Tsvg", "graph.dot")
        assert "process_leak" in svg
        leak = re.search(r'(N\d+) ?\[label="process_leak\\n([^"]*)"', text)
        assert leak and re.search(r"\b50\.0\b", leak[2]), f"process_leak is not 50 MiB: {leak}"
        main = re.search(r'(N\d+) ?\[label="main\\n', text)
        assert main, "no node main"
        edges = re.findall(r"^(N\d+) -> (N\d+)", text, re.M)
        reached, before = {main[1]}, set()
        while reached != before:
            before = set(reached)
            reached |= {callee for caller, callee in edges if caller in reached}
        assert leak[1] in reached, "no edges lead from main to process_leak"
    heapflame("graph", "-q", b, "--base", a, "-o", "graph.svg")
    run("xmllint", "--noout", "--nonet", "graph.svg")


def check_links(program, a, b):
    for name in "jeprof", "flamegraph.pl":
        Path(name).symlink_to(HEAPFLAME)
    with open("piped.svg", "wb") as out:
        left = subprocess.Popen(["./jeprof", program, "--base", a, b, "--collapse"], stdout=subprocess.PIPE)
        right = subprocess.run(["./flamegraph.pl"], stdin=left.stdout, stdout=out, check=False)
        expect((left.wait(), right.returncode), (0, 0), "the seeds' pipe")
    run("xmllint", "--noout", "piped.svg")
    assert f"{50 * MIB:,}" in Path("piped.svg").read_text()
    text = run("./jeprof", "-q", "--text", program, f"--base={a}", b)
    assert re.search(r"^ +50\.0 .*\bprocess_leak$", text, re.M), text


def trend(*arguments):
    return json.loads(heapflame("trend", "-q", "--json", *arguments))


def verdicts_of(document):
    return {place["name"]: place["verdict"] for place in document["places"]}


def dumps_of(service, rounds, *requests):
    """A dump after each round of these requests."""
    names = []
    for number in range(rounds):
        for request in requests:
            service.get(request)
        names.append(fetch(service, f"{number:02}.hprof"))
    return names


def test_a8_growth_over_many_dumps():
    """What the seed says "grows slowly": its slope, ranked first."""
    with Service(EVERY_ALLOCATION) as service:
        dumps = dumps_of(service, 8, "/leak?n=3", "/")
    document = trend("--at", "60s", *dumps)
    place = document["places"][0]
    expect(place["name"], "process_leak", "the most urgent comes first")
    expect(round(place["per_second"] * 60), 3 * MIB, "a minute")
    text = heapflame("trend", "--at", "60s", *dumps)
    assert "process_leak grows by 3.0 MiB/min" in text and " < main" in text, text


def story_of_b7(kind):
    """A bounded cache and a leak in one service, both growing at first: each is called what it is."""
    with kind(EVERY_ALLOCATION, "--cache-limit=32MiB") as service:
        dumps = dumps_of(service, 16, "/leak?n=2", "/cache?n=5")
    found = verdicts_of(trend("--at", "60s", *dumps))
    expect((found["process_leak"], found["cache_fill"]), ("leak", "full cache"), "verdicts")
    done = subprocess.run([HEAPFLAME, "check", "-q", "--at", "60s", *dumps], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and ": process_leak grows by " in done.stdout and "cache_fill" not in done.stdout, done
    Path("known.supp").write_text("leak:process_leak\n")
    heapflame("check", "-q", "--at", "60s", "--suppressions", "known.supp", "--budget", "1KiB/min", "--skip", "7m", *dumps)


def test_b7_a_cache_is_no_leak():
    story_of_b7(Service)


def test_b7_on_any_allocator():
    if not AGENT.exists():
        return
    with PlainService(EVERY_ALLOCATION, "--cache-limit=32MiB") as service:
        Path("series").mkdir()
        for number in range(16):
            service.get("/leak?n=2")
            service.get("/cache?n=5")
            heapflame("dump", "-q", service.process.pid, "-o", f"series/{number:02}.folded")
    found = verdicts_of(trend("--at", "60s", *sorted(Path("series").iterdir())))
    expect((found["process_leak"], found["cache_fill"]), ("leak", "full cache"), "verdicts")


def test_b8_what_is_loaded_at_the_start():
    """It does not count with --skip; without, it is a burst and no leak."""
    with Service(EVERY_ALLOCATION, "--cache-limit=64MiB") as service:
        dumps = [fetch(service, "start.hprof")]
        service.get("/cache?n=64")
        dumps += dumps_of(service, 14, "/leak?n=1")
    found = verdicts_of(trend("--at", "60s", *dumps))
    expect((found["process_leak"], found["cache_fill"]), ("leak", "burst"), "verdicts")
    document = trend("--at", "60s", "--skip", "60s", *dumps)
    expect(verdicts_of(document)["cache_fill"], "steady", "verdict")
    expect(document["places"][0]["share"], 1, "the leak's share of all that grew")


def main():
    return run_tests(globals())


if __name__ == "__main__":
    if not SERVICE.exists():
        skip(f"{SERVICE.name} was not built: libjemalloc-dev or libmicrohttpd-dev is missing")
    need("xmllint", "dot", "curl", "readelf")
    sys.exit(main())
