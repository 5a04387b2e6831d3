#!/usr/bin/env python3
# sanitized: no, heap.py and who.py run the same code
# timeout: 300
"""heap: what holds the memory of stock programs of the distribution, which nobody prepared, against what they say themselves:
databases, a library of functions and a client of redis-server; a dict of a module and the cache of an extension of python3;
contexts of PostgreSQL that an extension leaks; the loggers of clickhouse-server."""

import contextlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from _allocators import call_in, document
from _allocators import near as near_part
from _heap import HEAPFLAME, Elf, need, run, skip
from _schemas import held
from _suite import run_tests

need("redis-server", "/usr/bin/python3", "clickhouse-server", "gcc", "gdb")
POINTS = 0.03
PYTHON = "/usr/bin/python3"


def drawn(pid):
    """[(frames, bytes)] of `heap -o`: what keeps a block, then from container to content."""
    run(HEAPFLAME, "heap", "-o", "held.folded", pid)
    lines = (line.rpartition(" ") for line in Path("held.folded").read_text().splitlines())
    return [(stack.split(";"), int(size)) for stack, _, size in lines]


def sum_of(stacks, *patterns):
    """Bytes of the stacks that have a frame for each pattern, in this order."""
    return sum(size for frames, size in stacks if re.search(";.*".join(patterns), ";".join(frames)))


def near(given, expected, points=POINTS):
    print(f"{given:,} of {expected:,}: {(given - expected) / max(expected, 1):+.3%}, at most {points:.2%}")
    return abs(given - expected) <= points * expected


# ---- redis-server ----

FUNCTIONS = """#!lua name=texts
local texts = {}
for i = 1, 10000 do texts[i] = 'text number ' .. i end
redis.register_function('text', function(keys, args) return texts[1] end)"""
DATABASES = r"^three or more globals[^;]*;blocks of 320 B;blocks of 64 B"  # an array of 4, and what each has of tables
FILL = "for i = 1, %d do redis.call('SET', 'key:' .. i, string.rep('v', 200)) end return 1"


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect("s")
        self.answers = self.socket.makefile("rb")

    def ask(self, *words):
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in map(str, words)))
        line = self.answers.readline()
        assert line[:1] != b"-", line
        return self.answers.read(int(line[1:]) + 2)[:-2].decode() if line[:1] == b"$" else line[1:].strip().decode()

    def memory(self, name):
        return int(re.search(rf"^{name}:(\d+)", self.ask("INFO", "memory"), re.M)[1])


@contextlib.contextmanager
def redis():
    with open("log", "wb") as log, subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", "s", "--save", "", "--databases", "4"], stdout=log, stderr=log
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while "Ready to accept" not in Path("log").read_text() and "ready to accept" not in Path("log").read_text():
                assert process.poll() is None and time.monotonic() < deadline, Path("log").read_text()
                time.sleep(0.02)
            yield process.pid
        finally:
            process.kill()


def test_redis():
    """Each database has a table of its own; what it added to redis' account is what its table retains."""
    with redis() as pid:
        client, added, deadline = Client(), {}, time.monotonic() + 60
        for database, keys in ((0, 60000), (1, 25000)):  # tables of 65,536 and 32,768 entries
            client.ask("SELECT", database)
            before = client.memory("used_memory")
            client.ask("EVAL", FILL % keys, 0)
            added[database] = client.memory("used_memory") - before
        while True:
            with contextlib.suppress(AssertionError):  # it has 500 ms for that
                client.ask("FUNCTION", "LOAD", FUNCTIONS)
                break
            assert time.monotonic() < deadline, "redis has no time to load a function"
        big = Client()
        big.socket.sendall(b"*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$20000000\r\n" + b"x" * 10000000)
        while (of_big := max(map(int, re.findall(r"tot-mem=(\d+)", client.ask("CLIENT", "LIST"))))) < 20000000:
            assert time.monotonic() < deadline, of_big
        of_functions = client.memory("used_memory_vm_functions")
        stacks = drawn(pid)
    given = {
        "database 0": (sum_of(stacks, DATABASES, "up to 524,288 B"), added[0]),
        "database 1": (sum_of(stacks, DATABASES, "up to 262,144 B"), added[1]),
        "client": (sum_of(stacks, "768 B", "up to 33,554,432 B"), of_big),
    }
    # Lua counts bytes that it asked for, jemalloc has sizes of 16, 32, 48 ...
    functions = sum_of(stacks, r"^data of redis[^;]*", "blocks of 640 B")
    assert of_functions <= functions <= of_functions * 1.1, (functions, of_functions)
    assert all(near(*figures) for figures in given.values()), given


