"""Servers of PostgreSQL: a backend whose caches fill, and one that leaks (see _real.py)."""

import os
import random
import signal
import subprocess
import time

from _heap import TIMEOUT_S, run
from _postgres import PROGRAMS, compile_extension
from _real import Program
from _real_healthy import paced
from _real_leaking import names_like

TABLES = 2000  # that a backend comes to know


def as_postgres():
    """Debian's server refuses to run as root."""
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] if os.geteuid() == 0 else []


MAKE_TABLES = """DO $$ BEGIN FOR i IN 0..%d LOOP EXECUTE format('CREATE TABLE t%%s (id int PRIMARY KEY, name text, at int)', i); END LOOP; END $$;
"""


def start_postgres(program):
    """A cluster with many tables, made before it is recorded."""
    data = program.folder / "data"
    settings = ["shared_buffers=16MB", "fsync=off", "max_locks_per_transaction=2000"]
    options = [word for setting in settings for word in ("-c", setting)]
    run(*as_postgres(), PROGRAMS / "initdb", "-D", data, "-N", "-A", "trust", "-U", "postgres", cwd=program.folder)
    run(*as_postgres(), PROGRAMS / "postgres", "--single", "-D", data, *options, "postgres", cwd=program.folder,
        input=(MAKE_TABLES % (TABLES - 1)).encode())  # fmt: skip
    return [PROGRAMS / "postgres", "-D", data, *options, "-c", "listen_addresses=", "-c", f"unix_socket_directories={program.folder}"]


class Session:
    """A client of the server, by psql."""

    def __init__(self, program):
        deadline = time.monotonic() + TIMEOUT_S
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", program.folder], check=False).returncode != 0:
            assert time.monotonic() < deadline, "postgres does not answer"
            time.sleep(0.2)
        command = ["psql", "-XAtq", "-h", str(program.folder), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "postgres"]
        self.psql = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *statements):
        self.psql.stdin.write("".join(f"{statement};\n" for statement in statements) + "\\echo done\n")
        self.psql.stdin.flush()
        while (line := self.psql.stdout.readline()) != "done\n":
            assert line, "the session has ended"


def ask_tables(program):
    """A session that touches thousands of tables, one after the other, and then these for ever."""
    session, chance = Session(program), random.Random(1)
    for number in paced(60):
        table = number if number < TABLES else chance.randrange(TABLES)
        session.ask(f"SELECT count(*), max(name) FROM t{table} WHERE id = {number % 5} AND at < {number}")
        if number % 100 == 0:
            session.ask("SELECT i, count(*) FROM generate_series(1, 5000) i GROUP BY i ORDER BY 2, 1 DESC LIMIT 1")
        if number == TABLES:
            program.note("full")


def postgres():
    return Program("postgres", start_postgres, ask_tables, is_many=True, as_user=as_postgres())


def leaking_postgres(healthy_s, leaking_s):
    """A backend whose extension (tests/pg/leaks.c) makes contexts that nobody deletes, of 20 kB each."""

    def ask(program):
        library = program.folder / "leaks.so"
        compile_extension(library)
        session = Session(program)
        session.ask(f"CREATE FUNCTION leak_contexts(int, int) RETURNS int AS '{library}' LANGUAGE C STRICT",
                    f"CREATE FUNCTION churn(int) RETURNS bigint AS '{library}' LANGUAGE C STRICT")  # fmt: skip
        begin = time.time() + healthy_s
        for number in paced(20):
            session.ask(f"SELECT churn(2), count(*) FROM pg_class WHERE relname < 'pg_{number % 90}'")
            if time.time() > begin:
                if program.noted("onset") is None:
                    program.note("onset")
                session.ask("SELECT leak_contexts(3, 20000)")
            if time.time() > begin + leaking_s:
                break
        os.kill(int((program.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGINT)

    return Program("postgres_leak", start_postgres, ask, judge=names_like("leaked_context|leak_contexts"),
                   is_many=True, as_user=as_postgres())  # fmt: skip
