#!/usr/bin/env python3
"""The whole suite against the build with ASan and UBSan, also those programs that take minutes there and mostly wait; each
change is checked with the others (script/test --sanitize).

usage: script/soak sanitized [--filter RE]
"""

import os
import subprocess
import sys
from pathlib import Path

SRC = Path(os.environ["HEAPFLAME_SRC"])
subprocess.run([SRC / "script/build", "--sanitize"], check=True)
done = subprocess.run([SRC / "tests/run", "--build", SRC / "build-sanitize", "--sanitized", "--long", *sys.argv[1:]], check=False)
sys.exit(done.returncode)
