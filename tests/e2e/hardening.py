#!/usr/bin/env python3
# sanitized: no, the flags are those of the build that is installed
"""What is installed is hardened: read from the ELF files themselves."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from _heap import need, run
from _suite import run_tests

need("gcc", "objdump", "nm")

BUILD = Path(os.environ["BUILD"]).resolve()
COMMAND, AGENT, LIBRARY = BUILD / "heapflame", BUILD / "agent/libheapflame.so", BUILD / "ctl/libheapflame-ctl.so.0"
EVERY = [file for file in (COMMAND, AGENT, LIBRARY) if file.exists()]  # no agent on arm64

X86_64, AARCH64 = 62, 183
DYN = 3
LOAD, DYNAMIC, INTERP = 1, 2, 3
GNU_PROPERTY, GNU_STACK, GNU_RELRO = 0x6474E553, 0x6474E551, 0x6474E552
EXECUTE, WRITE = 1, 2
DT_RPATH, DT_TEXTREL, DT_FLAGS, DT_RUNPATH, DT_FLAGS_1 = 15, 22, 30, 29, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW = 4, 8
DF_1_NOW, DF_1_PIE = 1, 0x08000000
X86_FEATURES, ARM_FEATURES = 0xC0000002, 0xC0000000
IBT, SHSTK = 1, 2  # on arm64 BTI and PAC


class Elf:
    """Program headers, dynamic section and properties of a 64-bit little-endian file."""

    def __init__(self, data):
        self.data = data
        assert data[:6] == b"\x7fELF\2\1", data[:6]
        self.type, self.machine = struct.unpack_from("<HH", data, 16)
        self.segments = self.table(32, 54, "<IIQQQQQQ")  # type, flags, offset, address, physical, size, in memory, alignment
        self.sections = self.table(40, 58, "<IIQQQQIIQQ")  # name, type, flags, address, offset, size, ...
        self.dynamic = {}
        for segment in self.of_type(DYNAMIC):
            for at in range(segment[2], segment[2] + segment[5], 16):
                tag, value = struct.unpack_from("<QQ", data, at)
                self.dynamic.setdefault(tag, value)

    def table(self, place, counts, layout):
        offset, = struct.unpack_from("<Q", self.data, place)
        size, count = struct.unpack_from("<HH", self.data, counts)
        return [struct.unpack_from(layout, self.data, offset + i * size) for i in range(count)]

    def of_type(self, kind):
        return [segment for segment in self.segments if segment[0] == kind]

    def features(self):
        """The bits of GNU_PROPERTY_X86_FEATURE_1_AND, or of arm64's relative; None: no such property."""
        notes = [(s[2], s[5]) for s in self.of_type(GNU_PROPERTY)] or [(s[4], s[5]) for s in self.sections if s[1] == 7]
        for begin, size in notes:
            at = begin
            while at + 16 <= begin + size:
                name_size, size_here, kind = struct.unpack_from("<III", self.data, at)
                at += 12 + (name_size + 3 & ~3)
                end, property_at = at + (size_here + 7 & ~7), at
                while kind == 5 and property_at + 12 <= end:
                    what, value_size, value = struct.unpack_from("<III", self.data, property_at)
                    if what in (X86_FEATURES, ARM_FEATURES):
                        return value
                    property_at += 8 + (value_size + 7 & ~7)
                at = end
        return None


def elf(path):
    return Elf(path.read_bytes())


def imports(path):
    return {line.split()[-1].split("@")[0] for line in run("nm", "-uD", path).splitlines()}


def test_addresses_are_random():
    """The command is position-independent, as libraries are, and no code of it is written to by the loader."""
    for path in EVERY:
        file = elf(path)
        assert file.type == DYN, path
        assert DT_TEXTREL not in file.dynamic and not file.dynamic.get(DT_FLAGS, 0) & DF_TEXTREL, path
    assert elf(COMMAND).of_type(INTERP) and elf(COMMAND).dynamic[DT_FLAGS_1] & DF_1_PIE, "no PIE"


def test_nothing_is_writable_and_executable():
    for path in EVERY:
        file = elf(path)
        stack, = file.of_type(GNU_STACK)
        assert not stack[1] & EXECUTE, f"{path}: the stack is executable"
        both = [segment for segment in file.of_type(LOAD) if segment[1] & EXECUTE and segment[1] & WRITE]
        assert not both, f"{path}: {both}"


