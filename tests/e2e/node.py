#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""JavaScript frames in the stacks that the agent records: equal to what V8 says at each allocation, but for the functions that
optimized code has taken in."""

import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS
from _heap import HEAPFLAME, need
from _interpreted import CUT, play_scenes
from _suite import run_tests

need("node", "gcc")
SCENES = PROGRAMS / "node_scenes.js"
KILLED = -9
EXACT = "exact:true,budget:256MiB"


def play(conf, *scenes, options=()):
    Path("module.js").write_text("both();\nexports.run = function() {\n  both();\n};\n")
    Path("module.mjs").write_text("both();\nawait null;\nboth();\nexport function run() { both(); }\n")
    return play_scenes(conf, "node", *options, SCENES, Path.cwd(), *scenes, status=KILLED, path_bytes=256)


def is_within(few, many):
    """True if the frames are those of `many` in their order, of which some are left out."""
    rest = iter(many)
    return all(frame in rest for frame in few)


def check(conf, *scenes, options=(), is_inlined=False, may_be_cut=False):
    """Returns how many stacks were compared."""
    said, table = play(conf, *scenes, options=options)
    stacks = table.stacks()
    compared = 0
    for size, expected in said.items():
        if size not in stacks:
            assert conf != EXACT, f"block {size} is not in the table"
            continue
        frames, flags = stacks[size]
        found = [frame for frame in frames if frame is not None]
        while found and found[0][1].startswith("node:"):  # how a Buffer comes to its memory
            found.pop(0)
        if flags & CUT and may_be_cut:
            expected = expected[: len(found)]
        else:
            assert not flags & CUT, f"block {size} is cut"
        is_equal = is_within(found, expected) if is_inlined else found == expected
        assert found and is_equal, f"block {size}:\n{found}\nbut V8 says\n{expected}"
        compared += 1
    return compared


def scene(name, least, **more):
    def test():
        compared = check(EXACT, name, **more)
        print(f"{compared} stacks")
        assert compared >= least, f"{compared} stacks, expected {least}"

    return test


test_plain = scene("plain", 18)
test_objects = scene("objects", 20)
test_callbacks = scene("callbacks", 14)
test_waiting = scene("waiting", 20)
test_code = scene("code", 10)
test_optimized = scene("hot", 40, options=["--no-turbo-inlining"])
test_inlined = scene("hot", 40, is_inlined=True)
test_always_optimized = scene("callbacks", 14, options=["--always-sparkplug"])
test_collecting = scene("collecting", 100, options=["--expose-gc", "--max-semi-space-size=1"], is_inlined=True)
test_deep = scene("deep", 1, may_be_cut=True)
test_workers = scene("workers", 12)


def test_refused():
    """Another version of V8, and a known one that does not export where it keeps things."""
    Path("other.c").write_text(
        "#include <stdlib.h>\nint _ZN2v88internal7Version6major_E = MAJOR, _ZN2v88internal7Version6minor_E = 3;\n"
        "int main(void) { return malloc(100000) == NULL; }\n")
    for major, said in (12, "heapflame knows V8 10.2 and 11.3 (Node.js 18 and 20), and this is V8 12.3"), (11, "the memory of this V8 11.3 is not laid out"):
        subprocess.run(["gcc", f"-DMAJOR={major}", "-rdynamic", "-o", "other", "other.c"], check=True)
        done = subprocess.run([HEAPFLAME, "run", "--exact", "-o", "other.hfb", "--", "./other"], capture_output=True, text=True, check=True)
        assert f"JavaScript functions are not shown: {said}" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
