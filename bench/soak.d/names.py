#!/usr/bin/env python3
"""Names of large programs: heapflame beside addr2line, llvm-symbolizer and eu-addr2line at the first byte, the middle
and the last byte of every function. What agrees means, and the table that explains what does not: see
tests/e2e/_agreement.py and docs/compat/names.md; tests/e2e/names.py is the short form of this, with small programs.

Most programs are Debian's (script/bootstrap unpacks them into HEAPFLAME_BENCH_CACHE): heapflame is given what users
have, the stripped file and the debug file beside it, mostly with compressed sections; the oracles get the two merged,
because they look for debug files only in /usr/lib/debug. The others are built here, heapflame's own sources among
them. eu-addr2line is asked for at most 2,000 addresses of each program, half of them chosen at random (seed: the name),
half among those where neither of the others says what heapflame says. Two programs are worked on at a time.

usage: script/soak names      (or, of some programs, names.py NAME...)
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["HEAPFLAME_SRC"])
CACHE = pathlib.Path(os.environ["HEAPFLAME_BENCH_CACHE"])
ROOT = CACHE / "root"
DEBUG = ROOT / "usr/lib/debug"
sys.path.insert(0, str(SOURCE / "tests/e2e"))

from _agreement import Agreement, ask, check_table  # noqa: E402
from _names import Program, heapflame_chains, run, write_heap  # noqa: E402
from names import make_variant  # noqa: E402

PROGRAMS_MIN, LARGE_MIN, LARGE_BYTES = 12, 3, 10_000_000

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
# programs of tests/programs: source, command
SMALL = {
    "forest-clang-4-O1": ("forest.c", "clang -gdwarf-4 -O1 -pie {} -ljemalloc -pthread"),
    "shapes-gcc-4-O3": ("shapes.cc", "g++ -gdwarf-4 -O3 -no-pie {} -ljemalloc"),
    "shapes-clang-5-O2": ("shapes.cc", "clang++ -gdwarf-5 -O2 {} -ljemalloc"),
    "ledger-rust": ("ledger.rs", "rustc --edition 2021 -g -O {} -Clink-arg=-ljemalloc"),
}


def debug_file(stripped):
    """The debug file of a packaged program, None if its debug information was left in."""
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", stripped))
    by_id = DEBUG / ".build-id" / build_id[1][:2] / f"{build_id[1][2:]}.debug" if build_id else None
    by_path = DEBUG / stripped.relative_to(ROOT)
    return next((file for file in (by_id, by_path) if file and file.exists()), None)


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
    run("objcopy", "--decompress-debug-sections", merged)
    return merged, stripped, ["--symdir", DEBUG, "--symdir", debug.parent]


def own(name, folder):
    compiler, options, link, variant = OWN[name]
    build = folder / f"{name}.build"
    setup = ["meson", "setup", "--buildtype=plain", "-Dwerror=false", f"-Dc_args={options}", f"-Dc_link_args={link}"]
    run(*setup, build, SOURCE, env={**os.environ, "CC": compiler})
    run("ninja", "-C", build, "heapflame")
    program = (build / "heapflame").rename(folder / name)
    shutil.rmtree(build)
    return program, *(make_variant(variant, program, folder / f"{name}.changed") if variant else (program, []))


def small(name, folder):
    source, command = SMALL[name]
    run(*command.format(SOURCE / "tests/programs" / source).split(), "-o", folder / name)
    return folder / name, folder / name, []


MAKERS = {**dict.fromkeys(PACKAGED, packaged), **dict.fromkeys(OWN, own), **dict.fromkeys(SMALL, small)}


def debug_bytes(program):
    """(size of .debug_info, DWARF version of its first unit)"""
    words = re.search(r" \.debug_info +PROGBITS +(.*)", run("readelf", "-SW", program))[1].split()
    with open(program, "rb") as file:
        file.seek(int(words[1], 16))
        length, version, wide_version = struct.unpack("<IH6xH", file.read(14))
    return int(words[2], 16), wide_version if length == 0xFFFFFFFF else version


def look_at(name, folder):
    """(name, size of debug information, a description, Agreement)"""
    merged, given, options = MAKERS[name](name, folder)
    program = Program(merged)
    addresses = sorted({start + at for start, size in program.functions() for at in (0, size // 2, size - 1)})
    heap = folder / f"{name}.heap"
    write_heap(heap, program, given, addresses)
    ours = heapflame_chains(heap, addresses, *options)
    agreement = Agreement()
    agreement.compare(program, ours, *ask(program, addresses, ours, name))
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
            faults += [f"{name}: {fault}" for fault in one.faults()]
    print(f"\n{len(chosen)} programs, {large} of them from packages with 10 MB of debug information or more")
    print(f"{'all':18} {total.figures()}\n")
    total.print_sums()
    if not sys.argv[1:] and (len(chosen) < PROGRAMS_MIN or large < LARGE_MIN):
        faults.append("too few programs")
    if faults:
        raise SystemExit("FAILED\n" + "\n".join(faults))


if __name__ == "__main__":
    os.environ.pop("DEBUGINFOD_URLS", None)
    main()
