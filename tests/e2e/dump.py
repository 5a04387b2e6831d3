#!/usr/bin/env python3
"""Profiles over HTTP: `heapflame dump` and URLs as operands, against the example service in each of
its forms and against servers that answer badly. Everything stays on loopback."""

import gzip
import http.server
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

from _suite import run_tests
from service import MIB, SERVICE, Dump, Service, expect_equal

RESTART = (
    "restart it with MALLOC_CONF=prof:true in its environment (_RJEM_MALLOC_CONF=prof:true if its "
    "jemalloc is built with a prefix, as in most Rust programs); it cannot be switched on later"
)
REBUILD = (
    "it was built without heap profiling; rebuild it with that feature, then start it with "
    "MALLOC_CONF=prof:true"
)
HEAP_V2 = (
    "heap_v2/524288\n  t*: 125: 136218 [0: 0]\n  t0: 125: 136218 [0: 0]\n"
    "@ 0x401001 0x402001\n  t*: 125: 136218 [0: 0]\n  t0: 125: 136218 [0: 0]\n\n"
    "MAPPED_LIBRARIES:\n00400000-00410000 r-xp 00000000 00:00 0 /nowhere/server\n"
)
SAMPLED = (
    "125 sampled objects stand for about 60,201 objects, 62.6 MiB in use; period 512 KiB"
)
REALLY_LONG_S = 600


