#!/usr/bin/env python3
# timeout: 300
"""From specs and a process to probes: whose malloc it is, where functions are that are static, copied, prefixed or
deleted, and in each function the first instruction that the kernel emulates. For the four allocators of the
distribution that place is worked out again from what objdump prints: a probe that could be cheap and is not fails."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import SOURCE, need, run, skip
from _suite import run_tests

need("gcc", "objdump", "readelf", "strip", "unshare")
if os.geteuid() != 0:
    skip("files of other processes, as /proc/PID/map_files shows them, are root's to open")

LIST = Path(os.environ["BUILD"]).resolve() / "tests/list-probes"
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
PRESETS = ["jemalloc", "tcmalloc", "mimalloc", "libc"]
FIELDS = "role function file path entry distance address arguments returns stepped".split()


class Listing:
    def __init__(self, pid, *specs, how="all", status=0):
        self.specs, self.probes, self.notes, self.error = [], [], [], ""
        for line in run(LIST, pid, how, *specs, status=status).splitlines():
            kind, _, rest = line.replace("\t", " ", 1).partition(" ")
            if kind == "spec":
                self.specs.append(rest)
            elif kind == "note":
                self.notes.append(rest)
            elif kind == "error":
                self.error = rest
            else:
                probe = dict(zip(FIELDS, rest.split("\t"), strict=True))
                for name in ("entry", "distance", "address", "arguments", "returns"):
                    probe[name] = int(probe[name], 0)
                self.probes.append(probe)

    def one(self, function):
        found = [probe for probe in self.probes if probe["function"] == function]
        assert len(found) == 1, (function, self.probes, self.error)
        return found[0]

    def functions(self):
        return [probe["function"] for probe in self.probes]


@contextlib.contextmanager
def running(*command, preload=None, first=b".", **more):
    """A program that says when it is there, and ends when nobody listens."""
    env = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
    process = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, **more
    )
    try:
        assert process.stdout.read(1) == first
        yield process.pid
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=600)


MAIN = r"""
#include <unistd.h>
int main(void) { char c; return write(1, ".", 1) == 1 && read(0, &c, 1) < 0; }
"""

POOL = r"""
#include <stddef.h>
#define KEEP __attribute__((noinline, used))
KEEP void *pool_malloc(size_t size) { static char room[64]; return size < 64 ? room : NULL; }
KEEP void pool_free(void *block) { __asm__ volatile("" : : "r"(block)); }
"""


def build(out, text, *options, compiler="gcc"):
    Path(f"{out}.c").write_text(text)
    subprocess.run([compiler, "-O2", "-w", "-fno-builtin", "-o", out, f"{out}.c", *options], check=True)
    return f"./{out}"


def spec(text, name="a.spec"):
    Path(name).write_text(f"spec a\n{text}")
    return name


OWN = POOL.replace("pool_", "")  # a program with a malloc of its own
POOL_SPEC = "object exe\nalloc sym:pool_malloc size=arg0 new=ret\nfree sym:pool_free ptr=arg0\n"


# ---- the oracle: objdump's instructions, and the rule in its words -------------------------------------------------

FAMILIES = [
    "rax eax ax al ah", "rbx ebx bx bl bh", "rcx ecx cx cl ch", "rdx edx dx dl dh", "rsi esi si sil",
    "rdi edi di dil", "rbp ebp bp bpl", "rsp esp sp spl",
    *[f"r{n} r{n}d r{n}w r{n}b" for n in range(8, 16)],
]
FAMILY = {name: family.split()[0] for family in FAMILIES for name in family.split()}
ARGUMENTS = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
READS_ONLY = re.compile(r"(test|cmp|ucomis|comis|nop|endbr|bt|prefetch)[a-z0-9]*$")
WRITES_LAST = re.compile(
    r"(mov|lea|add|sub|xor|or|and|sh[lr]|sa[lr]|ro[lr]|inc|dec|neg|not|set|cmov|adc|sbb|bs[fr]|tzcnt|lzcnt|popcnt|imul)"
)
ALSO_WRITES = {"mul": ["rax", "rdx"], "cqto": ["rdx"], "cltd": ["rdx"], "cltq": ["rax"]}
LEAVES = re.compile(r"(bnd )?(notrack )?(jmp|call|ret|syscall|int3?|ud2|hlt|loop|jrcxz|leave)")


class Code:
    """A file's instructions by address, and where its direct jumps lead."""

    def __init__(self, path):
        self.at, self.targets = {}, {}
        for line in run("objdump", "-d", "-w", path).splitlines():
            parts = line.split("\t")
            if len(parts) < 3 or not parts[0].endswith(":"):
                continue
            address = int(parts[0].strip(" :"), 16)
            words = parts[2].split("#")[0].split("<")[0].strip()
            self.at[address] = (words, bytes.fromhex(parts[1].replace(" ", "")))
            jump = re.match(r"(?:bnd |data16 )*(?:j[a-z]+|call)[a-z,]*\s+([0-9a-f]+)$", words)
            if jump:
                self.targets.setdefault(int(jump[1], 16), []).append(address)
        self.segments = []
        for line in run("readelf", "-lW", path).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"]:
                self.segments.append([int(word, 16) for word in words[1:6]])

    def address(self, offset):
        for start, virtual, _, size, _ in self.segments:
            if start <= offset < start + size:
                return offset - start + virtual
        raise AssertionError(offset)

    @staticmethod
    def is_cheap(words, raw):
        if words.startswith("push"):
            return "%" in words and "(" not in words and (len(raw) == 1 or raw[0] == 0x41)
        return raw == b"\x90" or raw[0] in (0xE8, 0xE9, 0xEB) or raw[0] & 0xF0 == 0x70 or (
            raw[0] == 0x0F and raw[1] & 0xF0 == 0x80
        )

    @staticmethod
    def written(words):
        name, _, operands = words.partition(" ")
        if READS_ONLY.match(name) or name == "data16":
            return []
        found = list(ALSO_WRITES.get(name, []))
        if name.startswith("xchg"):
            found += [FAMILY[register] for register in re.findall(r"%(\w+)", operands) if register in FAMILY]
        elif WRITES_LAST.match(name):
            last = re.search(r"(?:^|,)\s*%(\w+)$", operands.strip())
            if last and last[1] in FAMILY:
                found.append(FAMILY[last[1]])
        elif not found and not re.search(r"xmm|ymm", operands):
            raise AssertionError(f"an instruction that the oracle does not know: {words}")
        return found

    def distance(self, entry, arguments):
        """Of the place to probe from the entry; None: it has to stay there, and is stepped."""
        read = {"rsp", *(name for i, name in enumerate(ARGUMENTS) if arguments >> i & 1)}
        at = entry
        while True:
            words, raw = self.at[at]
            if self.is_cheap(words, raw):
                break
            if LEAVES.match(words) or words.startswith(("push", "pop")) or read & set(self.written(words)):
                return None
            at += len(raw)
            if at - entry > 24:
                return None
        if any(entry < target <= at for target in self.targets if entry < target <= entry + 24):
            return None
        return at - entry


