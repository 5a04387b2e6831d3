#!/usr/bin/env python3
# timeout: 180
"""Debug files from debuginfod servers, here small ones on the loopback device and Debian's own, and from the cache of
such clients."""

import base64
import gzip
import http.server
import json
import os
import pty
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc", "objcopy", "nm", "debuginfod", "debuginfod-find")

TIGHT = HEAPFLAME.parent / "tests/heapflame-tight"
SOURCE = "__attribute__((noinline)) static int hidden(int x) { return x * 3; }\nint main(int c, char **v) { (void)v; return hidden(c); }\n"


class Server(http.server.ThreadingHTTPServer):
    """Answers as a table of paths says (bytes; b"" never ends; a function has the handler), and remembers what it was asked."""

    def __init__(self, answers):
        self.answers, self.asked, self.headers, self.is_over = answers, [], [], threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

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
        self.server.headers.append(dict(self.headers))
        answer = self.server.answers.get(self.path)
        if callable(answer):
            answer(self)
            return
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


class Mute:
    """A server that takes what it is asked, and says nothing."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.taken = []
        threading.Thread(target=self.take, daemon=True).start()
        return self

    def take(self):
        try:
            while True:
                self.taken.append(self.socket.accept()[0])
        except OSError:
            pass

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for one in self.taken:
            one.close()

    def url(self):
        return "http://127.0.0.1:%d" % self.socket.getsockname()[1]


class Program:
    """A stripped program, its debug file as a server has it, and an environment of its own."""

    def __init__(self, extra="", name=""):
        Path("program.c").write_text(SOURCE + extra)
        run("gcc", "-O1", "-g", "-Wl,--build-id=sha1", "-o", "whole" + name, "program.c")
        run("objcopy", "--only-keep-debug", "whole" + name, "debug" + name)
        run("objcopy", "--strip-all", "whole" + name, "stripped" + name)
        self.stripped = "stripped" + name
        self.debug = Path("debug" + name).read_bytes()
        self.id = re.search(r"Build ID: (\w+)", run("readelf", "-n", "whole" + name))[1]
        self.path = f"/buildid/{self.id}/debuginfo"
        self.address = re.search(r"(?m)^(\w+) t hidden", run("nm", "whole" + name))[1]
        self.home = Path("home").resolve()
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        self.cache = self.home / ".cache/debuginfod_client"
        self.kept = self.cache / self.id / "debuginfo"

    def section(self, name):
        return f"/buildid/{self.id}/section/{name}"

    def environment(self, urls="", **variables):
        hidden = ("XDG_CACHE_HOME", "http_proxy", "HTTP_PROXY")
        env = {key: value for key, value in os.environ.items() if key not in hidden and not key.startswith("DEBUGINFOD_")}
        variables = {f"DEBUGINFOD_{key}": str(value) for key, value in variables.items()}
        return env | {"HOME": str(self.home)} | ({"DEBUGINFOD_URLS": urls} if urls else {}) | variables

    def run(self, *arguments, urls="", program=HEAPFLAME, **variables):
        env = self.environment(urls, **variables)
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=env, check=True, timeout=60)
        return done.stdout, done.stderr

    def ask(self, urls="", program=HEAPFLAME, **variables):
        """The name of the hidden function and what is said, but for what is said of each file without debug information."""
        out, said = self.run("addr2line", "-f", "-e", self.stripped, self.address, urls=urls, program=program, **variables)
        return out.splitlines()[0], re.sub(rf"heapflame: note: {self.stripped}: it has no debug information, .*\n", "", said)

    def name(self, urls="", **variables):
        return self.ask(urls, **variables)[0]

    def info(self, urls="", program=HEAPFLAME, **variables):
        out, notes = self.run("symbols", "info", "--json", self.stripped, urls=urls, program=program, **variables)
        return {place["path"]: place["found"] for place in json.loads(out)["looked_for"]}, notes


def test_a_server_has_it():
    program = Program()
    assert program.name() == "??"
    with Server({}) as first, Server({program.path: program.debug}) as second:
        assert program.name() == "??" and first.asked == second.asked == [], "asked without being told"
        assert program.ask(f"{first.url()} {second.url()}") == ("hidden", "")
        assert first.asked == second.asked == [program.path], (first.asked, second.asked)
        assert program.kept.read_bytes() == program.debug and program.kept.stat().st_mode & 0o77 == 0
        assert program.name(first.url()) == "hidden" and len(first.asked) == 1, "asked again"
    assert program.name() == "hidden", "what was fetched once needs no server"
    assert program.info()[0][str(program.kept)] == "taken"


def test_where_it_is_kept():
    """A new home, as in a container, and one where elfutils' client was in its early days; a folder may not be there yet."""
    program = Program()
    with Server({program.path: program.debug}) as server:
        for path, variables in ((".cache/debuginfod_client", {}), ("a/b/c/d", {"CACHE_PATH": program.home / "a/b/c/d"}),
                                (".debuginfod_client_cache", {})):
            shutil.rmtree(program.home)
            program.home.mkdir()
            if path.startswith(".debug"):
                (program.home / path).mkdir()
            assert program.ask(server.url(), **variables) == ("hidden", ""), path
            assert (program.home / path / program.id / "debuginfo").read_bytes() == program.debug
        assert len(server.asked) == 3
        shutil.rmtree(program.home)  # none to keep it in: it serves all the same
        program.home.mkdir()
        (program.home / ".cache").write_text("no folder")
        name, said = program.ask(server.url())
        assert name == "hidden" and said.count("cannot be cached") == 1, said