def test_full_relro():
    """Every function is bound at the start, and the table of them read-only then."""
    for path in EVERY:
        file = elf(path)
        assert file.dynamic.get(DT_FLAGS, 0) & DF_BIND_NOW or file.dynamic.get(DT_FLAGS_1, 0) & DF_1_NOW, f"{path}: lazy"
        relro, = file.of_type(GNU_RELRO)
        names = file.sections[struct.unpack_from("<H", file.data, 62)[0]]
        name = {file.data[names[4] + s[0]:].split(b"\0", 1)[0].decode(): s for s in file.sections[:64]}
        for section in (name[".got"], name[".dynamic"], *([name[".got.plt"]] if ".got.plt" in name else [])):
            assert relro[3] <= section[3] and section[3] + section[5] <= relro[3] + relro[6], f"{path}: {section}"


def test_no_search_paths():
    for path in EVERY:
        assert not {DT_RPATH, DT_RUNPATH} & set(elf(path).dynamic), path


def test_stack_protector_and_fortify():
    asked = imports(COMMAND)
    assert "__stack_chk_fail" in asked
    checked = {name for name in asked if re.fullmatch(r"__\w+_chk", name)}
    assert checked >= {"__snprintf_chk", "__vsnprintf_chk", "__memcpy_chk"}, checked
    unchecked = asked & {"sprintf", "vsprintf", "fprintf", "vfprintf", "printf", "asprintf", "vasprintf", "strcpy"}
    # libiberty is as the distribution compiled it; nothing of ours may need what it needs.
    ours = run("nm", "--undefined-only", *COMMAND.parent.glob("src/**/*.a"))
    unchecked = {name for name in unchecked if re.search(rf" U {name}$", ours, re.M)}
    assert not unchecked, f"{unchecked}: not fortified"
    code = run("objdump", "-d", "--no-show-raw-insn", COMMAND)
    guarded = len(re.findall(r"<__stack_chk_fail@plt>$", code, re.M))
    print(f"{guarded} functions end in __stack_chk_fail")
    assert guarded > 200, guarded
    # The agent runs within somebody's malloc: it may neither end the program nor ask for more than libc's memory.
    of_agent = imports(AGENT) if AGENT in EVERY else set()
    assert not [name for name in of_agent if name.endswith("_chk") or "stack_chk" in name], of_agent


def test_large_frames_are_probed():
    """A frame of more than a page is touched page by page, so that it cannot jump over the guard."""
    Path("probe.c").write_text("void use(char *); void large(void) { char room[40000]; use(room); }\n")
    flags = re.search(r'"command": "([^"\\]|\\.)*-c \S*src/base/\S*arena\.c"', (BUILD / "compile_commands.json").read_text())
    if elf(COMMAND).machine != X86_64 or flags is None:
        return
    assert "-fstack-clash-protection" in flags[0], flags[0]
    code = run("objdump", "-d", "--no-show-raw-insn", COMMAND)
    assert re.search(r"\bor[ql]?\s+\$0x0,\(%rsp\)", code), "no frame is probed"


def objects():
    """Every object file of our own that becomes a part of the command."""
    return [*(BUILD / "heapflame.p").glob("*.o"), *(BUILD / "src").glob("*/libhf-*.a.p/*.o")]


def lacking(files):
    return [path for path in files if (elf(Path(path)).features() or 0) & (IBT | SHSTK) != IBT | SHSTK]


def start_files():
    return [run("gcc", f"-print-file-name={name}").strip()
            for name in ("Scrt1.o", "crti.o", "crtn.o", "crtbeginS.o", "crtendS.o")]


def archived(name):
    """The object files of a static library, in a folder; none if there is no such library."""
    path = Path(run("gcc", f"-print-file-name={name}").strip())
    if not path.is_absolute():
        return []
    Path(name).mkdir()
    subprocess.run(["ar", "x", path], cwd=name, check=True)
    return list(Path(name).iterdir())


def test_control_flow():
    """All of our code is marked; what is linked, if the start files of libc and the static libraries are marked, too.
    The agent's code is fit for a shadow stack, and marked so: a guest must not switch off the program's."""
    assert len(objects()) > 200 and not lacking(objects()), lacking(objects())
    code = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=main", COMMAND)
    if elf(COMMAND).machine == X86_64:
        assert re.search(r"<main>:\n.*endbr64", code), code[:300]
    theirs = lacking([*start_files(), *archived("libjansson.a")])
    if theirs:
        print(f"not marked as a whole, because {Path(theirs[0]).name} and {len(theirs) - 1} more of the system are not")
    for path in EVERY:
        if path != COMMAND and lacking(start_files()) or theirs:
            continue
        wanted = SHSTK if path == AGENT else IBT | SHSTK
        assert (elf(path).features() or 0) & wanted == wanted, path


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
