#!/usr/bin/env python3
# timeout: 240
"""Layouts of debug information that names.py does not have, because a file apart holds a part of it, or because there
is less than in whole DWARF: each made here with the distribution's tools. The names must be those that another program
finds there; and when the part is missing or damaged, a note must say so.
"""

import lzma
import pathlib
import re
import shutil
import subprocess
import sys

from _names import NEEDED, Program, heapflame_chains, normal_name, oracle_chains, run, sweep, write_heap
from _suite import run_tests
from names import BUILDS, SMALL_SOURCE, check_marks

ADDRESSES_MAX = 1000  # of one program


def build(name, *more):
    """A program of names.py in the folder of the test."""
    compiler, source, options = BUILDS[name]
    file = pathlib.Path("program.cc" if compiler.endswith("++") else "program.c")
    file.write_text(source)
    run(compiler, *options.split(), *more, "-Wl,--build-id=sha1", "-o", "whole", file)
    return Program(pathlib.Path.cwd() / "whole")


def heap_of(program, mapped):
    """A heap dump of addresses of the program, as if `mapped` had run, and the addresses."""
    heap, addresses = pathlib.Path.cwd() / "input.heap", sweep(program, ADDRESSES_MAX)
    write_heap(heap, program, mapped, addresses)
    return heap, addresses


def names_and_notes(heap, *options):
    done = subprocess.run(["heapflame", "fold", "--keep-allocator", *options, heap], capture_output=True, text=True)
    assert done.returncode in (0, 4), (done.returncode, done.stderr)
    return done.stdout, done.stderr


def add_debugdata(program, change=lambda packed: packed):
    """As Fedora does it: the symbols of functions that .dynsym has not, in an ELF image of its own, packed by xz. GDB
    manual, "MiniDebugInfo"."""
    run("objcopy", "--only-keep-debug", program.path, "debug")
    pathlib.Path("keep").write_text("".join(f"{name}\n" for _, _, kind, name in program.symbols if kind == "FUNC"))
    run("objcopy", "-S", "--remove-section=.gdb_index", "--remove-section=.comment", "--keep-symbols=keep", "debug", "mini")
    packed = lzma.compress(pathlib.Path("mini").read_bytes())
    pathlib.Path("mini.xz").write_bytes(change(packed))
    run("objcopy", "--strip-all", program.path, "stripped")
    run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "stripped", "embedded")
    return pathlib.Path.cwd() / "embedded"


def test_debugdata():
    for name in ("gcc-c-5-O2", "gcc-cpp-4-O2-nopie"):
        program = build(name)
        embedded = add_debugdata(program)
        heap, addresses = heap_of(program, embedded)
        ours, elfutils = heapflame_chains(heap, addresses), oracle_chains("elfutils", embedded, addresses)
        differ = [(hex(a), ours[a], elfutils[a]) for a in addresses if [c[0] for c in ours[a]] != [c[0] for c in elfutils[a]]]
        assert not differ, f"{name}: {len(differ)} of {len(addresses)}: {differ[:3]}"


def test_debugdata_is_damaged():
    program = build("gcc-c-5-O2")
    for change, reason in (
        (lambda packed: packed[:-40], "ends too early"),
        (lambda packed: packed[:90] + b"\xff\xff\xff" + packed[93:], "is damaged"),
        (lambda packed: b"PK" + packed, "is not in the xz format"),
        (lambda packed: lzma.compress(b"text"), "is not an ELF file"),
    ):
        heap, addresses = heap_of(program, add_debugdata(program, change))
        names, notes = names_and_notes(heap)
        assert "embedded+0x" in names and "walk" not in names, names
        assert re.search(rf"/embedded: .*\.gnu_debugdata: .*{reason}", notes), notes


def test_partial_units():
    """dwz makes them of what two units of one file have in common."""
    pathlib.Path("unit.cc").write_text(SMALL_SOURCE)
    for version in "45":
        for name, more in (("one.o", []), ("two.o", ["-Dmain=more"])):
            run("g++", f"-gdwarf-{version}", "-O2", *more, "-c", "-o", name, "unit.cc")
        run("g++", "-o", "whole", "one.o", "two.o")
        program = Program(pathlib.Path.cwd() / "whole")
        heap, addresses = heap_of(program, program.path)
        whole = heapflame_chains(heap, addresses)
        run("dwz", "whole")
        check_marks("partial units", program.path)
        assert heapflame_chains(heap, addresses) == whole


def test_relative_folders():
    """Compiled in "./obj": in DWARF 5 that is also folder 0 of the line table, and not below itself
    (llvm-symbolizer 14 says obj/obj/src of what clang made)."""
    pathlib.Path("src").mkdir()
    pathlib.Path("src/more.h").write_text("static inline int more(int n) { for (int i = 0; i < n; i++) n ^= i * n; return n; }\n")
    pathlib.Path("src/unit.c").write_text('#include "../src/./more.h"\nint main(int argc, char **argv) { return more(argc); }\n')
    for compiler in ("gcc", "clang"):
        for version in "2345":
            run(compiler, f"-gdwarf-{version}", "-O2", f"-ffile-prefix-map={pathlib.Path.cwd()}=./obj", "-o", "whole", "src/unit.c")
            program = Program(pathlib.Path.cwd() / "whole")
            heap, addresses = heap_of(program, program.path)
            chains = heapflame_chains(heap, addresses).values()
            paths = {path for chain in chains for _, path, _ in chain if path.endswith((".c", ".h"))}
            assert paths == {"obj/src/unit.c", "obj/src/../src/more.h"}, (compiler, version, paths)


