#!/usr/bin/env python3
"""Holds src/base/limits.h to its tests: each HF_LIMIT_X has a function test_x in tests/e2e/limits.py, or a unit test
names it.

usage: limits.py      (in the root of the tree; no limits, nothing to do)
"""

import pathlib
import re


def text_of(path):
    return path.read_text() if path.exists() else ""


def main():
    limits = set(re.findall(r"#define HF_LIMIT_(\w+) ", text_of(pathlib.Path("src/base/limits.h"))))
    tight = set(re.findall(r"#define HF_LIMIT_(\w+) ", text_of(pathlib.Path("tests/limits_tight.h"))))
    tests = text_of(pathlib.Path("tests/e2e/limits.py"))
    unit = "".join(path.read_text() for path in pathlib.Path("tests/unit").glob("test_*.c"))
    tested = {name for name in limits if f"def test_{name.lower()}(" in tests or f"HF_LIMIT_{name}" in unit}
    wrong = [f"src/base/limits.h: HF_LIMIT_{name} has no test (tests/e2e/limits.py says how)"
             for name in sorted(limits - tested)]
    wrong += [f"tests/limits_tight.h: HF_LIMIT_{name} is no limit" for name in sorted(tight - limits)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
