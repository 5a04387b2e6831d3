#!/usr/bin/env python3
# timeout: 120
"""Debug files from a debuginfod server, here a small one on the loopback device, and from the cache of such clients."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc", "objcopy", "nm")

TIGHT = HEAPFLAME.parent / "tests/heapflame-tight"
SOURCE = "__attribute__((noinline)) static int hidden(int x) { return x * 3; }\nint main(int c, char **v) { (void)v; return hidden(c); }\n"


class Server(http.server.ThreadingHTTPServer):
    """Answers as a table of paths says, and remembers what it was asked."""

    def __init__(self, answers):
        self.answers, self.asked, self.is_over = answers, [], threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.is_over.set()
        self.shutdown()
        self.server_close()

    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer or b"never")))
        self.end_headers()
        if answer == b"":  # the slow one
            self.server.is_over.wait(20)
        else:
            self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Program:
    """A stripped program, its debug file as a server has it, and an environment of its own."""

    def __init__(self, extra=""):
        Path("program.c").write_text(SOURCE + extra)
        run("gcc", "-O1", "-g", "-Wl,--build-id=sha1", "-o", "whole", "program.c")
        run("objcopy", "--only-keep-debug", "whole", "debug")
        run("objcopy", "--strip-all", "whole", "stripped")
        self.debug = Path("debug").read_bytes()
        self.id = re.search(r"Build ID: (\w+)", run("readelf", "-n", "whole"))[1]
        self.path = f"/buildid/{self.id}/debuginfo"
        self.address = re.search(r"(?m)^(\w+) t hidden", run("nm", "whole"))[1]
        self.home = Path("home").resolve()
        shutil.rmtree(self.home, ignore_errors=True)
        (self.home / ".cache").mkdir(parents=True)
        self.kept = self.home / ".cache/debuginfod_client" / self.id / "debuginfo"

    def run(self, *arguments, urls="", program=HEAPFLAME):
        hidden = ("XDG_CACHE_HOME", "DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_URLS", "http_proxy", "HTTP_PROXY")
        env = {key: value for key, value in os.environ.items() if key not in hidden}
        env.update({"HOME": str(self.home)} | ({"DEBUGINFOD_URLS": urls} if urls else {}))
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=env, check=True)
        return done.stdout, done.stderr

    def name(self, urls="", program=HEAPFLAME):
        out, _ = self.run("addr2line", "-f", "-e", "stripped", self.address, urls=urls, program=program)
        return out.splitlines()[0]

    def info(self, urls="", program=HEAPFLAME):
        out, notes = self.run("symbols", "info", "--json", "stripped", urls=urls, program=program)
        return {place["path"]: place["found"] for place in json.loads(out)["looked_for"]}, notes


def test_a_server_has_it():
    program = Program()
    assert program.name() == "??"
    with Server({}) as first, Server({program.path: program.debug}) as second:
        assert program.name() == "??" and first.asked == second.asked == [], "asked without being told"
        assert program.name(f"{first.url()} {second.url()}") == "hidden"
        assert first.asked == second.asked == [program.path], (first.asked, second.asked)
        assert program.kept.read_bytes() == program.debug and program.kept.stat().st_mode & 0o77 == 0
        assert program.name(first.url()) == "hidden" and len(first.asked) == 1, "asked again"
    assert program.name() == "hidden", "what was fetched once needs no server"
    assert program.info()[0][str(program.kept)] == "taken"


def test_no_server_has_it():
    program = Program()
    with Server({}) as server:
        assert program.name(server.url()) == "??"
        places, notes = program.info(server.url())
        assert places[str(program.kept)] == "missing", places
        assert re.search(rf"none was found as .*; http://127\S+{program.path}: the server answers 404 Not Found", notes), notes
        server.answers[program.path] = program.debug
        assert program.name(server.url()) == "hidden", "not asked again"
    assert "nothing listens at 127.0.0.1:1;" in (program.kept.unlink() or program.info("http://127.0.0.1:1"))[1]


def test_another_file():
    """Of another build, or none: it is not kept."""
    program = Program()
    run("objcopy", "--only-keep-debug", "--remove-section=.note.gnu.build-id", "whole", "nameless")
    for answer, sentence in (
        (Path("nameless").read_bytes(), "the answer has another build-id"),
        (program.debug.replace(bytes.fromhex(program.id), bytes(20)), "the answer has another build-id"),
        (b"<html>sorry</html>", "is no ELF file"),
    ):
        with Server({program.path: answer}) as server:
            assert program.name(server.url()) == "??"
            assert sentence in program.info(server.url())[1], program.info(server.url())[1]
        assert not program.kept.exists()
    program.kept.parent.mkdir(parents=True)
    program.kept.write_bytes(program.debug.replace(bytes.fromhex(program.id), bytes(20)))
    assert program.name() == "??" and program.info()[0][str(program.kept)] == "another"


def test_a_slow_server():
    program = Program()
    with Server({program.path: b""}) as server:
        start = time.monotonic()
        assert "did not finish its answer within 5 seconds (HF_LIMIT_HTTP_SECONDS)" in program.info(server.url(), TIGHT)[1]
        assert time.monotonic() - start < 200


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
