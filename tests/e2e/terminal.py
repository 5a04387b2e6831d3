#!/usr/bin/env python3
# timeout: 300
"""No name of a file, process or function steers a terminal: a program whose every name has escape sequences is attached,
examined, recorded, watched and shown, and none comes out."""

import http.server
import os
import pty
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, need, run
from _suite import run_tests

need("gcc")

FILE = b"a\x1b]0;PWNED\x07\x1b[31mx"
FUNCTION = b"hostile_function_one_two_three"
NAME = b"h\x1b]0;PWNED\x07_\x1b[31mone\xc2\x9b2J_three"
CLEAR = b"\x1b[H\x1b[2J"
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def compile_hostile(*options):
    os.makedirs("bin", exist_ok=True)
    run("gcc", "-O1", "-g0", *options, "-o", "plain", PROGRAMS / "hostile.c")
    code = Path("plain").read_bytes()
    assert len(NAME) <= len(FUNCTION) and FUNCTION in code
    path = b"bin/" + FILE
    with open(path, "wb") as file:
        file.write(code.replace(FUNCTION, NAME.ljust(len(FUNCTION), b"_")))
    os.chmod(path, 0o755)
    return os.path.abspath(path)


class Hostile:
    """It runs; `before`: the command that starts it."""

    def __init__(self, *before, options=()):
        program = compile_hostile(*options)
        self.process = subprocess.Popen(
            [*before, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout.readline() == b"ready\n"
        self.pid = self.process.pid
        if before:
            self.pid = int(Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()[0])

    def end(self):
        """What it, and who started it, said."""
        said = b"".join(self.process.communicate(timeout=60))
        return said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def clean(said, where):
    assert not CONTROLS.search(said), (where, said)
    return said


def said_by(*arguments, statuses=(0, 4)):
    done = subprocess.run([HEAPFLAME, *arguments], **PIPES, timeout=120, check=False)
    assert statuses is None or done.returncode in statuses, (arguments, done)
    return clean(done.stdout + done.stderr, arguments)


def test_attached():
    with Hostile(options=["-static"]) as hostile:
        pid = str(hostile.pid)
        statuses = (0, 4) if os.geteuid() == 0 else None
        said = {command[0]: said_by(*command, statuses=statuses) for command in (
            ("attach", pid, "-d", "300ms", "--max-overhead", "100000%"), ("doctor", pid))}
        if os.geteuid() == 0:
            assert all(rb"\x1b]0;PWNED\x07" in text for text in said.values()), said
        said_by("attach", pid, "-d", "100ms", "--max-overhead", "100000%", "-o", "x.folded", statuses=None)
        said_by("attach", pid, "-d", "100ms", "--spec", "postgres", statuses=None)
        said_by("contexts", pid, statuses=(3, 5))
        said_by("top", pid, statuses=(3, 5))
        said_by("mark", pid, "warm", statuses=(3, 5))


def test_recorded():
    """run says at its end which function holds most; top, dump, watch and mark while it runs."""
    with Hostile(HEAPFLAME, "run", "-o", "out-%n.folded", "--") as hostile:
        pid = str(hostile.pid)
        for command in (("top", pid), ("top", pid, "--json"), ("fold", pid), ("dump", pid, "-o", "x.folded"),
                        ("dump", pid, "--status"), ("mark", pid, "warm"), ("contexts", pid), ("doctor", pid),
                        ("graph", pid), ("flame", pid), ("diff", "x.folded", "x.folded"), ("symbols", "info", f"/proc/{pid}/exe"),
                        ("symbols", "info", b"bin/" + FILE), ("conf", "check", b"bin/" + FILE), ("env", b"bin/" + FILE)):
            said_by(*command, statuses=None)
        assert rb"\x1b]0;PWNED\x07" in said_by("top", pid)
        watch = subprocess.Popen([HEAPFLAME, "watch", pid, "-o", "w-%n.folded", "--every", "100ms"], **PIPES)
        time.sleep(0.5)
        said = clean(hostile.end(), "run")
        assert rb"h\x1b]0;PWNED\x07_\x1b[31mone\u{9b}2J_three" in said, said
        clean(b"".join(watch.communicate(timeout=60)), "watch")


def test_a_signal_and_a_lack():
    program = compile_hostile()
    with open(program, "ab") as file:
        file.truncate(8000)
    said_by("run", "--", program, statuses=None)
    said_by("run", "--", b"/none/" + FILE, statuses=None)
    said_by("attach", b"x" + FILE, statuses=(2,))
    said_by(b"x" + FILE, statuses=(2,))
    said_by("top", b"--" + FILE, statuses=(2,))
    said_by("top", b"bin/" + FILE, statuses=(3,))
    said_by("convert", "-o", FILE, b"bin/" + FILE, statuses=(2,))
    said_by("fold", b"bin/" + FILE, "-o", b"none/" + FILE, statuses=(3, 5))


def on_terminal(*arguments, seconds=0):
    """What the command wrote to a terminal that is its standard output; ended after so many seconds."""
    master, terminal = pty.openpty()
    child = subprocess.Popen([HEAPFLAME, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal)
    os.close(terminal)
    text = b""
    end = threading.Timer(seconds, child.terminate)
    if seconds:
        end.start()
    while True:
        try:
            text += os.read(master, 65536)
        except OSError:
            break
    child.wait()
    end.cancel()
    os.close(master)
    return text


def test_live_table_on_a_terminal():
    with Hostile(HEAPFLAME, "run", "--no-final", "--") as hostile:
        text = on_terminal("top", str(hostile.pid), "--live", seconds=3)
        assert CLEAR in text and rb"\x1b]0;PWNED\x07" in text, text
        clean(text.replace(CLEAR, b"").replace(b"\r\n", b"\n"), "top --live")


def test_bytes_of_a_server():
    """As they came to a file or a pipe; to a terminal, where somebody asked for it, legible."""
    body = b"main;" + NAME + b" 5\n"

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/profile"
    done = subprocess.run([HEAPFLAME, "dump", url, "-o", "-"], **PIPES, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, body), done
    text = on_terminal("dump", url, "-o", "-")
    assert rb"main;h\x1b]0;PWNED\x07_\x1b[31mone\u{9b}2J_three 5" in text, text
    clean(text.replace(b"\r\n", b"\n"), "dump")
    server.shutdown()


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
