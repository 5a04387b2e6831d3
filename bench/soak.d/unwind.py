#!/usr/bin/env python3
"""The unwinder beside libgcc's _Unwind_Backtrace, on every allocation of real programs: no stack may differ, except
that ours may go on, by frame pointers, through code without call frame information, as a JIT's. tests/e2e/unwind.py is
the short form of this, and says more; tests/agent/check_unwind.c does the work.

usage: script/soak unwind
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _unwind import Checked

SOURCE = Path(os.environ["HEAPFLAME_SRC"])
PROGRAMS_MIN, STACKS_MIN = 10, 1_000_000

SQL = """with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
select count(*), group_concat(i, '-') from n group by i % 1000 order by i;"""
PYTHON = """
import ast, json, pathlib, sqlite3, sys
for path in sorted(pathlib.Path(json.__file__).parent.parent.glob('*.py'))[:40]: ast.parse(path.read_bytes())
d = sqlite3.connect(':memory:'); d.execute('create table t(a, b)')
for i in range(2000): d.execute('insert into t values(?, ?)', (i, json.dumps({str(i): [i] * 9})))
print(sum(len(json.loads(b)) for _, b in d.execute('select * from t order by b')))
"""
NODE = "let a = []; for (let i = 0; i < 3000; i++) a.push(JSON.parse(JSON.stringify({i, b: [i]})))"
PERL = "my %h; $h{$_ % 5000} = [split /,/, join ',', $_ .. $_ + 9] for 1 .. 20000; print scalar keys %h"
CPP = r"""
#include <iostream>
#include <map>
#include <regex>
int main()
{
    std::map<std::string, int> m;
    std::regex r("(a|b)*c");
    for (int i = 0; i < 9; i++) m[std::to_string(i)] = i;
    std::cout << m.size();
}
"""
RUST = """use std::collections::HashMap;
fn main() { println!("{:?}", (0..9).map(|i| (i, i.to_string())).collect::<HashMap<u32, String>>()); }
"""
FILE = SOURCE / "src/dwarf/lookup/resolver.c"
C = ["-O2", "-g", "-w", "-D_GNU_SOURCE", "-I", SOURCE / "src", "-c", "-o", os.devnull, FILE]

# What each program does; `True`: it runs code that it made itself.
PROGRAMS = {
    "python3": (["python3", "-c", PYTHON], False),
    "python3, malloc for all": (["env", "PYTHONMALLOC=malloc", "python3", "-c", PYTHON], False),
    "perl": (["perl", "-e", PERL], False),
    "node": (["node", "-e", NODE], True),
    "git": (["git", "-C", SOURCE, "log", "--stat", "-n", "100"], False),
    "gcc, cc1, as": (["gcc", *C], False),
    "g++, cc1plus, ld": (["g++", "-O1", "-o", os.devnull, "t.cc"], False),
    "clang": (["clang", *C], False),
    "clang++, lld": (["clang++", "-O1", "-fuse-ld=lld", "-o", "t", "t.cc"], False),
    "rustc, LLVM": (["rustc", "--edition", "2021", "-O", "--emit=obj", "-o", "r.o", "t.rs"], False),
    "clang-format": (["clang-format", FILE], False),
    "objdump": (["objdump", "-d", "--dwarf=info", "t"], False),
    "dot": (["dot", "-Tsvg", "t.dot"], False),
    "xmllint": (["xmllint", "--format", "t.xml"], False),
    "heapflame": (["heapflame", "flame", "t.folded", "-o", "t.svg"], False),
    "sqlite3": (["sqlite3", ":memory:", SQL], False),
    "cmake": (["cmake", "-S", ".", "-B", "b"], False),
    "bash": (["bash", "-c", "for i in {1..3000}; do a[i]=${i}x; done; echo ${#a[@]}"], False),
}


def write_inputs():
    Path("t.cc").write_text(CPP)
    Path("t.rs").write_text(RUST)
    Path("t.dot").write_text("digraph {" + "".join(f"a{i} -> a{i * 7 % 60};" for i in range(120)) + "}")
    Path("t.xml").write_text("<a>" + "".join(f"<b c='{i}'>{i}</b>" for i in range(5000)) + "</a>")
    Path("t.folded").write_text("".join(f"main;a{i % 7};b{i % 50};c{i} {i + 1}\n" for i in range(5000)))
    Path("CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.0)\nproject(t C)\nadd_library(t t.c)\n")
    Path("t.c").write_text("int t;\n")
    subprocess.run(["g++", "-g", "-o", "t", "t.cc"], check=True)


def main():
    faults, stacks, same, longer = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_inputs()
        for name, (command, may_be_longer) in PROGRAMS.items():
            try:
                checked = Checked(*command)
                checked.check(name, 200, may_be_longer)
            except AssertionError as error:
                faults.append(str(error))
                continue
            stacks, same, longer = stacks + checked.stacks, same + checked.same, longer + checked.longer
    print(f"\n{len(PROGRAMS)} programs, {stacks} stacks: {same} as libgcc's, {longer} longer, {len(faults)} faults")
    if len(PROGRAMS) < PROGRAMS_MIN or stacks < STACKS_MIN:
        faults.append("too few programs or stacks")
    if faults:
        raise SystemExit("FAILED\n" + "\n".join(faults))


if __name__ == "__main__":
    main()
