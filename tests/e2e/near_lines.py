#!/usr/bin/env python3
"""Code without a line (line 0) has that of the code before it, and every output marks it as such or has no line."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _names import Program, write_heap
from _suite import run_tests

need("clang", "nm")

C = """int main(void)
{
    __asm__ volatile("# here");
    __asm__ volatile("nop");
    return 0;
}
"""
NAMES = ["--no-cache", "--symdir", "."]


def make():
    """The heap dump of a program with a stack at `here`, which has line 0 behind line 3, and one at `there`, of line 4."""
    Path("near.c").write_text(C)
    run("clang", "-g", "-O0", "-fno-pie", "-S", "-o", "near.s", "near.c")
    text = Path("near.s").read_text()
    file = re.search(r"\.loc\t(\d+) 3", text)[1]
    text = re.sub(r"# here\n", f".globl here\\nnop\\n.loc {file} 0 0\\nhere: nop\\nnop\\n", text)
    text = re.sub(r"(\.loc\t\d+ 4 .*\n(?:.*\n)*?)(\tnop\n)", r"\1.globl there\nthere:\n\2", text, count=1)
    Path("near.s").write_text(text)
    run("clang", "-no-pie", "-o", "near", "near.s")
    symbols = {words[2]: int(words[0], 16) for words in map(str.split, run("nm", "near").splitlines()) if len(words) == 3}
    write_heap(Path("near.heap"), Program("near"), Path("near").absolute(), [symbols["here"], symbols["there"]])
    return symbols


def heapflame(*arguments):
    done = subprocess.run([HEAPFLAME, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (0, 4), done  # 4: nothing is known of the marks
    return done.stdout


def test_every_output():
    symbols = make()
    folded = heapflame("fold", "--lines", *NAMES, "near.heap")
    assert re.search(r"main \S*near\.c:~3 16$", folded, re.M) and re.search(r"main \S*near\.c:4 16$", folded, re.M), folded
    assert "~" not in heapflame("fold", *NAMES, "near.heap")
    assert re.search(r"near\.c:~3$", heapflame("top", "--lines", *NAMES, "near.heap"), re.M)
    assert "near.c:~3" in heapflame("flame", "--lines", *NAMES, "near.heap")
    rows = json.loads(heapflame("top", "--lines", "--json", *NAMES, "near.heap"))["rows"]
    text = json.dumps(rows)
    assert "near.c:~3" in text or '"line": 3, "line_is_near": true' in text, text
    for number in symbols["here"], symbols["there"]:
        our = heapflame("addr2line", "-fe", "near", hex(number))
        assert our.endswith("near.c:3 (near)\n" if number == symbols["here"] else "near.c:4\n"), our
    assert heapflame("llvm-symbolizer", "-e", "near", hex(symbols["here"])).split("\n")[1].endswith("near.c:0:0")


def test_formats():
    """A bundle keeps the mark; what has no room for one has no line."""
    make()
    heapflame("bundle", *NAMES, "-o", "near.hfb", "near.heap")
    Path("near").unlink()
    assert re.search(r"near\.c:~3 16$", heapflame("fold", "--lines", "near.hfb"), re.M)
    heapflame("convert", "--to", "speedscope", "-o", "near.json", "near.hfb")
    lines = {frame.get("line") for frame in json.loads(Path("near.json").read_text())["shared"]["frames"] if frame["name"].startswith("main")}
    assert lines <= {None, 4}, lines
    heapflame("convert", "--to", "pb.gz", "-o", "near.pb.gz", "near.hfb")
    again = heapflame("fold", "--lines", "near.pb.gz")
    assert ":4" in again and ":3" not in again and "~" not in again, again


sys.exit(run_tests(globals()))
