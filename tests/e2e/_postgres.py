"""A PostgreSQL server of the test's own: a cluster in a temporary folder, on a Unix socket, with tests/pg/leaks.c loaded
into the backends that ask for it."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from _heap import SOURCE, TIMEOUT_S, run, skip

DEBIAN = Path("/usr/lib/postgresql/15/bin")
PROGRAMS = Path(os.environ.get("HEAPFLAME_POSTGRES", DEBIAN))  # another build of PostgreSQL 15, which runs as root, too
HEADERS = SOURCE / "tests/pg/headers/usr/include/postgresql/15/server"
if not (PROGRAMS / "postgres").exists():
    skip("postgresql-15 is missing (script/bootstrap test installs it)")
if not HEADERS.is_dir():
    skip("the headers of PostgreSQL are missing (script/bootstrap test unpacks them)")

# What a backend does all day; the two leaks are once in it, and the noise of contexts.
WORK = """
\\set account random(1, 10000)
\\set delta random(-5000, 5000)
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :account;
SELECT count(*), sum(a.abalance) FROM pgbench_accounts a JOIN pgbench_branches b ON a.bid = b.bid
  WHERE a.aid BETWEEN :account AND :account + 20;
SELECT b.bid, count(t.tid) FROM pgbench_branches b LEFT JOIN pgbench_tellers t USING (bid) GROUP BY b.bid ORDER BY b.bid;
SELECT replay_truncate(), fetch_policy('pgbench_accounts'::regclass), churn(1);
INSERT INTO done VALUES (extract(epoch FROM clock_timestamp()));
"""

FUNCTIONS = """
CREATE FUNCTION replay_truncate() RETURNS int AS '{0}' LANGUAGE C STRICT;
CREATE FUNCTION fetch_policy(oid) RETURNS int AS '{0}' LANGUAGE C STRICT;
CREATE FUNCTION churn(int) RETURNS bigint AS '{0}' LANGUAGE C STRICT;
CREATE FUNCTION leak_contexts(int, int) RETURNS int AS '{0}' LANGUAGE C STRICT;
CREATE UNLOGGED TABLE done (at double precision);
"""


def as_server():
    """Debian's server refuses to run as root: as the user that its package made, then."""
    if os.geteuid() != 0 or PROGRAMS != DEBIAN:
        return []
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--pdeathsig", "QUIT"]


def compile_extension(out):
    options = ["-O2", "-g", "-fPIC", "-shared", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"]
    run("gcc", *options, "-isystem", HEADERS, "-o", out, SOURCE / "tests/pg/leaks.c")


class Server:
    def __init__(self, folder):
        self.folder, self.clients = folder, []

    def sql(self, text, **more):
        """What psql answers, without headings."""
        psql = ["psql", "-XAtq", "-h", self.folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", text, "postgres"]
        return run(*psql, **more).strip()

    def start(self):
        compile_extension(self.folder / "leaks.so")
        if as_server():
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        data = self.folder / "data"
        run(*as_server(), PROGRAMS / "initdb", "-D", data, "-N", "-A", "trust", "-U", "postgres", cwd=self.folder)
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off", "autovacuum=off"]
        command = [*as_server(), PROGRAMS / "postgres", "-D", data, *(f"--{word}" for word in settings)]
        self.log = open(self.folder / "log", "wb")
        self.postmaster = subprocess.Popen(command, cwd=self.folder, stdout=self.log, stderr=self.log)
        self.wait_for(lambda: subprocess.run(
            [PROGRAMS / "pg_isready", "-q", "-h", self.folder], check=False).returncode == 0)
        run(PROGRAMS / "pgbench", "-i", "-q", "-s", "1", "-h", self.folder, "-U", "postgres", "postgres")
        self.sql(FUNCTIONS.format(self.folder / "leaks.so"))
        (self.folder / "work.sql").write_text(WORK)

    def stop(self):
        for client in self.clients:
            client.terminate()
            client.wait()
        self.postmaster.send_signal(signal.SIGQUIT)
        self.postmaster.wait(timeout=TIMEOUT_S)
        self.log.close()

    def wait_for(self, condition):
        deadline = time.monotonic() + TIMEOUT_S
        while not condition():
            assert self.postmaster.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)

    def backend(self, name):
        """The process of a client of that name; 0: there is none."""
        found = self.sql(f"SELECT pid FROM pg_stat_activity WHERE application_name = '{name}'")
        return int(found or 0)

    def done(self, begin, end):
        """How often the leaks were made between two times."""
        return int(self.sql(f"SELECT count(*) FROM done WHERE at > {begin} AND at < {end}"))

    def work(self, rate=0):
        """A client that works until the end; returns its backend's number. `rate`: transactions a second at most."""
        name = f"work{len(self.clients)}"
        command = [PROGRAMS / "pgbench", "-n", "-c", "1", "-T", "600", "-f", self.folder / "work.sql", "-h", self.folder]
        command += ["-U", "postgres", *(["-R", str(rate)] if rate else []), "postgres"]
        with open(self.folder / name, "wb") as out:
            self.clients.append(subprocess.Popen(
                command, env={**os.environ, "PGAPPNAME": name}, stdout=out, stderr=out))
        self.wait_for(lambda: self.backend(name) != 0)
        return self.backend(name)

    def idle(self):
        """(a client that asks what it is told on its standard input, its backend's number)"""
        name = f"idle{len(self.clients)}"
        client = subprocess.Popen(
            ["psql", "-XAtq", "-h", self.folder, "-U", "postgres", "postgres"], text=True,
            env={**os.environ, "PGAPPNAME": name}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.clients.append(client)
        self.wait_for(lambda: self.backend(name) != 0)
        return client, self.backend(name)


@contextlib.contextmanager
def server():
    # Others than root must reach it, and the path of a socket is short: not in the test's own folder.
    folder = Path(tempfile.mkdtemp(prefix="heapflame-pg-", dir="/tmp"))
    running = Server(folder)
    try:
        running.start()
        yield running
    finally:
        if hasattr(running, "postmaster"):
            running.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Mock:
    """tests/pg/server.c with the layout of one version."""

    def __init__(self, layout, strips=False, chain=0, many=0, storm=0, swell=0):
        options = ["-O1", "-g", "-rdynamic", "-fno-optimize-sibling-calls", *(["-s"] if strips else [])]
        options += [f"-DLAYOUT={layout}", f"-DCHAIN={chain}", f"-DMANY={many}", f"-DSTORM={storm}", f"-DSWELL={swell}"]
        run("gcc", *options, "-o", "server", SOURCE / "tests/pg/server.c")
        self.process = subprocess.Popen(["./server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.read(1)

    def __enter__(self):
        return self

    def tick(self, count, pause=0):
        for _ in range(count):
            time.sleep(pause)
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
            assert self.process.stdout.read(1) == b"\n"

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
