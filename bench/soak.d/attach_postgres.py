#!/usr/bin/env python3
"""The two leaks of a backend of PostgreSQL, found in 13 s by perf and by bpf, with nothing lost: of Debian's stripped server
and of one with debug symbols (built from Debian's source, and kept), at 20 transactions a second and as fast as it can.
tests/e2e/attach_postgres.py does the work.

usage: script/soak attach_postgres      (as root)
"""

import os
import subprocess
import sys
import tempfile

import _programs

TEST = "import attach_postgres; attach_postgres.test_two_leaks_by_each_backend()"

_programs.build_postgres(_programs.POSTGRES, "", "install")
SERVERS = {
    "Debian's server, stripped": {},
    "a server with debug symbols": {"HEAPFLAME_POSTGRES": os.path.dirname(_programs.POSTGRES)},
}
failed = 0
for name, programs in SERVERS.items():
    for rate in (20, 0):
        print(f"{name}, {f'{rate} transactions a second' if rate else 'as fast as it can'}:", flush=True)
        environment = {**os.environ, **programs, "HEAPFLAME_POSTGRES_RATE": str(rate)}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", TEST], cwd=folder, env=environment, check=False)
        failed += done.returncode != 0
sys.exit(failed != 0)