def check_against_objdump(listing, path):
    code, wrong = Code(path), []
    for probe in listing.probes:
        expected = code.distance(code.address(probe["entry"]), probe["arguments"])
        found = probe["distance"] if probe["stepped"] == "-" else None
        if found != expected or (found is None and probe["distance"] != 0):
            wrong.append((probe["function"], found, expected))
    assert not wrong, wrong


def test_cheap_places():
    """And, of those that were measured, some figures."""
    known = {
        "libc.so.6": {"malloc": 0, "posix_memalign": 7, "aligned_alloc": 7, "free": 3},
        "libjemalloc.so.2": {"malloc": 7, "_Znwm": 7, "_ZdlPvm": 3},
        "libtcmalloc_minimal.so.4": {"tc_malloc": 10, "tc_free": 10},
        "libmimalloc.so.2.0": {"mi_free": 6},
    }
    main = build("main", MAIN)
    for name, distances in known.items():
        path = LIBRARIES / name
        with running(main, preload=path if name != "libc.so.6" else None) as pid:
            listing = Listing(pid, *PRESETS, how="any")
            assert {probe["file"] for probe in listing.probes} == {path.resolve().name}, listing.probes
            check_against_objdump(listing, path)
            for function, distance in distances.items():
                probe = listing.one(function)
                assert (probe["distance"], probe["stepped"]) == (distance, "-"), probe


def test_mmap_and_brk():
    with running(build("main", MAIN)) as pid:
        listing = Listing(pid, "mmap", "brk")
        check_against_objdump(listing, LIBRARIES / "libc.so.6")
        assert listing.one("mmap")["distance"] == 10 and listing.one("munmap")["stepped"] != "-", listing.probes
        # mremap ends one range and begins another: two probes at one place.
        assert sorted(probe["role"] for probe in listing.probes if probe["function"] == "mremap") == ["map", "unmap"]


