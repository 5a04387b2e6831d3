#!/usr/bin/env python3
"""attach 200 times, and killed 200 times with -9 at any time, once the command alone and once with all its processes: the
target lives, its code is that of its files again (there after doctor --mend), and no probe is left.
tests/e2e/attach_robust.py is the short form of this, and does the work.

usage: script/soak attach_robust      (as root)
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TEST = Path(os.environ["HEAPFLAME_SRC"]) / "tests/e2e/attach_robust.py"

with tempfile.TemporaryDirectory() as folder:
    counts = {"HEAPFLAME_ATTACH_ROUNDS": "200", "HEAPFLAME_ATTACH_KILLS": "200"}
    print(f"{counts['HEAPFLAME_ATTACH_ROUNDS']} times attached and detached, {counts['HEAPFLAME_ATTACH_KILLS']} times killed")
    sys.exit(subprocess.run([sys.executable, TEST], cwd=folder, env={**os.environ, **counts}, check=False).returncode)
