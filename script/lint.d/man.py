#!/usr/bin/env python3
"""Compares the man pages with what the program says of itself: the same commands, and for each the same options.

usage: man.py HEAPFLAME      (the built command; the pages are man/heapflame-COMMAND.1.scd)
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def help_of(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=False, timeout=20)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} --help failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


def leading_options(line):
    """The options a line of --help explains: those before the gap that begins the explanation."""
    return OPTION.findall(re.split(r"\s{2,}", line.strip())[0]) if line.strip().startswith("-") else []


def commands_of(lines):
    """In the list of commands a line is: indent, name, gap, explanation."""
    found = (re.match(r"  +([a-z][\w.-]*)(?: [^a-z].*?)?  +\S", line) for line in lines)
    return {match.group(1) for match in found if match}


def page_options(page):
    """(options with a paragraph of their own: lines that begin with a bold option, all options mentioned)."""
    own = set()
    for line in page.splitlines():
        if re.match(r"\*-", line):
            for bold in re.findall(r"\*([^*]+)\*", line.replace("\\", "")):
                own.update(OPTION.findall(bold))
    return own, set(OPTION.findall(page.replace("\\", "")))


def main():
    program = pathlib.Path(sys.argv[1]).absolute()
    if not program.exists():
        raise SystemExit(f"{program} is not built")
    pages = {path.name.removesuffix(".1.scd").removeprefix("heapflame-"): path
             for path in pathlib.Path("man").glob("heapflame-*.1.scd")}
    commands = commands_of(help_of(program))
    wrong = []
    if not commands:
        wrong.append("heapflame --help lists no command")
    wrong += [f"man/heapflame-{name}.1.scd: is missing" for name in sorted(commands - set(pages))]
    wrong += [f"{pages[name]}: heapflame --help lists no such command" for name in sorted(set(pages) - commands)]
    if not pathlib.Path("man/heapflame.1.scd").exists():
        wrong.append("man/heapflame.1.scd: is missing")
    for name in sorted(commands & set(pages)):
        offered = {option for line in help_of(program, name) for option in leading_options(line)}
        own, _ = page_options(pages[name].read_text())
        wrong += [f"{pages[name]}: {option} of --help is not in the page" for option in sorted(offered - own)]
        wrong += [f"{pages[name]}: {option} is not in --help" for option in sorted(own - offered)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