# ---- where functions are --------------------------------------------------------------------------------------------


def test_owner_of_malloc():
    own = build("own", OWN + MAIN)
    static = build("static", MAIN + "void *keep[2] = {malloc, free};", "-static", "-include", "stdlib.h")
    linked = build("linked", MAIN, "-Wl,--no-as-needed", "-ljemalloc")
    for command, preload, owner in [
        (own, None, "own"),
        (own, LIBRARIES / "libjemalloc.so.2", "own"),
        (static, None, "static"),
        (linked, None, "libjemalloc.so.2"),
        (linked, LIBRARIES / "libmimalloc.so.2.0", "libmimalloc.so.2.0"),
        (build("main", MAIN), None, "libc.so.6"),
    ]:
        with running(command, preload=preload) as pid:
            listing = Listing(pid, "libc")
            assert {probe["file"] for probe in listing.probes} == {owner}, (command, listing.probes)
    shutil.copy("static", "stripped")
    subprocess.run(["strip", "stripped"], check=True)
    with running("./stripped") as pid:
        assert "exports malloc" in Listing(pid, "libc", status=3).error


def test_static_functions_and_copies():
    program = build(
        "copies",
        MAIN + """
        static void *pool_malloc(unsigned long size) __asm__("pool_malloc.constprop.0");
        __attribute__((used)) static void cold(void) __asm__("pool_free.cold");
        static void cold(void) { __asm__ volatile("nop"); }
        """ + POOL.replace("\nKEEP ", "\nKEEP static "),
    )
    with running(program) as pid:
        listing = Listing(pid, spec(POOL_SPEC))
        assert listing.functions() == ["pool_malloc.constprop.0", "pool_free"], listing.probes
        assert len(listing.notes) == 1 and "arguments may differ" in listing.notes[0], listing.notes
        symbols = {line.split()[-1]: int(line.split()[0], 16) for line in run("nm", "--defined-only", program).splitlines()}
        code = Code(program)
        for probe in listing.probes:
            assert code.address(probe["entry"]) == symbols[probe["function"]]
            assert Path(program).read_bytes()[probe["entry"]:][:4] == read_memory(pid, probe, 4)
    shutil.copy("copies", "stripped")
    subprocess.run(["strip", "stripped"], check=True)
    with running("./stripped") as pid:
        error = Listing(pid, spec(POOL_SPEC), status=3).error
        assert re.search(r"the function for alloc, pool_malloc, is in no symbol table of .*/stripped", error), error


def read_memory(pid, probe, size):
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(probe["address"] - probe["distance"])
        return memory.read(size)


def test_chosen_functions():
    """IFUNCs: the chosen function is probed, not the one that chooses; in a library, in the program, and before it is
    called first."""
    chosen = """
    #include <stddef.h>
    __attribute__((used, noinline)) static void *chosen(size_t size) { static char room[64]; return size < 64 ? room : NULL; }
    static void *(*choose(void))(size_t) { return chosen; }
    void *pool_malloc(size_t size) __attribute__((ifunc("choose")));
    void pool_free(void *block) { __asm__ volatile("" : : "r"(block)); }
    """
    use = "void *pool_malloc(unsigned long); %s void *use(void) { return pool_malloc(1); }\n"
    early = use % "__attribute__((constructor))"
    build("libchosen.so", chosen, "-shared", "-fPIC")
    library = ["-Wl,--no-as-needed", "-L.", "-lchosen", "-Wl,-rpath,."]
    for name, text, options, object_line, status in [
        ("lazy", MAIN + early, ["-Wl,-z,lazy", *library], "lib:libchosen.so", 0),
        ("eager", MAIN + early, ["-Wl,-z,now", *library], "lib:libchosen.so", 0),
        ("waiting", MAIN + use % "__attribute__((used))", ["-Wl,-z,lazy", *library], "lib:libchosen.so", 3),
        ("own", chosen + MAIN + early, ["-no-pie"], "exe", 0),
        ("static", chosen + MAIN + early, ["-static"], "exe", 0),
    ]:
        with running(build(name, text, *options)) as pid:
            listing = Listing(pid, spec(POOL_SPEC.replace("exe", object_line)), status=status)
            if status == 0:
                file = "libchosen.so" if object_line != "exe" else name
                symbols = {line.split()[-1]: int(line.split()[0], 16)
                           for line in run("nm", "--defined-only", file).splitlines()}
                entry = Code(file).address(listing.one("pool_malloc")["entry"])
                assert entry == symbols["chosen"] != symbols["pool_malloc"], (name, listing.probes)
            else:
                assert "pool_malloc" in listing.error, listing.error


