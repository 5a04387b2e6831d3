#!/usr/bin/env python3
"""SystemTap's stacks: names from the binary.

SystemTap needs a kernel's debug information and does not run here. The stacks of test_real_program come from glibc's
backtrace() in a real program and are printed as runtime/sym.c of SystemTap prints them: nearest symbol, size up to the
next one."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from _heap import HEAPFLAME, SOURCE, folded, heapflame, need, run
from _suite import run_tests

FIXTURES = SOURCE / "tests/fixtures/stap"
SVG = "{http://www.w3.org/2000/svg}"
FRAME = re.compile(r" (0x[0-9a-f]+) : (\w+)\+0x([0-9a-f]+)/0x([0-9a-f]+) \[(.*)\]\n")

# main ends with a call that never returns, so its return address is the start of the next function.
PROGRAM = r"""
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
volatile int sink[8];
__attribute__((noipa)) void report(void)
{
    void *at[64];
    int count = backtrace(at, 64);
    for (int i = 0; i < count; i++) printf("%p\n", at[i]);
    exit(0);
}
__attribute__((noipa)) void inner(int n) { PREFIX report(); sink[n]++; }
__attribute__((noipa)) void middle(int n) { PREFIX inner(n); sink[n]++; }
__attribute__((noipa, noreturn)) void outer(int n) { PREFIX middle(n); sink[n]++; exit(1); }
int main(int argc, char **argv) { (void)argv; outer(argc); }
int after_main(int a) { return a + 1; }
"""
BUILDS = {
    "pie": ["-O2", "-g", "-pie", "-fPIE"],
    "fixed": ["-O2", "-g", "-no-pie", "-fno-pie"],
    "unoptimized": ["-O0", "-g", "-pie", "-fPIE"],
    "symbols": ["-O2", "-pie", "-fPIE"],
}


def print_usyms(addresses, base, symbols, module):
    """As SystemTap does, for a module of sorted [(address, name)] that is loaded at `base`."""
    lines = []
    for address in addresses:
        before = [i for i, (start, _) in enumerate(symbols) if start + base <= address]
        if not before or before[-1] + 1 == len(symbols):
            lines.append(f" 0x{address:x}\n")
            continue
        start, name = symbols[before[-1]]
        size = symbols[before[-1] + 1][0] - start
        lines.append(f" 0x{address:x} : {name}+0x{address - base - start:x}/0x{size:x} [{module}]\n")
    return "".join(lines)


def real_program(name, options, prefix=""):
    """(program, text of its stack)"""
    Path("program.c").write_text(PROGRAM)
    program = Path(name).resolve()
    run("gcc", f"-DPREFIX={prefix}", *options, "-fno-reorder-functions", "-fno-toplevel-reorder", "-falign-functions=1", "-fcf-protection=none",
        "-fno-optimize-sibling-calls", "-fno-omit-frame-pointer", "-o", program, "program.c")
    addresses = [int(line, 16) for line in run(program).splitlines()]
    symbols = sorted({int(words[0], 16): words[2] for words in map(str.split, run("nm", program).splitlines())
                      if len(words) == 3 and words[1] in "tT"}.items())
    # The kernel loads whole pages: the last bits of report's return address tell where.
    report = next(start for start, symbol in symbols if symbol == "report")
    base = next(a - report - offset for a in addresses for offset in range(400) if (a - report - offset) % 4096 == 0
                and a - report - offset >= 0)
    inside = [a for a in addresses if 0 <= a - base < 1 << 24]
    return program, print_usyms(inside, base, symbols, program) + "\t4096\n"


def test_real_program():
    need("gcc", "nm")
    for name, options in BUILDS.items():
        program, text = real_program(name, options)
        Path("out.stap").write_text(text)
        frames, = [frames for frames, _ in folded(heapflame("fold", "-q", "out.stap"))]
        at = frames.index("main")
        assert frames[at:] == ["main", "outer", "middle", "inner", "report"], f"{name}: {frames}\n{text}"
        assert "after_main+0x0/" in text, f"{name}: no return address at the start of a function:\n{text}"
        if name != "symbols":
            lines = heapflame("fold", "-q", "--lines", "out.stap")
            assert re.search(r"main [^;]*program\.c:16;outer [^;]*:15;middle [^;]*:14;inner [^;]*:13;report [^;]*:9 4096", lines), lines
        # Without the program nobody invents a name.
        Path("out.stap").write_text(text.replace(str(program), "/srv/gone/" + name))
        frames, = [frames for frames, _ in folded(heapflame("fold", "-q", "out.stap"))]
        assert frames[-5:] == ["[before after_main]", "outer", "middle", "inner", "report"], frames
        moved = heapflame("fold", "-q", "--exe", program, "out.stap")
        assert folded(moved)[0][0][-5:] == ["main", "outer", "middle", "inner", "report"], moved


def test_another_program():
    """A program in whose code the calls do not lie there names nothing."""
    need("gcc", "nm")
    one, text = real_program("one", BUILDS["pie"])
    other, _ = real_program("other", BUILDS["pie"], "sink[3] += 5; sink[n] *= 3;")
    Path("out.stap").write_text(text.replace(str(one), str(other)))
    done = subprocess.run([HEAPFLAME, "fold", "out.stap"], capture_output=True, text=True, check=True)
    assert "[before after_main];outer;middle;inner;report 4096" in done.stdout, (text, done.stdout)
    assert "return addresses do not follow a call in it" in done.stderr, done.stderr


def make_seed_program(text, out):
    """A program with the functions of the text at their addresses, each call where it returns to."""
    functions = {}
    for address, name, offset, size, _ in FRAME.findall(text):
        start = int(address, 16) - int(offset, 16)
        functions[name] = (start, int(size, 16), int(offset, 16))
    start = functions["startup_hacks"][0]
    functions["main"] = (start - 0x40, 0x40, 0x40)
    source, script = "", "ENTRY(main)\nSECTIONS {\n"
    for name, (start, size, offset) in sorted(functions.items(), key=lambda item: item[1]):
        code = f".skip {offset - 5}, 0x90\ncall {name}\n.skip {size - offset}, 0x90\n" if offset else f".skip {size}, 0x90\n"
        source += f'.section .text.{name}, "ax"\n.globl {name}\n.type {name}, @function\n{name}:\n{code}.size {name}, {size}\n'
        script += f"  .text.{name} 0x{start:x} : {{ *(.text.{name}) }}\n"
    Path("seed.s").write_text(source)
    Path("seed.ld").write_text(script + "  /DISCARD/ : { *(.note*) }\n}\n")
    run("gcc", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,-T,seed.ld", "-o", out, "seed.s")


def test_seed():
    """The published text and a program with its functions: main is where startup_hacks+0x0 was."""
    need("gcc")
    fixture = FIXTURES / "ao_truncate.stap"
    Path("symbols").mkdir()
    make_seed_program(fixture.read_text(), "symbols/postgres")
    expected = ("libc-2.33.so+0x27b75;main;PostmasterMain;StartChildProcess;AuxiliaryProcessMain;StartupProcessMain;"
                "StartupXLOG;appendonly_redo;ao_truncate_replay;GetDatabasePath;psprintf;palloc 5378688\n")
    for command in (["fold", "--exe", "symbols/postgres"], ["fold", "--symdir", "symbols"]):
        assert heapflame(*command, "-q", fixture) == expected, command
    Path("moved.stap").write_text(fixture.read_text().replace("/hidva.com/gpdb/bin", str(Path("symbols").resolve())))
    assert heapflame("stackcollapse-stap.pl", "-q", "moved.stap") == expected


def test_tower():
    """However varied the callers: one box each for what leaks, seen from the leaf, and root on top."""
    svg = heapflame("flame", "-q", "--classic", "--reverse", "--inverted", FIXTURES / "gp_policy.stap")
    root = ElementTree.fromstring(svg)
    boxes = [(g.find(SVG + "title").text.split(" (")[0], g.find(SVG + "rect")) for g in root.iter(SVG + "g")
             if g.get("data-v")]
    assert next(root.iter(SVG + "text")).text == "Icicle Graph"
    total, y = 1200 - 20, 0
    for name, share in (("all", 1), ("palloc", 1), ("GpPolicyFetch", 0.95), ("RelationBuildDesc", 0.95),
                        ("RelationIdGetRelation", 0.95)):
        rect, = [rect for called, rect in boxes if called == name]
        assert float(rect.get("width")) >= total * share, (name, rect.attrib)
        assert float(rect.get("y")) > y, f"{name} does not stand below its callee"
        y = float(rect.get("y"))
    left, width = (float(rect.get(key)) for key in ("x", "width"))
    callers = [name for name, caller in boxes if float(caller.get("y")) == y + 16
               and left <= float(caller.get("x")) < left + width]
    assert sorted(callers) == ["RelationCacheInvalidate", "load_typcache_tupdesc", "relation_open"], callers


def test_memory_does_not_grow_with_events():
    """Returns to the start of a function, which are looked up at the end, are kept once."""
    event = " 0x401155 : leaf+0x25/0x30 [/bin/a]\n 0x401170 : next+0x0/0x12 [/bin/a]\n\t4096\n"

    def peak(events):
        Path("events").write_text(event * events)
        return int(run(Path(os.environ["BUILD"], "bench/read-profile"), "events").split()[0])

    few, many = peak(10000), peak(200000)
    print(f"10,000 events: {few} bytes, 200,000: {many}")
    assert many < few + (1 << 20), (few, many)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
