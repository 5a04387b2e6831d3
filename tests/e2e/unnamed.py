#!/usr/bin/env python3
# timeout: 300
"""Code that neither debug information nor a symbol describes, in real programs under jemalloc's profiler: functions of
stripped programs, symbols without a size, what a signal interrupted; and what symbols say in a way of their own:
entries of linkage tables, IFUNCs, versions."""

import re
import shutil
import sys
from pathlib import Path

from _heap import Dump, Elf, folded, heapflame, need, run, run_profiled
from _suite import run_tests

need("gcc", "g++", "strip", "nm", "readelf", "objdump")

DUMP = "prof:true,lg_prof_sample:0,prof_final:true,prof_prefix:dump"

CALLS = r"""
#include <stdlib.h>
#include <string.h>
#define NOT_INLINED __attribute__((noinline, noclone))
static void *volatile kept[64];
static int count;
NOT_INLINED static void take(size_t size) { kept[count] = malloc(size); memset(kept[count++], 1, size); }
NOT_INLINED static void small(void) { take(10); take(20); take(30); }
NOT_INLINED static void large(int n) { if (n != 0) { large(n - 1); take(1000); large(n - 1); } take(500); }
int main(int argc, char **argv) { (void)argv; small(); large(argc + 1); small(); return 0; }
"""


def build(source, *options):
    """The program with its symbols, and a stripped one of the same bytes that has run."""
    Path("program.c").write_text(source)
    run("gcc", "-O2", "-g0", *options, "-o", "whole", "program.c", "-ljemalloc")
    run("strip", "-o", "program", "whole")
    run_profiled(Path("program").resolve(), conf=DUMP)
    (dump,) = Path().glob("dump.*.heap")
    return dump


def functions(path):
    """name -> address of the functions."""
    return {name: int(address, 16) for address, _, name in
            re.findall(r"^(\w+) ([tT]) (\w+)$", run("nm", path), re.M)}


def by_start(stacks, starts):
    """The stacks with program+0xaddress of its start for each function of the program."""
    return [([f"program+{starts[frame]:#x}" if frame in starts else frame for frame in frames], value)
            for frames, value in stacks]


def test_a_stripped_function_is_one_frame():
    for option in "-pie", "-no-pie":
        dump = build(CALLS, option)
        named = folded(heapflame("fold", "--exe", "whole", dump))
        assert any("large" in frames for frames, _ in named), named
        expected = sorted(by_start(named, functions("whole")))
        assert sorted(folded(heapflame("fold", dump))) == expected, (option, expected)
        bytes_of_table = bytearray(Path("program").read_bytes())
        bytes_of_table[int(re.search(r"GNU_EH_FRAME +(\w+)", run("readelf", "-lW", "program"))[1], 16)] = 9  # its version
        Path("tableless").write_bytes(bytes_of_table)
        assert sorted(folded(heapflame("fold", "--exe", "tableless", dump))) == expected, (option, expected)
        dump.unlink()


def test_addresses_stay_exact():
    """Where addresses are asked for, each call has its own; and a dump that is written again is the same."""
    dump = build(CALLS)
    calls = {frame for frames, _ in folded(heapflame("fold", "--addresses", dump)) for frame in frames if frame.startswith("program+")}
    read = Dump(dump)
    addresses = {read.place(address - 1) for stack, _ in read.stacks for address in stack}
    assert calls == {f"program+{address:#x}" for path, address in addresses if path and path.endswith("/program")}
    heapflame("convert", "--keep-allocator", "--to", "heap_v2", "-o", "again.heap", dump)
    again = [[int(word, 16) for word in stack.split()] for stack in re.findall(r"(?m)^@ (.*)", Path("again.heap").read_text())]
    assert sorted(again) == sorted(stack for stack, _ in read.stacks)
    heapflame("convert", "--to", "pprof", "-o", "again.pb.gz", dump)
    assert sorted(folded(heapflame("fold", "again.pb.gz"))) == sorted(folded(heapflame("fold", dump)))