def test_prefixes():
    """jemalloc under two prefixes in one process, as a Rust program and its C library have it."""
    mock = POOL + "KEEP int pool_mallctl(void) { return 0; }"
    build("libinner.so", mock.replace("pool_", "_inner_"), "-shared", "-fPIC")
    program = build("outer", MAIN + mock.replace("pool_", "je_"), "-rdynamic", "-Wl,--no-as-needed", "-L.", "-linner",
                    "-Wl,-rpath,.")
    with running(program) as pid:
        listing = Listing(pid, "jemalloc", how="any")
        assert sorted(listing.functions()) == ["_inner_free", "_inner_malloc", "je_free", "je_malloc"], listing.probes
        assert sorted(Listing(pid, "tcmalloc", "jemalloc", how="any").functions()) == sorted(listing.functions())
        assert "spec tcmalloc" in Listing(pid, "tcmalloc", "jemalloc", status=3).error


def test_deleted_replaced_and_elsewhere():
    """What is mapped is probed, not what lies at its path now."""
    build("old", MAIN + POOL)
    build("new", MAIN + "int more(void) { return 1; }" + POOL)
    Path("a folder").mkdir()
    for place in ("gone", "a folder/program"):
        shutil.copy("old", place)
        with running(f"./{place}") as pid:
            if place == "gone":
                os.unlink(place)
                shutil.copy("new", place)
            listing = Listing(pid, spec(POOL_SPEC))
            path = listing.one("pool_free")["path"]
            assert path.startswith(f"/proc/{pid}/map_files/"), path
            assert os.path.samefile(path, f"/proc/{pid}/exe")


def test_container():
    """In a root of its own, where out here nothing or another file has that path."""
    build("inside", MAIN + POOL, "-static")
    os.makedirs("root/old")
    shutil.copy("inside", "root/inside")
    with running("chroot", "root", "/inside") as pid:
        path = Listing(pid, spec(POOL_SPEC)).one("pool_malloc")["path"]
        assert os.path.samefile(path, "root/inside"), path
    enter = "mount -t tmpfs none root && mkdir root/old && cp inside root && cd root && pivot_root . old && exec /inside"
    with running("unshare", "-m", "sh", "-c", enter) as pid:
        path = Listing(pid, spec(POOL_SPEC)).one("pool_malloc")["path"]
        # Where this runs in a chroot itself, the kernel says another path, which leads nowhere.
        expected = "root/inside" if os.readlink(f"/proc/{pid}/exe") == "/inside" else "map_files/"
        assert path.startswith(f"/proc/{pid}/{expected}") and os.path.samefile(path, f"/proc/{pid}/exe"), path


def test_offsets_and_build_ids():
    program = build("known", MAIN + POOL, "-Wl,--build-id=0xabcdef0123")
    with running(program) as pid:
        entry = Listing(pid, spec(POOL_SPEC)).one("pool_free")["entry"]
        by_offset = spec(f"object exe\nfree off:{entry:#x}@abcdef0123 ptr=arg0\n")
        assert Listing(pid, by_offset).probes[0]["entry"] == entry
        other = spec(f"object exe\nfree off:{entry:#x}@abcdef0124 ptr=arg0\n")
        assert "the function of line 3 of spec a is in none of its mapped files" in Listing(pid, other, status=3).error


