#!/usr/bin/env python3
"""Names of more than 50 programs: heapflame beside addr2line, llvm-symbolizer and eu-addr2line at the places that
stacks pass (the last bytes of CALLS_MAX calls) and at ENDS_MAX of the first, middle and last bytes of functions, both
chosen at random; the seed is the name of the program. What agrees means, and the table that explains what does not:
see tests/e2e/_agreement.py and docs/compat/names.md; tests/e2e/names.py is the short form of this.

The large programs are Debian's (script/bootstrap unpacks them into HEAPFLAME_BENCH_CACHE): heapflame is given what
users have, the stripped file and the debug file beside it, mostly with compressed sections; the oracles get the two
merged, because they look for debug files only in /usr/lib/debug. The others are built here with the compilers and
options that their names tell, heapflame's own sources among them. eu-addr2line is asked for ELFUTILS_MAX addresses of
each program, and for up to 1,000 where neither of the others says what heapflame says. Two programs are worked on at
a time.

usage: script/soak names      (or, of some programs, names.py NAME...)
"""

import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile

from _agreement import Agreement, ask, check_table
from _names import Program, heapflame_chains, run, write_heap
from _variants import make_variant

SOURCE = pathlib.Path(os.environ["HEAPFLAME_SRC"])
CACHE = pathlib.Path(os.environ["HEAPFLAME_BENCH_CACHE"])
ROOT = CACHE / "root"
DEBUG = ROOT / "usr/lib/debug"
REAL_MIN, LARGE_MIN, LARGE_BYTES = 50, 3, 10_000_000  # programs of packages or heapflame's own; large ones
CALLS_MAX, ENDS_MAX, ELFUTILS_MAX = 2000, 1000, 100
LEAST = 0.99  # of each program; of all together it is _agreement.AGREEMENT

