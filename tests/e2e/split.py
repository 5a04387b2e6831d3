#!/usr/bin/env python3
# timeout: 240
"""Split DWARF: functions and inlined calls in .dwo files or in a package of them (.dwp), made here by gcc and clang
with -gsplit-dwarf, binutils' dwp (which knows DWARF 4 alone) and llvm-dwp. The same program compiled whole has the same
code: names, calls and lines must be the same. Without the files the names are those of symbols, and a note says what
was looked for.
"""

import contextlib
import pathlib
import re
import shutil
import subprocess
import sys

from _names import NEEDED, Program, demangle, heapflame_chains, normal_name, run, sweep, write_heap
from _suite import run_tests
from names import C_SOURCE, SMALL_SOURCE

ADDRESSES_MAX = 600  # of one program
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
PACKERS = {"4": ("dwp", "llvm-dwp"), "5": ("llvm-dwp",)}
MISSING = r"/split: functions of {} units? have only symbol names and no inlined calls; .*\(-gsplit-dwarf\): {}"


def compile_both(compilers, *options):
    """The program of two units, whole and split, with what the whole one answers. The .dwo files are in obj/."""
    sources = {"more.c": (compilers[0], C_SOURCE, ["-Dmain=more"]), "program.cc": (compilers[1], SMALL_SOURCE, [])}
    objects = [f"{pathlib.Path(file).stem}.o" for file in sources]
    for folder in ("obj", "whole.obj"):
        pathlib.Path(folder).mkdir()
    for (file, (compiler, source, more)), to in zip(sources.items(), objects):
        pathlib.Path(file).write_text(source)
        for folder, split in (("obj", ["-gsplit-dwarf"]), ("whole.obj", [])):
            run(compiler, "-O2", *options, *more, *split, "-c", "-o", f"{folder}/{to}", file)
    for name, folder in (("split", "obj"), ("whole", "whole.obj")):
        run(compilers[1], "-Wl,--build-id=sha1", "-o", name, *[f"{folder}/{to}" for to in objects])
    program, whole = (Program(pathlib.Path.cwd() / name) for name in ("split", "whole"))
    assert program.functions() == whole.functions()
    return program, answers(whole)[0]


def answers(program, mapped=None, *options):
    """({address: chain}, notes) as if `mapped` had run."""
    heap, addresses = pathlib.Path.cwd() / "input.heap", sweep(program, ADDRESSES_MAX)
    write_heap(heap, program, mapped or program.path, addresses)
    chains = heapflame_chains(heap, addresses, *options)
    asked = ["heapflame", "fold", "--keep-allocator", *map(str, options), heap]
    return chains, subprocess.run(asked, capture_output=True, text=True).stderr


def check_same(whole, program, mapped=None, *options):
    chains, notes = answers(program, mapped, *options)
    differ = [(hex(a), chains[a], whole[a]) for a in whole if chains[a] != whole[a]]
    assert not differ, f"{len(differ)} of {len(whole)}: {differ[:2]}"
    assert "split-dwarf" not in notes, notes
    assert max(map(len, whole.values())) > 3, "no inlined calls: nothing was tested"


def check_symbols(whole, program, sentence, mapped=None):
    """No name but of symbols; lines as they are; and the reason."""
    chains, notes = answers(program, mapped)
    mangled = sorted({name for *_, name in program.symbols})
    names = dict(zip(mangled, map(normal_name, demangle("\n".join(mangled)).splitlines())))
    for address, chain in chains.items():
        (function, *place), = chain
        assert function in map(names.get, program.symbols_at(address)), (hex(address), function)
        assert place == list(whole[address][0][1:]), (hex(address), place, whole[address])
    assert re.search(sentence, notes), (sentence, notes)


def each_kind(*options):
    """(version, program, what the whole one answers) for each compiler, in a folder of its own."""
    for name, compilers in COMPILERS.items():
        for version in "45":
            folder = pathlib.Path(f"{name}-{version}")
            folder.mkdir()
            with contextlib.chdir(folder):
                yield version, *compile_both(compilers, f"-gdwarf-{version}", *options)


def pack(version, program):
    """The package of the program, which has nothing else then."""
    run(PACKERS[version][-1], "-e", program.path, "-o", "split.dwp")
    shutil.rmtree("obj")
    return pathlib.Path.cwd() / "split.dwp"


def test_files_and_packages():
    for version, program, whole in each_kind():
        check_same(whole, program)
        shutil.copytree("obj", "kept")
        for packer in PACKERS[version]:
            run(packer, "-e", "split", "-o", "split.dwp")
            shutil.rmtree("obj")
            check_same(whole, program)
            shutil.copytree("kept", "obj")
            pathlib.Path("split.dwp").unlink()


def test_type_units():
    """GCC gives each one of DWARF 5 a section of its own; clang puts them before the unit."""
    for _, program, whole in each_kind("-fdebug-types-section"):
        check_same(whole, program)


