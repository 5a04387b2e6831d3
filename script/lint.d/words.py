#!/usr/bin/env python3
"""Holds the patterns that docs/WORDS.md avoids out of what people read: --help, man pages, the documents at the top, and docs.

usage: words.py HEAPFLAME      (the built command; run it at the top of the tree)

Each pattern must find a sentence on the left of a row of "Patterns we avoid" in docs/WORDS.md, each such sentence must be
found, and none on the right: so the document and the patterns say the same. The row's third column is what is printed."""

import pathlib
import re
import subprocess
import sys

# A space here is any white space, also the end of a line, but not of a paragraph.
PATTERNS = [
    r"(?:^|(?<=[.:;!?]\s))Of (?:an?|what|it|another|others?|[*_`])",
    r"\b(?:is|are|was|were|be) said\b(?! to)",
    r"[,(] ?as [*_`'\"]*[\d/+.](?! )",
    r"\bso (?:often|soon)\b",
    r"\b(?:for|of|to|with|within) (?!left|leaves?|let)(?:[\w']+ )?[\w']+ alone\b",
    r"\bbe had\b",
    r"\bwho (?:holds?|held|calls?|called|allocates?|allocated|asks?|asked|keeps?|kept)\b",
    r"\bin the name of an? (?:task|process|thread|program|user|client)\b",
    r"(?<![tT]here\s)\b(?:is|are|was|were) no (?!longer|more|less|better|worse|other|one\b)",
    r"\b(?:that|which) (?:is|are|was|were) asked for\b|\bnobody asks\b",
    r"\b(?:tells?|told|knows?|known) of\b",
    r"\b[Mm]eanwhile\b",
    r"\bon the way\b(?! (?:to|from|out|in|back|there))",
    r"\bThe default is [^.\n]{1,16}\.|\(the default\)",
    r"\b[Aa]s ever\b",
    r"(?<!and\s)\b[Aa]lso (?:if|when|where) (?!\w+ is (?:tested|written))",
    r"\bis none of\b",
    r"\b(?:live|outstanding) (?:memory|bytes|objects)\b",
    r"\bshall\b",
    r"[a-z]!(?= |$)",
]
SPACE = r"(?:[ \t]+|[ \t]*\n[ \t]*)"
WHERE = ["*.md", "man/*.scd", "docs/**/*.md"]
RULES = pathlib.Path("docs/WORDS.md")  # quotes what it forbids


def compiled(pattern):
    parts = re.split(r"(\[[^]]*\])", pattern)
    return re.compile("".join(part if part.startswith("[") else part.replace(" ", SPACE) for part in parts), re.M)


def rows_of_rules():
    """(what is avoided, what is said instead, why): the rows of the table."""
    section = re.search(r"^## Patterns we avoid\n(.*?)(?=^## |\Z)", RULES.read_text(), re.M | re.S)
    return re.findall(r'^\| "(.*?)" \| "(.*?)" \| (.*?) \|$', section.group(1) if section else "", re.M)


def check_rules(patterns, rows):
    """What is wrong with the patterns or the table; {pattern: why}."""
    wrong, why = [], {}
    for avoided, instead, reason in rows:
        found = [pattern for pattern in patterns if pattern.search(avoided)]
        if not found:
            wrong.append(f'{RULES}: no pattern of script/lint.d/words.py finds "{avoided}"')
        wrong += [f'{RULES}: "{instead}" is found as well, by {pattern.pattern}' for pattern in patterns if pattern.search(instead)]
        why.update((pattern, (reason, instead)) for pattern in found if pattern not in why)
    wrong += [f"{RULES}: has no row that {pattern.pattern} finds" for pattern in patterns if pattern not in why]
    return wrong, why


def prose(text):
    """The text without its blocks of code, with as many lines."""
    return re.sub(r"^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)


def texts(program):
    """(where, text) of everything that is held."""
    for pattern in WHERE:
        for path in sorted(pathlib.Path().glob(pattern)):
            if path != RULES:
                yield str(path), prose(path.read_text())
    for command in [[]] + [[path.name[len("heapflame-") : -len(".1.scd")]] for path in sorted(pathlib.Path("man").glob("heapflame-*.scd"))]:
        done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=False, timeout=20)
        yield " ".join(["heapflame", *command, "--help"]), done.stdout


def main():
    patterns = [compiled(pattern) for pattern in PATTERNS]
    wrong, why = check_rules(patterns, rows_of_rules())
    for where, text in texts(pathlib.Path(sys.argv[1]).absolute()) if not wrong else ():
        for pattern in patterns:
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                reason, instead = why[pattern]
                wrong.append(f"{where}:{line}: '{' '.join(found.group(0).split())}': {reason}; as in \"{instead}\" (docs/WORDS.md)")
    if wrong:
        print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