PACKAGED = {
    "ceph-mon": "usr/bin/ceph-mon",  # C++, 167 MB of debug information
    "libcupt4": "usr/lib/libcupt4.so.2",  # C++, namespaces without names, lambdas
    "libipopt": "usr/lib/libipopt.so.1.9.9",  # C++, debug file found by .gnu_debuglink
    "ns": "usr/bin/ns",  # C and C++
    "libitpp": "usr/lib/x86_64-linux-gnu/libitpp.so.8.2.1",  # C++, templates
    "mono-sgen": "usr/bin/mono-sgen",  # C, debug file found by .gnu_debuglink
    "python3.11d": "usr/bin/python3.11d",  # C, a debug build that was never stripped
    "libc": "lib/x86_64-linux-gnu/libc.so.6",  # C and assembler, aliases
    "memcheck": "usr/libexec/valgrind/memcheck-amd64-linux",  # C, static, at a fixed address
    "vsftpd": "usr/sbin/vsftpd",  # C, small
    "ceph-monstore-tool": "usr/bin/ceph-monstore-tool",
    "libstdc++": "usr/lib/x86_64-linux-gnu/debug/libstdc++.so.6.0.30",  # C++ and its runtime, -O0, never stripped
    "libpetsc": "usr/lib/x86_64-linux-gnu/libpetsc_real.so.3.18.5",  # C and Fortran
    "libpetsc-debug": "usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real-debug/lib/libpetsc_real.so.3.18.5",  # -O0, whole
    "libmonosgen": "usr/lib/libmonosgen-2.0.so.1.0.0",  # C
    "libGraphicsMagick": "usr/lib/libGraphicsMagick-Q16.so.3.24.2",  # C, LTO
    "libdb": "usr/lib/x86_64-linux-gnu/libdb-5.3.so",  # C
    "lua": "usr/bin/lua5.4",  # C
    "liblua-c++": "usr/lib/x86_64-linux-gnu/liblua5.4-c++.so.0.0.0",  # C compiled as C++
    "libsyslog-ng": "usr/lib/syslog-ng/libsyslog-ng-3.38.so.0.0.0",  # C
    "libafsocket": "usr/lib/syslog-ng/3.38/libafsocket.so",  # C
    "xl": "usr/lib/xen-4.17/bin/xl",  # C
    "xenstored": "usr/lib/xen-4.17/bin/xenstored",  # C
    "cupt": "usr/bin/cupt",  # C++
    "callgrind": "usr/libexec/valgrind/callgrind-amd64-linux",  # C and assembler, static
    "libm": "lib/x86_64-linux-gnu/libm.so.6",  # C, IFUNCs
    "ld.so": "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",  # C and assembler
    "libmvec": "lib/x86_64-linux-gnu/libmvec.so.1",  # assembler, IFUNCs
    "libnsl": "lib/x86_64-linux-gnu/libnsl.so.1",  # C
    "libresolv": "lib/x86_64-linux-gnu/libresolv.so.2",  # C
    "libthread_db": "lib/x86_64-linux-gnu/libthread_db.so.1",  # C
    "helgrind": "usr/libexec/valgrind/helgrind-amd64-linux",  # C and assembler, static
    "drd": "usr/libexec/valgrind/drd-amd64-linux",  # the same
    "cachegrind": "usr/libexec/valgrind/cachegrind-amd64-linux",  # the same
    "massif": "usr/libexec/valgrind/massif-amd64-linux",  # the same
    "dhat": "usr/libexec/valgrind/dhat-amd64-linux",  # the same
    "vgdb": "usr/bin/vgdb",  # C
    "oxenstored": "usr/lib/xen-4.17/bin/oxenstored",  # OCaml and C
    "xenpm": "usr/lib/xen-4.17/bin/xenpm",  # C
    "xentop": "usr/lib/xen-4.17/bin/xentop",  # C
    "xenconsoled": "usr/lib/xen-4.17/bin/xenconsoled",  # C
    "test-cpu-policy": "usr/lib/xen-4.17/bin/test-cpu-policy",  # C
    "luac": "usr/bin/luac5.4",  # C
    "libGraphicsMagickWand": "usr/lib/libGraphicsMagickWand-Q16.so.2.9.8",  # C, LTO
    "libdbparser": "usr/lib/syslog-ng/3.38/libdbparser.so",  # C
    "libaffile": "usr/lib/syslog-ng/3.38/libaffile.so",  # C
    "libdisk-buffer": "usr/lib/syslog-ng/3.38/libdisk-buffer.so",  # C
    "libbasicfuncs": "usr/lib/syslog-ng/3.38/libbasicfuncs.so",  # C
    "pdbtool": "usr/bin/pdbtool",  # C
}
# heapflame itself: compiler, options for compiling and for linking, what is done to the finished program (make_variant)
OWN = {
    "own-gcc-4-O0": ("gcc", "-gdwarf-4 -O0 -fno-pie", "-no-pie", None),
    "own-gcc-5-O1": ("gcc", "-gdwarf-5 -O1 -fpie", "-pie", "zlib-gnu"),
    "own-gcc-4-O2": ("gcc", "-gdwarf-4 -O2 -fpie", "-pie", "debuglink"),
    "own-gcc-5-O3": ("gcc", "-gdwarf-5 -O3 -fpie", "-pie", "zstd"),
    "own-gcc-5-lto": ("gcc", "-gdwarf-5 -O2 -flto -ffat-lto-objects", "-O2 -flto", None),
    "own-clang-5-O0": ("clang", "-gdwarf-5 -O0 -fpie", "-pie", None),
    "own-clang-4-O2": ("clang", "-gdwarf-4 -O2 -fno-pie", "-no-pie", "build-id"),
    "own-clang-5-O3": ("clang", "-gdwarf-5 -O3 -fpie", "-pie -fuse-ld=lld", "zlib"),
}
# programs of tests/programs: source, command, what is done to the finished program (make_variant)
SMALL = {
    "forest-gcc-2-O1": ("forest.c", "gcc -gdwarf-2 -O1 -no-pie {} -ljemalloc -pthread", None),
    "forest-gcc-3-Os": ("forest.c", "gcc -gdwarf-3 -Os -pie {} -ljemalloc -pthread", None),
    "forest-gcc-4-zlib": ("forest.c", "gcc -gdwarf-4 -O2 {} -ljemalloc -pthread", "zlib"),
    "forest-gcc-5-64": ("forest.c", "gcc -gdwarf-5 -gdwarf64 -O3 {} -ljemalloc -pthread", None),
    "forest-clang-4-O1": ("forest.c", "clang -gdwarf-4 -O1 -pie {} -ljemalloc -pthread", None),
    "forest-clang-5-Os": ("forest.c", "clang -gdwarf-5 -Os -pie -fuse-ld=lld {} -ljemalloc -pthread", "zlib-gnu"),
    "phases-gcc-5-O0": ("phases.c", "gcc -gdwarf-5 -O0 {} -ljemalloc -pthread", "debuglink"),
    "shapes-gcc-2-O2": ("shapes.cc", "g++ -gdwarf-2 -O2 {} -ljemalloc", None),
    "shapes-gcc-3-O0": ("shapes.cc", "g++ -gdwarf-3 -O0 {} -ljemalloc", None),
    "shapes-gcc-4-O3": ("shapes.cc", "g++ -gdwarf-4 -O3 -no-pie {} -ljemalloc", None),
    "shapes-gcc-4-dwz": ("shapes.cc", "g++ -gdwarf-4 -O2 {} -ljemalloc -Wl,--build-id=sha1", "dwz-m"),
    "shapes-gcc-5-Os": ("shapes.cc", "g++ -gdwarf-5 -Os {} -ljemalloc", "zstd"),
    "shapes-gcc-5-types": ("shapes.cc", "g++ -gdwarf-5 -O2 -fdebug-types-section {} -ljemalloc", None),
    "shapes-gcc-5-lto": ("shapes.cc", "g++ -gdwarf-5 -O2 -flto {} -ljemalloc", None),
    "shapes-gcc-5-dwz": ("shapes.cc", "g++ -gdwarf-5 -O3 {} -ljemalloc -Wl,--build-id=sha1", "dwz-5"),
    "shapes-gcc-g1": ("shapes.cc", "g++ -g1 -O2 {} -ljemalloc", None),
    "shapes-clang-4-Os": ("shapes.cc", "clang++ -gdwarf-4 -Os {} -ljemalloc", "build-id"),
    "shapes-clang-5-O0": ("shapes.cc", "clang++ -gdwarf-5 -O0 {} -ljemalloc", None),
    "shapes-clang-5-O2": ("shapes.cc", "clang++ -gdwarf-5 -O2 {} -ljemalloc", None),
    "shapes-clang-gmlt": ("shapes.cc", "clang++ -gline-tables-only -O2 {} -ljemalloc", None),
    "ledger-rust": ("ledger.rs", "rustc --edition 2021 -g -O {} -Clink-arg=-ljemalloc", None),
    "ledger-rust-s-lto": ("ledger.rs", "rustc --edition 2021 -g -Copt-level=s -Clto=fat {} -Clink-arg=-ljemalloc", None),
    "ledger-rust-v0": (
        "ledger.rs", "rustc --edition 2021 -g -Copt-level=1 -Csymbol-mangling-version=v0 {} -Clink-arg=-ljemalloc", None),
}


