#!/usr/bin/env python3
# timeout: 240
"""Every limit of src/base/limits.h has its test here, or in a unit test that names it, and its sentence.

heapflame-tight is the command with the small limits of tests/limits_tight.h. The test of HF_LIMIT_X is the function
test_x: it makes an input that is just too much for heapflame-tight, which must say so, and which heapflame takes.
A new limit gets its small value in tests/limits_tight.h and its function here; without one script/lint fails.
"""

import lzma
import os
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from _fleet import HOUR_MS, START_MS, Instance, make
from _jit import Jit, build
from _server import Server
from _suite import run_tests

SRC, BUILD = Path(os.environ["HEAPFLAME_SRC"]), Path(os.environ["BUILD"])
AGENT = BUILD.resolve() / "agent/libheapflame.so"
TIGHT = dict(re.findall(r"define HF_LIMIT_(\w+) (\d+)", (SRC / "tests/limits_tight.h").read_text()))


def over(name):
    """A count just beyond the limit, in heapflame-tight."""
    return int(TIGHT[name]) + 5


def runs(program, *arguments, **more):
    done = subprocess.run([program, *arguments], capture_output=True, timeout=600, stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stderr.decode("utf-8", "backslashreplace")


def hits(status, sentence, *arguments, clean=0, **more):
    """heapflame-tight ends with this status and says this (a pattern); heapflame itself does not."""
    code, err = runs(BUILD / "tests/heapflame-tight", *arguments, **more)
    assert code == status and re.search(sentence, err), (code, err)
    code, err = runs(BUILD / "heapflame", *arguments, **more)
    assert code == clean and not re.search(sentence, err), (code, err)


def folded(*lines):
    Path("input.folded").write_text("".join(f"{line}\n" for line in lines))
    return "fold", "input.folded"


def heap(stacks="", maps="10000-20000 r-xp 00000000 00:00 9 /lib.so\n", threads=""):
    Path("input.heap").write_text(f"heap_v2/524288\n  t*: 1: 1048576 [0: 0]\n{threads}{stacks}\nMAPPED_LIBRARIES:\n{maps}")
    return "fold", "input.heap"


def stack(*addresses, threads="  t0: 1: 1048576 [0: 0]\n"):
    return "@" + "".join(f" {address:#x}" for address in addresses) + "\n  t*: 1: 1048576 [0: 0]\n" + threads


def test_line_bytes():
    hits(3, r"HF_LIMIT_LINE_BYTES",
         *folded("main 1", "a" * (20 * over("LINE_BYTES")) + " 1"))
    Path("maps").write_text("@[\n" + "    frame+1\n" * (over("LINE_BYTES") // 10) + "]: 1\n")
    hits(3, r"a key longer than 20000 bytes \(HF_LIMIT_LINE_BYTES\)", "fold", "maps")


def test_string_bytes():
    hits(3, r"a name or path has 15005 bytes, more than 15000 \(HF_LIMIT_STRING_BYTES\)",
         *folded("main;" + "a" * over("STRING_BYTES") + " 1"))
    program("long", f'int main(void) __asm__("{"a" * over("STRING_BYTES")}"); int main(void) {{ return 0; }}\n',
            "-c", "-g0")
    subprocess.run(["gcc", "-nostartfiles", "-no-pie", "-Wl,-e,0", "-o", "linked", "long"], check=True)
    hits(3, r"more than 15000 \(HF_LIMIT_STRING_BYTES\)", *names_of(Path("linked")))


def test_stack_frames():
    hits(4, r"lost: .*more than 50 frames \(HF_LIMIT_STACK_FRAMES\)",
         *folded(";".join(f"f{i}" for i in range(over("STACK_FRAMES"))) + " 7"))


def test_stack_nodes():
    hits(3, r"more than 3000 distinct callers and callees \(HF_LIMIT_STACK_NODES\)",
         *folded(*(";".join(f"{way}_{i}" for i in range(40)) + " 1" for way in range(over("STACK_NODES") // 40 + 1))))


def test_samples():
    hits(3, r"more than 1000 stacks.*HF_LIMIT_SAMPLES", *folded(*(f"f{i} 1" for i in range(over("SAMPLES")))))


def test_modules():
    maps = "".join(f"{0x10000 + i * 0x1000:x}-{0x11000 + i * 0x1000:x} r-xp 00000000 00:00 {i} /lib{i}.so\n"
                   for i in range(over("MODULES")))
    hits(3, r"more than 30 mapped files \(HF_LIMIT_MODULES\)", *heap(stack(0x10010), maps))


def test_mappings():
    maps = "".join(f"{0x10000 + i * 0x2000:x}-{0x11000 + i * 0x2000:x} r-xp {i * 0x1000:08x} 00:00 9 /lib.so\n"
                   for i in range(over("MAPPINGS")))
    hits(3, r"more than 100 mappings \(HF_LIMIT_MAPPINGS\)", *heap(stack(0x10010), maps))


def test_threads():
    threads = "".join(f"  t{i}: 1: 1048576 [0: 0]\n" for i in range(over("THREADS")))
    hits(3, r"more than 20 threads \(HF_LIMIT_THREADS\)", *heap(stack(0x10010, threads=threads), threads=threads))


def test_unpacked():
    folded(*(f"main;{'f' * 100} {i + 1}" for i in range(over("UNPACKED") // 100)))
    subprocess.run(["gzip", "input.folded"], check=True)
    hits(4, r"HF_LIMIT_UNPACKED", "fold", "input.folded.gz")


def test_unpack_window_log():
    with open("input.folded", "w") as out:
        for i in range(70000):
            out.write(f"main;f{i % 9};{i * 2654435761 % 4294967291:x}\t1\n".replace("\t", " "))
    subprocess.run(["zstd", "-q", "-19", "--long=24", "--zstd=wlog=22", "input.folded"], check=True)
    hits(3, r"HF_LIMIT_UNPACK_WINDOW_LOG", "fold", "input.folded.zst", clean=0)


# A process that has a live table mapped, which is small enough for heapflame-tight.
MAPS_TABLE = """
import mmap, os, struct, sys
table = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<I", table, 12, os.getpid())
os.makedirs(f"heapflame-{os.geteuid()}", mode=0o700, exist_ok=True)
with open(f"heapflame-{os.geteuid()}/{os.getpid()}-1.live", "w+b") as file:
    file.write(table)
    file.flush()
    mapped = mmap.mmap(file.fileno(), 0)
print("mapped", flush=True)
sys.stdin.read()
"""


class Serving:
    """A server, and processes that it shows."""

    def __init__(self, program, processes):
        command = [sys.executable, "-c", MAPS_TABLE, SRC / "fuzz/corpus/live/seed-exact"]
        self.recorded = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(processes)]
        for process in self.recorded:
            process.stdout.readline()
        self.server = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE)
        self.port = int(re.search(rb":(\d+)/ shows", self.server.stderr.readline()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.recorded, self.server]:
            process.terminate()
            process.communicate(timeout=60)

    def connect(self, target=None):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=200)
        if target is not None:
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return connection

    def get(self, target):
        with self.connect(target) as connection:
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode("utf-8", "replace")

    def page(self):
        """Of one of its processes: any, where others may be recorded beside them."""
        return re.search(r"/process/\d+/flame", self.get("/")).group()


def test_served_processes():
    for program, is_hit in (BUILD / "tests/heapflame-tight", True), (BUILD / "heapflame", False):
        with Serving(program, over("SERVED_PROCESSES")) as serving:
            assert ("not listed (HF_LIMIT_SERVED_PROCESSES)" in serving.get("/")) == is_hit


def test_served_bytes():
    for program, is_hit in (BUILD / "tests/heapflame-tight", True), (BUILD / "heapflame", False):
        with Serving(program, 1) as serving:
            answer = serving.get(serving.page())
            assert ("is larger than 20000 bytes (HF_LIMIT_SERVED_BYTES)" in answer) == is_hit, answer[:2000]


def test_served_seconds():
    """A process that makes a page, and is stopped meanwhile."""
    with Serving(BUILD / "tests/heapflame-tight", 1) as serving:
        children = Path(f"/proc/{serving.server.pid}/task/{serving.server.pid}/children")
        for _ in range(50):  # one may be too quick to be stopped
            with serving.connect(serving.page()) as connection:
                while not (child := children.read_text().split()):
                    time.sleep(0.001)
                try:
                    os.kill(int(child[0]), signal.SIGSTOP)
                except ProcessLookupError:
                    pass
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            if b"took more than 5 seconds (HF_LIMIT_SERVED_SECONDS)" in answer:
                return
            time.sleep(2.1)  # it is kept for so long
        raise AssertionError(answer)


def test_clients():
    """One more than may be waits until another goes."""
    for program, is_hit in (BUILD / "tests/heapflame-tight", True), (BUILD / "heapflame", False):
        with Serving(program, 0) as serving:
            idle = [serving.connect() for _ in range(int(TIGHT["CLIENTS"]))]
            time.sleep(0.5)
            with serving.connect("/metrics") as connection:
                ready = select.select([connection], [], [], 2 if is_hit else 60)[0]
                assert bool(ready) != is_hit, program
                os.kill(serving.server.pid, signal.SIGSTOP)  # so that they all go at once
                for each in idle:
                    each.close()
                os.kill(serving.server.pid, signal.SIGCONT)
                assert b"200 OK" in connection.recv(65536)


def test_regex_match():
    sentence = r"gave up matching 2 names: that takes too many steps \(HF_LIMIT_REGEX_MATCH\)"
    hits(0, sentence, *folded("a" * 12 + "b 7", "main 1"), "--focus", "^(a+)+$|main")
    hits(0, sentence.replace("2 names", "1 name"), *pprof(["a" * 12 + "b"], "(a+)+"))


def test_load_lines():
    Path("load.csv").write_text("".join(f"{i},1\n" for i in range(over("LOAD_LINES"))))
    Path("0.folded").write_text("a 1\n")
    Path("1.folded").write_text("a 2\n")
    hits(3, r"load.csv has more than 100 lines: give fewer counts \(HF_LIMIT_LOAD_LINES\)", "trend", "--at", "1s", "--per", "load.csv",
         "0.folded", "1.folded")


def test_batch_bytes():
    folded(f"{'a' * over('BATCH_BYTES')} 1")
    hits(3, r"the profiles of a batch and the names in their stacks take more than 300 bytes \(HF_LIMIT_BATCH_BYTES\)", "ship",
         "input.folded", "--store", "fleet.db", "--service", "shop", "--instance", "shop-1", "--value", "samples")


def test_processes():
    report = (SRC / "fuzz/corpus/memcheck/seed-memcheck").read_text()
    processes = [re.sub(r"==\d+==", f"=={pid}==", report) for pid in range(1000, 1000 + over("PROCESSES"))]
    Path("memcheck.txt").write_text("".join(processes))
    hits(4, r"more than 10 processes \(HF_LIMIT_PROCESSES\)", "fold", "memcheck.txt")


def test_json_bytes():
    report = (SRC / "fuzz/corpus/dhat/seed-dhat").read_text()
    Path("dhat.json").write_text(report.replace("\n", "\n" + " " * (over("JSON_BYTES") // report.count("\n"))))
    hits(3, r"more than 100000 bytes of JSON \(HF_LIMIT_JSON_BYTES\)", "fold", "dhat.json")


def test_conf_bytes():
    hits(3, r"longer than 1000 bytes \(HF_LIMIT_CONF_BYTES\)", "conf", "check",
         "prof:true,prof_prefix:" + "x" * over("CONF_BYTES"))


def test_spec_bytes():
    Path("long.spec").write_text("# " + "x" * over("SPEC_BYTES") + "\n")
    hits(3, r"long.spec: longer than 6000 bytes \(HF_LIMIT_SPEC_BYTES\)", "attach", "1", "--spec", "./long.spec", clean=3)


def test_probes():
    if os.geteuid() != 0:
        return  # what others may not put in has no limit
    names = [f"function_{i}" for i in range(over("PROBES"))]
    Path("many.c").write_text("".join(f"__attribute__((noinline)) void *{name}(long size) {{ return (void *)size; }}\n"
                                      for name in names) + "int main(void) { for (;;) __builtin_ia32_pause(); }\n")
    subprocess.run(["gcc", "-O1", "-fno-ipa-icf", "-o", "many", "many.c"], check=True)
    Path("many.spec").write_text("spec many\nobject exe\n" + "".join(f"alloc sym:{name} size=arg0 new=ret\n" for name in names))
    with subprocess.Popen(["./many"]) as process:
        hits(3, r"more than 60 kinds of events \(HF_LIMIT_PROBES\)", "attach", str(process.pid), "--spec", "./many.spec",
             "-d", "100ms", "-o", "out.folded", "--backend", "perf")
        process.kill()


def test_followed():
    hits_many(3, r"1 process was not followed, because 2 are \(HF_LIMIT_FOLLOWED\)")


def test_members():
    hits_many(4, r"there are more than 3 processes \(HF_LIMIT_MEMBERS\)")


def hits_many(count, sentence):
    """attach to so many processes of a cgroup, which is a folder that looks so. heapflame-tight says so before; after, their
    live tables are too large for it."""
    if os.geteuid() != 0:
        return
    Path("one.c").write_text("__attribute__((noinline)) void *take(long size) { return (void *)size; }\n"
                             "int pause(void);\nint main(void) { take(1); for (;;) pause(); }\n")
    subprocess.run(["gcc", "-O1", "-fno-ipa-icf", "-o", "one", "one.c"], check=True)
    Path("one.spec").write_text("spec one\nobject exe\nalloc sym:take size=arg0 new=ret\n")
    processes = [subprocess.Popen(["./one"]) for _ in range(count)]
    Path("group").mkdir(exist_ok=True)
    Path("group/cgroup.procs").write_text("".join(f"{process.pid}\n" for process in processes))
    hits(3, sentence, "attach", "--cgroup", "group", "--spec", "./one.spec", "-d", "100ms", "-o", "out.folded")
    for process in processes:
        process.kill()
        process.wait()


def test_jemalloc_leaf_pages():
    Path("many.c").write_text("#include <stdlib.h>\n#include <unistd.h>\nstatic void *volatile blocks[60];\n"
                              "int main(void) { for (int i = 0; i < 60; i++) blocks[i] = malloc(1 << 20);\n"
                              "return (int)write(1, \"r\", 1) + pause(); }\n")
    subprocess.run(["gcc", "-O1", "-o", "many", "many.c", "-Wl,--no-as-needed", "-ljemalloc"], check=True)
    with subprocess.Popen(["./many"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        hits(3, r"have more than 5 pages \(HF_LIMIT_JEMALLOC_LEAF_PAGES\)", "heap", str(process.pid))
        process.kill()


def test_tcmalloc_leaf_pages():
    Path("many.c").write_text("#include <stdlib.h>\n#include <unistd.h>\nstatic void *volatile blocks[60];\n"
                              "int main(void) { for (int i = 0; i < 60; i++) blocks[i] = malloc(1 << 20);\n"
                              "return (int)write(1, \"r\", 1) + pause(); }\n")
    subprocess.run(["gcc", "-O1", "-o", "many", "many.c", "-Wl,--no-as-needed", "-ltcmalloc_minimal"], check=True)
    with subprocess.Popen(["./many"], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        hits(3, r"have more than 5 pages \(HF_LIMIT_TCMALLOC_LEAF_PAGES\)", "heap", str(process.pid))
        process.kill()


def test_libraries():
    hits(3, r"more than 9 libraries \(HF_LIMIT_LIBRARIES\)", "conf", "check", "prof:true", shutil.which("redis-server"))


def pprof(names, drop_frames=""):
    """A profile.proto with a stack of one byte for each name; a message is {field number: number, bytes or list}."""

    def varint(value):
        return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value // 128)

    def message(fields):
        out = b""
        for number, values in fields.items():
            for value in values if isinstance(values, list) else [values]:
                is_number = isinstance(value, int)
                out += varint(number * 8 + (0 if is_number else 2))
                out += varint(value) if is_number else varint(len(value)) + value
        return out

    strings = ["", "inuse_space", "bytes", drop_frames, *names]
    ids = range(1, len(names) + 1)
    Path("input.pb").write_bytes(message({
        1: message({1: 1, 2: 2}),
        2: [message({1: i, 2: 1}) for i in ids],
        4: [message({1: i, 4: message({1: i})}) for i in ids],
        5: [message({1: i, 2: 3 + i}) for i in ids],
        6: [string.encode() for string in strings],
        7: 3 if drop_frames else [],
    }))
    return "fold", "input.pb"


def test_pprof_bytes():
    hits(3, r"more than 60000 bytes .*\(HF_LIMIT_PPROF_BYTES\)",
         *pprof([f"{'f' * 300}{i}" for i in range(over("PPROF_BYTES") // 300)]))


def test_live_bytes():
    table = bytearray((SRC / "fuzz/corpus/live/seed-exact").read_bytes())
    struct.pack_into("<Q", table, 64, over("LIVE_BYTES"))
    Path("input.live").write_bytes(table)
    hits(3, r"more than 60000 are not read \(HF_LIMIT_LIVE_BYTES\)", "fold", "input.live")


def test_pprof_records():
    hits(3, r"more than 700 strings, .*\(HF_LIMIT_PPROF_RECORDS\)",
         *pprof([f"f{i}" for i in range(over("PPROF_RECORDS"))]))


def test_pprof_pattern():
    hits(0, r"drop_frames has \d+ bytes \(HF_LIMIT_PPROF_PATTERN\)", *pprof(["main"], "x" * over("PPROF_PATTERN")))


def test_pprof_drop_names():
    hits(0, r"the first 50 functions only \(HF_LIMIT_PPROF_DROP_NAMES\)",
         *pprof([f"f{i}" for i in range(over("PPROF_DROP_NAMES"))], "nothing"))


def bundle(names):
    folded(*[f"{name} 1" for name in names])
    subprocess.run([BUILD / "heapflame", "bundle", "input.folded", "-o", "input.hfb"], check=True)
    return "fold", "input.hfb"


def test_bundle_bytes():
    hits(3, r"more than 70000 bytes .*\(HF_LIMIT_BUNDLE_BYTES\)",
         *bundle([f"{'f' * 300}{i}" for i in range(over("BUNDLE_BYTES") // 300)]))


def test_bundle_records():
    hits(3, r"more than 800 strings, .*\(HF_LIMIT_BUNDLE_RECORDS\)",
         *bundle([f"f{i}" for i in range(over("BUNDLE_RECORDS"))]))


def program(name, code="int main(void) { return 0; }\n", *flags):
    Path(f"{name}.c").write_text(code)
    subprocess.run(["gcc", "-g", "-o", name, f"{name}.c", *flags], check=True)
    return Path(name)


def test_sections():
    Path("bytes").write_bytes(b"x")
    more = [word for i in range(over("SECTIONS")) for word in ("--add-section", f".more{i}=bytes")]
    subprocess.run(["objcopy", *more, program("a"), "many"], check=True)
    hits(5, r"too many sections \(HF_LIMIT_SECTIONS\)", "conf", "check", "tcache:true", "./many", clean=3)


def test_segments():
    image = bytearray(program("a", "int main(void) { return 0; }\n", "-Wl,-z,norelro").read_bytes())
    image[56:58] = over("SEGMENTS").to_bytes(2, "little")  # e_phnum; what follows the headers is taken for more
    Path("many").write_bytes(bytes(image))
    hits(5, r"too many program headers \(HF_LIMIT_SEGMENTS\)", "conf", "check", "tcache:true", "./many", clean=3)


def test_note_bytes():
    code = f'__asm__(".section .note.more,\\"a\\",@note; .zero {over("NOTE_BYTES")}; .text"); int main(void) {{ return 0; }}\n'
    program("many", code, "-Wl,--build-id=none")
    hits(5, r"notes too large \(HF_LIMIT_NOTE_BYTES\)", "conf", "check", "tcache:true", "./many", clean=3)


def names_of(binary, mapped=None):
    """A profile of every function of a program, and how to ask for their lines; `mapped`: a copy of it that ran."""
    functions = [int(line.split()[0], 16) for line in subprocess.run(
        ["nm", "--defined-only", binary], capture_output=True, text=True, check=True).stdout.splitlines()
        if line.split()[1] in "tT"]
    loads = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ +0x(\w+) 0x\w+ +R E", subprocess.run(
        ["readelf", "-lW", binary], capture_output=True, text=True, check=True).stdout)
    offset, address, size = (int(part, 16) for part in loads[0])
    base, end = address & ~0xFFF, (address + size + 0xFFF) & ~0xFFF
    maps = f"{base:x}-{end:x} r-xp {offset & ~0xFFF:08x} 00:00 9 {(mapped or binary).resolve()}\n"
    return [*heap("".join(stack(function + 5) for function in functions), maps), "--lines"]


def with_debugdata(binary, packed):
    """A stripped copy of a program with this as its .gnu_debugdata."""
    Path("mini.xz").write_bytes(packed)
    subprocess.run(["objcopy", "-S", binary, "stripped"], check=True)
    subprocess.run(["objcopy", "--add-section", ".gnu_debugdata=mini.xz", "stripped", "embedded"], check=True)
    return Path("embedded")


def test_symbol_steps():
    """For each function a step to read its symbol and one to name its address."""
    code = "".join(f"int f{i}(int a) {{ return a * {i}; }}\n" for i in range(over("SYMBOL_STEPS") // 2))
    binary = program("many", code + "int main(void) { return 0; }\n", "-g0", "-no-pie")
    hits(0, r"many: some names are missing: its symbol tables take more than 900 steps .*\(HF_LIMIT_SYMBOL_STEPS\)",
         *names_of(binary))


def test_go_steps():
    """Some 30 of each function and inlined call; of an image that the fuzz targets read."""
    image = SRC / "fuzz/corpus/go_table/seed-18"
    offset = int(re.search(r"LOAD +0x(\w+) 0x0*1000 .* R E", subprocess.run(
        ["readelf", "-lW", image], capture_output=True, text=True, check=True).stdout)[1], 16)
    maps = f"40000000-40001000 r-xp 00000000 00:00 9 {image.resolve()}\n"
    hits(0, r"seed-18: some names are missing: its .gopclntab takes more than 500 steps .*\(HF_LIMIT_GO_STEPS\)",
         *heap("".join(stack(0x40000000 + offset + i) for i in range(1, 0x70)), maps), "--lines")


def test_units():
    count = over("UNITS")
    for i in range(count):
        Path(f"u{i}.c").write_text(f"int f{i}(int a) {{ return a * {i}; }}\n")
    Path("main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-g", "-no-pie", "-o", "many", "main.c", *(f"u{i}.c" for i in range(count))], check=True)
    hits(0, r"more than 30 units \(HF_LIMIT_UNITS\)", *names_of(Path("many")))


def test_line_files():
    code = "".join(f'# 1 "file{i}.c"\nint f{i}(int a) {{ return a * {i}; }}\n' for i in range(over("LINE_FILES")))
    binary = program("many", code + "int main(void) { return 0; }\n", "-no-pie")
    hits(0, r"more than 60 source files \(HF_LIMIT_LINE_FILES\)", *names_of(binary))


def test_split_files():
    """Of those beyond the limit the functions have the names of symbols."""
    count = over("SPLIT_FILES")
    for i in range(count):
        Path(f"u{i}.c").write_text(f"int f{i}(int a) {{ return a * {i}; }}\n")
        subprocess.run(["gcc", "-g", "-gsplit-dwarf", "-c", f"u{i}.c"], check=True)
    program("main", "int main(void) { return 0; }\n", "-c", "-g0")
    subprocess.run(["gcc", "-no-pie", "-o", "many", "main", *(f"u{i}.o" for i in range(count))], check=True)
    hits(0, rf"functions of {count - int(TIGHT['SPLIT_FILES'])} units .*u\d+\.dwo: is one of more than 3 files "
            r"\(HF_LIMIT_SPLIT_FILES\)", *names_of(Path("many")))


def test_perf_map_bytes():
    Path("perf-7.map").write_text("".join(f"{0x10000 + i:x} 1 f{i}\n" for i in range(over("PERF_MAP_BYTES") // 10)))
    _, path = heap(stack(0x10010), "10000-20000 r-xp 00000000 00:00 0\n")
    os.rename(path, "jeprof.7.0.f.heap")
    hits(0, r"perf-7\.map is longer than 300 bytes \(HF_LIMIT_PERF_MAP_BYTES\)", "fold", "jeprof.7.0.f.heap", "--symdir", ".")


def hits_of_jit(sentence, *objects):
    """In what a program has said to GDB, which still runs."""
    with Jit("./jit", *objects) as program:
        program.go_on("made")
        maps = Path(f"/proc/{program.process.pid}/maps").read_text()
        code = int(re.search(r"(?m)^(\w+)-\w+ r-xp 00000000 00:00 0 *$", maps)[1], 16)
        _, path = heap(stack(code + 2), maps)
        dump = f"jeprof.{program.process.pid}.0.f.heap"
        os.rename(path, dump)
        hits(0, sentence, "fold", "--no-sandbox", dump)  # the worker may not read memory of who is not named


def test_jit_objects():
    hits_of_jit(r"more than 3 objects \(HF_LIMIT_JIT_OBJECTS\)", *build(*[f"f{i}" for i in range(over("JIT_OBJECTS"))]))


def test_jit_object_bytes():
    [small] = build("compute")
    Path("more").write_bytes(bytes(over("JIT_OBJECT_BYTES")))
    subprocess.run(["objcopy", "--add-section", ".more=more", small, "large.o"], check=True)
    hits_of_jit(r"more than 20000 bytes \(HF_LIMIT_JIT_OBJECT_BYTES\)", "large.o")


def test_jit_name_bytes():
    hits_of_jit(r"more than 200 bytes of names \(HF_LIMIT_JIT_NAME_BYTES\)", *build("f" * over("JIT_NAME_BYTES")))


# DWARF (the numbers are those of its chapter 7) that no compiler writes: entries of these kinds are put together by hand.
ROOT, FUNCTION, INLINED, BLOCK, REFERENCE, NAMED = range(1, 7)
ABBREVIATIONS = {
    ROOT: (0x11, True, 0x55, 0x17),  # compile_unit with ranges, sec_offset
    FUNCTION: (0x2E, True, 0x55, 0x17),  # subprogram
    INLINED: (0x1D, True, 0x55, 0x17),  # inlined_subroutine
    BLOCK: (0x0B, True),  # lexical_block
    REFERENCE: (0x2E, False, 0x55, 0x17, 0x31, 0x13),  # subprogram with ranges and abstract_origin, ref4
    NAMED: (0x2E, False, 0x03, 0x08),  # subprogram with name, string
}
END = b"\0"


def abbreviations(extra=b""):
    table = b"".join(bytes([code, tag, has_children, *attributes, 0, 0])
                     for code, (tag, has_children, *attributes) in ABBREVIATIONS.items())
    return table + extra + b"\0"


def entry(code, ranges=0):
    """An entry and what its ranges are: the list at this offset of .debug_ranges."""
    return bytes([code]) + (struct.pack("<I", ranges) if 0x55 in ABBREVIATIONS[code] else b"")


def unit(*entries):
    body = struct.pack("<HIB", 4, 0, 8) + b"".join(entries)
    return struct.pack("<I", len(body)) + body


def with_dwarf(info, abbrev=abbreviations(), more_ranges=0, **more):
    """A program with this DWARF, of which the list of ranges at 0 holds everything."""
    plain = program("plain", "int main(void) { return 0; }\n", "-g0", "-no-pie")
    ranges = struct.pack("<QQ", 1, 2) * more_ranges + struct.pack("<4Q", 0x1000, 1 << 40, 0, 0)
    arguments = []
    for name, content in {"info": info, "abbrev": abbrev, "ranges": ranges, **more}.items():
        Path(name).write_bytes(content)
        arguments += ["--add-section", f".debug_{name}={name}"]
    subprocess.run(["objcopy", *arguments, plain, "made"], check=True)
    return names_of(Path("made"))


def test_dwarf_effort_ratio():
    """Units with one long list: too much to read for their size, and not for that of a larger file."""
    info = unit(entry(ROOT), END) * 28
    hits(0, r"refers to the same lists too often \(HF_LIMIT_DWARF_EFFORT", *with_dwarf(info, more_ranges=3000))
    code, err = runs(BUILD / "tests/heapflame-tight", *with_dwarf(info, more_ranges=3000, str=bytes(100000)))
    assert code == 0 and "HF_LIMIT" not in err, err


def test_dwarf_effort():
    """The same within one unit: there is no other that could say so."""
    info = unit(entry(ROOT), *[entry(FUNCTION), END] * 40, END)
    hits(0, r"refers to the same lists too often \(HF_LIMIT_DWARF_EFFORT", *with_dwarf(info, more_ranges=2000))


def test_abbrev_attrs():
    many = bytes([0x2E, 0, *[0x03, 0x0B] * 100, 0, 0])
    table = abbreviations(b"".join(bytes([10 + i]) + many for i in range(over("ABBREV_ATTRS") // 100 + 1)))
    hits(0, r"more than 500 attributes \(HF_LIMIT_ABBREV_ATTRS\)", *with_dwarf(unit(entry(ROOT), END), table))


def test_die_depth():
    depth = over("DIE_DEPTH")
    info = unit(entry(ROOT), entry(FUNCTION), entry(BLOCK) * depth, END * depth, END, END)
    hits(0, r"nested more than 20 deep \(HF_LIMIT_DIE_DEPTH\)", *with_dwarf(info))


def test_inline_depth():
    depth = int(TIGHT["INLINE_DEPTH"])
    info = unit(entry(ROOT), entry(FUNCTION), entry(INLINED) * depth, END * depth, END, END)
    hits(0, r"more than 10 calls are inlined in one another \(HF_LIMIT_INLINE_DEPTH\)", *with_dwarf(info))


def test_origin_depth():
    start, size = 11 + len(entry(ROOT)), len(entry(REFERENCE)) + 4
    count = over("ORIGIN_DEPTH")
    references = b"".join(entry(REFERENCE) + struct.pack("<I", start + (i + 1) * size) for i in range(count))
    hits(0, r"1 function's name is found only behind more than 5 references \(HF_LIMIT_ORIGIN_DEPTH\)",
         *with_dwarf(unit(entry(ROOT), references, entry(NAMED), b"last\0", END)))


def test_inflated():
    code = "".join(f"int {'f' * 900}{i}(int a) {{ return a * {i}; }}\n" for i in range(over("INFLATED") // 900))
    binary = program("many", code + "int main(void) { return 0; }\n", "-no-pie", "-gz=zlib")
    hits(0, r"claims \d+ bytes after decompression \(HF_LIMIT_INFLATED\)", *names_of(binary))
    image = binary.read_bytes() + random.Random(1).randbytes(over("INFLATED"))
    hits(0, r"debugdata: is more than \d+ bytes after decompression \(HF_LIMIT_INFLATED\)",
         *names_of(binary, with_debugdata(binary, lzma.compress(image))))


def test_inflate_ratio():
    code = "int main(void) { return 0; }\n" + "struct s { int a; " + "".join(f"int {'x' * 900}{i}; " for i in range(90))
    binary = program("many", code + "} s;\n", "-no-pie", "-gz=zlib", "-fno-merge-constants")
    hits(0, r"HF_LIMIT_INFLATE_RATIO", *names_of(binary))
    binary = program("a", "int main(void) { return 0; }\n", "-no-pie")
    image = binary.read_bytes() + bytes(over("INFLATED") - 50000)
    hits(0, r"debugdata: is more than \d+ bytes after decompression \(HF_LIMIT_INFLATE_RATIO\)",
         *names_of(binary, with_debugdata(binary, lzma.compress(image))))


def test_xz_memory():
    binary = program("a", "int main(void) { return 0; }\n", "-no-pie")
    hits(0, r"debugdata: needs more than 33554432 bytes to be decompressed \(HF_LIMIT_XZ_MEMORY\)",
         *names_of(binary, with_debugdata(binary, lzma.compress(binary.read_bytes(), preset=9))))


def test_cache_bytes():
    """The one limit that is not said: what is removed is made again."""
    sizes = {}
    Path("cache").mkdir()
    for i in range(over("CACHE_BYTES") // 200):
        binary = program(f"p{i}", f"int main(void) {{ return {i}; }}\n", "-no-pie")
        for name in "heapflame", "tests/heapflame-tight":
            environment = {**os.environ, "XDG_CACHE_HOME": str(Path.cwd() / "cache" / Path(name).name)}
            code, err = runs(BUILD / name, "addr2line", "-fe", binary, "0x401136", env=environment)
            assert (code, err) == (0, ""), err
            folder = Path(environment["XDG_CACHE_HOME"]) / "heapflame"
            sizes[name] = sum(path.stat().st_size for path in folder.iterdir())
    assert 2000 < sizes["tests/heapflame-tight"] <= int(TIGHT["CACHE_BYTES"]) < sizes["heapflame"], sizes


def one_by_one(name, binary, addresses):
    """What the command answers to addresses that it gets one at a time; each twice, so that it looks up anew."""
    command = [BUILD / name, "addr2line", "--no-cache", "-afie", binary]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers = []
    for address in addresses * 2:
        child.stdin.write(f"{address:#x}\n,\n")
        child.stdin.flush()
        while not (line := child.stdout.readline()).startswith("0x0000000000000000"):
            answers.append(line)
        child.stdout.readline(), child.stdout.readline()
    child.stdin.close()
    assert child.wait() == 0
    return answers


def test_resident_bytes():
    """Not said, either: what is dropped is read again, and says the same."""
    functions = "".join(f"int f{i}(int a) {{ return a * {i} + counter; }}\n" for i in range(800))
    binary = program("p", "static int counter = 1;\n" + functions + "int main(void) { return f3(counter); }\n", "-g", "-no-pie")
    addresses = list(range(0x401106, 0x403000, 97))
    ours, tight = (one_by_one(name, binary, addresses) for name in ("heapflame", "tests/heapflame-tight"))
    assert ours == tight and len(ours) == 6 * len(addresses) and sum("p.c:" in line for line in ours) > 100, ours[:20]


def test_http_connect_seconds():
    """A server whose queue is full lets new connections wait."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        code, err = runs(BUILD / "tests/heapflame-tight", "fold", "http://127.0.0.1:%d/a" % full.getsockname()[1])
        for one in waiting:
            one.close()
    assert code == 5 and "no connection to" in err and "within 1 seconds (HF_LIMIT_HTTP_CONNECT_SECONDS)" in err, err


def test_http_body():
    body = b"main;" + b"x" * 100 + b" 1\n"
    with Server(lambda _: (200, {}, body * (over("HTTP_BODY") // 100))) as server:
        hits(3, r"is longer than .* \(HF_LIMIT_HTTP_BODY\)", "fold", f"{server.url}/a")


def test_svg_frames():
    """What an SVG embeds is said in the SVG: the widest frames, without those of the width at which there are too many."""
    lines = [f"main;f{i:03} {1000 + i // 3}" for i in range(over("SVG_FRAMES"))]
    said = []
    for program in ("tests/heapflame-tight", "heapflame"):
        _, path = folded(*lines)
        done = subprocess.run([BUILD / program, "flame", path], capture_output=True, text=True, check=True)
        said.append(re.findall(r'"nodes":(\d+)|; (\d+ below [\d,]+ samples are left out of this file)<', done.stdout))
    assert said == [[("", "6 below 1,002 samples are left out of this file"), ("21", "")], [("27", "")]], said


def lines_of(source, *numbers):
    """A profile whose leaks are on these lines of a.c, which is `source`."""
    Path("a.c").write_text(source)
    leaks = "".join(f"Direct leak of 100 byte(s) in 1 object(s) allocated from:\n    #0 0x{n} in f{n} /app/a.c:{n}\n\n" for n in numbers)
    Path("input.lsan").write_text(f"==1==ERROR: LeakSanitizer: detected memory leaks\n\n{leaks}"
                                  f"SUMMARY: AddressSanitizer: {100 * len(numbers)} byte(s) leaked in {len(numbers)} allocation(s).\n")
    return "flame", "input.lsan", "-o", "page.html", "--source-dir", "."


def test_source_bytes():
    hits(0, r"the page shows the first 2000 bytes of source \(HF_LIMIT_SOURCE_BYTES\)", *lines_of("int f(void);\n" * 400, 50, 200, 350))


def test_source_file_bytes():
    hits(0, r"a\.c has more than 20000 bytes \(HF_LIMIT_SOURCE_FILE_BYTES\)", *lines_of("int f(void);\n" * 2000, 5))


def code_of(*bodies):
    """A profile of a program with functions that each allocate once, and do what the bodies say."""
    functions = "".join(f"__attribute__((noinline)) void f{i}(void) {{ kept[{i}] = malloc(1000); {body} }}\n" for i, body in enumerate(bodies))
    Path("code.c").write_text(f"#include <stdlib.h>\nchar *volatile kept[{len(bodies)}];\nvolatile long sum;\n{functions}int main(void) {{ "
                              + "".join(f"f{i}(); " for i in range(len(bodies))) + "return 0; }\n")
    subprocess.run(["gcc", "-O0", "-g", "-fno-ipa-icf", "-o", "code", "code.c"], check=True)
    subprocess.run([BUILD / "heapflame", "run", "-q", "--exact", "-o", "code.hfb", "--", "./code"], check=True)
    return "flame", "code.hfb", "-o", "page.html", "--disassembly"


def test_code_bytes():
    hits(0, r"the page shows the first 3000 bytes of instructions \(HF_LIMIT_CODE_BYTES\)", *code_of(*["sum *= 7; sum += 3;"] * 6))


def test_code_function_bytes():
    hits(0, r"f0 has more than 4000 bytes of code \(HF_LIMIT_CODE_FUNCTION_BYTES\)", *code_of("sum += 3;" * 300))


def test_http_redirects():
    def answer(handler):
        left = int(handler.path[1:])
        return (302, {"Location": f"/{left - 1}"}, b"") if left else (200, {}, b"main 1\n")

    with Server(answer) as server:
        hits(5, r"redirects more than 2 times \(HF_LIMIT_HTTP_REDIRECTS\)", "fold", f"{server.url}/4")


def test_http_seconds():
    def answer(handler):
        time.sleep(7)
        return 200, {}, b"main 1\n"

    with Server(answer) as server:
        hits(5, r"did not finish its answer within 5 seconds \(HF_LIMIT_HTTP_SECONDS\)", "fold", f"{server.url}/a")


def trickling(pieces, seconds, size):
    """A server whose answer comes in so many pieces of so many bytes, so many seconds apart."""
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(pieces * size))
        handler.end_headers()
        for _ in range(pieces):
            handler.wfile.write(b"main 1\n" * (size // 7))
            handler.wfile.flush()
            time.sleep(seconds)

    return Server(answer)


SLOW = r"sends less than 1000 bytes a second \(HF_LIMIT_HTTP_SLOW_BYTES\) for 1 seconds \(HF_LIMIT_HTTP_SLOW_SECONDS\)"


def test_http_slow_seconds():
    with trickling(3, 1.2, 7) as server:
        hits(5, SLOW, "fold", f"{server.url}/a")


def test_http_slow_bytes():
    """A rate beyond the limit is none too slow, however small the pieces."""
    with trickling(10, 0.1, 2100) as server:
        code, err = runs(BUILD / "tests/heapflame-tight", "fold", f"{server.url}/a")
        assert (code, err) == (0, ""), err
    with trickling(14, 0.1, 49) as server:
        hits(5, SLOW, "fold", f"{server.url}/a")


def test_http_json_bytes():
    """A long answer is not read as JSON, so its reason is not given."""
    body = b'{"error": "Memory profiling is not enabled"' + b" " * over("HTTP_JSON_BYTES") + b"}"
    with Server(lambda _: (500, {"Content-Type": "application/json"}, body)) as server:
        tight = runs(BUILD / "tests/heapflame-tight", "dump", server.url)[1]
        true = runs(BUILD / "heapflame", "dump", server.url)[1]
        assert "prof:true" in true and "prof:true" not in tight, (true, tight)


def hourly(name, hours=1):
    return Instance(name, name, profiles=[(START_MS + hour * HOUR_MS, {"f": 5}) for hour in range(hours)])


def test_fleet_instances():
    make("store", *[hourly(f"i{number}") for number in range(over("FLEET_INSTANCES"))])
    hits(3, "more than 5 instances .HF_LIMIT_FLEET_INSTANCES.; choose fewer", "fleet", "nodes", "--store", "store")


def test_fleet_stacks():
    make("store", Instance("i", "n", profiles=[(START_MS, {f"f{number}": 5 for number in range(over("FLEET_STACKS"))})]))
    for what in ["top", "trend", "outliers"]:
        hits(3, "more than 10 stacks .HF_LIMIT_FLEET_STACKS.", "fleet", what, "--store", "store")


def test_fleet_cells():
    profiles = [(START_MS + number * 1000, {f"f{place}": 5 for place in range(9)}) for number in range(3)]
    make("store", *[Instance(f"i{number}", f"n{number}", profiles=profiles) for number in range(2)])
    hits(3, "more than 12 places on nodes .HF_LIMIT_FLEET_CELLS.; choose fewer", "fleet", "trend", "--store", "store")


def test_rollup_rows():
    make("store", hourly("i", over("ROLLUP_ROWS")))
    hits(3, "more than 20 rows .* .HF_LIMIT_ROLLUP_ROWS.; ask about fewer", "fleet", "nodes", "--store", "store", "--since", "99h")


PLANTED = BUILD / "tests/heapflame-planted"


def planted(what):
    """heapflame-planted has the small limits of a worker, and an exploit that uses up what it can."""
    Path("input.folded").write_text("a;b 1\n")
    return runs(PLANTED, "top", "input.folded", env={**os.environ, "PLANTED": what})


def test_worker_seconds():
    if os.environ.get("HEAPFLAME_SANITIZED"):
        return  # a sanitizer needs rights of its own, so the worker keeps them
    code, err = planted("spin")
    assert code == 3 and "HF_LIMIT_WORKER_SECONDS" in err, (code, err)


def test_worker_memory_per_mille():
    if os.environ.get("HEAPFLAME_SANITIZED"):
        return
    code, err = planted("fill")
    assert code == 5 and "out of memory" in err, (code, err)


def test_order_seconds():
    """A worker of `run` that sleeps: the program's end is not held up for ever."""
    if not AGENT.exists():
        return  # it is for x86-64 alone
    command = Path("bin/heapflame")
    command.parent.mkdir()
    shutil.copy(PLANTED, command)
    command.with_name("agent").symlink_to(AGENT.parent)
    code, err = runs(command.absolute(), "run", "--exact", "-o", "x.folded", "sh", "-c", "exit 7",
                     env={**os.environ, "PLANTED": "stall", "XDG_RUNTIME_DIR": str(Path.cwd())})  # fmt: skip
    assert code == 7 and "HF_LIMIT_ORDER_SECONDS" in err and not Path("x.folded").exists(), (code, err)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