SIZELESS = r"""
#include <stdlib.h>
void *volatile kept[2];
void *outer(size_t size);
void *hidden(size_t size);
__asm__(".text\n"
        ".globl outer\n"
        "outer:\n.cfi_startproc\nsub $8, %rsp\n.cfi_def_cfa_offset 16\ncall malloc\nadd $8, %rsp\nret\n.cfi_endproc\n"
        "hidden:\n.cfi_startproc\nsub $8, %rsp\n.cfi_def_cfa_offset 16\ncall malloc\nadd $8, %rsp\nret\n.cfi_endproc\n");
int main(void) { kept[0] = outer(100); kept[1] = hidden(200); return 0; }
"""


def test_a_symbol_without_size_ends_with_its_function():
    """hidden() is a local symbol; without it, outer has a symbol that no other follows."""
    dump = build(SIZELESS, "-no-pie")
    run("strip", "--strip-unneeded", "-K", "outer", "-o", "partly", "whole")
    assert "hidden" not in functions("partly") and "outer" in functions("partly")
    stacks = folded(heapflame("fold", "--exe", "partly", dump))
    leaves = {value: frames[-1] for frames, value in stacks}
    assert leaves[112] == "outer" and leaves[224] == f"program+{functions('whole')['hidden']:#x}", stacks


SIGNAL = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>
static void *volatile kept[8];
static volatile int count;
__attribute__((noinline)) static void keep(size_t size) { kept[count] = malloc(size); count++; }
static void handler(int number) { (void)number; keep(1024); }
/* Interrupted at its first instruction, behind a function that ends in a call: the byte before is that function's. */
void first(void);
__asm__(".text\n.globl before\n.type before, @function\n"
        "before:\n.cfi_startproc\ncall abort\n.cfi_endproc\n.size before, . - before\n"
        ".globl first\n.type first, @function\n"
        "first:\n.cfi_startproc\nud2\n.cfi_endproc\n.size first, . - first\n");
static void leave(int number) { keep(3072); exit(number - SIGILL); }
int main(void)
{
    struct itimerval once = {.it_value = {.tv_usec = 50000}};
    struct timeval wait = {.tv_sec = 20};
    keep(1);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &once, NULL);
    select(0, NULL, NULL, NULL, &wait);
    signal(SIGILL, leave);
    first();
    return 1;
}
"""


def test_a_signal_handler():
    """jeprof 5.3 says select;sigaction;handler, and before instead of first."""
    Path("program.c").write_text(SIGNAL)
    run("gcc", "-O2", "-no-pie", "-o", "program", "program.c", "-ljemalloc")
    run_profiled(Path("program").resolve(), conf=DUMP)
    (dump,) = Path().glob("dump.*.heap")
    stacks = {value: frames for frames, value in folded(heapflame("fold", dump))}
    select, restorer, *rest = stacks[1024][stacks[1024].index("main") + 1 :]
    assert "select" in select and restorer == "__restore_rt" and rest in (["handler", "keep"], ["keep"]), stacks
    assert stacks[3072][stacks[3072].index("main") :] == ["main", "first", "__restore_rt", "leave", "keep"], stacks


LINKED = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
int main(int argc, char **argv)
{
    std::string text(argv[0]);
    text.append(argv[argc - 1]);
    int (*volatile print)(const char *) = std::puts;
    return print(text.c_str()) + std::atoi(text.c_str()) + std::puts("") + (std::abs(argc) ? 0 : std::getchar());
}
"""


def entries(path):
    """address -> name of each byte of the linkage tables, as objdump has it; bytes before the first name have none."""
    named = {}
    for table in ".plt", ".plt.sec", ".plt.got":
        found = re.search(rf" {re.escape(table)} +PROGBITS +(\w+) \w+ (\w+)", run("readelf", "-SW", path))
        if found:
            starts = dict(re.findall(r"(?m)^(\w+) <([^+<>]+?@plt)>:$", run("objdump", "-d", "-j", table, path)))
            starts = {int(address, 16): name for address, name in starts.items()}
            start, name = int(found[1], 16), "??"
            for address in range(start, start + int(found[2], 16)):
                name = starts.get(address, name)
                named[address] = name
    return named


def ours(path, addresses, *options):
    text = heapflame("addr2line", "-f", *options, "-e", path, *map(hex, addresses))
    return dict(zip(addresses, text.splitlines()[::2]))