def test_compressed():
    for version, program, whole in each_kind("-gz=zlib"):
        is_compressed = lambda file: re.search(r"debug_info\.dwo .* C?EC?", run("readelf", "-SW", file))
        assert "C" in is_compressed("obj/program.dwo")[0]
        check_same(whole, program)
        for file in pathlib.Path("obj").glob("*.dwo"):  # llvm-dwp 14 cannot read them
            run("objcopy", "--decompress-debug-sections", file)
        package = pack(version, program)
        run("llvm-objcopy", "--compress-debug-sections=zlib", package)
        assert "C" in is_compressed(package)[0]
        check_same(whole, program)


def test_single():
    """The .dwo sections are in the object file, which has all the others, too."""
    program, whole = compile_both(COMPILERS["clang"], "-gdwarf-5")
    for file, more in (("more.c", ["-Dmain=more"]), ("program.cc", [])):
        run("clang" if more else "clang++", "-O2", "-gdwarf-5", "-gsplit-dwarf=single", *more, "-c", "-o", f"obj/{pathlib.Path(file).stem}.o", file)
    for file in pathlib.Path("obj").glob("*.dwo"):
        file.unlink()
    run("clang++", "-o", "split", "obj/more.o", "obj/program.o")
    check_same(whole, Program(program.path))


def test_where_files_are():
    """Somewhere else than where they were made: beside the program, or in a folder that --symdir gives."""
    program, whole = compile_both(COMPILERS["gcc"], "-gdwarf-5")
    here = pathlib.Path.cwd()
    for place, options in (
        (here / "bin/obj", []),
        (here / "bin", []),
        (here / "symbols/obj", ["--symdir", here / "symbols"]),
        (here / "symbols", ["--symdir", here / "symbols"]),
        (here / f"symbols{here}/obj", ["--symdir", here / "symbols"]),
    ):
        place.mkdir(parents=True)
        (here / "bin").mkdir(exist_ok=True)
        shutil.copy(program.path, here / "bin")
        shutil.move("obj", "gone")
        check_symbols(whole, program, MISSING.format(2, r"obj/.*\.dwo was not found in /.* or beside the program, and there is no "
                                                        r"package /.*/bin/split\.dwp; give the folder of"), mapped=here / "bin/split")
        for file in pathlib.Path("gone").glob("*.dwo"):
            shutil.copy(file, place)
        check_same(whole, program, here / "bin/split", *options)
        shutil.move("gone", "obj")
        for folder in ("bin", "symbols"):
            shutil.rmtree(folder, ignore_errors=True)


def test_where_packages_are():
    """Beside a program whose debug information is in a file apart, beside that file, or where --symdir says."""
    program, whole = compile_both(COMPILERS["clang"], "-gdwarf-4")
    package = pack("4", program)
    here = pathlib.Path.cwd()
    run("objcopy", "--only-keep-debug", program.path, "split.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=split.debug", program.path)
    for place, options in (("split.dwp", []), ("split.debug.dwp", []), ("symbols/split.dwp", ["--symdir", here / "symbols"])):
        (here / place).parent.mkdir(exist_ok=True)
        package = package.rename(here / place)
        check_same(whole, program, None, *options)


def test_of_another_build():
    """The id says which build a file is of: no name of another one, even if the code is equal."""
    for version, program, whole in each_kind():
        pathlib.Path("other").mkdir()
        with contextlib.chdir("other"):
            compilers = COMPILERS[pathlib.Path.cwd().parent.name.split("-")[0]]
            other, _ = compile_both(compilers, f"-gdwarf-{version}", "-Dsecret=hidden", "-Dpush=pull")
        shutil.move("obj", "own")
        shutil.copytree("other/obj", "obj")
        reason = r"/.*/obj/.*\.dwo: belongs to another build: the id of its unit is \w+, not \w+; give the folder of the right"
        check_symbols(whole, program, MISSING.format(2, reason))
        with contextlib.chdir("other"):
            pack(version, other).rename("../split.dwp")
        shutil.rmtree("obj")
        check_symbols(whole, program, MISSING.format(2, r"/.*/split\.dwp: has no unit with the id \w+; give the folder"))
        shutil.move("own", "obj")
        check_same(whole, program)


def test_damaged():
    """Cut anywhere, they are refused or answer rightly as far as they go; and that is said."""
    for version, program, whole in each_kind():
        file = pathlib.Path("obj/program.dwo")
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 3])
        chains, notes = answers(program)
        assert re.search(MISSING.format(1, ""), notes), notes
        file.write_bytes(data)
        package = pack(version, program)
        data = package.read_bytes()
        package.write_bytes(data[: len(data) // 2])
        check_symbols(whole, program, MISSING.format(2, ""))


if __name__ == "__main__":
    needed = (*NEEDED, "dwp", "llvm-dwp", "llvm-objcopy", *COMPILERS["gcc"], *COMPILERS["clang"])
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"{', '.join(missing)} missing")
        sys.exit(77)
    sys.exit(run_tests(globals()))