def test_no_server_has_it():
    program = Program()
    with Server({}) as server:
        assert program.ask(server.url()) == ("??", ""), "that no server has it is nothing to worry about"
        assert program.kept.read_bytes() == b"" and len(server.asked) == 1
        places, notes = program.info(server.url())
        assert places[str(program.kept)] == "missing", places
        assert "the servers in DEBUGINFOD_URLS did not have it a moment ago" in notes and len(server.asked) == 1, notes
        (program.cache / "cache_miss_s").write_text("0\n")  # how long that is believed
        places, notes = program.info(server.url())
        assert re.search(rf"none was found as .*; http://127\S+{program.path}: the server answers 404 Not Found", notes), notes
        server.answers[program.path] = program.debug
        assert program.name(server.url()) == "hidden", "not asked again"
        program.kept.write_bytes(b"")
        (program.cache / "cache_miss_s").unlink()
        os.utime(program.kept, (time.time() - 601, time.time() - 601))
        assert program.name(server.url()) == "hidden", "ten minutes are over"
    assert "nothing listens at 127.0.0.1:1;" in (program.kept.unlink() or program.info("http://127.0.0.1:1"))[1]
    assert not program.kept.exists(), "nobody said that there is none"


def test_a_server_refuses():
    """What is neither there nor absent: the next server is asked, and nobody remembers that there is none."""
    program = Program()

    def refuse(handler):
        handler.send_error(403)

    with Server({program.path: refuse}) as first, Server({program.path: program.debug}) as second:
        name, said = program.ask(first.url())
        assert name == "??" and re.search(rf"127\S+{program.path}: the server answers 403 Forbidden", said), said
        assert not program.kept.exists() and len(first.asked) == 1, "asked again, or remembered as absent"
        assert program.name(f"{first.url()} {second.url()}") == "hidden"


def test_another_file():
    """Of another build, or none: it is not kept, and the next server is asked."""
    program = Program()
    run("objcopy", "--only-keep-debug", "--remove-section=.note.gnu.build-id", "whole", "nameless")
    for answer, sentence in (
        (Path("nameless").read_bytes(), "the answer has another build-id"),
        (program.debug.replace(bytes.fromhex(program.id), bytes(20)), "the answer has another build-id"),
        (b"<html>sorry</html>", "is not an ELF file"),
    ):
        with Server({program.path: answer}) as server:
            name, said = program.ask(server.url())
            assert name == "??" and sentence in said, said
            assert sentence in program.info(server.url())[1], program.info(server.url())[1]
            assert not program.kept.exists()

            def late(handler):
                time.sleep(0.5)
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(program.debug)

            with Server({program.path: late}) as other:
                assert program.name(f"{server.url()} {other.url()}") == "hidden"
        program.kept.unlink()
    program.kept.write_bytes(program.debug.replace(bytes.fromhex(program.id), bytes(20)))
    assert program.name() == "??" and program.info()[0][str(program.kept)] == "another"