def test_entries_of_linkage_tables():
    Path("program.cc").write_text(LINKED)
    builds = [["g++", *options.split()] for options in (
        "-Wl,-z,lazy -no-pie", "-Wl,-z,lazy -pie", "-Wl,-z,now -pie", "-fno-plt -pie", "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy",
        "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now -no-pie", "-fuse-ld=gold -Wl,-z,lazy -pie", "-fuse-ld=lld -Wl,-z,lazy -pie")]
    for build in builds:
        if "lld" in build[1] and not shutil.which("ld.lld"):
            continue
        run(*build, "-g0", "-O1", "-o", "program", "program.cc")
        expected = entries("program")
        assert "puts@plt" in expected.values() or "-fno-plt" in build, (build, expected)
        found = ours("program", expected)
        differ = [(hex(a), found[a], expected[a]) for a in expected if found[a] != expected[a]]
        assert not differ, (build, differ[:5])
        run("strip", "program")
        assert ours("program", expected) == found, build
        readable = set(ours("program", expected, "-C").values())
        assert not any(name.startswith("_Z") for name in readable), readable
        assert "-fno-plt" in build or any(re.match(r"std::.*append\(char const\*\)@plt$", name) for name in readable), readable


def test_indirect_functions():
    """Without a dynamic linker, an entry leads to what a resolver chooses: it has the name of the IFUNC."""
    Path("program.c").write_text("#include <string.h>\nint main(int c, char **v) { return strlen(v[0]) + (strcpy(v[0], v[c - 1]) != 0); }\n")
    run("gcc", "-O1", "-fno-builtin", "-static", "-o", "program", "program.c")
    kinds = re.findall(r"(\w+) +\d+ IFUNC .* (\w+)$", run("readelf", "-sW", "program"), re.M)
    indirect = {name for _, name in kinds}
    found = set(ours("program", entries("program")).values()) - {"??"}
    assert {"strlen@plt", "strcpy@plt"} <= found and {name.removesuffix("@plt") for name in found} <= indirect, found
    names = ours("program", [int(address, 16) for address, _ in kinds])
    assert all(names[int(address, 16)] in indirect for address, _ in kinds), names


VERSIONED = r"""
#include <stdlib.h>
void *volatile kept[3];
void old_take(size_t n) { kept[0] = malloc(n); }
void new_take(size_t n) { kept[1] = malloc(n); }
__asm__(".symver old_take,take@V1");
__asm__(".symver new_take,take@@V2");
static void chosen(size_t n) { kept[2] = malloc(n); }
static void (*resolve(void))(size_t) { return chosen; }
void indirect(size_t n) __attribute__((ifunc("resolve")));
"""

VERSIONED_USER = r"""
#include <stddef.h>
void first(size_t), second(size_t), indirect(size_t);
__asm__(".symver first,take@V1");
__asm__(".symver second,take@V2");
int main(void) { first(112); second(224); indirect(448); return 0; }
"""


def test_versions_are_no_part_of_names():
    Path("library.c").write_text(VERSIONED)
    Path("map").write_text("V1 { global: take; };\nV2 { global: take; indirect; } V1;\n")
    run("gcc", "-O1", "-g0", "-shared", "-fPIC", "-o", "libtake.so", "library.c", "-Wl,--version-script=map", "-ljemalloc")
    assert "take@@V2" in run("readelf", "-sW", "libtake.so")
    for stripped in False, True:
        if stripped:
            run("strip", "libtake.so")
        Path("program.c").write_text(VERSIONED_USER)
        run("gcc", "-O1", "-g0", "-Wl,--no-as-needed", "-o", "program", "program.c", "-ljemalloc", "./libtake.so")
        run_profiled(Path("program").resolve(), conf=DUMP)
        (dump,) = Path().glob("dump.*.heap")
        leaves = {value: frames[-1] for frames, value in folded(heapflame("fold", dump))}
        assert leaves[112 + 224] == "take", leaves
        assert leaves[448].startswith("libtake.so+0x") if stripped else leaves[448] == "chosen", leaves
        dump.unlink()


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
