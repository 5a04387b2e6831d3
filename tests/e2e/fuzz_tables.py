#!/usr/bin/env python3
"""What fuzz/ says of its targets fits them: each has the files that it is there for, and no file is of a target that is
not there."""

import os
import sys
from pathlib import Path

SRC = Path(os.environ["HEAPFLAME_SRC"])
FUZZ = SRC / "fuzz"


def rows(name):
    lines = (FUZZ / name).read_text().splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def faults():
    targets = {path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c")}
    parsers = {row[0]: row[1:] for row in rows("parsers")}
    for name in sorted(targets - parsers.keys()):
        yield f"fuzz/parsers does not say what fuzz_{name} is there for"
    named = {
        "fuzz/parsers": parsers,
        "fuzz/options": [row[0] for row in rows("options")],
        "fuzz/dict": [path.name for path in (FUZZ / "dict").iterdir()],
        "fuzz/corpus": [path.name for path in (FUZZ / "corpus").iterdir()],
    }
    for where, names in named.items():
        for name in sorted(set(names) - targets):
            yield f"{where} has '{name}', and there is no fuzz/fuzz_{name}.c"
    files = {file for of_target in parsers.values() for file in of_target} | {row[0] for row in rows("unreached")}
    for file in sorted(file for file in files if not (SRC / "src" / file).is_file()):
        yield f"there is no src/{file}: fuzz/parsers or fuzz/unreached names it"
    for file, function, *reason in rows("unreached"):
        if not reason or (function != "*" and function not in (SRC / "src" / file).read_text()):
            yield f"fuzz/unreached: src/{file} has no {function}(), or the row has no reason"


def main():
    found = list(faults())
    print("\n".join(found) or "fuzz/ agrees with its targets")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
