#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""Whoever refuses an input names --input-budget, and has it: also the commands that read live tables."""

import re
import subprocess
import sys
import time
from pathlib import Path

from _suite import run_tests


def test_every_command_that_names_the_option_has_it():
    """Those that have it not read nothing that anybody made, or nothing that is refused for its size."""
    listed = re.findall(r"(?m)^  (\S+) +\S", subprocess.run(["heapflame", "--help"], capture_output=True, text=True).stdout)
    without = {name for name in listed if "--input-budget" not in
               subprocess.run(["heapflame", name, "--help"], capture_output=True, text=True).stdout}
    assert len(listed) > 20 and without == {"completions", "conf", "doctor", "env", "fleet", "gc", "serve"}, (listed, without)


def refused_and_allowed(*command):
    """A hundred-thousandth of the allowance is too little for its table; without the option there is enough."""
    name, *words = command
    refused = subprocess.run(["heapflame", name, "--input-budget", "0.00001", *words], capture_output=True, text=True)
    assert "if you trust it, allow N times as much with --input-budget N (HF_LIMIT_BUDGET_" in refused.stderr, refused
    allowed = subprocess.run(["heapflame", name, *words], capture_output=True, text=True)
    assert allowed.returncode == 0 and "HF_LIMIT_BUDGET" not in allowed.stderr, allowed


def test_who_records_obeys_it():
    Path("p.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        void *volatile kept;
        int main(int count, char **words)
        {
            (void)words;
            for (int i = 0; i < 1000; i++)
                kept = malloc(48);
            return count > 1 ? pause() : 0;
        }""")
    subprocess.run(["gcc", "-g", "-o", "p", "p.c"], check=True)
    refused_and_allowed("run", "--exact", "-o", "run.hfb", "--", "./p")
    refused_and_allowed("bundle", "-o", "bundle.hfb", "run.hfb")
    recorded = subprocess.Popen(["heapflame", "run", "-q", "--exact", "-o", "other.hfb", "--", "./p", "stays"])
    try:
        pid = child_with_table(recorded.pid)
        refused_and_allowed("dump", "-o", "dump.hfb", str(pid))
        refused_and_allowed("mark", str(pid), "then")
        watched_with_too_little(pid)
    finally:
        recorded.terminate()
        recorded.wait()


def child_with_table(pid):
    for _ in range(3000):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in children:
            shown = subprocess.run(["heapflame", "top", "-q", child], capture_output=True, text=True)
            if shown.returncode == 0 and " main" in shown.stdout:
                return int(child)
        time.sleep(0.02)
    raise AssertionError("it records nothing")


def watched_with_too_little(pid):
    watch = subprocess.Popen(["heapflame", "watch", "--input-budget", "0.00001", "--every", "100ms", "-o", "watch.%n.hfb", str(pid)],
                             stderr=subprocess.PIPE, text=True)
    try:
        said = watch.stderr.readline()
    finally:
        watch.terminate()
        said += watch.communicate()[1]
    assert "with --input-budget N (HF_LIMIT_BUDGET_" in said, said


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