def test_a_slow_server():
    program = Program()
    with Server({program.path: b""}) as server:
        start = time.monotonic()
        assert "did not finish its answer within 5 seconds (HF_LIMIT_HTTP_SECONDS)" in program.info(server.url(), TIGHT)[1]
        assert time.monotonic() - start < 200


def test_a_mute_server():
    """It is given up after its time, once for all modules, and nobody waits for it while another has the file."""
    programs = [Program(f"int other_{i};\n", str(i)) for i in range(3)]
    with Mute() as mute:
        name, said = programs[0].ask(mute.url(), TIMEOUT=1)
        assert name == "??" and re.search(r"127\.0\.0\.1:\d+ sent less than 100 KiB in 1 second \(DEBUGINFOD_TIMEOUT\)", said), said
        addresses = "".join(f" 0x{i + 1}0001" for i in range(3))
        maps = "".join(f"{i + 1}0000-{i + 1}1000 r-xp 00001000 00:00 0 {Path(f'stripped{i}').resolve()}\n" for i in range(3))
        Path("a.heap").write_text(f"heap_v2/1\n  t*: 1: 1 [0: 0]\n@{addresses}\n  t*: 1: 1 [0: 0]\n\nMAPPED_LIBRARIES:\n{maps}")
        before = len(mute.taken)
        programs[0].run("fold", "a.heap", urls=mute.url(), TIMEOUT=1)
        assert len(mute.taken) - before == 1, "asked for each module"
        with Server({programs[0].path: programs[0].debug}) as server:
            assert programs[0].ask(f"{mute.url()} {server.url()}") == ("hidden", "")  # the time is 90 s there


