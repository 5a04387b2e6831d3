#!/usr/bin/env python3
# timeout: 240
"""The instructions in a page (flame --disassembly): each call has exactly the bytes that its line allocates, objdump agrees where
instructions begin, and nothing is shown of a file that is not the one which was profiled."""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("g++", "objdump", "nm", "strip")

# What a line holds at the end: objects and bytes.
PROGRAM = """#include <cstdlib>
#include <memory>
#include <vector>
char *volatile kept[16];
static inline __attribute__((always_inline)) char *make(unsigned long bytes)
{
    return static_cast<char *>(malloc(bytes)); // HOLDS 2 7000
}
struct Table {
    char cells[3000];
};
std::vector<std::unique_ptr<Table>> tables;
extern "C" __attribute__((noinline)) void hold()
{
    kept[0] = static_cast<char *>(malloc(100000)); // HOLDS 1 100000
    for (int i = 1; i < 5; i++)
        kept[i] = static_cast<char *>(calloc(10, 500)); // HOLDS 4 20000
    kept[5] = make(3000); // HOLDS 1 3000
    kept[6] = make(4000); // HOLDS 1 4000
    kept[7] = new char[700]; // HOLDS 1 700
    free(malloc(50000));
}
extern "C" __attribute__((noinline)) int run()
{
    hold();
    return kept[0] != nullptr;
}
int main()
{
    return run() - 1;
}
"""


def build(*options, source=PROGRAM):
    Path("program.cc").write_text(source)
    run("g++", "-O2", "-g", "-o", "program", "program.cc", *options)
    Path("debug").write_bytes(Path("program").read_bytes())


def record():
    run(HEAPFLAME, "run", "-q", "--exact", "-o", "program.hfb", "--", "./program")


def draw(*options, profile="program.hfb", status=0, env=None):
    """What the page has, and what was said."""
    done = subprocess.run([HEAPFLAME, "flame", profile, "-o", "page.html", "--disassembly", *options], capture_output=True,
                          text=True, env=os.environ | (env or {}), check=False, timeout=100)
    assert done.returncode == status, done.stderr
    packed = re.search(r'id="source-data">([^<]*)<', Path("page.html").read_text())[1].strip()
    return json.loads(gzip.decompress(base64.b64decode(packed))) if packed else {"files": [], "functions": []}, done.stderr


def type_index(name="inuse_space"):
    head = re.search(r'type="application/json"[^>]*>(.*?)</script>', Path("page.html").read_text(), re.S)
    return [one["name"] for one in json.loads(head[1])["types"]].index(name)


def held(function):
    """Offset of an instruction to its objects and bytes, allocated right there."""
    objects, space = type_index("inuse_objects"), type_index()
    return {row[0]: (row[2 + 2 * objects], row[2 + 2 * space]) for row in function["held"]}


def function_of(page, name):
    found = [one for one in page["functions"] if one["name"] == name]
    assert len(found) == 1, [one["name"] for one in page["functions"]]
    return found[0]


def rows(function):
    return [row for piece in function["pieces"] for row in piece]


def lines_of(function, row):
    chain = function["chains"][row[3]]
    return [(Path(function["files"][file]).name, line) for file, line in zip(chain[::2], chain[1::2])]


def by_objdump(path, start, size):
    """Address to text."""
    said = run("objdump", "-d", "-M", "intel", f"--start-address={start}", f"--stop-address={start + size}", path)
    return {int(at, 16): text for at, text in re.findall(r"^ *([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t(.*)$", said, re.M)}


def symbol(name, path="debug"):
    start, size = re.search(rf"(?m)^(\w+) (\w+) . {name}$", run("nm", "-S", path)).groups()
    return int(start, 16), int(size, 16)


def told(source=PROGRAM):
    """Line to the objects and bytes that it holds at the end."""
    found = [(number, re.search(r"// HOLDS (\d+) (\d+)", line)) for number, line in enumerate(source.splitlines(), 1)]
    return {number: (int(match[1]), int(match[2])) for number, match in found if match}


def test_each_call_has_its_bytes():
    build()
    record()
    page, said = draw()
    assert "no instructions" not in said, said
    hold = function_of(page, "hold")
    assert (hold["start"], hold["size"]) == symbol("hold") and hold["module"] == "program", hold
    at_call = held(hold)
    shown = {row[0]: row for row in rows(hold)}
    inner = next(line for line, text in enumerate(PROGRAM.splitlines(), 1) if "HOLDS 2 7000" in text)
    for line, (objects, space) in told().items():
        calls = [at_call[at] for at in at_call if ("program.cc", line) in lines_of(hold, shown[at]) and at_call[at][1]]
        assert len(calls) == (2 if line == inner else 1), (line, calls)
        assert tuple(map(sum, zip(*calls))) == (objects, space), (line, calls)
    table = json.loads(run(HEAPFLAME, "top", "--json", "--rows", "0", "program.hfb"))
    flat = [row for row in table["rows"] if row["name"] in ("hold", "make")]
    assert sum(space for _, space in at_call.values()) == 127700, at_call
    assert sum(objects for objects, _ in at_call.values()) == 8, (at_call, flat)


def test_objdump_agrees():
    build()
    record()
    page, _ = draw()
    for function in page["functions"]:
        if function["module"] != "program":
            continue
        truth = by_objdump("program", function["start"], function["size"])
        for offset, text, target, _ in rows(function):
            theirs = truth.get(function["start"] + offset)
            assert theirs, (function["name"], offset, text)
            if text.startswith("call"):
                assert theirs.startswith("call"), (text, theirs)
            if target and "@plt" in target:
                assert target.removesuffix("@plt").split("(")[0] in demangled(theirs), (target, theirs)
        for offset, *_ in function["held"]:
            assert truth[function["start"] + offset].startswith("call"), (function["name"], offset)
    assert function_of(page, "run")["pieces"] and any(row[2] == "hold" for row in rows(function_of(page, "run")))
    calls = [row[2] for row in rows(function_of(page, "hold")) if row[1] == "call"]
    assert set(calls) >= {"malloc@plt", "calloc@plt", "operator new[]@plt"}, calls


