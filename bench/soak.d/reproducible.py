#!/usr/bin/env python3
"""All that is installed, built once more in another folder, is the same bytes. tests/e2e/reproducible.py is the short form
of this, which does not build the whole command, and does the work.

usage: script/soak reproducible
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TEST = Path(os.environ["HEAPFLAME_SRC"]) / "tests/e2e/reproducible.py"

with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, "HEAPFLAME_REPRODUCE_ALL": "1"}
    sys.exit(subprocess.run([sys.executable, TEST], cwd=folder, env=environment, check=False).returncode)