def heapflame(*arguments, **environment):
    """(exit status, standard output as bytes, standard error without its 'heapflame: ')"""
    done = subprocess.run(
        ["heapflame", *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=REALLY_LONG_S,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr.decode().replace("heapflame: ", "")


def fails(status, message, *arguments, **environment):
    """The command fails with this very sentence, and writes nothing."""
    code, out, err = heapflame(*arguments, **environment)
    expect_equal((code, out, err), (status, b"", message + "\n"))


class Odd:
    """A server that gives each path its prepared answer: (status, headers, body). Paths not
    prepared are 404. `seen` lists "METHOD path" and the headers of the last request."""

    def __init__(self, answers):
        outer = self
        self.seen = []
        self.headers = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length).decode()
                key = f"{self.command} {self.path}"
                outer.seen.append(key + (f" {body}" if body else ""))
                outer.headers = dict(self.headers)
                status, headers, content = answers.get(
                    key, answers.get(self.path, answers.get("*", (404, {}, b"")))
                )
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def url_of(service):
    return f"http://127.0.0.1:{service.port}"


def test_each_form_of_the_example_service():
    for endpoints, first in [
        ("greptime", "/debug/prof/mem"),
        ("greptime-old", "/v1/prof/mem"),
        ("pprof", "/debug/pprof/heap"),
        ("greptime-old,pprof", "/v1/prof/mem"),
        ("all", "/debug/prof/mem"),
    ]:
        with Service("prof:true,lg_prof_sample:0", "--endpoints", endpoints) as service:
            service.get("/leak?n=7")
            code, out, err = heapflame("dump", url_of(service))
            expect_equal(code, 0)
            match = re.fullmatch(
                r"[\d,]+ objects, (\d+\.\d) MiB in use; every allocation is recorded\n", err
            )
            assert match and float(match[1]) >= 7, err
            expect_equal(Dump(out.decode()).live_in("process_leak"), (7, 7 * MIB))
            asked = [line for line in service.log().splitlines() if line.endswith(" 200")]
            assert asked[-1].endswith(f" {first} 200"), (endpoints, asked)
            # The whole URL leads there too, whatever the method.
            code, out, err = heapflame("dump", url_of(service) + first, "-o", "x.heap")
            expect_equal((code, out), (0, b""))
            expect_equal(
                Dump(Path("x.heap").read_text()).live_in("process_leak"), (7, 7 * MIB)
            )


def test_a_sampled_profile_is_whole():
    with Service("prof:true") as service:
        service.get("/leak?n=101")
        code, _, err = heapflame("dump", url_of(service), "-o", "x.heap")
        expect_equal(code, 0)
        match = re.fullmatch(
            r"(\d+) sampled objects stand for about [\d,]+ objects, (\d+\.\d) MiB in use; "
            r"period 512 KiB\n",
            err,
        )
        assert match and 50 < int(match[1]) and 50 < float(match[2]) < 150, err
        expect_equal(heapflame("dump", "-q", url_of(service), "-o", "y.heap")[2], "")


def test_a_server_without_profiling_says_what_to_do():
    with Service() as service:
        url = url_of(service)
        says = "the server says 'Memory profiling is not enabled': " + RESTART
        fails(5, f"{url}/debug/prof/mem: {says}", "dump", url, "-o", "x.heap")
        fails(5, f"{url}/v1/prof/mem: {says}", "dump", f"{url}/v1/prof/mem", "-o", "x.heap")
        fails(5, f"{url}/debug/prof/mem: {says}", "fold", url)
        fails(5, f"{url}/debug/prof/mem/activate: {says}", "dump", "--activate", url)
        fails(5, f"{url}/debug/prof/mem/gdump: {says}", "dump", "--gdump=on", url)
        expect_equal(heapflame("dump", "--status", url), (0, b"sampling: off\ngdump: off\n", ""))
    with Service("prof:true", "--endpoints", "disabled") as service:
        url = url_of(service)
        says = "the server says 'The 'mem-prof' feature is disabled': " + REBUILD
        fails(5, f"{url}/debug/prof/mem: {says}", "dump", url, "-o", "x.heap")
    with Service("prof:true", "--endpoints", "none") as service:
        url = url_of(service)
        fails(
            5,
            f"{url}/: found none of the known endpoints for heap profiles (POST "
            "/debug/prof/mem, GET /v1/prof/mem, GET /debug/pprof/heap, GET /pprof/heap): give the full URL of the profile",
            "dump",
            url,
            "-o",
            "x.heap",
        )
        fails(
            5,
            f"{url}/nothing: the server answers 404 Not Found: 'There is nothing here.'",
            "dump",
            f"{url}/nothing",
        )
        fails(
            5,
            f"{url}/debug/prof/mem/status: the server has no such switch (404 Not Found): expected a server with GreptimeDB's switches",
            "dump",
            "--status",
            url,
        )
    assert not Path("x.heap").exists()


def test_armed_then_activated():
    with Service("prof:true,prof_active:false,lg_prof_sample:12") as service:
        url = url_of(service)
        expect_equal(heapflame("dump", "--status", url), (0, b"sampling: off\ngdump: off\n", ""))
        service.get("/leak?n=3")
        code, _, err = heapflame("dump", url, "-o", "x.heap")
        expect_equal(
            (code, err),
            (
                0,
                "no object was sampled; period 4 KiB. Is sampling switched on (--status), and has the server allocated since?\n",
            ),
        )
        expect_equal(heapflame("dump", "--activate", url), (0, b"", "sampling is switched on\n"))
        expect_equal(heapflame("dump", "--status", url), (0, b"sampling: on\ngdump: off\n", ""))
        service.get("/leak?n=5")
        expect_equal(heapflame("dump", "--deactivate", url), (0, b"", "sampling is switched off\n"))
        service.get("/leak?n=11")
        code, out, _ = heapflame("dump", url)
        expect_equal((code, Dump(out.decode()).live_in("process_leak")), (0, (5, 5 * MIB)))
        done = "dumps at each new maximum of memory are switched"
        expect_equal(heapflame("dump", "--gdump", "on", url), (0, b"", f"{done} on\n"))
        expect_equal(heapflame("dump", "--status", url), (0, b"sampling: off\ngdump: on\n", ""))
        expect_equal(heapflame("dump", "--gdump", "off", url), (0, b"", f"{done} off\n"))
        expect_equal(heapflame("dump", "-q", "--gdump=off", f"{url}/debug/prof/mem/")[::2], (0, ""))


def total_of(folded, name):
    return sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines() if name in line)