def debug_file(stripped):
    """The debug file of a packaged program, None if its debug information was left in."""
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", stripped))
    by_id = DEBUG / ".build-id" / build_id[1][:2] / f"{build_id[1][2:]}.debug" if build_id else None
    by_path = DEBUG / stripped.relative_to(ROOT)
    return next((file for file in (by_id, by_path) if file and file.exists()), None)


def shared_debug(merged, folder):
    """objcopy's options that lead the oracles to what dwz moved to another file: they look below / only."""
    section = folder / f"{merged.name}.altlink"
    if ".gnu_debugaltlink" not in run("readelf", "-SW", merged):
        return []
    run("objcopy", f"--dump-section=.gnu_debugaltlink={section}", merged, os.devnull)
    path, _, build_id = section.read_bytes().partition(b"\0")
    section.write_bytes(bytes(ROOT) + path + b"\0" + build_id)
    return [f"--update-section=.gnu_debugaltlink={section}"]


def packaged(name, folder):
    """(the program with its debug information, the file for heapflame, its options)"""
    stripped = (ROOT / PACKAGED[name]).resolve()
    if not stripped.exists():
        raise SystemExit(f"{stripped} is missing; script/bootstrap soak unpacks it")
    debug = debug_file(stripped)
    if debug is None:
        return stripped, stripped, []
    merged = folder / name
    run("eu-unstrip", "-o", merged, stripped, debug)
    run("objcopy", "--decompress-debug-sections", *shared_debug(merged, folder), merged)
    return merged, stripped, ["--symdir", DEBUG, "--symdir", debug.parent]


def own(name, folder):
    compiler, options, link, variant = OWN[name]
    build = folder / f"{name}.build"
    # The result says src/x.c, wherever the source lies.
    options += f" -ffile-prefix-map={os.path.relpath(SOURCE, build)}/= -ffile-prefix-map={build}=."
    setup = ["meson", "setup", "--buildtype=plain", "-Dwerror=false", f"-Dc_args={options}", f"-Dc_link_args={link}"]
    run(*setup, build, SOURCE, env={**os.environ, "CC": compiler})
    run("ninja", "-C", build, "heapflame")
    program = (build / "heapflame").rename(folder / name)
    shutil.rmtree(build)
    return program, *changed(variant, program)