def test_variables():
    program = Program()
    trials = []

    def cut(handler):
        trials.append(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"\177ELF")

    def trickle(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000000")
        handler.end_headers()
        try:
            while not handler.server.is_over.wait(0.05):
                handler.wfile.write(b"x" * 50000)
        except OSError:
            pass

    with Server({program.path: cut}) as server:
        assert "??" == program.name(server.url(), RETRY_LIMIT=0) and len(trials) == 1
        assert "??" == program.name(server.url()) and len(trials) == 1 + 3
        name, said = program.ask(server.url(), TIMEOUT="soon")
        assert name == "??" and "DEBUGINFOD_TIMEOUT: expected a number of seconds, found 'soon'" in said and len(trials) == 4, said
    with Server({program.path: trickle}) as server:
        name, said = program.ask(server.url(), MAXTIME=1)
        assert name == "??" and "was not complete after 1 second (DEBUGINFOD_MAXTIME)" in said, said
    with Server({program.path: program.debug}) as server:
        Path("headers").write_text("X-Token: secret-1\n   \nX-Other: 2\n")
        assert program.name(f"ima:ignore {server.url()}buildid", HEADERS_FILE="headers") == "hidden"
        assert server.headers[0]["X-Token"] == "secret-1" and server.headers[0]["X-Other"] == "2", server.headers
        program.kept.unlink()
        name, said = program.ask(server.url(), HEADERS_FILE="no-headers")
        assert name == "??" and "DEBUGINFOD_HEADERS_FILE: no-headers: No such file" in said, said
        name, said = program.ask(f"ima:enforcing {server.url()}")
        assert name == "??" and "a check of IMA signatures" in said and len(server.asked) == 1, said
        name, said = program.ask(server.url(), VERBOSE=1)
        assert name == "hidden" and f"debuginfod: {server.url()[:-1]}{program.path}: 200, " in said, said
        program.kept.unlink()
        name, said = program.ask(server.url(), PROGRESS=1)
        assert name == "hidden" and re.fullmatch(r"heapflame: fetched the debug file of stripped from 127\S+: [\d.]+ KiB\n", said), said

        def away(handler):
            handler.send_response(302)
            handler.send_header("Location", server.url()[:-1] + program.path)
            handler.end_headers()

        program.kept.unlink()
        with Server({program.path: away}) as redirecting:
            asked = len(server.asked)
            name, said = program.ask(redirecting.url(), HEADERS_FILE="headers")
            assert name == "??" and "redirects" in said and len(server.asked) == asked, said
            assert program.name(redirecting.url()) == "hidden"


def section_of(path, name):
    run("objcopy", "-O", "binary", f"--only-section={name}", "--set-section-flags", f"{name}=alloc", path, "section")
    return Path("section").read_bytes()


def test_sections():
    """Of a file that is too large: its sections; what of them is too large as well is left out."""
    program = Program()
    headers = run("readelf", "-SW", "whole")
    names = [name for name in re.findall(r"\] (\.\S+)", headers) if name.startswith(".debug")]

    def too_large(handler):
        handler.send_error(406)

    def raw(name):
        at, size = (int(x, 16) for x in re.search(rf"\] {re.escape(name)} +\w+ +\w+ (\w+) (\w+)", headers).groups())
        return Path("whole").read_bytes()[at:at + size]

    answers = {program.path: too_large} | {program.section(name): raw(name) for name in [*names, ".symtab", ".strtab"]}
    with Server(answers) as server:
        assert program.name(server.url(), MAXSIZE=1000000) == "hidden"
        assert server.headers[0].get("X-Debuginfod-Maxsize", server.headers[0].get("X-DEBUGINFOD-MAXSIZE")) == "1000000", server.headers[0]
        out, said = program.run("addr2line", "-fi", "-e", "stripped", program.address, urls=server.url(), MAXSIZE=1000000)
        assert re.fullmatch(r"hidden\n/\S+/program.c:1\n", out) and said == "", (out, said)
        asked = len(server.asked)
        out, said = program.run("addr2line", "-fi", "-e", "stripped", program.address)
        assert re.fullmatch(r"hidden\n/\S+/program.c:1\n", out) and len(server.asked) == asked, "what was fetched is kept"
        assert "debuginfo" not in [path.name for path in (program.cache / program.id).iterdir()], "others take that for a whole one"
        shutil.rmtree(program.cache)
        del server.answers[program.path]
        server.answers[program.path] = program.debug  # it does not know the header
        assert program.name(server.url(), MAXSIZE=len(program.debug) - 1) == "hidden"
        assert server.asked[asked + 1:] != []
        shutil.rmtree(program.cache)
        small = len(raw(".symtab")) + len(raw(".strtab")) + 10
        out, said = program.run("addr2line", "-f", "-e", "stripped", program.address, urls=server.url(), MAXSIZE=small)
        assert out == "hidden\n??:?\n", (out, said)
        assert re.search(r"larger than .* \(DEBUGINFOD_MAXSIZE\)", said), said
    with Server({program.path: too_large}) as server:  # one before 0.188 knows no sections
        shutil.rmtree(program.cache)
        name, said = program.ask(server.url(), MAXSIZE=1000)
        assert name == "??" and re.search(r"larger than 1000 B \(DEBUGINFOD_MAXSIZE\)", said), said
        assert not program.kept.exists(), "that is no miss"


def test_on_a_terminal():
    """While a server keeps the user waiting, a line says for what; interrupting it ends it at once."""
    program = Program()
    with Mute() as mute:
        master, slave = pty.openpty()
        child = subprocess.Popen([HEAPFLAME, "addr2line", "-fe", "stripped", program.address], stdout=subprocess.DEVNULL,
                                 stderr=slave, env=program.environment(mute.url()), start_new_session=True)
        os.close(slave)
        said = b""
        while b"fetching the debug file of stripped" not in said:
            said += os.read(master, 4096)
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == -signal.SIGINT
        os.close(master)


class Recorded(Program):
    """A recording of a program whose source is not there any more: one file, or so many that allocate once each."""

    def __init__(self, files=1):
        super().__init__()
        folder = Path("gone +").resolve()
        folder.mkdir()
        self.paths = [folder / f"part#{i}.c" for i in range(files)]
        for i, path in enumerate(self.paths):
            path.write_text(f"#include <stdlib.h>\nchar *part_{i}(void)\n{{\n    return malloc({i + 1} << 20);\n}}\n")
        self.text = self.paths[0].read_bytes()
        calls = "".join(f"extern char *part_{i}(void);\nchar *volatile held_{i};\n" for i in range(files))
        body = "".join(f"    held_{i} = part_{i}();\n" for i in range(files))
        (folder / "main.c").write_text(f"{calls}int main(void)\n{{\n{body}    return 0;\n}}\n")
        run("gcc", "-g", "-Wl,--build-id=sha1", "-o", "recorded", str(folder / "main.c"), *map(str, self.paths))
        self.run("run", "-q", "--exact", "-o", "recorded.hfb", "--", "./recorded")
        self.id = re.search(r"Build ID: (\w+)", run("readelf", "-n", "recorded"))[1]
        shutil.rmtree(folder)

    def url_of(self, path):
        return f"/buildid/{self.id}/source" + str(path).replace(" ", "%20").replace("+", "%2B").replace("#", "%23")

    def source(self, *options, urls="", **variables):
        """The files of a page, by name, with their lines."""
        self.run("flame", "recorded.hfb", "-o", "page.html", *options, urls=urls, **variables)
        packed = re.search(r'id="source-data">([^<]*)<', Path("page.html").read_text())[1].strip()
        files = json.loads(gzip.decompress(base64.b64decode(packed)))["files"] if packed else []
        return {Path(one["file"]).name: [line for piece in one["pieces"] for line in piece["lines"]] for one in files}


class Whatever:
    """The same answer to all."""

    def __init__(self, answer):
        self.answer = answer

    def get(self, _path):
        return self.answer


def test_source():
    """Of a page: what is not on the disk is had from a server, and from the cache after that."""
    program = Recorded()
    lines = program.text.decode().splitlines()
    wanted = [program.url_of(path) for path in (program.paths[0], program.paths[0].parent / "main.c")]
    assert program.source() == {}
    with Server({wanted[0]: program.text}) as server:
        assert program.source("--source", "0", urls=server.url()) == {} and server.asked == []
        assert program.source(urls=server.url()) == {"part#0.c": lines}
        asked = [path for path in server.asked if "/source/" in path]
        assert sorted(asked) == sorted(wanted), asked
        assert program.source(urls=server.url()) == {"part#0.c": lines} and len([path for path in server.asked if "/source/" in path]) == 2, "asked again"
    assert program.source() == {"part#0.c": lines}, "what was fetched once needs no server"
    names = sorted(path.name for path in (program.cache / program.id).glob("source*"))
    folder = "source" + str(program.paths[0].parent).replace("#", "#_").replace("/", "##")
    assert names == [f"{folder}##main.c", f"{folder}##part#_0.c"], names
    assert all((program.cache / program.id / name).stat().st_mode & 0o77 == 0 for name in names)
    shutil.rmtree(program.cache)
    with Server(Whatever(program.text)) as server:  # elfutils' client, on the same cache; it escapes paths in its own way
        found = subprocess.run(["debuginfod-find", "source", program.id, str(program.paths[0])], env=program.environment(server.url()), capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    if Path(found.stdout.strip()).name == f"{folder}##part#_0.c":  # up to elfutils 0.191
        assert program.source() == {"part#0.c": lines}, "what elfutils' client fetched"


def test_source_that_is_none():
    program = Recorded()
    wanted = program.url_of(program.paths[0])
    for answer in (b"\x7fELF\0", b"a line that never ends", b""):
        shutil.rmtree(program.cache, ignore_errors=True)

        def send(handler, answer=answer):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(answer) or 10_000_000_000))
            handler.end_headers()
            handler.wfile.write(answer)

        with Server({wanted: send}) as server:
            found = program.source(urls=server.url())
        assert found == ({"part#0.c": ["a line that never ends"]} if answer.startswith(b"a") else {}), (answer, found)


