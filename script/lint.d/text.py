#!/usr/bin/env python3
"""Checks every file of the tree, named on standard input (NUL between), and prints "file:line: what is wrong".

The top holds what it is meant to hold, by TOP alone. Nothing generated, nothing big; binary files only as fixtures; no white space at the end of a line, no line without
an end, no carriage return; no work left to do without the number of its issue.
"""

import pathlib
import re
import sys

MAX_BYTES = 1 << 20
# Files at the top of the tree, which everybody sees first.
TOP = {
    ".clang-format", ".editorconfig", ".gitignore", ".shellcheckrc", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE",
    "README.md", "SECURITY.md", "meson.build", "meson_options.txt",
}
GENERATED = re.compile(r"\.(o|a|so|d|pyc|gcno|gcda|orig|rej|swp|heap)$|(^|/)(node_modules|__pycache__)/|^build[^/]*/|~$")
# Here the bytes are the point: fixtures, expected outputs, corpora.
AS_THEY_ARE = re.compile(r"^(tests/fixtures|fuzz/corpus|fuzz/dict|fuzz/expected|bench/results)/|^tests/cmd/.*(?<!/cmd)$")
PICTURE = re.compile(r"^docs/.*\.png$")
LEFT_TO_DO = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b(?!\(#\d+\))")
CODE = re.compile(r"\.(c|h|py|sh|mjs|ts|js|bt)$|/meson\.build$|^(script|tests/cmd)/")


def check(path, name):
    if "/" not in name and name not in TOP:
        yield 1, "no file of the top of the tree (TOP in script/lint.d/text.py): it belongs into a folder, or nowhere"
    size = path.stat().st_size
    if size > MAX_BYTES:
        yield 1, f"{size} bytes; a file has at most {MAX_BYTES}, and bigger fixtures are built by their test"
        return
    if AS_THEY_ARE.search(name) or PICTURE.search(name):
        return
    if GENERATED.search(name):
        yield 1, "is generated, or left behind; it does not belong into the tree"
        return
    data = path.read_bytes()
    if b"\0" in data:
        yield 1, "is binary, and no fixture"
        return
    if data and not data.endswith(b"\n"):
        yield data.count(b"\n") + 1, "the last line has no end"
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if line.endswith((" ", "\t")):
            yield number, "white space at the end"
        if "\r" in line:
            yield number, "carriage return"
        if CODE.search(name) and LEFT_TO_DO.search(line):
            yield number, "work left to do names its issue: (#number) right after the word"


def main():
    wrong = 0
    for name in filter(None, sys.stdin.read().split("\0")):
        path = pathlib.Path(name)
        if path.is_symlink() or not path.is_file():
            continue
        for number, message in check(path, name):
            print(f"{name}:{number}: {message}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