def changed(variant, program):
    """The file for heapflame, and its options."""
    return make_variant(variant, program, program.with_name(f"{program.name}.changed")) if variant else (program, [])


def small(name, folder):
    source, command, variant = SMALL[name]
    shorter = f"--remap-path-prefix={SOURCE}/=" if command.startswith("rustc") else f"-ffile-prefix-map={SOURCE}/="
    run(*command.format(SOURCE / "tests/programs" / source).split(), shorter, "-o", folder / name)
    return folder / name, *changed(variant, folder / name)


MAKERS = {**dict.fromkeys(PACKAGED, packaged), **dict.fromkeys(OWN, own), **dict.fromkeys(SMALL, small)}


def debug_bytes(program):
    """(size of .debug_info, DWARF version of its first unit)"""
    words = re.search(r" \.debug_info +PROGBITS +(.*)", run("readelf", "-SW", program))[1].split()
    with open(program, "rb") as file:
        file.seek(int(words[1], 16))
        length, version, wide_version = struct.unpack("<IH6xH", file.read(14))
    return int(words[2], 16), wide_version if length == 0xFFFFFFFF else version


def calls(program):
    """The last bytes of calls (of x86-64, E8 and four bytes) to the start of a function."""
    starts = {start for start, _ in program.functions()}
    found = set()
    for offset, first, size, flags in program.segments():
        if "E" not in flags:
            continue
        with open(program.path, "rb") as file:
            file.seek(offset)
            code = file.read(size)
        at = code.find(b"\xe8")
        while at != -1 and at + 5 <= len(code):
            if first + at + 5 + struct.unpack_from("<i", code, at + 1)[0] in starts:
                found.add(first + at + 4)
            at = code.find(b"\xe8", at + 1)
    return found


def chosen_addresses(program, seed):
    chance = random.Random(seed)
    ends = {start + at for start, size in program.functions() for at in (0, size // 2, size - 1)}

    def some(of, most):
        return chance.sample(sorted(of), min(most, len(of)))

    in_functions = (address for address in some(calls(program), CALLS_MAX) if program.symbols_at(address))
    return sorted({*in_functions, *some(ends, ENDS_MAX)})


def look_at(name, folder):
    """(name, size of debug information, a description, Agreement)"""
    merged, given, options = MAKERS[name](name, folder)
    program = Program(merged)
    addresses = chosen_addresses(program, name)
    heap = folder / f"{name}.heap"
    write_heap(heap, program, given, addresses)
    ours = heapflame_chains(heap, addresses, *options)
    agreement = Agreement()
    agreement.compare(program, ours, *ask(program, addresses, ours, name, ELFUTILS_MAX))
    size, version = debug_bytes(merged)
    about = (f"{size / 1e6:6.1f} MB, DWARF {version}, {'PIE' if program.is_pie else 'no PIE'}, "
             f"{len(program.functions())} functions")
    heap.unlink()
    return name, size, about, agreement


def main():
    check_table()
    chosen = sys.argv[1:] or list(MAKERS)
    total, faults, large = Agreement(), [], 0
    with tempfile.TemporaryDirectory(dir=CACHE) as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, size, about, one in pool.map(lambda name: look_at(name, pathlib.Path(folder)), chosen):
            print(f"{name:18} {about}\n{'':18} {one.figures()}", flush=True)
            one.print_odd()
            total.add(one)
            large += size >= LARGE_BYTES and name in PACKAGED
            faults += [f"{name}: {fault}" for fault in one.faults(LEAST)]
    real = sum(name not in SMALL for name in chosen)
    print(f"\n{len(chosen)} programs; {real} are in use, and {large} of these have 10 MB of debug information or more")
    print(f"{'all':18} {total.figures()}\n")
    total.print_sums()
    faults += total.faults()
    if not sys.argv[1:] and (real < REAL_MIN or large < LARGE_MIN):
        faults.append("too few programs")
    if faults:
        raise SystemExit("FAILED\n" + "\n".join(faults))


if __name__ == "__main__":
    os.environ.pop("DEBUGINFOD_URLS", None)
    main()