def test_a_url_stands_where_a_file_may():
    with Service("prof:true,lg_prof_sample:0", "--cache-limit", "256MiB") as service:
        url = url_of(service)
        service.get("/cache?n=20")
        expect_equal(heapflame("dump", url, "-o", "before.heap")[0], 0)
        code, out, _ = heapflame("fold", url)
        expect_equal((code, total_of(out.decode(), "cache_fill")), (0, 20 * MIB))
        service.get("/cache/drop?n=15")
        service.get("/leak?n=10")
        code, out, _ = heapflame("fold", url, "--base", "before.heap")
        expect_equal(code, 0)
        expect_equal(total_of(out.decode(), "process_leak"), 10 * MIB)
        expect_equal(total_of(out.decode(), "cache_fill"), -15 * MIB)
        code, out, _ = heapflame("fold", "before.heap", f"--base={url}/v1/prof/mem")
        expect_equal(code, 0)
        expect_equal(total_of(out.decode(), "process_leak"), -10 * MIB)
        expect_equal(total_of(out.decode(), "cache_fill"), 15 * MIB)
        # Several are added, wherever they come from.
        code, out, _ = heapflame("fold", url, "before.heap")
        expect_equal(total_of(out.decode(), "cache_fill"), 25 * MIB)


def test_the_bytes_are_kept():
    body = HEAP_V2.encode()
    for headers, content in [
        ({"Content-Type": "application/octet-stream"}, body),
        ({"Content-Encoding": "gzip"}, gzip.compress(body)),
        ({}, body.replace(b"\n", b"\r\n")),
    ]:
        with Odd({"/h": (200, headers, content)}) as server:
            code, out, err = heapflame("dump", server.url + "/h")
            kept = body if "Content-Encoding" in headers else content
            expect_equal((code, out, err), (0, kept, SAMPLED + "\n"))
            agent = server.headers["User-Agent"]
            version = subprocess.check_output(["heapflame", "--version"], text=True)
            expect_equal(agent, version.strip().replace(" ", "/"))


def test_a_cut_profile_is_written_and_told():
    cut = HEAP_V2.encode()[: HEAP_V2.index("MAPPED")]
    with Odd({"/h": (200, {}, cut)}) as server:
        code, out, err = heapflame("dump", server.url + "/h")
        expect_equal((code, out), (4, cut))
        assert err.startswith(f"lost: {server.url}/h: ends without 'MAPPED_LIBRARIES:'"), err


def test_odd_answers():
    json = {"Content-Type": "application/json"}
    with Odd(
        {
            "/garbage": (200, {}, b"\x00\x01\x02garbage\x1b[2J"),
            "/empty": (200, {}, b""),
            "/page": (200, {"Content-Type": "text/html"}, b"<p>a\nb 5\n"),
            "/json200": (200, json, b'{"error":"Memory profiling is not enabled"}'),
            "/json500": (500, json, b'{"error":"disk full \\u001b[31m"}'),
            "/text500": (500, {}, b"sorry\nmore"),
            "/500": (500, {}, b""),
            "/599": (599, {}, b"<html>"),
            "/403": (403, {}, b"heap profiling not activated"),
            "/deep": (500, json, b'{"error":' + b"[" * 30000),
        }
    ) as server:
        url = server.url
        for path, words in [
            ("/empty", "is empty; expected a profile"),
            ("/garbage", "is not a profile in a known format ("),
        ]:
            code, out, err = heapflame("dump", url + path)
            expect_equal((code, out), (3, b""))
            assert err.startswith(f"{url}{path}: line 1: {words}"), err
            assert "\x1b" not in err and "\x00" not in err, err
        for path, sentence in [
            ("/page", "the server answers 200"),
            ("/json200", "the server says 'Memory profiling is not enabled': " + RESTART),
            ("/json500", "the server answers 500 Internal Server Error: 'disk full \\x1b[31m'"),
            ("/text500", "the server answers 500 Internal Server Error: 'sorry'"),
            ("/500", "the server answers 500 Internal Server Error"),
            ("/599", "the server answers 599"),
            ("/deep", "the server answers 500 Internal Server Error"),
            (
                "/403",
                "the server says 'heap profiling not activated': switch sampling on with heapflame "
                "dump --activate, and let it run a while",
            ),
        ]:
            fails(5, f"{url}{path}: {sentence}", "dump", url + path)