def share(program, *options):
    """A folder with the program as dwz -m leaves it, and the supplementary file in a folder below."""
    folder = pathlib.Path.cwd() / "dwz"
    (folder / "shared").mkdir(parents=True)
    for name in ("program", "other"):
        shutil.copy(program.path, folder / name)
    run("dwz", *options, "-m", "shared/common.debug", "-M", "shared/common.debug", "program", "other", cwd=folder)
    return folder / "program", folder / "shared/common.debug"


def supplement_id(shared):
    """The id that the program asks for: the end of the section that says where the file is."""
    offset, size = section(shared, r"\.(?:gnu_debugaltlink|debug_sup)")
    return shared.read_bytes()[offset : offset + size][-20:]


def section(file, name):
    """Offset and size of a section; `name` is a pattern."""
    words = re.search(rf" {name} +\w+ +(.*)", run("readelf", "-SW", file))[1].split()
    return int(words[1], 16), int(words[2], 16)


def test_supplement_of_a_debug_file():
    """The path starts at the debug file, not at the program."""
    program = build("gcc-cpp-5-O3")
    shared, common = share(program)
    (shared.parent / ".debug").mkdir()
    common.parent.rename(shared.parent / ".debug/shared")
    debug = shared.parent / ".debug/program.debug"
    run("objcopy", "--only-keep-debug", shared, debug)
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", shared)
    heap, addresses = heap_of(program, shared)
    found = heapflame_chains(heap, addresses)
    heap, addresses = heap_of(program, program.path)
    assert found == heapflame_chains(heap, addresses)


def test_supplement_by_build_id():
    program = build("gcc-cpp-4-O2-nopie")
    shared, common = share(program)
    name = supplement_id(shared).hex()
    store = pathlib.Path.cwd() / "store"
    (store / ".build-id" / name[:2]).mkdir(parents=True)
    common.rename(store / ".build-id" / name[:2] / f"{name[2:]}.debug")
    heap, addresses = heap_of(program, shared)
    found = heapflame_chains(heap, addresses, "--symdir", store)
    heap, addresses = heap_of(program, program.path)
    assert found == heapflame_chains(heap, addresses)


def test_supplement_below_a_copy_of_the_debug_folder():
    """The program asks for /usr/lib/debug/.dwz/common.debug; --symdir is a copy of /usr/lib/debug, or of a folder above."""
    program = build("gcc-cpp-4-O2-nopie")
    shared, common = share(program)
    asked = b"/usr/lib/debug/.dwz/common.debug\0" + supplement_id(shared)
    pathlib.Path("asked").write_bytes(asked)
    run("objcopy", "--update-section", ".gnu_debugaltlink=asked", shared)
    (pathlib.Path.cwd() / "copy/debug/.dwz").mkdir(parents=True)
    common.rename("copy/debug/.dwz/common.debug")
    heap, addresses = heap_of(program, program.path)
    whole = heapflame_chains(heap, addresses)
    heap, addresses = heap_of(program, shared)
    assert heapflame_chains(heap, addresses) != whole
    for folder in ("copy/debug", "copy"):
        assert heapflame_chains(heap, addresses, "--symdir", folder) == whole, folder


def is_part_of(names, whole):
    """Each is in the other list, in this order, maybe as the last part of what stands there: Box for shop::Box::Box()."""
    rest = iter(whole)
    return all(any(name == one or re.search(rf"(^|::|\s){re.escape(name)}([(<]|$)", one) for one in rest) for name in names)


def check_partial(program, shared, sentence):
    """Every function has its name, by its symbol; of the inlined calls those that have a name have the right one; and a
    note says what is missing."""
    heap, addresses = heap_of(program, program.path)
    whole = heapflame_chains(heap, addresses)
    heap, addresses = heap_of(program, shared)
    found = heapflame_chains(heap, addresses)
    for address in addresses:
        ours, all_names = ([name for name, _, _ in chains[address]] for chains in (found, whole))
        assert ours[-1] == all_names[-1] and is_part_of(ours, all_names), (hex(address), ours, all_names)
    assert found != whole
    _, notes = names_and_notes(heap)
    assert re.search(sentence, notes), notes


def test_supplement_is_not_there():
    for options in ([], ["--dwarf-5"]):
        program = build("gcc-cpp-5-O3")
        shared, common = share(program, *options)
        whole, asked = common.read_bytes(), supplement_id(shared)
        missing = (r"dwz/program: \d+ functions and inlined calls lack their name, or a part of it: "
                   r".*shared/common\.debug, which was not found, nor /usr/lib/debug/\.build-id/" + asked.hex()[:2])
        common.unlink()
        check_partial(program, shared, missing)
        common.write_bytes(whole.replace(asked, bytes(len(asked))))
        check_partial(program, shared, missing)
        common.write_bytes(whole)
        offset, size = section(common, r"\.debug_info")
        common.write_bytes(whole[:offset] + b"\xff" * size + whole[offset + size :])
        check_partial(program, shared, r"dwz/program: 1 unit of its debug information is damaged")
        shutil.rmtree("dwz")


if __name__ == "__main__":
    missing = [tool for tool in (*NEEDED, "gcc", "g++", "dwz") if not shutil.which(tool)]
    if missing:
        print(f"{', '.join(missing)} missing")
        sys.exit(77)
    sys.exit(run_tests(globals()))
