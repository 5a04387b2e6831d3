#!/usr/bin/env python3
"""What takes long says on a terminal how far it is, and nowhere else. Nothing here is timed: input
comes as slowly as it must until the line stands there."""

import http.server
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from _suite import run_tests
from _terminal import REALLY_LONG_S, Terminal, screen_of

LINE = b"main;work 1\n"
BLOCK = LINE * 1000


def feed_until(terminal, write, pattern):
    """Writes blocks until the terminal shows the pattern; how many."""
    for count in range(1, 100000):
        write(BLOCK)
        assert terminal.listen(0.01), terminal.text
        if re.search(pattern, terminal.text):
            return count
    raise AssertionError(terminal.text)


def test_a_pipe():
    os.mkfifo("slow\x1bfile")
    terminal = Terminal("fold", "./slow\x1bfile")
    with open("slow\x1bfile", "wb", buffering=0) as pipe:
        pattern = rb"\rreading slow\\x1bfile: \d+\.\d [KM]iB"
        count = feed_until(terminal, pipe.write, pattern)
    status, out = terminal.end()
    assert (status, out) == (0, b"main;work %d\n" % (1000 * count)), (status, out)
    assert screen_of(terminal.text) == b"", terminal.text
    assert b"\x1b" not in terminal.text and b"%" not in terminal.text, terminal.text


def test_quiet():
    """The same input, to two at once: one shows its progress, the quiet one nothing."""
    readers = [Terminal("fold", *options, "-", stdin=subprocess.PIPE) for options in ([], ["-q"])]

    def write(block):
        for reader in readers:
            reader.child.stdin.write(block)
            reader.child.stdin.flush()

    feed_until(readers[0], write, rb"reading standard input: ")
    for reader in readers:
        reader.child.stdin.close()
        assert reader.end()[0] == 0
    assert readers[1].text == b"", readers[1].text


def test_no_terminal():
    Path("small").write_bytes(BLOCK)
    done = subprocess.run(["heapflame", "fold", "small"], capture_output=True, timeout=REALLY_LONG_S)
    assert (done.returncode, done.stderr) == (0, b""), done


def test_what_is_quick_shows_nothing():
    Path("small").write_bytes(BLOCK)
    terminal = Terminal("fold", "small")
    assert terminal.end() == (0, b"main;work 1000\n")
    assert terminal.text == b"", terminal.text


def test_a_download():
    """A server that says how long its answer is and stops half-way until the client has shown it."""
    shown = threading.Event()
    body = BLOCK * 100

    class Slow(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            shown.wait(REALLY_LONG_S)
            self.wfile.write(body[len(body) // 2 :])

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_port}"
        terminal = Terminal("fold", f"http://user:secret@{place}/profile")
        while not re.search(rb" of 1\.1 MiB, 50 %", terminal.text):
            assert terminal.listen(REALLY_LONG_S), terminal.text
        shown.set()
        status, out = terminal.end()
        server.shutdown()
    assert (status, out) == (0, b"main;work 100000\n"), (status, out)
    assert f"\rfetching {place}: 585.9 KiB of 1.1 MiB, 50 %".encode() in terminal.text, terminal.text
    assert screen_of(terminal.text) == b"" and b"secret" not in terminal.text, terminal.text


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
