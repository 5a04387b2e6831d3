#!/usr/bin/env python3
# timeout: 240
"""The SVG flame graph as a file: its bytes against flamegraph.pl's, the same in any order of lines, well-formed whatever
the names are, and exact."""

import random
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from _heap import HEAPFLAME, need, skip
from _suite import run_tests

ORIGINAL = Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["parse", "std::vector<int>::push_back", "<db::Row as core::Display>::fmt", "handle_request", "alloc", "operator new"]


def draw(lines, *options, command="flame"):
    done = subprocess.run([HEAPFLAME, command, *options, *(["--classic", "-"] if command == "flame" else [])], input=b"".join(lines),
                          capture_output=True, check=False, timeout=600)
    assert done.returncode in (0, 4), done.stderr
    return done.stdout


def many(count):
    """Stacks as those of a program: few roots, many leaves, heavy and light ones."""
    dice = random.Random(11)
    for _ in range(count):
        stack = ["main"] + [f"{WORDS[dice.randrange(6)]}_{dice.randrange(1 + level)}" for level in range(dice.randint(4, 24))]
        yield f"{';'.join(stack)} {int(dice.paretovariate(0.8) * 16)}\n".encode()


def test_bytes():
    """A quarter of the bytes of flamegraph.pl's picture, with as many frames to be seen."""
    need("perl")
    if not ORIGINAL.exists():
        skip("libdevel-nytprof-perl is missing (script/bootstrap test installs it)")
    lines = list(many(20000))
    theirs = subprocess.run(["perl", ORIGINAL], input=b"".join(lines), capture_output=True, check=True).stdout
    ours = draw(lines)
    drop_in = draw(lines, command="flamegraph.pl")
    frames, told = theirs.count(b"<title>"), re.search(rb"Drawn by heapflame: ([\d,]+) frames", ours)[1]
    assert frames > 5000 and int(told.replace(b",", b"")) == frames == drop_in.count(b"<g data-v="), (frames, told)
    print(f"{frames} frames: {len(theirs)} bytes, {len(ours)} bytes, in the place of flamegraph.pl {len(drop_in)}")
    assert len(ours) * 4 < len(theirs) and len(drop_in) < len(theirs)


def test_order_of_lines():
    lines = list(many(3000))
    for options in ([], ["--reverse"], ["--inverted", "--minwidth", "0"]):
        first = draw(lines, *options)
        for seed in range(3):
            random.Random(seed).shuffle(lines)
            assert draw(lines, *options) == first, options


def test_exact_sums():
    """No frame is wider than the one it stands on, also where counts do not fit into a floating-point number."""
    svg = draw([b"a;b 9007199254740993\n", b"a;c 4503599627370497\n", b"a;d;e 18428729675200069121\n", *many(300)])
    frames = [(int(g.get("data-v").split()[0]), int(g.get("data-v").split()[1]), float(g.find(SVG + "rect").get("y")))
              for g in ElementTree.fromstring(svg).iter(SVG + "g") if g.get("data-v")]
    widths = [width for _, width, _ in frames]
    assert all(exact in widths for exact in (9007199254740993, 4503599627370497, 18428729675200069121)), widths[:8]
    rows = defaultdict(list)
    for start, width, top in frames:
        rows[top].append((start, start + width))
    for top, row in rows.items():
        below = rows.get(top + 16, [(0, 1 << 64)])
        for start, end in row:
            assert any(left <= start and end <= right for left, right in below), (top, start, end)
        assert all(a[1] <= b[0] for a, b in zip(sorted(row), sorted(row)[1:])), top
    assert max(widths) > 1 << 63


def test_hostile_bytes():
    """Any bytes as names give XML that a strict parser takes, with no element more than frames need, and no line lost."""
    dice = random.Random(3)
    pieces = [b"</title>", b"<script>", b"]]>", b"&#0;", b"\"", b"'", b"\x00", b"\x01", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80",
              b"\xef\xbf\xbe", "\u202e\u200b\u0085".encode(), b"x", b" ", b"--", b"<!--", b"${x}", b"\\u003c"]
    lines = [b";".join(b"".join(dice.choices(pieces, k=dice.randint(1, 6))) for _ in range(dice.randint(1, 8))) + b" 5\n"
             for _ in range(400)]
    for options in ([], ["--reverse"], ["--title", "</svg><script>", "--subtitle", "]]>", "--notes", "--><x>", "--nametype", "\"'&"]):
        root = ElementTree.fromstring(draw(lines, *options))
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            "svg", "title", "desc", "defs", "linearGradient", "stop", "style", "rect", "text", "g", "path", "metadata", "script"}
        assert len(list(root.iter(SVG + "script"))) == 1
        assert root.find(f"{SVG}g[@id='frames']/{SVG}g/{SVG}title").text == f"all ({5 * len(lines):,} samples, 100%)"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
