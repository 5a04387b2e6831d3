#!/usr/bin/env python3
"""The golden difference: A = 200 x 1 MiB of cache_fill; B = 50 of them and 100 x 1 MiB of process_leak. So B is 50 MiB
less, process_leak grew by 100 and cache_fill released 150: in every output, from one run and from two at other
addresses, and through the pipe of the seeds, whoever stands at its ends."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, MIB, Dump, compile_program, failing, folded, heapflame, need, run, run_profiled, sum_folded

GREW, RELEASED = 100 * MIB, 150 * MIB


def expect(got, expected, what):
    assert got == expected, f"{what}: expected {expected}, got {got}"


def by_function(text):
    """Sums per function of interest; whatever else there is, under ''."""
    sums = {}
    for frames, value in folded(text):
        name = next((n for n in ("cache_fill", "process_leak") if any(n in frame for frame in frames)), "")
        sums[name] = sums.get(name, 0) + value
    return {name: value for name, value in sums.items() if value != 0}


def check_folded(a, b):
    text = heapflame("fold", "-q", b, "--base", a)
    expect(by_function(text), {"cache_fill": -RELEASED, "process_leak": GREW}, "fold --base")
    expect(sum_folded(text), Dump(b).total - Dump(a).total, "fold --base and the heads of the dumps")
    expect(sum_folded(text), -50 * MIB, "fold --base")
    backwards = heapflame("fold", "-q", a, "--base", b)
    expect(by_function(backwards), {"cache_fill": RELEASED, "process_leak": -GREW}, "the other way round")
    grown = heapflame("fold", "-q", b, "--base", a, "--drop_negative")
    expect(by_function(grown), {"process_leak": GREW}, "--drop_negative")
    objects = heapflame("fold", "-q", b, "--base", a, "--inuse_objects")
    expect(by_function(objects), {"cache_fill": -150, "process_leak": 100}, "--inuse_objects")
    expect(heapflame("fold", "-q", a, "--base", a), "", "a dump and itself")


def check_tables(a, b):
    first = heapflame("diff", "-q", a, b).splitlines()[0]
    assert re.search(r"\+100\.0 MiB\b.*\bprocess_leak\b.*\bgolden\.c:\d+", first), f"diff's first line: {first}"
    table = json.loads(heapflame("diff", "-q", "--json", a, b))
    rows = {row["name"]: row for row in table["rows"]}
    changed = {"grew": GREW, "released": RELEASED, "net": GREW - RELEASED}
    expect(rows["process_leak"]["flat"], {"grew": GREW, "released": 0, "net": GREW}, "diff --json")
    expect(rows["cache_fill"]["flat"], {"grew": 0, "released": RELEASED, "net": -RELEASED}, "diff --json")
    expect(table["total"], changed, "diff --json")
    expect((table["base_total"], table["current_total"]), (Dump(a).total, Dump(b).total), "diff --json")
    cumulative = json.loads(heapflame("diff", "-q", "--json", "--cum", a, b))
    rows = {row["name"]: row for row in cumulative["rows"]}
    expect(rows["main"]["cum"], changed, "diff --json --cum")


def shown_text(svg):
    return html.unescape(re.sub(r"<[^>]+>", "\n", svg))


def check_picture(svg, has_units):
    """What a reader sees without a script: how much grew, how much was released, and which colour is which."""
    Path("picture.svg").write_text(svg)
    run("xmllint", "--noout", "picture.svg")
    titles = [html.unescape(title) for title in re.findall(r"<title>(.*?)</title>", svg, re.S)]
    leak = [title for title in titles if "process_leak" in title]
    fill = [title for title in titles if "cache_fill" in title]
    assert leak and fill, f"the picture lacks a function: {titles}"
    grew, released = ("100.0 MiB", "150.0 MiB") if has_units else (f"{GREW:,}", f"{RELEASED:,}")
    assert all(f"+{grew}" in title for title in leak), leak
    assert all(re.search(rf"[-\N{{MINUS SIGN}}]{released}", title) for title in fill), fill
    text = shown_text(svg)
    for word in "grew", "released":
        assert re.search(rf"\b{word}\b", text), f"no '{word}' in the picture's text"
    for amount in grew, released:
        assert amount in text, f"no {amount} in the picture's text"


def piped(first, second):
    """Standard output of `first | second`; both must end well."""
    first = [str(word) for word in first]
    with subprocess.Popen(first, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as left:
        out = run(*second, stdin=left.stdout)
        error = left.stderr.read().decode()
    expect(left.returncode, 0, f"{first}: {error}")
    return out


def check_pipe(program, a, b, own_run):
    """The seeds' line, with our namesakes by their links; and real jeprof before us."""
    jeprof, flamegraph = Path("jeprof").absolute(), Path("flamegraph.pl").absolute()
    for link in jeprof, flamegraph:
        if not link.exists():
            link.symlink_to(HEAPFLAME)
    ours = [jeprof, program, "--base", a, b, "--collapse"]
    expect(by_function(run(*ours)), {"cache_fill": -RELEASED, "process_leak": GREW}, "our jeprof --collapse")
    check_picture(piped(ours, [flamegraph]), has_units=False)
    check_picture(piped(ours, [HEAPFLAME, "flamegraph.pl", "--countname=bytes"]), has_units=False)
    for option in "--reverse", "--inverted", "--negate":
        svg = piped(ours, [flamegraph, option])
        assert "process_leak" in svg, f"{option}: no process_leak"
    if own_run:  # jeprof subtracts addresses, so it knows no other run
        real = ["/usr/bin/jeprof", program, "--base", a, b, "--collapse"]
        expect(by_function(run(*real)), {"cache_fill": -RELEASED, "process_leak": GREW}, "the real jeprof")
        check_picture(piped(real, [flamegraph, "--countname=bytes"]), has_units=False)


