#!/usr/bin/env python3
# sanitized: no, it reads the tree
"""docs/flame-checklist.md has its points, and every test that it names is there."""

import os
import re
import sys
from pathlib import Path

SRC = Path(os.environ["HEAPFLAME_SRC"])
PLACES = {
    "unit": "tests/unit/test_{}.c",
    "fuzz": "fuzz/fuzz_{}.c",
    "cmd": "tests/cmd/{}/cmd",
    "bench": "bench/{}.*",
    "e2e": "tests/e2e/{}.*",
}


def problem_of(reference):
    kind, name, function = re.fullmatch(r"(\w+)/([\w./-]+)(?:: (\w+))?", reference).groups()
    found = list(SRC.glob(PLACES[kind].format(name)))
    if len(found) != 1:
        return f"{reference}: {len(found)} files"
    if function and not re.search(rf"\b(void|function|def) {function}\(", found[0].read_text()):
        return f"{reference}: {found[0].name} has no {function}"
    return None


def main():
    rows = re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", (SRC / "docs/flame-checklist.md").read_text(), re.MULTILINE)
    problems = [] if [int(n) for n, _, _ in rows] == list(range(1, len(rows) + 1)) and len(rows) >= 62 else [f"{len(rows)} points, not 1 to 62 or more in order"]
    for n, _, held in rows:
        references = [text for text in re.findall(r"`([^`]+)`", held) if "/" in text]
        if not references and not re.match(r"open\b|not built\b", held):
            problems.append(f"point {n} names no test")
        problems += [f"point {n}: {problem}" for problem in map(problem_of, references) if problem]
    print("\n".join(problems) or f"{len(rows)} points")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