# ---- python3 ----

EXTENSION = r"""
#include <Python.h>
struct entry { struct entry *next; char *text; PyObject *value; };
struct entry *remembered[1024];
static PyObject *remember(PyObject *self, PyObject *args)
{
    long key;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "ln", &key, &size)) return NULL;
    struct entry *entry = malloc(sizeof *entry);
    entry->text = memset(malloc(size), 'x', size);
    entry->value = PyLong_FromLong(key + 1000000);
    entry->next = remembered[key % 1024];
    remembered[key % 1024] = entry;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"remember", remember, METH_VARARGS, NULL}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "cached", NULL, -1, methods};
PyMODINIT_FUNC PyInit_cached(void) { return PyModule_Create(&module); }
"""
ENTRIES, TEXT = 20000, 500
SCRIPT = f"""
import cached, sys
WORDS = {{}}
for i in range(1000000):
    WORDS["word %d" % i] = "text number %d" % i
for i in range({ENTRIES}):
    cached.remember(i, {TEXT})
table = sys.getsizeof(WORDS) - sys.getsizeof({{}})
strings = sum((sys.getsizeof(text) + 15) // 16 * 16 for pair in WORDS.items() for text in pair)
print(table + strings, flush=True)
sys.stdin.read()
"""


def test_python():
    """A dict of a million strings of the module __main__ is one dict whose table retains keys and values; what its name is, no symbol
    says. Keys are strings: for integers see docs/heap.md, "Where it is wrong"."""
    headers = Path("/usr/include/python3.11")
    if not (headers / "Python.h").exists():
        skip("libpython3.11-dev is missing (script/bootstrap test installs it)")
    Path("cached.c").write_text(EXTENSION)
    run("gcc", "-O2", "-shared", "-fPIC", "-s", "-isystem", headers, "-o", "cached.so", "cached.c")
    Path("script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": "."}
    with subprocess.Popen([PYTHON, "script.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        told = int(process.stdout.readline())
        stacks = drawn(process.pid)
        found = held(json.loads(run(HEAPFLAME, "heap", "--json", "--rows", "0", process.pid)))
        process.stdin.close()
    words = sum_of(stacks, "up to 33,554,432 B")  # a stale word may lead to the table, past the dict
    assert near(words, told), (words, told, sorted(stacks, key=lambda stack: -stack[1])[:5])
    cache = sum_of(stacks, r"^global remembered \(cached.so\)")
    assert near(cache, ENTRIES * (24 + 504 + 32)), cache
    classes = {row["name"]: row for row in found["classes"]}
    assert classes["str"]["all"]["blocks"] >= 1000000 and classes["dict"]["all"]["blocks"] > 100, classes["dict"]


# ---- PostgreSQL ----


def test_postgres():
    """What an extension left below TopMemoryContext is held: all of it, and not lost. Contexts point to their parents and siblings, so
    each global that has one leads to all of them; which one has it, `heapflame contexts` says."""
    from _postgres import server  # skips without its headers

    count, size = 400, 20000
    with server() as running:
        client, pid = running.idle()

        def asked(text):
            client.stdin.write(text + "\n")
            client.stdin.flush()
            return client.stdout.readline().strip()

        assert asked("SELECT leak_contexts(1, 0);") == "1"
        before = drawn(pid)
        assert asked(f"SELECT leak_contexts({count}, {size});") == str(count)
        after = drawn(pid)
    grew = {}
    for sign, stacks in ((1, after), (-1, before)):
        for frames, held_bytes in stacks:
            grew[frames[0]] = grew.get(frames[0], 0) + sign * held_bytes
    most = max(grew, key=grew.get)
    assert near(grew[most], count * (1024 + size + 64), 0.01), grew
    assert most == "three or more globals, each of them", most


# ---- clickhouse-server ----

CONFIG = """<?xml version="1.0"?>
<yandex>
    <logger><level>warning</level><console>1</console></logger>
    <tcp_port>{port}</tcp_port>
    <listen_host>127.0.0.1</listen_host>
    <path>{folder}/data/</path>
    <tmp_path>{folder}/tmp/</tmp_path>
    <users_config>{folder}/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>1048576</mark_cache_size>
</yandex>
"""
USERS = """<?xml version="1.0"?>
<yandex>
    <profiles><default></default></profiles>
    <quotas><default></default></quotas>
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
"""
LOGGERS = "_ZN4Poco6Logger11_pLoggerMapB5cxx11E"  # a std::map<std::string, Poco::Logger *> *


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def clickhouse():
    port = free_port()
    folder = Path.cwd()
    Path("config.xml").write_text(CONFIG.format(port=port, folder=folder))
    Path("users.xml").write_text(USERS)
    with open("log", "wb") as log, subprocess.Popen(
        [shutil.which("clickhouse-server"), f"--config-file={folder}/config.xml"], stdout=log, stderr=log
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while True:
                assert process.poll() is None and time.monotonic() < deadline, Path("log").read_text()[-3000:]
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            time.sleep(1)
            yield process.pid
        finally:
            process.kill()


def count_loggers(pid):
    """As the map itself has it: the count is the last word of std::map."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        start, path = next((int(line.split("-")[0], 16), line.split()[-1]) for line in maps if "libPocoFoundation.so" in line)
    address = next(value for value, _, name in Elf.of(path).symbols if name == LOGGERS)
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        memory.seek(start + address)
        (at,) = struct.unpack("<Q", memory.read(8))
        memory.seek(at + 40)
        return struct.unpack("<Q", memory.read(8))[0]


def check_jemalloc(pid):
    """What it has of jemalloc, against what jemalloc prints, when a debugger has it do so; it works a little all the time."""
    deadline = time.monotonic() + 60
    while True:
        parts = [part for part in document(pid)["heaps"] if part["allocator"] == "jemalloc"]
        call_in(pid, "((void (*)(void *, void *, void *))malloc_stats_print)(0, 0, 0)")
        allocated, active = map(int, re.findall(r"^Allocated: (\d+), active: (\d+)", Path("log").read_text(), re.M)[-1])
        blocks = [part for part in parts if part["part"] in ("small blocks", "large blocks", "thread caches")]
        in_use = sum(part["in_use"]["bytes"] + part["cached"]["bytes"] for part in blocks)
        all_bytes = sum(part["in_use"]["bytes"] + part["free"]["bytes"] for part in blocks)
        if near_part(in_use, allocated, 0.005) and near_part(all_bytes, active, 0.005):
            return
        assert time.monotonic() < deadline, (in_use, allocated, all_bytes, active, parts)


def test_clickhouse():
    with clickhouse() as pid:
        count = count_loggers(pid)
        found = held(json.loads(run(HEAPFLAME, "heap", "--json", "--rows", "0", pid)))
        stacks = drawn(pid)
        check_jemalloc(pid)
    classes = {row["name"]: row for row in found["classes"]}
    loggers = classes["Poco::Logger"]
    roots = {frames[0] for frames, _ in stacks if any(frame.startswith("Poco::Logger ") for frame in frames)}
    assert count >= 5 and abs(loggers["all"]["blocks"] - count) <= 1, (count, loggers)
    assert any("Poco::Logger::_pLoggerMap" in root for root in roots), roots


sys.exit(run_tests(globals()))