def check(program, a, b, own_run):
    check_folded(a, b)
    check_tables(a, b)
    check_picture(heapflame("flame", "-q", b, "--base", a), has_units=True)
    heapflame("diff", "-q", a, b, "-o", "diff.svg")
    check_picture(Path("diff.svg").read_text(), has_units=True)
    check_pipe(program, a, b, own_run)


def other_run(program, dump, arguments):
    """Runs again until the program lies elsewhere: two runs in a row may well get the same addresses by chance."""
    for _ in range(5):
        run_profiled(program, *arguments)
        if Dump("second.heap").load_address(program) != Dump(dump).load_address(program):
            return
    raise AssertionError("five runs at the same address: is ASLR off?")


def main():
    need("gcc", "jeprof", "xmllint")
    program = compile_program("golden.c", "golden")
    run_profiled(program, "a.heap", "b.heap")
    check(program, "a.heap", "b.heap", own_run=True)
    other_run(program, "a.heap", ["-", "second.heap"])
    check(program, "a.heap", "second.heap", own_run=False)
    # Another binary of the same source, at other addresses and offsets: matched by symbol.
    os.mkdir("rebuilt")
    rebuilt = compile_program("golden.c", "rebuilt/golden", "-O1", "-fno-inline")
    run_profiled(rebuilt, "-", "rebuilt.heap")
    expect(by_function(heapflame("fold", "-q", "rebuilt.heap", "--base", "a.heap")),
           {"cache_fill": -RELEASED, "process_leak": GREW}, "a rebuilt program")
    # It fills the same pages as the first build, but no return address follows a call in it.
    error = failing(3, "fold", "b.heap", "--exe", rebuilt)
    assert "another build" in error and error.count("\n") == 1, error
    os.replace(rebuilt, program)
    replaced = heapflame("fold", "b.heap")
    assert "golden+0x" in replaced and "cache_fill" not in replaced, "names from another build: " + replaced
    # A base of several profiles is their sum.
    twice = sum_folded(heapflame("fold", "-q", "b.heap", "--base", "a.heap", "--base", "a.heap"))
    expect(twice, Dump("b.heap").total - 2 * Dump("a.heap").total, "two bases")
    print("net -50 MiB, +100 process_leak, -150 cache_fill: in one run, in two, and through the pipe")
    return 0


if __name__ == "__main__":
    sys.exit(main())
