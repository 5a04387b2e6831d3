#!/usr/bin/env python3
# timeout: 300
# sanitized: no, it is a build of its own
"""What is optional may be missing (meson_options.txt): without all of it heapflame builds, and says what it cannot do."""

import os
import re
import subprocess
from pathlib import Path

from _heap import need
from _suite import run_tests

need("meson", "ninja", "gcc")

SOURCE = Path(os.environ["HEAPFLAME_SRC"])


def run(*command, expected=0):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == expected, (command, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout + done.stderr


def test_without_any():
    run("meson", "setup", "-Dauto_features=disabled", "-Doptimization=0", "build", SOURCE)
    run("nice", "ninja", "-C", "build")
    done = subprocess.run(["build/heapflame", "doctor"], capture_output=True, text=True)
    assert re.search(r"^bpf +no +this heapflame was built without eBPF: build it with clang and libbpf-dev", done.stdout, re.M), done
    said = run("build/heapflame", "attach", str(os.getpid()), "--backend", "bpf", "-q", expected=5)
    assert "built without eBPF" in said, said
    left = [place for place in ("man", "examples/leaky-service", "tests")
            for path in Path("build", place).glob("*") if re.search(r"\.1$|leaky-service$|test_\w+$", path.name)]
    assert not left, left


def test_all_are_features():
    """One left as 'auto' in silence is one that a build may lack without anybody having said so."""
    for path in SOURCE.glob("**/meson.build"):
        if "node_modules" in path.parts or path.is_relative_to(SOURCE / "build"):
            continue
        for line in path.read_text().splitlines():
            found = re.search(r"required: *false", line)
            assert not found or re.search(r"find_library\('dl'|'jansson', static: true", line), (path, line)


if __name__ == "__main__":
    raise SystemExit(run_tests(globals()))
