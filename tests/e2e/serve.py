#!/usr/bin/env python3
# timeout: 300
"""`heapflame serve`: its pages, with curl and Go's pprof; whom it answers; and what a hostile client can do."""

import os
import random
import re
import resource
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from _heap import HEAPFLAME
from _run import LEAKER, Leaker, expect_equal, heapflame, refused, run_leaker_tests, wait_for

TOKEN = "0123456789abcdef-token"
NOBODY = 65534
HEAP = "debug/pprof/heap"


class Serve:
    """A server on a port of its own, with a home that nothing is written to."""

    def __init__(self, *options, listen="127.0.0.1:0", **more):
        self.home = Path.cwd() / "home"
        self.home.mkdir(exist_ok=True)
        self.log = open("serve.log", "w+b")
        program = os.open(HEAPFLAME, os.O_PATH)  # which another user may have no way to by its name
        environment = {**os.environ, "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home), "XDG_RUNTIME_DIR": str(Path.cwd())}
        self.process = subprocess.Popen(
            ["heapflame", "serve", "--listen", listen, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.log, env=environment, cwd=self.home, executable=f"/proc/self/fd/{program}", pass_fds=[program], **more,
        )  # fmt: skip
        os.close(program)
        wait_for(lambda: b" shows " in self.said() or self.process.poll() is not None)
        found = re.search(rb"http://(.*):(\d+)/ shows \d+ recorded process", self.said())
        assert found, self.said()
        self.port = int(found.group(2))
        self.url = f"http://{found.group(1).decode()}:{self.port}"

    def said(self):
        return Path("serve.log").read_bytes()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.process.poll() is None, self.said()
        self.process.send_signal(signal.SIGTERM)
        expect_equal(self.process.wait(timeout=60), 0)
        expect_equal([str(path) for path in self.home.rglob("*")], [])
        self.log.close()

    def curl(self, path, *options, **more):
        """(status, headers, body) by curl."""
        done = subprocess.run(
            ["curl", "-sS", "--path-as-is", "--noproxy", "*", "-D", "-", "--max-time", "120", *options, self.url + path],
            capture_output=True, **more,
        )  # fmt: skip
        assert done.returncode == 0, (path, done)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        return int(lines[0].split()[1]), {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}, body

    def status(self, path, *options, **more):
        return self.curl(path, *options, **more)[0]

    def raw(self, *pieces, reads=True):
        """What comes back for these bytes, up to the end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            answer = b""
            try:
                for piece in pieces:
                    connection.sendall(piece)
                while reads and (part := connection.recv(65536)):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                pass
            return answer

    def check_resident(self):
        """A sanitizer keeps what was freed."""
        kib = int(re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{self.process.pid}/status").read_text()).group(1))
        assert kib < 64 * 1024 or "HEAPFLAME_SANITIZED" in os.environ, kib

    def wait_for_process(self, pid):
        wait_for(lambda: f"/process/{pid}/flame".encode() in self.curl("/")[2])


def metric(text, name, pid):
    found = re.search(rf'^{name}{{pid="{pid}",program="([^"]*)"}} (\S+)$', text, re.M)
    return found and (found.group(1), float(found.group(2)))


def test_pages():
    with Leaker("times=3", "leak=1000003", "line") as leaker, Serve() as serve:
        status, headers, page = serve.curl("/")
        row = next(line for line in page.decode().splitlines() if f"<td>{leaker.pid}</td>" in line)
        assert "<td>leaker</td><td>2.9 MiB</td><td>20" in row, row
        expect_equal(
            {name: headers[name] for name in ("content-type", "cache-control", "x-content-type-options", "referrer-policy")},
            {"content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff",
             "referrer-policy": "no-referrer"})  # fmt: skip
        assert "default-src 'none'" in headers["content-security-policy"], headers
        status, headers, flame = serve.curl(f"/process/{leaker.pid}/flame")
        expect_equal((status, headers["content-type"]), (200, "text/html; charset=utf-8"))
        policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', flame).group(1).decode()
        assert headers["content-security-policy"].startswith(policy + "; ") and "sha256-" in policy, headers
        assert b"process_leak" in flame and f"leaker, process {leaker.pid}".encode() in flame
        # HEAD is GET without the body.
        for target in "/metrics", f"/process/{leaker.pid}/flame":
            answer = serve.raw(f"HEAD {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\n") and b"Content-Length" in answer, answer
        for path in ["/process/1/flame", f"/process/{serve.process.pid}/{HEAP}", "/favicon.ico", f"/process/{leaker.pid}/"]:
            expect_equal((path, serve.status(path)), (path, 404))
        expect_equal(serve.status(f"/process/{leaker.pid}/{HEAP}?seconds=30"), 400)
        expect_equal(serve.curl(f"/process/{leaker.pid}/{HEAP}?gc=1")[1]["content-type"], "application/octet-stream")


def test_metrics():
    with Leaker("times=3", "leak=1000003", "line") as leaker, Serve() as serve:
        status, headers, body = serve.curl("/metrics")
        text = body.decode()
        expect_equal((status, headers["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        program, in_use = metric(text, "heapflame_in_use_bytes", leaker.pid)
        assert program == "leaker" and 3000009 <= in_use < 3000009 + 32768, (program, in_use)  # and its buffers
        assert metric(text, "heapflame_allocated_bytes_total", leaker.pid)[1] >= 3000009
        expect_equal(metric(text, "heapflame_lost_allocations_total", leaker.pid), ("leaker", 0))
        assert metric(text, "heapflame_resident_bytes", leaker.pid)[1] > 0
        assert abs(metric(text, "heapflame_recorded_since_seconds", leaker.pid)[1] - time.time()) < 3600
        # Each line is a comment or a sample of the metric that the two comments before are of.
        of, text_of_label = None, r'[^"\\]|\\[\\"n]'
        for line in text.splitlines():
            if (found := re.fullmatch(r"# HELP (\w+) [A-Z].*\.", line)) or (found := re.fullmatch(r"# TYPE (\w+) (gauge|counter)", line)):
                of = found.group(1)
            else:
                assert re.fullmatch(rf'{of}({{\w+="({text_of_label})*"(,\w+="({text_of_label})*")*}})? [-+.0-9e]+', line), line
        leaker.go_on()
        gone = leaker.pid
    # Who has ended is gone; another one comes.
    with Serve() as serve:
        assert metric(serve.curl("/metrics")[2].decode(), "heapflame_in_use_bytes", gone) is None
        with Leaker("times=1", "leak=4096", "line") as later:
            serve.wait_for_process(later.pid)
            pid = later.pid
        wait_for(lambda: serve.status(f"/process/{pid}/flame") == 404)


def test_hostile_names():
    name = 'a"b\\c<script>\n\x1b[31m é'
    Path(name).write_bytes(LEAKER.read_bytes())
    Path(name).chmod(0o755)
    settings = dict(setting.split("=", 1) for setting in heapflame("env", "exact:true")[1].split())
    process = subprocess.Popen(
        [f"./{name}", "leak=4096", "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd()), **settings},
    )  # fmt: skip
    try:
        with Serve() as serve:
            serve.wait_for_process(process.pid)
            text = serve.curl("/metrics")[2].decode()
            line = re.search(rf'^heapflame_in_use_bytes{{pid="{process.pid}",program="(.*)"}} \d+$', text, re.M)
            assert line and line.group(1) == 'a\\"b\\\\c<script>\\\\x0a\\\\x1b[31m é', text
            page = serve.curl("/")[2].decode()
            assert "<script" not in page and "a&quot;b\\c&lt;script&gt;\\x0a\\x1b[31m é" in page, page
            status, _, flame = serve.curl(f"/process/{process.pid}/flame")
            assert status == 200 and b"c<script>" not in flame
    finally:
        process.kill()
        process.communicate()


def test_go_pprof():
    """What people type: `go tool pprof URL`."""
    with Leaker("times=3", "leak=1000003", "line", "times=2", "cache=4001", "line") as leaker, Serve() as serve:
        for page, shown in ("heap", "inuse_space"), ("allocs", "alloc_space"):
            done = subprocess.run(
                ["go", "tool", "pprof", "-symbolize=none", "-unit=B", "-top", f"{serve.url}/process/{leaker.pid}/debug/pprof/{page}"],
                capture_output=True, text=True, env={**os.environ, "PPROF_TMPDIR": str(Path.cwd()), "GOFLAGS": ""},
            )  # fmt: skip
            assert done.returncode == 0, done
            assert f"Type: {shown}" in done.stdout and re.search(r"\b3000009B .* process_leak", done.stdout), done.stdout
        body = serve.curl(f"/process/{leaker.pid}/debug/pprof/heap")[2]
        expect_equal(body[:2], b"\x1f\x8b")
        Path("heap.pb.gz").write_bytes(body)
        assert "process_leak 3000009" in heapflame("fold", "heap.pb.gz")[1]


def test_who_is_answered():
    with Serve() as serve:
        for host in ["localhost", "LOCALHOST:1", f"127.0.0.1:{serve.port}", "[::1]", "127.8.8.8"]:
            expect_equal((host, serve.status("/", "-H", f"Host: {host}")), (host, 200))
        for host in ["attacker.example", "localhost.attacker.example", f"attacker.example:{serve.port}", "0.0.0.0", "[::2]", "10.0.0.1"]:
            expect_equal((host, serve.status("/metrics", "-H", f"Host: {host}")), (host, 403))
        for request in [b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]:
            assert re.match(rb"HTTP/1\.[01] 400 ", serve.raw(request)), serve.raw(request)
        assert serve.raw(b"GET / HTTP/1.0\r\n\r\n").split()[1] in (b"400", b"403")
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get"]:
            expect_equal((method, serve.status("/metrics", "-X", method)), (method, 405))
        expect_equal(serve.status("/metrics", "-d", "x=1"), 405)
        expect_equal(serve.status("/metrics", "-X", "GET", "-d", "x=1"), 400)
        if os.geteuid() == 0:
            status, _, body = serve.curl("/", user=NOBODY)
            assert status == 403 and b"--token-file" in body, (status, body)
    with Serve("--host-name", "db7.example", "--host-name", "db8.example") as serve:
        expect_equal(serve.status("/", "-H", "Host: DB8.example:80"), 200)
        expect_equal(serve.status("/", "-H", "Host: db9.example"), 403)


def test_token():
    Path("token").write_text(TOKEN + "\n")
    Path("token").chmod(0o600)
    with Serve("--token-file", str(Path("token").resolve()), listen="0.0.0.0:0") as serve:
        serve.url = f"http://127.0.0.1:{serve.port}"
        status, headers, _ = serve.curl("/")
        assert status == 401 and headers["www-authenticate"].startswith('Basic realm="heapflame"'), headers
        for word in ["Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x", "Bearer", TOKEN, "Basic " + TOKEN, "bearer x"]:
            expect_equal((word, serve.status("/metrics", "-H", f"Authorization: {word}")), (word, 401))
        expect_equal(serve.status("/metrics", "-H", f"Authorization: Bearer {TOKEN}"), 200)
        expect_equal(serve.status("/metrics", "-u", f"heapflame:{TOKEN}"), 200)
        expect_equal(serve.status("/metrics", "-u", f"other:{TOKEN}"), 401)
        expect_equal(serve.status("/metrics", "-u", f"heapflame:{TOKEN}", "-H", "Host: attacker.example"), 403)
        if os.geteuid() == 0:
            expect_equal(serve.status("/metrics", "-u", f"heapflame:{TOKEN}", user=NOBODY), 200)


def test_what_is_refused():
    assert "give a token with --token-file" in refused(2, "serve", "--listen", "0.0.0.0:0")
    assert "expected an address and a port" in refused(2, "serve", "--listen", "localhost:80")
    assert "expected no operand, found '4711'" in refused(2, "serve", "4711")
    Path("token").touch(0o600)
    Path("token").write_text("short\n")
    assert "no token in its first line" in refused(3, "serve", "--token-file", "token")
    Path("token").write_text(TOKEN)
    Path("token").chmod(0o644)
    assert "every user" in refused(3, "serve", "--token-file", "token")
    with socket.create_server(("127.0.0.1", 0)) as other:
        assert "cannot listen on 127.0.0.1:" in refused(5, "serve", "--listen", "127.0.0.1:%d" % other.getsockname()[1])


def test_other_users():
    """A user sees no process of another; root sees all, and nobody else root's."""
    if os.geteuid() != 0:
        return
    Path.cwd().chmod(0o777)
    with Leaker("leak=4096", "line") as leaker:
        with Serve("--verbose", user=NOBODY, group=NOBODY, extra_groups=[]) as serve:
            assert f"/process/{leaker.pid}/".encode() not in serve.curl("/", user=NOBODY)[2]
            expect_equal(serve.status(f"/process/{leaker.pid}/{HEAP}", user=NOBODY), 404)
            expect_equal(serve.status("/"), 200)  # root may
            wait_for(lambda: b'127.0.0.1 "GET / HTTP' in serve.said() or b'127.0.0.1 "GET /" 200' in serve.said())


def hostile_requests(serve, pid, seed, count):
    """Bytes of requests, most of them nearly right."""
    chance = random.Random(seed)
    words = [b"GET", b"HEAD", b"POST", b" ", b"/", b"/metrics", b"/process/", b"%d" % pid, b"-1", b"../", b"%2e%2e/", b"etc/passwd",
             b"flame", b"debug/pprof/heap", b"?", b"seconds=1", b"debug=2", b"\0", b"\xff\xfe", b"HTTP/1.1", b"HTTP/9.9", b"\r\n", b"\n",
             b"Host: localhost", b"Host: a", b":", b"Authorization: Basic ====", b"Content-Length: -1", b"Content-Length: 99999999999",
             b"Transfer-Encoding: chunked", b"Expect: 100-continue", b"Connection: keep-alive", b"Upgrade: h2c", b"x" * 300, b"A: b",
             b"Range: bytes=0-1", b"\r\n\r\n", b"0\r\n\r\n", b"%", b"%00", b"\x16\x03\x01\x02\x00"]  # fmt: skip
    for _ in range(count):
        kind = chance.randrange(4)
        if kind == 0:
            yield bytes(chance.randrange(256) for _ in range(chance.randrange(200)))
        elif kind == 1:
            yield b"".join(chance.choice(words) for _ in range(chance.randrange(20)))
        else:
            target = b"/" + b"".join(chance.choice(words[4:19]) for _ in range(chance.randrange(5)))
            lines = [chance.choice(words[:3]) + b" " + target + b" HTTP/1.1", b"Host: localhost"]
            lines += [chance.choice(words[23:34]) for _ in range(chance.randrange(4))]
            yield b"\r\n".join(lines) + b"\r\n\r\n" * chance.randrange(3)


def test_hostile_requests():
    count = int(os.environ.get("SERVE_REQUESTS", "2000"))
    with Leaker("times=3", "leak=1000003", "line") as leaker, Serve("--verbose") as serve:
        serve.wait_for_process(leaker.pid)
        seen = set()
        for request in hostile_requests(serve, leaker.pid, int(os.environ.get("SERVE_SEED", "1")), count):
            with socket.create_connection(("127.0.0.1", serve.port), timeout=60) as connection:
                answer = b""
                try:
                    connection.sendall(request)
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(0.2)  # an unfinished request has no answer
                    while part := connection.recv(65536):
                        answer += part
                except (ConnectionResetError, BrokenPipeError, TimeoutError):
                    pass
            assert answer == b"" or re.match(rb"HTTP/1\.[01] [1-5]\d\d ", answer), (request, answer[:200])
            assert b"root:" not in answer, request
            seen.add(answer[9:12])
        assert {b"200", b"404", b"405", b"400"} <= seen, seen
        expect_equal(serve.status("/metrics"), 200)
        for line in serve.said().splitlines():
            assert line.startswith(b"heapflame: ") and re.fullmatch(rb"[\x20-\x7e]*", line), line
        serve.check_resident()
        # An unfinished request is an open connection until its client has had its time (HF_LIMIT_CLIENTS).
        assert len(os.listdir(f"/proc/{serve.process.pid}/fd")) < 64 + 40


def test_large_requests():
    with Serve() as serve:
        for request in [
            b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1000000 + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 50000 + b"\r\n",
            b"GET / HTTP/1.1\r\nHost: " + b"a" * 60000 + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n" + b"a" * 1000000,
            b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"10\r\n" + b"a" * 16 + b"\r\n",
            b"A" * 1000000,
        ]:
            answer = serve.raw(request)
            assert answer == b"" or re.match(rb"HTTP/1\.[01] (4\d\d|5\d\d) ", answer), (request[:100], answer[:100])
        # One request a connection: what follows it is not answered.
        answer = serve.raw(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        expect_equal(answer.count(b"HTTP/1.1 200 OK"), 1)
        serve.check_resident()


def test_slow_clients():
    """They are cut off, also if they go on a little all the time; and however many they are, others are answered then."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert limit[0] > 200, limit
    with Serve() as serve:
        slow = [socket.create_connection(("127.0.0.1", serve.port)) for _ in range(70)]
        began = time.monotonic()
        for connection in slow[:30]:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        open_ones = set(slow)
        while open_ones and time.monotonic() - began < 200:
            for connection in list(open_ones):
                try:
                    connection.send(b"a")
                    connection.setblocking(False)
                    if connection.recv(1024) == b"":
                        open_ones.discard(connection)
                except BlockingIOError:
                    connection.setblocking(True)
                except (ConnectionResetError, BrokenPipeError):
                    open_ones.discard(connection)
            time.sleep(0.5)
        assert not open_ones, len(open_ones)
        expect_equal(serve.status("/metrics"), 200)
        for connection in slow:
            connection.close()


def test_many_at_once():
    """The same page for many is made once; a client that goes away harms nobody; SIGTERM ends it meanwhile."""
    with Leaker("times=3", "leak=1000003", "line") as leaker, Serve("--verbose") as serve:
        command = ["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", f"{serve.url}/process/{leaker.pid}/flame"]
        clients = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(20)]
        gone = [socket.create_connection(("127.0.0.1", serve.port)) for _ in range(10)]
        for connection in gone:
            connection.sendall(f"GET /process/{leaker.pid}/{HEAP} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            connection.close()
        expect_equal({client.communicate()[0] for client in clients}, {b"200"})
        expect_equal(serve.status(f"/process/{leaker.pid}/{HEAP}"), 200)
        waiting = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    for client in waiting:
        client.communicate()
    children = [pid for pid in os.listdir("/proc") if pid.isdigit() and runs_under(pid, str(Path.cwd()))]
    expect_equal(children, [])


def keep_asking(port, target, is_over):
    while not is_over.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                time.sleep(0.002)
        except OSError:
            time.sleep(0.001)


def test_end_while_asked():
    """Those who come while it ends are not kept waiting: that ended it by SIGABRT, in 3 of 25 tries."""
    with Leaker("leak=4096", "line") as leaker:
        for _ in range(10):
            is_over = threading.Event()
            with Serve() as serve:
                asking = [threading.Thread(target=keep_asking, args=(serve.port, f"/process/{leaker.pid}/flame", is_over)) for _ in range(4)]
                for thread in asking:
                    thread.start()
                time.sleep(0.2)
            is_over.set()
            for thread in asking:
                thread.join()


def runs_under(pid, folder):
    """A heapflame that was started by a server of this test."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return words[0] == b"heapflame" and os.readlink(f"/proc/{pid}/cwd").startswith(folder)
    except OSError:
        return False


run_leaker_tests(globals())