def test_source_that_no_server_has():
    """A server that has nothing of an image is asked for few files, and not again."""
    program = Recorded(files=8)
    with Server({}) as server:
        for _ in range(2):
            assert program.source(urls=server.url()) == {}
        asked = [path for path in server.asked if f"{program.id}/source/" in path]
        assert len(asked) == len(set(asked)) == 3, asked


def test_source_that_is_elsewhere():
    """A server that sends us to another place gets nothing into the page; one that is down does not make us ask the other more."""
    program = Recorded(files=8)
    with Server(Whatever(program.text)) as other:

        def away(handler):
            handler.send_response(302)
            handler.send_header("Location", other.url() + "inner")
            handler.end_headers()

        with Server(Whatever(away)) as server:
            assert program.source(urls=server.url()) == {} and other.asked == [], other.asked
    program = Recorded(files=8)
    with Server({}) as server:
        for _ in range(2):
            assert program.source(urls=f"{server.url()} http://127.0.0.1:1/") == {}
        asked = [path for path in server.asked if f"{program.id}/source/" in path]
        assert len(asked) <= 6, asked


def test_the_real_server():
    """Debian's debuginfod, and its client on the same cache."""
    program = Program()
    Path("served").mkdir()
    shutil.copy("debug", "served/program.debug")
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    env = {key: value for key, value in os.environ.items() if not key.startswith("DEBUGINFOD_")}
    with open("log", "w") as log:
        server = subprocess.Popen(["debuginfod", "-F", "-vv", "-d", "base.sqlite", "-p", str(port), "-t", "0", "-g", "0", "served"],
                                  stdout=log, stderr=log, env=env | {"HOME": os.getcwd()})
    try:
        url = f"http://127.0.0.1:{port}"
        while f"{program.id}" not in dump_of("base.sqlite"):
            assert server.poll() is None, Path("log").read_text()[-500:]
            time.sleep(0.05)
        assert program.ask(url) == ("hidden", ""), program.ask(url)
        assert program.kept.read_bytes() == program.debug
        found = subprocess.run(["debuginfod-find", "debuginfo", program.id], env=program.environment("http://127.0.0.1:1"),
                               capture_output=True, text=True)
        assert found.stdout.strip() == str(program.kept), "elfutils' client does not find it"
        shutil.rmtree(program.cache)
        assert subprocess.run(["debuginfod-find", "debuginfo", program.id], env=program.environment(url), stdout=subprocess.DEVNULL).returncode == 0
        assert program.name() == "hidden", "what elfutils' client fetched"
        shutil.rmtree(program.cache)
        out, said = program.run("addr2line", "-f", "-e", "stripped", program.address, urls=url, MAXSIZE=len(program.debug) - 1)
        assert re.fullmatch(r"hidden\n/\S+/program.c:1\n", out) and said == "", (out, said)
        missing = Program("int another;\n", "-other")
        subprocess.run(["debuginfod-find", "debuginfo", missing.id], env=missing.environment(url), capture_output=True)
        asked = Path("log").read_text().count(missing.id)
        assert missing.ask(url) == ("??", "") and Path("log").read_text().count(missing.id) == asked, "the miss is known"
    finally:
        server.terminate()
        server.wait()


def dump_of(path):
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
            tables = [row[0] for row in base.execute("select name from sqlite_master where type = 'table' and name like '%buildids'")]
            return "".join(str(row) for table in tables for row in base.execute(f"select * from {table}"))
    except sqlite3.Error:
        return ""


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