def demangled(text):
    return subprocess.run(["c++filt"], input=re.sub(r"[<>@]", " ", text), capture_output=True, text=True, check=True).stdout


def test_calls_through_slots():
    """-fno-plt: what is called is the pointer that the linker fills in."""
    build("-fno-plt", "-Wl,-z,now")
    record()
    page, _ = draw()
    calls = {(row[1], row[2]) for row in rows(function_of(page, "hold")) if row[1].startswith("call")}
    assert {("call", "[malloc]"), ("call", "[calloc]"), ("call", "[operator new[]]")} <= calls, calls


def test_stripped():
    """Without symbols, call frame information bounds the functions; calls have their bytes all the same."""
    build()
    record()
    whole, _ = draw()
    start, size = symbol("hold")
    run("strip", "--strip-all", "program")
    record()
    page, said = draw()
    assert page["files"] == [], page["files"]
    found = [one for one in page["functions"] if one["module"] == "program" and one["start"] == start]
    assert len(found) == 1 and found[0]["size"] == size and found[0]["files"] == [], (page["functions"], said)
    assert [row[1:3] for row in rows(found[0])] == [row[1:3] for row in rows(function_of(whole, "hold"))]
    assert sum(space for _, space in held(found[0]).values()) == 127700


def test_no_file():
    build()
    record()
    Path("program").unlink()
    page, said = draw()
    assert not [one for one in page["functions"] if one["module"] == "program"], page["functions"]
    assert re.search(r"no instructions of \S+/program are shown: cannot open \S+/program: No such file", said), said
    page, said = draw("--exe", "debug")
    assert function_of(page, "hold")["size"] == symbol("hold")[1], "as --exe has it"


def test_another_build():
    build()
    record()
    build(source=PROGRAM.replace("100000", "120000"))
    page, said = draw()
    assert not [one for one in page["functions"] if one["module"] == "program"], page["functions"]
    assert re.search(r"no instructions of \S+/program are shown: .*its build-id differs", said), said


def test_changed_code():
    """No build-id tells of it: a function whose calls are not where the profile has them stays out, the others do not."""
    build("-Wl,--build-id=none")
    record()
    start, size = symbol("run")
    call = next(at for at, text in by_objdump("program", start, size).items() if text.startswith("call"))
    code = bytearray(Path("program").read_bytes())
    offset = call - int(re.search(r"(?m)^ *LOAD +\w+ (0x\w+) \S+ \S+ \S+ +R E", run("readelf", "-lW", "program"))[1], 16) + int(
        re.search(r"(?m)^ *LOAD +(\w+) 0x\w+ \S+ \S+ \S+ +R E", run("readelf", "-lW", "program"))[1], 16)
    code[offset:offset + 5] = b"\x90" * 5
    Path("program").unlink()
    Path("program").write_bytes(code)
    page, said = draw()
    names = [one["name"] for one in page["functions"]]
    assert "hold" in names and "run" not in names, names
    assert re.search(r"no instructions of 1 function are shown: return addresses of the profile do not follow a call there", said), said


def test_another_machine():
    """Only x86-64 is decoded."""
    build()
    record()
    code = bytearray(Path("program").read_bytes())
    code[18:20] = (183).to_bytes(2, "little")
    Path("program").unlink()
    Path("program").write_bytes(code)
    page, said = draw()
    assert not [one for one in page["functions"] if one["module"] == "program"], page["functions"]
    assert re.search(r"no instructions of \S+/program are shown: it is not for x86-64, and only that is decoded", said), said


def test_no_library():
    """The page goes on without."""
    build()
    record()
    Path("libraries").mkdir(exist_ok=True)
    Path("empty.c").write_text("int nothing;\n")
    run("gcc", "-shared", "-o", "libraries/libZydis.so.4.0", "-Wl,-soname,libZydis.so.4.0", "empty.c")
    page, said = draw(env={"LD_LIBRARY_PATH": str(Path("libraries").resolve())})
    assert page["functions"] == [] and page["files"] != [], page
    assert re.search(r"no instructions are shown: .*libZydis.*", said), said


def test_only_if_asked_for():
    build()
    record()
    run(HEAPFLAME, "flame", "program.hfb", "-o", "page.html")
    packed = re.search(r'id="source-data">([^<]*)<', Path("page.html").read_text())[1].strip()
    assert json.loads(gzip.decompress(base64.b64decode(packed)))["functions"] == []
    page, _ = draw("--source", "1")
    assert [one["name"] for one in page["functions"]] == ["hold"], "as many places as --source says"
    page, _ = draw("--source", "0")
    assert page["functions"] == []


def test_of_what_is_shown():
    """Filters of the command hold; the last of a series, and the newer of a comparison, are told."""
    build()
    record()
    Path("older.hfb").write_bytes(Path("program.hfb").read_bytes())
    page, _ = draw("--ignore", "hold")
    assert "hold" not in [one["name"] for one in page["functions"]], page["functions"]
    for options in (("--base", "older.hfb"), ("older.hfb", "--series")):
        page, _ = draw(*options)
        assert sum(row[2 + 2 * type_index()] for row in function_of(page, "hold")["held"]) == 127700, options


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
