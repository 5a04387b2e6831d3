#!/usr/bin/env python3
"""`heapflame symbols info` says of a file what readelf says of it, and where its debug file was looked for."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, failing, heapflame, need, run
from _suite import run_tests

need("gcc", "llvm-dwp", "objcopy", "readelf")

BUILD_ID = "0123456789abcdef0123456789abcdef01234567"
GLOBAL = f"/usr/lib/debug/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug"


def build(*flags, versions=(4, 5)):
    Path("a.c").write_text("int f(int x) { return x; }\nint main(void) { return f(0); }\n")
    Path("b.c").write_text("int g(int x) { return x; }\n")
    for source, version in zip("ab", versions):
        run("gcc", "-c", "-g", f"-gdwarf-{version}", *flags, f"{source}.c", "-o", f"{source}.o")
    run("gcc", f"-Wl,--build-id=0x{BUILD_ID}", *flags, "a.o", "b.o", "-o", "program")


def info(path, *options):
    """The JSON document, held against readelf and against the text."""
    answer = json.loads(heapflame("symbols", "info", "-q", "--json", *options, path))
    text = heapflame("symbols", "info", "-q", *options, path)
    for key, part in answer.items():
        if key not in ("file", "debug_file"):
            continue
        tables = {name: int(count) - 1 for name, count in
                  re.findall(r"Symbol table '(\S+)' contains (\d+) entr", run("readelf", "-sW", part["path"]))}
        if key == "file":  # readelf prints nothing of tables that a debug file has without their bytes
            assert {table["section"]: table["symbols"] for table in part["symbol_tables"]} == tables, (part, tables)
        assert part["build_id"] == BUILD_ID and f"build-id: {BUILD_ID}\n" in text
        for table in part["symbol_tables"]:
            assert f"  {table['section']}: {table['symbols']} symbols\n" in text, text
    holder = answer.get("debug_file", answer["file"])["path"]
    dump = run("readelf", "--debug-dump=info", "-wN", "--dwarf-depth=1", holder)
    versions = Counter(re.findall(r"(?m)^   Version: +(\d)$", dump))
    assert {str(row["version"]): row["units"] for row in answer["dwarf"]} == versions, (answer["dwarf"], versions)
    for version, count in versions.items():
        assert f"debug information: DWARF {version}, {count} unit{'s' * (count != 1)}\n" in text, text
    return answer, text


def looked_for(answer):
    return [(place["path"], place["found"]) for place in answer["looked_for"]]


def test_in_the_file():
    build()
    answer, _ = info("program")
    assert answer["dwarf"] == [{"version": 4, "units": 1}, {"version": 5, "units": 1}]
    assert answer["looked_for"] == [] and answer["file"]["compressed"] == []


def test_split():
    build("-gsplit-dwarf", versions=(5, 5))
    answer, text = info("program")
    assert answer["split"] == {"units": 2} and "split units: 2, package: none\n" in text, (answer, text)
    run("llvm-dwp", "-e", "program", "-o", "program.dwp")
    answer, text = info("program")
    assert answer["split"] == {"units": 2, "package": "program.dwp"}, answer
    assert "split units: 2, package: program.dwp\n" in text, text


def test_compressed():
    build()
    run("objcopy", "--compress-debug-sections=zlib", "program", "packed")
    answer, text = info("packed")
    packed = {row["section"]: row for row in answer["file"]["compressed"]}
    sizes = {name: int(size, 16) for name, size in
             re.findall(r"\] (\.debug_\w+) +PROGBITS +\S+ \S+ (\S+)", run("readelf", "-SW", "program"))}
    assert ".debug_info" in packed and packed[".debug_info"]["with"] == "zlib"
    assert {name: row["unpacked_size"] for name, row in packed.items()}.items() <= sizes.items()
    assert f".debug_info: zlib, {packed['.debug_info']['size']} bytes for {sizes['.debug_info']}\n" in text


def test_apart():
    build()
    run("objcopy", "--only-keep-debug", "program", "program.debug")
    run("objcopy", "-g", "--add-gnu-debuglink=program.debug", "program", "stripped")
    here = Path.cwd()
    answer, text = info("stripped")
    assert looked_for(answer) == [(GLOBAL, "missing"), (f"{here}/program.debug", "taken")], answer
    assert f"searched for the debug file at:\n  {GLOBAL}: missing\n  {here}/program.debug: taken\n" in text
    assert len(answer["dwarf"]) == 2

    place = Path("symbols") / f".build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug"
    place.parent.mkdir(parents=True)
    place.write_bytes(Path("program.debug").read_bytes())
    answer, _ = info("stripped", "--symdir", "symbols")
    assert looked_for(answer) == [(str(place), "taken")]

    # One of another build is there, and is not taken.
    run("objcopy", "--remove-section=.note.gnu.build-id", "a.o", "program.debug")
    answer, text = info("stripped")
    assert (f"{here}/program.debug", "another") in looked_for(answer) and "debug information: none\n" in text
    assert "it has no debug information" in subprocess.run(
        [HEAPFLAME, "symbols", "info", "stripped"], capture_output=True, text=True, check=True).stderr


def test_what_is_wrong():
    build()
    Path("text").write_text("no program\n")
    assert "is not an ELF file" in failing(3, "symbols", "info", "text")
    assert "cannot open nowhere" in failing(5, "symbols", "info", "nowhere")
    assert "expected info or warm, and a file" in failing(2, "symbols", "info")
    assert "expected info or warm, and a file" in failing(2, "symbols", "forget", "program")
    # A unit that lies about its length: those before it are counted, and the exit status says so.
    whole = bytearray(Path("program").read_bytes())
    listing = run("readelf", "-SW", "program")
    offset = int(re.search(r"\] \.debug_info +PROGBITS +\S+ (\S+)", listing)[1], 16)
    second = 4 + int.from_bytes(whole[offset:offset + 4], "little")
    whole[offset + second:offset + second + 4] = b"\xf0\xff\xff\x7f"
    Path("damaged").write_bytes(whole)
    assert "units after a damaged one are not counted" in failing(4, "symbols", "info", "damaged")


sys.exit(run_tests(globals()))
