"""Services that do not leak, and who asks them (see _real.py)."""

import http.client
import itertools
import os
import random
import re
import socket
import time

from _heap import TIMEOUT_S, run
from _real import PACED, Program

PYTHON = "/usr/bin/python3"  # whose functions heapflame names


def paced(rate):
    """So many numbers a second, from 0, for ever; after a delay as many as are missing."""
    begin = time.monotonic()
    for number in itertools.count():
        due = begin + number / rate
        while (wait := due - time.monotonic()) > 0:
            time.sleep(wait)
        yield number


def ask_http(port, paths, rate):
    """GETs, 20 for each connection; yields how many there were."""
    connection = None
    for number, path in zip(paced(rate), paths):
        if number % 20 == 0:
            if connection is not None:
                connection.close()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
        yield number


def ask_numbers(program, rate, full):
    """Ever new numbers; the caches are full after so many."""
    for number in ask_http(program.port(), map("/{}".format, itertools.count()), rate):
        if number == full:
            program.note("full")


def lru_cache(size=2000):
    return Program("lru_cache", lambda _: [PYTHON, PACED / "lru.py", size], lambda program: ask_numbers(program, 100, size))


def node():
    return Program("node", lambda _: ["node", PACED / "server.js"], lambda program: ask_numbers(program, 40, 600))


def redis_command(_):
    return ["redis-server", "--port", "0", "--unixsocket", "socket", "--save", ""]


def connect(path):
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        one = socket.socket(socket.AF_UNIX)
        try:
            one.connect(str(path))
            return one
        except OSError:
            one.close()
            assert time.monotonic() < deadline, f"{path}: nobody answers"
            time.sleep(0.1)


def ask_redis(stream, *requests):
    """What is answered to commands that are sent together: the first line of each answer."""
    def words_of(request):
        return b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in request)

    stream.write(b"".join(b"*%d\r\n%s" % (len(request), words_of(request)) for request in requests))
    stream.flush()
    answers = []
    for _ in requests:
        line = stream.readline()
        assert line and line[:1] != b"-", line
        if line[:1] == b"$" and line != b"$-1\r\n":
            line = stream.read(int(line[1:]) + 2)
        answers.append(line)
    return answers


def redis_stream(program):
    # The path of a socket is short, the folder's name perhaps not.
    os.chdir(program.folder)
    return connect("socket").makefile("rwb")


def ask_lru(program):
    """Ever new keys of a redis that evicts the least recently used, and readings of the last thousands."""
    stream, chance = redis_stream(program), random.Random(1)
    for number in paced(50):
        writings = [[b"SET", b"key:%d" % (number * 25 + i), b"v" * chance.randrange(100, 1500)] for i in range(25)]
        readings = [[b"GET", b"key:%d" % max(0, number * 25 - chance.randrange(10000))] for _ in range(10)]
        ask_redis(stream, *writings, *readings)
        if number % 50 == 0 and program.noted("full") is None:
            (stats,) = ask_redis(stream, [b"INFO", b"stats"])
            if int(re.search(rb"evicted_keys:(\d+)", stats)[1]) > 0:
                program.note("full")


def redis_lru():
    options = ["--maxmemory", "32mb", "--maxmemory-policy", "allkeys-lru"]
    return Program("redis", lambda program: [*redis_command(program), *options], ask_lru)


NGINX = """
worker_processes 1; daemon off; pid nginx.pid; error_log stderr; {user}
events {{ worker_connections 200; }}
http {{
  access_log access.log; gzip on; gzip_min_length 1000; gzip_types text/plain; default_type text/plain;
  open_file_cache max=300 inactive=60s; keepalive_requests 1000;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; location / {{ ssi on; ssi_types text/plain; }} }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start_nginx(program):
    root = program.folder / "pages"
    root.mkdir()
    for number in range(3000):
        (root / str(number)).write_text(f"page {number} <!--# echo var=\"request_uri\" -->\n" * (1 + number % 700))
    program.nginx_port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    (program.folder / "nginx.conf").write_text(NGINX.format(user=user, port=program.nginx_port, root=root))
    return ["nginx", "-q", "-p", program.folder, "-e", "stderr", "-c", program.folder / "nginx.conf"]


def ask_nginx(program):
    """Pages in turns, over a few connections of different length; the cache of open files is full after 300."""
    deadline = time.monotonic() + TIMEOUT_S
    while socket.socket().connect_ex(("127.0.0.1", program.nginx_port)) != 0:
        assert time.monotonic() < deadline, "nginx does not answer"
        time.sleep(0.1)
    chance = random.Random(1)
    for number in ask_http(program.nginx_port, (f"/{chance.randrange(3000)}?{number}" for number in itertools.count()), 200):
        if number == 400:
            program.note("full")


def nginx():
    return Program("nginx", start_nginx, ask_nginx, is_many=True)


def start_store(library):
    def start(program):
        run("gcc", "-g", "-O1", f"-DSTORE={library}", "-o", program.folder / "store", PACED / "store.c", f"-l{library}")
        return ["./store", "data"]

    return start


def store(library):
    return Program(library, start_store(library), lambda program: (time.sleep(20), program.note("full"), time.sleep(TIMEOUT_S)))
