#!/usr/bin/env python3
# sanitized: long, it waits for its builds; run follows processes, too
# timeout: 240
"""A real series of two builds of one program, each started twice under the agent: `heapflame trend` says with which build a leak began,
and that it began after the start of that build. Builds are told by the version in the program's path, or by their build-id."""

import json
import re
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, heapflame, need
from _schemas import held
from _suite import run_tests

need("gcc")

# A ring of 256 blocks, and from FROM seconds on a leak of 50 blocks a second beside it (LEAKS: 1).
SERVER = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *ring[256];
__attribute__((noinline)) void *open_session(void) { void *p = malloc(4000); return p ? memset(p, 1, 4000) : p; }
__attribute__((noinline)) void *put_in_cache(void) { void *p = malloc(4000); return p ? memset(p, 1, 4000) : p; }
int main(int count, char **words)
{
    for (int i = 0, at = 0; i < atoi(words[1]) * 50; i++) {
        for (int k = 0; k < 5; k++, at = (at + 1) % 256) {
            free(ring[at]);
            ring[at] = put_in_cache();
        }
        if (LEAKS && i >= FROM * 50) {
            void *volatile kept = open_session();
            (void)kept;
        }
        usleep(20000);
    }
    return count == 0;
}
"""
SECONDS = 14
RATE = 50 * 4000  # bytes a second, at most: usleep takes longer on a busy machine


def build(path, leaks, begin):
    path.parent.mkdir(parents=True, exist_ok=True)
    Path("server.c").write_text(SERVER)
    subprocess.run(
        ["gcc", "-O1", "-g", "-Wl,--build-id", f"-DLEAKS={leaks}", f"-DFROM={begin}", "-o", path, "server.c"], check=True
    )
    return path


def record(program, folder):
    heapflame(
        "run", "-q", "--exact", "--every", "200ms", "--keep", "0", "--no-final", "-o", f"{folder}/%p.%n.hfb", "--", f"./{program}", SECONDS
    )


def series(folder, old, new):
    """Both builds twice, one process after the other; returns the text and the document of trend."""
    Path(folder).mkdir()
    for program in (old, old, new, new):
        record(program, folder)
    text = subprocess.run([HEAPFLAME, "trend", "-q", folder], capture_output=True, text=True, check=True).stdout
    return text, held(json.loads(heapflame("trend", "-q", "--json", folder)))


def expect_since(text, document, build_name):
    """It leaks in both processes of the new build, at one rate, and in none of the old."""
    found = re.search(
        r"^open_session leaks in 2 of 4 processes of server, .*\. Since build (\S+) (\+[\d.]+ [KM]iB/min .*?); "
        r"before that no leak, in 2 processes\.$", text, re.M,
    )  # fmt: skip
    assert found and found[1] == build_name, text
    [leak] = document["together"]
    assert [row["build"] for row in leak["builds"]][-1] == build_name and [row["leaks"] for row in leak["builds"]] == [0, 2], leak
    rate = leak["builds"][-1].get("per_second", leak["builds"][-1].get("per_second_least"))
    assert rate is None or 0.3 * RATE < rate < 1.1 * RATE, leak


def test_by_the_version_in_the_path():
    """The leak begins 6 s after each start: so the build is the last thing that happened before."""
    old = build(Path("opt/server-2.4.0/bin/server"), 0, 0)
    new = build(Path("opt/server-2.4.1/bin/server"), 1, 6)
    text, document = series("versions", old, new)
    expect_since(text, document, "2.4.1")
    after = re.findall(r"^LEAK since .* UTC, (?:about at|[\d.]+ (?:s|min) after) build 2\.4\.1: open_session keeps ", text, re.M)
    assert len(after) == 1, text  # the second process of this build is no new build


def test_by_the_build_id():
    old, new = build(Path("old/server"), 0, 0), build(Path("new/server"), 1, 0)
    text, document = series("ids", old, new)
    notes = subprocess.run(["readelf", "-n", new], capture_output=True, text=True, check=True).stdout
    expect_since(text, document, re.search(r"Build ID: (\w{8})", notes)[1])


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
