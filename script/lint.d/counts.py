#!/usr/bin/env python3
"""Checks C files, named on standard input (NUL between), and prints "file:line: what is wrong".

A number in a message of src/ takes its words from hf_plural, or people read "1 records are damaged". Nothing is wrong
where the number names something (line 1, process 1), is a bound ("more than %u frames", or one followed by its macro),
or where a comment in the same statement says why it is never 1.
"""

import pathlib
import re
import sys

STRING = r'"(?:\\.|[^"\\\n])*"'
# What the compiler makes one string of, with the macros in between.
MESSAGE = re.compile(rf"{STRING}(?:\s*(?:{STRING}|\w+))*")
COUNT = re.compile(
    r"(?P<before>(?:\S+ ){0,3})(?<![^\s(])%(?:z|l|ll)?[ud](?: [a-z]+)? (?P<noun>[a-z]+s)\b(?P<after>.{0,60})")
IS_BOUND = re.compile(r"\b(?:more than|less than|fewer than|longer than|deeper than|at most|at least|up to)(?: the)? $")
IS_NAME = re.compile(r"\b(?:process|line|snapshot|version|region|thread|number|PID|point|task) $")
NO_NOUN = {"has", "is", "was", "as", "less", "its", "this", "does", "ends", "belongs", "overlaps", "changes", "runs", "ms"}
NEVER_ONE = re.compile(r"/\*[^*]*\bnever 1\b[^*]*\*/")


def joined(message):
    """The text of a message, with every conversion of <inttypes.h> as %u."""
    text = re.sub(r'%"\s*PRI\w+\s*"?', '%u', message)
    return re.sub(r'"\s*(?:"|$)|^"', "", text).replace('"', "")


def wrong(code):
    """Yields (line, what is counted)."""
    for message in MESSAGE.finditer(code):
        text = joined(message.group(0))
        begin, end = code.rfind(";", 0, message.start()) + 1, code.find("\n", code.find(";", message.end()))
        if NEVER_ONE.search(code, begin, end):
            continue
        for count in COUNT.finditer(text):
            is_macro = re.match(r"[^%]*\(HF_[A-Z_]+\)", count.group("after"))
            if not (is_macro or count.group("noun") in NO_NOUN or IS_BOUND.search(count.group("before")) or IS_NAME.search(count.group("before"))):
                yield code.count("\n", 0, message.start()) + 1, count.group("noun")


def main():
    found = 0
    for name in filter(None, sys.stdin.read().split("\0")):
        path = pathlib.Path(name)
        for line, noun in wrong(path.read_text(errors="replace")) if path.parts[0] == "src" else ():
            print(f"{path}:{line}: '{noun}' after a number that may be 1: take the word from hf_plural, or say why it is never 1")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
