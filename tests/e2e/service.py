#!/usr/bin/env python3
"""The example service, end to end: every endpoint, the MALLOC_CONF settings its README names, and
numbers that are exact. The dumps are read by a parser of this file's own, so that a mistake in
heapflame's reader cannot hide one here."""

import bisect
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from _suite import run_tests

MIB = 1 << 20
SERVICE = Path(os.environ["BUILD"]).resolve() / "examples/leaky-service/leaky-service"
AGENT = Path(os.environ["BUILD"]).resolve() / "agent/libheapflame.so"
NOT_ENABLED = {"error": "Memory profiling is not enabled"}
START_TIMEOUT_S = 300


def expect_equal(got, expected):
    assert got == expected, f"expected {expected}, got {got}"


class Service:
    """A running leaky-service; leaving the `with` block stops it by SIGTERM and expects exit 0."""

    program = SERVICE

    def __init__(self, conf="", *options):
        self.env = {k: v for k, v in os.environ.items() if k != "MALLOC_CONF"}
        if conf:
            self.env.update(self.profiled(conf))
        self.options = options
        self.expected_code = 0

    @staticmethod
    def profiled(conf):
        """What the environment needs for the service to be profiled."""
        return {"MALLOC_CONF": conf}

    def __enter__(self):
        with open("service.log", "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "--port", "0", *self.options],
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        ready, _, _ = select.select([self.process.stdout], [], [], START_TIMEOUT_S)
        line = self.process.stdout.readline().decode() if ready else ""
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        if match is None:
            self.process.kill()
            raise AssertionError(f"no address from the service but {line!r}; log: {self.log()}")
        self.port = int(match[1])
        self.pid = self.process.pid
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        try:
            code = self.process.wait(timeout=START_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the service does not stop on SIGTERM") from None
        finally:
            self.process.stdout.close()
        if kind is None:
            assert code == self.expected_code, f"exit status {code} after SIGTERM; log: {self.log()}"

    def kill(self):
        self.expected_code = -signal.SIGKILL
        self.process.kill()
        self.process.wait()

    @staticmethod
    def log():
        return Path("service.log").read_text()

    def ask(self, method, target, body=None):
        """(status, headers, text). http.client knows no proxies; this is loopback."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.request(method, target, body)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def expect(self, status, method, target, body=None):
        got, headers, text = self.ask(method, target, body)
        assert got == status, f"{method} {target}: expected {status}, got {got}: {text}"
        assert headers["Content-Length"] == str(len(text)), headers
        if headers["Content-Type"] == "application/json":
            return json.loads(text)
        expect_equal(headers["Content-Type"], "text/plain; charset=utf-8")
        return text

    def get(self, target):
        return self.expect(200, "GET", target)

    def post(self, target, body=None):
        return self.expect(200, "POST", target, body)

    def snapshot(self):
        return Dump(self.post("/debug/prof/mem"))


class PlainService(Service):
    """The same service on glibc's malloc, profiled by heapflame's agent with the same options."""

    program = SERVICE.with_name("leaky-service-plain")

    @staticmethod
    def profiled(conf):
        return {"HEAPFLAME_CONF": conf, "LD_PRELOAD": str(AGENT)}


class Dump:
    """A heap_v2 dump: `period`, `total` and `stacks`, as (addresses, objects, bytes)."""

    COUNTS = re.compile(r"\s+t\*: (\d+): (\d+) \[(\d+): (\d+)\]")
    MAP = re.compile(r"([0-9a-f]+)-[0-9a-f]+ \S+ ([0-9a-f]+) \S+ \d+\s*(.*)")

    def __init__(self, text):
        lines = iter(text.splitlines())
        self.period = int(re.fullmatch(r"heap_v2/(\d+)", next(lines))[1])
        self.total = self.counts(next(lines))
        self.stacks = []
        self.load_address = None
        for line in lines:
            if line.startswith("@"):
                addresses = [int(word, 16) for word in line.split()[1:]]
                self.stacks.append((addresses, *self.counts(next(lines))))
            elif line == "MAPPED_LIBRARIES:":
                break
        for line in lines:
            start, offset, path = self.MAP.fullmatch(line).groups()
            if path == str(SERVICE) and int(offset, 16) == 0:
                self.load_address = int(start, 16)
        assert self.load_address is not None, "the maps do not name the service"

    def counts(self, line):
        objects, size, _, _ = map(int, self.COUNTS.fullmatch(line).groups())
        return objects, size

    def live_in(self, name):
        """(objects, bytes) of all stacks that pass through the function."""
        objects = size = 0
        for addresses, stack_objects, stack_size in self.stacks:
            # A return address lies behind its call: one back is inside the calling function.
            if any(function_at(a - 1 - self.load_address) == name for a in addresses):
                objects += stack_objects
                size += stack_size
        return objects, size


def read_functions():
    """Sorted (start, end, name) of the service's own functions."""
    command = ["nm", "-S", "--defined-only", SERVICE]
    listing = subprocess.run(command, check=True, capture_output=True, text=True)
    functions = []
    for line in listing.stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT":
            start, size = int(fields[0], 16), int(fields[1], 16)
            functions.append((start, start + size, fields[3]))
    return sorted(functions)


def function_at(address):
    index = bisect.bisect_right(FUNCTIONS, (address, float("inf"))) - 1
    if index >= 0 and FUNCTIONS[index][0] <= address < FUNCTIONS[index][1]:
        return FUNCTIONS[index][2]
    return None


def test_without_profiling():
    with Service() as service:
        assert "leaks 1 MiB" in service.get("/")
        expect_equal(service.get("/leak"), "Leaked 1 MiB.\n")
        expect_equal(service.get("/debug/prof/mem/status"), {"active": False})
        expect_equal(service.get("/debug/prof/mem/gdump"), {"active": False})
        for method, target, body in [
            ("GET", "/dump", None),
            ("GET", "/v1/prof/mem", None),
            ("POST", "/debug/prof/mem", None),
            ("POST", "/debug/prof/mem/activate", None),
            ("POST", "/debug/prof/mem/deactivate", None),
            ("POST", "/debug/prof/mem/gdump", "activate=true"),
        ]:
            expect_equal(service.expect(500, method, target, body), NOT_ENABLED)
        assert not list(Path().glob("*.heap"))
    assert service.log().startswith("GET / 200\nGET /leak 200\n"), service.log()


def test_dump_files_are_named_as_in_the_readme():
    with Service("prof:true,prof_prefix:jemalloc,prof_final:true") as service:
        expect_equal(service.get("/dump"), f"Dumped to jemalloc.{service.pid}.*.m0.heap\n")
        service.get("/leak?n=3")
        expect_equal(service.get("/dump"), f"Dumped to jemalloc.{service.pid}.*.m1.heap\n")
        service.snapshot()  # goes to nobody's numbering
    names = sorted(p.name for p in Path().glob("*.heap"))
    stem = f"jemalloc.{service.pid}"
    assert names == [f"{stem}.0.m0.heap", f"{stem}.1.m1.heap", f"{stem}.2.f.heap"], names
    for name in names:
        expect_equal(Dump(Path(name).read_text()).period, 512 * 1024)


def test_a_dump_that_cannot_be_written_is_an_error():
    with Service("prof:true,prof_prefix:") as service:
        assert "prof_prefix" in service.expect(500, "GET", "/dump")["error"]
        service.snapshot()  # needs no prefix


def test_each_leak_is_one_mib_to_the_byte():
    with Service("prof:true,lg_prof_sample:0") as service:
        expect_equal(service.snapshot().live_in("process_leak"), (0, 0))
        service.get("/leak?n=7")
        service.get("/leak")
        service.get("/leak?n=0")
        dump = service.snapshot()
        expect_equal(dump.period, 1)
        expect_equal(dump.live_in("process_leak"), (8, 8 * MIB))
        assert dump.live_in("main")[1] >= 8 * MIB, "stacks do not reach main"
        # Both sides of the sum the dump itself offers.
        expect_equal(dump.total, (sum(s[1] for s in dump.stacks), sum(s[2] for s in dump.stacks)))


def test_many_clients_at_once():
    with Service("prof:true,lg_prof_sample:0") as service:

        def leak():
            for _ in range(13):
                service.get("/leak")

        clients = [threading.Thread(target=leak) for _ in range(7)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        expect_equal(service.snapshot().live_in("process_leak"), (91, 91 * MIB))


def test_the_difference_of_two_snapshots():
    with Service("prof:true,lg_prof_sample:0", "--cache-limit", "256MiB") as service:
        service.get("/cache?n=200&size=1MiB")
        before = service.snapshot()
        service.get("/cache/drop?n=150")
        service.get("/leak?n=100")
        after = service.snapshot()
    expect_equal(before.live_in("cache_fill"), (200, 200 * MIB))
    expect_equal(after.live_in("cache_fill"), (50, 50 * MIB))
    expect_equal(before.live_in("process_leak"), (0, 0))
    expect_equal(after.live_in("process_leak"), (100, 100 * MIB))


def test_the_cache_levels_off():
    with Service("prof:true,lg_prof_sample:0", "--cache-limit", "5MiB") as service:
        service.get("/cache?n=4")
        expect_equal(service.snapshot().live_in("cache_fill"), (4, 4 * MIB))
        for _ in range(3):
            service.get("/cache?n=41")
            expect_equal(service.snapshot().live_in("cache_fill"), (5, 5 * MIB))
        text = service.get("/cache?n=16&size=64KiB")
        expect_equal(text, "The cache holds 20 entries, 5242880 of at most 5242880 bytes.\n")
        expect_equal(service.snapshot().live_in("cache_fill"), (20, 5 * MIB))
        service.get("/cache/drop?n=4000")
        expect_equal(service.snapshot().live_in("cache_fill"), (0, 0))


def test_armed_but_idle():
    with Service("prof:true,prof_active:false,lg_prof_sample:0") as service:
        expect_equal(service.get("/debug/prof/mem/status"), {"active": False})
        service.get("/leak?n=3")
        expect_equal(service.snapshot().stacks, [])
        expect_equal(service.post("/debug/prof/mem/activate"), "Heap profiling activated")
        expect_equal(service.get("/debug/prof/mem/status"), {"active": True})
        service.get("/leak?n=5")
        expect_equal(service.post("/debug/prof/mem/deactivate"), "Heap profiling deactivated")
        service.get("/leak?n=11")
        expect_equal(service.snapshot().live_in("process_leak"), (5, 5 * MIB))


def test_gdump_writes_a_file_at_a_new_maximum():
    with Service("prof:true,prof_prefix:g") as service:
        expect_equal(service.post("/debug/prof/mem/gdump", "activate=true"), "gdump activated")
        expect_equal(service.get("/debug/prof/mem/gdump"), {"active": True})
        service.get("/leak?n=67")
        assert list(Path().glob(f"g.{service.pid}.0.u0.heap"))
        expect_equal(service.post("/debug/prof/mem/gdump", "activate=false"), "gdump deactivated")
        expect_equal(service.get("/debug/prof/mem/gdump"), {"active": False})


def test_which_endpoints_exist():
    paths = [
        ("POST", "/debug/prof/mem"),
        ("GET", "/v1/prof/mem"),
        ("GET", "/debug/pprof/heap"),
        ("GET", "/pprof/heap"),
    ]
    for options, statuses in [
        ([], [200, 200, 404, 404]),
        (["--endpoints=greptime"], [200, 404, 404, 404]),
        (["--endpoints=greptime-old"], [404, 200, 404, 404]),
        (["--endpoints=pprof"], [404, 404, 200, 200]),
        (["--endpoints=greptime-old,pprof"], [404, 200, 200, 200]),
        (["--endpoints=all"], [200, 200, 200, 200]),
        (["--endpoints=none"], [404, 404, 404, 404]),
        (["--endpoints=disabled"], [501, 501, 501, 501]),
    ]:
        with Service("prof:true", *options) as service:
            for (method, path), status in zip(paths, statuses):
                text = service.expect(status, method, path)
                assert status != 200 or Dump(text)
                assert status != 501 or text == "The 'mem-prof' feature is disabled"


def test_bad_requests():
    with Service("prof:true") as service:
        for status, method, target, body in [
            (404, "GET", "/nothing", None),
            (404, "GET", "/%0aGET%20/leak%20200", None),
            (400, "GET", "/leak?n=", None),
            (400, "GET", "/leak?n", None),
            (400, "GET", "/leak?n=x", None),
            (400, "GET", "/leak?n=-1", None),
            (400, "GET", "/leak?n=4097", None),
            (400, "GET", "/leak?n=18446744073709551617", None),
            (400, "GET", "/cache?size=63", None),
            (400, "GET", "/cache?size=65MiB", None),
            (400, "GET", "/cache?size=99999999999GiB", None),
            (422, "POST", "/debug/prof/mem/gdump", None),
            (422, "POST", "/debug/prof/mem/gdump", "activate=maybe"),
            (413, "POST", "/debug/prof/mem/gdump", "x" * 300000),
        ]:
            service.expect(status, method, target, body)
        for method, target, allowed in [
            ("GET", "/debug/prof/mem", "POST"),
            ("POST", "/v1/prof/mem", "GET"),
            ("PUT", "/debug/prof/mem/gdump", "GET, POST"),
        ]:
            status, headers, _ = service.ask(method, target)
            expect_equal((status, headers["Allow"]), (405, allowed))
        for rude in [
            b"",
            b"nonsense\r\n\r\n",
            b"POST /debug/prof/mem/gdump HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nab",
            b"POST /debug/prof/mem HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        ]:
            with socket.create_connection(("127.0.0.1", service.port)) as connection:
                connection.sendall(rude)
        service.get("/")
    for line in service.log().splitlines():
        # What a client wrote is nowhere in it, line breaks included.
        assert re.fullmatch(r"[A-Z]+ (\(unknown path\)|/[a-z0-9/]*) \d{3}", line), line


def test_it_listens_on_loopback_only():
    with Service() as service:
        listening = "0A"
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        port = f":{service.port:04X}"
        found = [r[1] for r in rows if r[3] == listening and r[1].endswith(port)]
        assert found == ["0100007F" + port], found


def test_command_line():
    def run(*arguments):
        return subprocess.run(
            [SERVICE, *arguments], capture_output=True, text=True, timeout=START_TIMEOUT_S
        )

    result = run("--help")
    expect_equal((result.returncode, result.stderr), (0, ""))
    assert result.stdout.startswith("usage: leaky-service "), result.stdout
    for arguments, words in [
        (["--port", "65536"], "--port: 65536"),
        (["--port", ""], "--port"),
        (["--cache-limit", "5 MiB"], "--cache-limit: 5 MiB"),
        (["--endpoints", "greptime,"], "--endpoints"),
        (["--endpoints", "foo"], "--endpoints: unknown name in foo"),
        (["here"], "unexpected argument here"),
        (["--nonsense"], "--nonsense"),
    ]:
        result = run(*arguments)
        assert (result.returncode, result.stdout) == (2, "") and words in result.stderr, result
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("--port", str(taken.getsockname()[1]))
    assert result.returncode == 1 and "cannot listen" in result.stderr, result


def main():
    return run_tests(globals())


if __name__ == "__main__":
    if not SERVICE.exists():
        print(f"{SERVICE.name} was not built: libjemalloc-dev or libmicrohttpd-dev is missing")
        sys.exit(77)
    if shutil.which("nm") is None:
        print("nm is missing: install binutils")
        sys.exit(77)
    FUNCTIONS = read_functions()
    sys.exit(main())