def test_the_search_goes_on_until_somebody_knows():
    json = {"Content-Type": "application/json"}
    paths = ["POST /debug/prof/mem", "GET /v1/prof/mem", "GET /debug/pprof/heap", "GET /pprof/heap"]
    profile = (200, {}, HEAP_V2.encode())
    page = (200, {"Content-Type": "text/html"}, b"<!doctype html>\n")
    with Odd({"*": page, "/pprof/heap": profile}) as server:
        expect_equal(heapflame("dump", server.url)[0], 0)
        expect_equal(server.seen, paths)
    with Odd({"*": page}) as server:
        fails(5, f"{server.url}/debug/prof/mem: the server answers 200", "dump", server.url)
        expect_equal(server.seen, paths)
    with Odd({"*": (404, json, b'{"error":"no route"}'), "/v1/prof/mem": profile}) as server:
        expect_equal(heapflame("dump", server.url)[0], 0)
        expect_equal(server.seen, paths[:2])
    with Odd({"/v1/prof/mem": (503, json, b'{"error":"busy"}'), "/pprof/heap": profile}) as server:
        says = "the server answers 503 Service Unavailable: 'busy'"
        fails(5, f"{server.url}/v1/prof/mem: {says}", "dump", server.url)
        expect_equal(server.seen, paths[:2])
    with Odd({"GET /h": (405, {}, b""), "POST /h": profile}) as server:
        expect_equal(heapflame("dump", server.url + "/h")[0], 0)
        expect_equal(server.seen, ["GET /h", "POST /h"])
    with Odd({"*": (200, json, b'{"active": true}')}) as server:
        expect_equal(heapflame("dump", "--gdump=on", server.url + "/db")[0], 0)
        expect_equal(server.seen, ["POST /db/debug/prof/mem/gdump activate=true"])
    with Odd({"*": (200, {}, b"yes")}) as server:
        code, out, err = heapflame("dump", "--status", server.url)
        expect_equal((code, out), (3, b""))
        assert 'expected {"active": true} or {"active": false} as the answer to \'status\'' in err, err


def test_redirects():
    answers = {
        f"/r{n}": (302, {"Location": f"/r{n - 1}"}, b"") for n in range(1, 9)
    }
    answers["/r0"] = (200, {}, HEAP_V2.encode())
    answers["/file"] = (302, {"Location": "file:///etc/hostname"}, b"")
    answers["/ftp"] = (302, {"Location": "ftp://127.0.0.1/x"}, b"")
    with Odd(answers) as server:
        where = server.url.removeprefix("http://")
        expect_equal(heapflame("dump", server.url + "/r5")[0], 0)
        fails(5, f"{where} redirects more than 5 times (HF_LIMIT_HTTP_REDIRECTS)", "dump", server.url + "/r6")
        for path in "/file", "/ftp":
            code, out, err = heapflame("dump", server.url + path)
            expect_equal((code, out), (5, b""))
            assert "redirects to a URL that is not followed; expected http or https" in err, err


def test_nobody_there():
    with socket.socket() as bound:  # bound, but not listening
        bound.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{bound.getsockname()[1]}"
        ask = "is the server running, and is this its HTTP port?"
        fails(5, f"nothing listens at {host}; {ask}", "dump", f"http://{host}", "-o", "x.heap")
        fails(5, f"nothing listens at {host}; {ask}", "fold", f"http://me:secret@{host}/x")
        fails(5, f"nothing listens at {host}; {ask}", "dump", "--status", f"http://{host}")
    with socket.create_server(("127.0.0.1", 0)) as rude:
        host = f"127.0.0.1:{rude.getsockname()[1]}"

        def hang_up():
            connection, _ = rude.accept()
            connection.recv(4096)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        fails(5, f"{host} closed the connection without an answer", "dump", f"http://{host}/x")
        thread.join()


