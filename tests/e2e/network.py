#!/usr/bin/env python3
# timeout: 180
"""Servers that mean no good, on the loopback device: no password gets into a message, a file or a cache, nor to another
server, and one that trickles is given up."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _server import Server
from _suite import run_tests

need("gcc", "objcopy", "nm")

TIGHT = HEAPFLAME.parent / "tests/heapflame-tight"
NAME, PASSWORD = "bob", "s3cret"
FOLDED = b"main;work 7\nmain;rest 9\n"


def with_password(server, path=""):
    return f"http://{NAME}:{PASSWORD}@{server.place}{path}"


def runs(*arguments, program=HEAPFLAME, status=None, **environment):
    """(status, all that it printed). The password is in none of it."""
    hidden = ("DEBUGINFOD_URLS", "XDG_CACHE_HOME", "http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy")
    env = {key: value for key, value in os.environ.items() if key not in hidden} | environment
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=600, stdin=subprocess.DEVNULL,
                          env=env, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
    assert PASSWORD not in said and f"{NAME}:" not in said, (arguments, said)
    assert status is None or done.returncode == status, (arguments, done.returncode, said)
    return done.returncode, said


def test_no_password_in_a_message():
    """Whatever goes wrong with a URL, here or at the other end."""
    def answer(handler):
        path = handler.path.split("?")[0]
        if path == "/moved":  # to where nobody listens
            return 302, {"Location": f"http://{NAME}:{PASSWORD}@127.0.0.1:1/x"}, b""
        if path == "/file":
            return 302, {"Location": f"file://{NAME}:{PASSWORD}@localhost/etc/hostname"}, b""
        if path == "/relative":  # the password of the first URL stays in it
            return 302, {"Location": "/hang"}, b""
        if path == "/round":
            return 302, {"Location": f"http://{NAME}:{PASSWORD}@{handler.headers['Host']}/round"}, b""
        if path == "/hang":
            handler.connection.shutdown(socket.SHUT_RDWR)
            return None
        if path == "/echo":
            return 500, {}, f"cannot read http://{NAME}:{PASSWORD}@inside/x".encode()
        return (200, {}, b"\0garbage") if path == "/garbage" else (404, {}, b"")

    with Server(answer) as server:
        for path in ("", "/moved", "/file", "/relative", "/round", "/hang", "/echo", "/garbage", "/none"):
            for command in ("top", "dump", "fold"):
                runs(command, with_password(server, path))
        assert "(where " in runs("top", with_password(server, "/moved"), status=5)[1]
        runs("dump", "--status", with_password(server), status=5)
        runs("diff", with_password(server, "/none"), with_password(server, "/hang"))
    runs("top", f"http://{NAME}:{PASSWORD}@nowhere.invalid/x", status=5)
    for url in (f"http://{NAME}:{PASSWORD}@127.0.0.1:1/x", f"http://{NAME}:{PASSWORD}@127.0.0.1:99999/",
                f"ftp://{NAME}:{PASSWORD}@127.0.0.1/x", f"htp://{NAME}:{PASSWORD}@127.0.0.1:1/x",
                f"http://{NAME}:{PASSWORD}@{'n' * 700}/x"):
        for arguments in (("top", url), ("dump", url), ("diff", url, url), ("dump", "--status", url), ("attach", url),
                          ("top", url, "--base", url), ("trend", url), ("flame", "--series", url, url, "-o", "x.html"),
                          ("jeprof", "--text", url), ("symbols", "info", url), ("run", "--", url), (url,),
                          ("top", "--base"), ("convert", url, "-o", url), ("mark", url, url), ("doctor", url),
                          ("check", "--budget", url, url), ("top", f"--{url}")):
            code, said = runs(*arguments)
            assert code not in (0, 1) and said, (arguments, code, said)


def test_no_password_in_long_messages():
    """A message is cut where it is too long: not between a name and the end of its password."""
    for size in range(520, 660, 7):
        runs("top", f"htp://{NAME}:{PASSWORD * 20}@x/".rjust(size, "y"))
        runs("top", f"{'y' * size}htp://{NAME}:{PASSWORD}@x/")
        runs("top", f"{'y' * (size - 400)}htp://{NAME}:{PASSWORD * 300}@x/")


def test_no_password_in_what_is_written():
    """Nor in what is made of a profile."""
    Path("before.folded").write_bytes(FOLDED)
    with Server(lambda _: (200, {}, FOLDED)) as server:
        url = with_password(server, "/profile")
        for name in ("a.svg", "a.html", "a.folded", "a.pb.gz", "a.hfb", "a.speedscope.json", "a.dot"):
            command = {"svg": "flame", "html": "flame", "hfb": "bundle", "dot": "graph"}.get(name[2:], "convert")
            runs(command, url, "-o", name, status=0)
        runs("flame", "--series", "before.folded", url, "-o", "series.html", status=0)
        runs("diff", "before.folded", url, "-o", "diff.html", status=0)
        runs("trend", "before.folded", url, "--json")
        assert all(re.match(r"Basic ", headers["Authorization"]) for headers in server.headers), server.headers
    for path in Path(".").iterdir():
        content = subprocess.run(["gzip", "-dcf", path], capture_output=True, check=True).stdout
        assert PASSWORD.encode() not in content and path.stat().st_size > 0, path


def test_no_password_for_another_server():
    with Server(lambda _: (200, {}, FOLDED)) as other:
        with Server(lambda _: (302, {"Location": f"http://{other.place}/x"}, b"")) as server:
            assert "work" in runs("top", with_password(server, "/a"), status=0)[1]
            assert "Authorization" in server.headers[0] and "Authorization" not in other.headers[0], other.headers


def test_no_password_of_a_debuginfod_server():
    """Its servers are part of what a cached answer depends on: the cache has them without."""
    Path("program.c").write_text("static int hidden(int x) { return x * 3; }\n"
                                 "int main(int c, char **v) { (void)v; return hidden(c); }\n")
    run("gcc", "-O0", "-g", "-Wl,--build-id=sha1", "-o", "whole", "program.c")
    run("objcopy", "--only-keep-debug", "whole", "debug")
    run("objcopy", "--strip-debug", "whole", "stripped")
    address = re.search(r"(?m)^(\w+) t hidden", run("nm", "whole"))[1]
    os.utime("stripped", (1e9, 1e9))
    (Path.cwd() / "home/.cache").mkdir(parents=True)
    for answer in ((404, {}, b""), (302, {"Location": f"http://{NAME}:{PASSWORD}@127.0.0.1:1/x"}, b""),
                   (302, {"Location": f"ftp://{NAME}:{PASSWORD}@127.0.0.1:1/x"}, b""),
                   (200, {}, Path("debug").read_bytes())):
        with Server(lambda _, answer=answer: answer) as server:
            env = {"HOME": str(Path.cwd() / "home"), "DEBUGINFOD_URLS": f"{with_password(server)} htp://{NAME}:{PASSWORD}@x/"}
            runs("symbols", "info", "stripped", status=0, **env)
            runs("symbols", "info", "--json", "stripped", status=0, **env)
            runs("addr2line", "-f", "-e", "stripped", address, status=0, **env)
            assert server.headers
    kept = [path for path in Path("home").rglob("*") if path.is_file()]
    assert kept and all(PASSWORD.encode() not in path.read_bytes() for path in kept), kept


def trickle(handler, bytes_each, seconds, every):
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 20))
    handler.end_headers()
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            handler.wfile.write(b"main 1\n" * bytes_each)
            handler.wfile.flush()
            time.sleep(every)
    except OSError:
        pass  # given up


def test_one_that_trickles():
    """Of heapflame-tight: less than 1,000 bytes a second for one second, once it has begun."""
    slow = r"127\.0\.0\.1:\d+ sends less than 1000 bytes a second \(HF_LIMIT_HTTP_SLOW_BYTES\) for 1 second"
    with Server(lambda handler: trickle(handler, 1, 60, 0.1)) as server:
        begin = time.monotonic()
        code, said = runs("top", with_password(server, "/x"), program=TIGHT)
        assert code == 5 and re.search(slow, said), said
        assert time.monotonic() - begin < 30
        code, said = runs("dump", with_password(server), program=TIGHT, status=5)  # and asks for no other path
        assert re.search(slow, said) and len(server.headers) == 2, server.headers


def test_one_that_trickles_everywhere():
    """Each answer in time, but all together not: the time is that of all that is asked for one profile."""
    def late(handler):
        time.sleep(2)
        return 404, {}, b""

    with Server(late) as server:
        code, said = runs("dump", with_password(server), program=TIGHT)
        assert code == 5 and "within 5 seconds (HF_LIMIT_HTTP_SECONDS)" in said, said
        assert len(server.headers) < 4, server.headers


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
