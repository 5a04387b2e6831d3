#!/usr/bin/env python3
"""Names of languages other than C++ and Rust, here of symbols that a C program gives its functions."""

import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc", "nm")

D_FILL, D_HOLD, OCAML = "_D1d5Cache4fillMFiZPv", "_D1d__T3BoxTiZQh4holdMFmZPv", "camlStdlib__List__map_123"


def bomb(levels):
    """A name of D in which each type is two of the one before: libiberty takes 8 s for 24 levels, and twice that for 25."""
    name, last = "_D1aFHii", len("_D1aF")
    for _ in range(levels):
        here = len(name)
        for start in ("H", ""):
            name += start
            distance, digits = len(name) - last, ""
            digits, distance = chr(ord("a") + distance % 26), distance // 26
            while distance:
                digits, distance = chr(ord("A") + distance % 26) + digits, distance // 26
            name += "Q" + digits
        last = here
    return name + "Zv"


def build(*names):
    """A program in which each of these functions allocates 1000 bytes and one more than the one before, and calls the next."""
    functions = "".join(f'__attribute__((noinline)) void f{i}(void) __asm__("{name}");\n'
                        f"void f{i}(void) {{ kept[{i}] = malloc({1000 + i}); {f'f{i + 1}()' if i + 1 < len(names) else ''}; }}\n"
                        for i, name in reversed(list(enumerate(names))))
    Path("p.c").write_text(f"#include <stdlib.h>\nvoid *kept[{len(names)}];\n{functions}int main(void) {{ f0(); return 0; }}\n")
    run("gcc", "-O1", "-fno-optimize-sibling-calls", "-o", "p", "p.c")
    return {line.split()[2]: line.split()[0] for line in run("nm", "p").splitlines() if len(line.split()) == 3}


def heapflame(*arguments):
    done = subprocess.run([HEAPFLAME, *arguments], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout, done.stderr


def test_in_profiles():
    build(D_FILL, D_HOLD, "_Dmain", OCAML)
    heapflame("run", "--exact", "-o", "p.hfb", "./p")
    out, said = heapflame("fold", "p.hfb")
    assert "main;d.Cache.fill;d.Box.Box.hold;D main;camlStdlib__List__map_123 1003" in out, out
    assert said.count("names of OCaml are shown mangled: heapflame demangles only names of C++, Rust and D") == 1, said
    assert "main;d.Cache.fill(int);d.Box!(int).Box.hold(ulong);D main;" in heapflame("fold", "--full-names", "p.hfb")[0]
    heapflame("run", "--exact", "-o", "p.heap", "./p")
    assert "d.Cache.fill;d.Box.Box.hold 1001" in heapflame("fold", "p.heap")[0]
    # libiberty's functions for D allocate and may not be interrupted: only in a process without rights
    out, said = heapflame("fold", "--no-sandbox", "p.hfb")
    assert f"main;{D_FILL};{D_HOLD};_Dmain;" in out and "names of D are shown mangled" in said, (out, said)


def test_constraints():
    """As GCC 14 mangles them: where libiberty does not know them, that is said once."""
    names = "_Z3fooITk2C1iEvT_", "_Z3barIiQ2C1IT_EEvS0_"
    build(*names)
    heapflame("run", "--exact", "-o", "p.hfb", "./p")
    out, said = heapflame("fold", "p.hfb")
    if ";".join(names) in out:
        assert said.count("names of C++ functions with constraints are shown mangled: the demangler") == 1, said
    else:
        assert "main;foo;bar" in out and "mangled" not in said, (out, said)


def test_addr2line():
    at = build(D_FILL, "pkg__sub__proc__2")
    names = [heapflame("addr2line", "-f", *style, "-e", "p", at[D_FILL], at["pkg__sub__proc__2"])[0].splitlines()[::2]
             for style in ([], ["-C"], ["--demangle=dlang"], ["--demangle=gnat"])]
    assert names == [[D_FILL, "pkg__sub__proc__2"], *[["d.Cache.fill(int)", "pkg__sub__proc__2"]] * 2,
                     ["d.Cache.fill(int)", "pkg.sub.proc"]], names


def test_what_costs_too_much():
    small, large = bomb(3), bomb(40)
    at = build(small, large)
    out, _ = heapflame("addr2line", "-fC", "-e", "p", at[small], at[large])
    names = out.splitlines()[::2]
    assert names[0].startswith("a(int[int], int[int][int[int]],") and names[1] == large, names
    heapflame("run", "--exact", "-o", "p.hfb", "./p")
    assert re.search(rf"main;a;{large} 1001", heapflame("fold", "p.hfb")[0])


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