def test_this_machine_needs_no_proxy():
    nowhere = "http://127.0.0.1:1"
    with Odd({"/h": (200, {}, HEAP_V2.encode())}) as server:
        for host in "127.0.0.1", "localhost":
            url = server.url.replace("127.0.0.1", host) + "/h"
            code, _, err = heapflame("dump", url, http_proxy=nowhere, ALL_PROXY=nowhere)
            expect_equal((code, err), (0, SAMPLED + "\n"))
        # Elsewhere it does.
        code, _, err = heapflame("dump", "http://elsewhere.invalid/h", http_proxy=server.url)
        expect_equal((code, server.seen[-1]), (5, "POST http://elsewhere.invalid/h"))
        # A password in ~/.netrc is left where it is.
        Path(os.environ["HOME"], ".netrc").write_text("machine 127.0.0.1 login a password b\n")
        expect_equal(heapflame("dump", server.url + "/h")[0], 0)
        assert "Authorization" not in server.headers, server.headers


def test_command_line():
    url = "http://127.0.0.1:1"
    for message, *arguments in [
        ("expected one PID, live table or URL, e.g. http://localhost:4000; found 0",),
        ("expected one PID, live table or URL, e.g. http://localhost:4000; found 2", url, url),
        ("--gdump: expected 'on' or 'off', found 'yes'", "--gdump=yes", url),
        ("--status, --activate, --deactivate and --gdump exclude each other",)
        + ("--status", "--activate", url),
        ("-o and --rm need a profile, but with --status, --activate, --deactivate or --gdump none is fetched", "--status", "-o", "x", url),
    ]:
        fails(2, message, "dump", *arguments)
    fails(5, "cannot open file:///etc/hostname: No such file or directory", "dump", "file:///etc/hostname", "-o-")
    code, _, err = heapflame("dump", "http://127.0.0.1:99999/")
    expect_equal(code, 2)
    assert err.startswith("the URL is malformed: "), err


def test_a_terminal_gets_no_profile():
    terminal, other_end = os.openpty()
    try:
        done = subprocess.run(
            ["heapflame", "dump", "http://127.0.0.1:1"],
            stdin=subprocess.DEVNULL,
            stdout=other_end,
            stderr=subprocess.PIPE,
            timeout=REALLY_LONG_S,
        )
    finally:
        os.close(terminal)
        os.close(other_end)
    expect_equal(done.returncode, 2)
    assert b"standard output is a terminal: give -o FILE" in done.stderr, done.stderr


def test_libcurl_is_loaded_when_needed_only():
    Path("none").mkdir()
    Path("none/libcurl.so.4").write_bytes(b"")
    elsewhere = {"LD_LIBRARY_PATH": str(Path("none").resolve())}
    code, out, err = heapflame("dump", "http://127.0.0.1:1/", **elsewhere)
    expect_equal((code, out), (5, b""))
    assert err.startswith(
        "libcurl.so.4 is needed to fetch a URL; install the package libcurl4 ("
    ), err
    Path("a.folded").write_text("main;work 5\n")
    expect_equal(heapflame("fold", "a.folded", **elsewhere), (0, b"main;work 5\n", ""))


def test_the_command_needs_few_libraries():
    """What is loaded at every start costs every start: see docs/ARCHITECTURE.md."""
    allowed = {"libc.so.6", "libm.so.6", "libpcre2-8.so.0", "libz.so.1", "libzstd.so.1"}
    allowed |= {"liblzma.so.5", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    if "HEAPFLAME_SANITIZED" in os.environ:
        allowed |= {"libasan.so.8", "libubsan.so.1", "libgcc_s.so.1", "libdl.so.2"}
        allowed |= {"libpthread.so.0", "librt.so.1", "libresolv.so.2"}
    listing = subprocess.run(
        ["readelf", "-dW", shutil.which("heapflame")], check=True, capture_output=True, text=True
    )
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", listing.stdout))
    assert "libc.so.6" in needed, listing.stdout
    assert needed <= allowed, f"linked with {sorted(needed - allowed)}"


def main():
    import service

    service.FUNCTIONS = service.read_functions()
    return run_tests(globals())


if __name__ == "__main__":
    if not SERVICE.exists():
        print(f"{SERVICE.name} was not built: libjemalloc-dev or libmicrohttpd-dev is missing")
        sys.exit(77)
    for tool in "nm", "readelf":
        if shutil.which(tool) is None:
            print(f"{tool} is missing: install binutils")
            sys.exit(77)
    sys.exit(main())