DISGUISED = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
extern char __ehdr_start[];
int main(void)
{
    char *id = memmem(__ehdr_start, 4096, "\xab\xcd\xef\x01\x23", 5), c;
    if (mprotect(__ehdr_start, 4096, PROT_READ | PROT_WRITE) != 0)
        return 1;
    *id ^= 1;
    return write(1, ".", 1) == 1 && read(0, &c, 1) < 0;
}
"""


def test_a_file_that_was_not_loaded():
    """What an update that writes into files leaves behind, made in memory: symbols by name are not believed, either."""
    program = build("disguised", DISGUISED + POOL, "-Wl,--build-id=0xabcdef0123")
    with running(program) as pid:
        listing = Listing(pid, spec(POOL_SPEC), status=3)
    assert "disguised is not the file that the process loaded: their build-ids differ" in listing.error, listing.error
    assert not listing.probes, listing.probes


# tests/pg/server.c's layouts, and the specs that fit them.
CONTEXTS = {
    904: "postgres-9.4", 905: "postgres-9.4", 1000: "postgres-9.4", 1100: "postgres-11", 1300: "postgres-11",
    1600: "postgres-16", 1700: "postgres-17", 6: "greenplum-6", 7: "greenplum-7",
}


def test_memory_contexts():
    """The functions of each kind of contexts, by what each version calls them with."""
    expected = {
        ("alloc", "AllocSetAlloc"), ("alloc", "SlabAlloc"), ("free", "AllocSetFree"), ("realloc", "AllocSetRealloc"),
        ("reset", "AllocSetReset"), ("delete", "AllocSetDelete"), ("ctxnew", "MemoryContextCreate"),
    }
    for layout, name in CONTEXTS.items():
        subprocess.run(["gcc", "-O1", "-rdynamic", f"-DLAYOUT={layout}", "-o", "server", SOURCE / "tests/pg/server.c"],
                       check=True)
        symbols = {int(line.split()[0], 16): line.split()[-1] for line in run("nm", "--defined-only", "server").splitlines()}
        code = Code("server")
        subprocess.run(["strip", "server"], check=True)
        with running("./server", first=b"\n") as pid:
            listing = Listing(pid, name.partition("-")[0])
            assert listing.specs == [name], listing.specs
            found = {(probe["role"], symbols[code.address(probe["entry"])]) for probe in listing.probes}
            assert found == expected and len(listing.probes) == len(expected), (name, listing.probes)
            # To 15, free(context, block); then free(block).
            read = 0b01 if name in ("postgres-16", "postgres-17") else 0b11
            assert [probe["arguments"] for probe in listing.probes if probe["role"] == "free"] == [read], listing.probes


def test_forwarders():
    """A function that only jumps to another that is probed for the same is not probed: its calls are seen there."""
    text = POOL + """
    KEEP void first_free(void *block) { pool_free(block); }
    KEEP void second_free(void *block) { first_free(block); }
    KEEP void *larger_malloc(size_t size) { return pool_malloc(size + 1); }
    """
    with running(build("forwarders", MAIN + text, "-fcf-protection=full")) as pid:
        entries = "object exe\nfree sym:*_free ptr=arg0\nalloc sym:*_malloc size=arg0 new=ret\n"
        listing = Listing(pid, spec(entries))
        assert sorted(listing.functions()) == ["larger_malloc", "pool_free", "pool_malloc"], listing.probes


def test_several_presets():
    """What several presets find is probed once."""
    with running(build("main", MAIN), preload=LIBRARIES / "libjemalloc.so.2") as pid:
        both, one = Listing(pid, *PRESETS, how="any"), Listing(pid, "jemalloc")
        assert both.specs == ["jemalloc", "libc"] and both.functions() == one.functions()


def test_documentation():
    """docs/spec.md: its specs are sound, its message is what is said, its presets are all there are."""
    blocks = re.findall(r"```text\n(.*?)```", (SOURCE / "docs/spec.md").read_text(), re.DOTALL)
    specs = [block for block in blocks if block.startswith("spec ")]
    arena = MAIN + "".join(f"void *arena_{name}(void) {{ return 0; }}\n" for name in ("alloc", "free", "reset"))
    with running(build("arena", arena)) as pid:
        for number, text in enumerate(specs):
            Path(f"{number}.spec").write_text(text)
            assert len(Listing(pid, f"{number}.spec").probes) == text.count("sym:")
        Path("arena.spec").write_text(specs[0].replace("alloc  ", "aloc  ", 1))
        assert f"arena.spec: line 3: {Listing(pid, 'arena.spec', status=3).error}" in [block.strip() for block in blocks]
    listed = re.findall(r"^\| `(\w+)` \| ", (SOURCE / "docs/spec.md").read_text().split("## Presets")[1], re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in (SOURCE / "presets").glob("*.spec"))


def test_no_process():
    with running(build("main", MAIN)) as pid:
        assert "none of the files" in Listing(pid, "mimalloc", status=3).error
        assert "TopMemoryContext" in Listing(pid, "postgres", status=3).error
    assert str(pid) in Listing(pid, "libc", status=3).error


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
