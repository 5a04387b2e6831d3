#!/usr/bin/env python3
"""Compares the man pages with --help: the same commands with the same one-liners, and for each command the same options,
each of which begins with the text of --help.

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


def summaries_of(lines):
    """{command: its one-liner}. In the list of commands a line is: indent, name, gap, explanation."""
    found = (re.match(r"  +([a-z][\w.-]*)(?: [^a-z].*?)?  +(\S.*)", line) for line in lines)
    return {match.group(1): match.group(2) for match in found if match}


def rows_of(lines):
    """{the last option of a row of --help: its explanation}."""
    rows = {}
    for line in lines:
        options, parts = leading_options(line), re.split(r"\s{2,}", line.strip(), maxsplit=1)
        if options and len(parts) == 2:
            rows[options[-1]] = parts[1]
    return rows


def plain(text):
    """scdoc's text as it is read: without its marks, on one line."""
    return " ".join(re.sub(r"[*_\\]", "", text).split())


def page_paragraphs(page):
    """{option: the paragraph below the line that begins with it}."""
    found = {}
    for head, text in re.findall(r"^(\*-.*)\n((?:\t.*\n?)+)", page, re.M):
        for bold in re.findall(r"\*([^*]+)\*", head.replace("\\", "")):
            found.update((option, plain(text)) for option in OPTION.findall(bold))
    return found


def differing_texts(path, name, page, summary, rows):
    """One text for a command and for an option, in --help and in its page, which may go on."""
    title = re.search(r"^# NAME\n+(.*)$", page, re.M)
    wanted = f"heapflame-{name} - {summary[:1].lower()}{summary[1:].rstrip('.')}"
    if not title or plain(title.group(1)) != plain(wanted):
        yield f"{path}: NAME is not the one-liner of --help: expected '{wanted}'"
    paragraphs = page_paragraphs(page)
    for option, text in rows.items():
        begins = plain(text[:1].upper() + text[1:])
        if option in paragraphs and not re.match(re.escape(begins) + r"(?!\w)", paragraphs[option]):
            yield f"{path}: {option} does not begin as --help does: expected '{text}', found '{paragraphs[option][:60]}'"


def page_options(page):
    """The options with a paragraph of their own: lines that begin with a bold option."""
    own = set()
    for line in page.splitlines():
        if re.match(r"\*-", line):
            for bold in re.findall(r"\*([^*]+)\*", line.replace("\\", "")):
                own.update(OPTION.findall(bold))
    return own


def main():
    program = pathlib.Path(sys.argv[1]).absolute()
    if not program.exists():
        raise SystemExit(f"{program} is not built")
    pages = {path.name.removesuffix(".1.scd").removeprefix("heapflame-"): path
             for path in pathlib.Path("man").glob("heapflame-*.1.scd")}
    summaries = summaries_of(help_of(program))
    commands = set(summaries)
    wrong = []
    if not commands:
        wrong.append("heapflame --help lists no command")
    wrong += [f"man/heapflame-{name}.1.scd: is missing" for name in sorted(commands - set(pages))]
    wrong += [f"{pages[name]}: heapflame --help lists no such command" for name in sorted(set(pages) - commands)]
    overview = pathlib.Path("man/heapflame.1.scd")
    if not overview.exists():
        wrong.append(f"{overview}: is missing")
    listed = re.findall(r"^\*heapflame-(\S+)\*\(1\)\n\t(.*)", overview.read_text() if overview.exists() else "", re.M)
    wrong += [f"{overview}: {name} is not the one-liner of --help: expected '{summaries[name]}'"
              for name, text in listed if name in summaries and plain(text) != plain(summaries[name])]
    for name in sorted(commands & set(pages)):
        help_lines, page = help_of(program, name), pages[name].read_text()
        offered = {option for line in help_lines for option in leading_options(line)}
        own = page_options(page)
        wrong += differing_texts(pages[name], name, page, summaries[name], rows_of(help_lines))
        wrong += [f"{pages[name]}: {option} of --help is not in the page" for option in sorted(offered - own)]
        wrong += [f"{pages[name]}: {option} is not in --help" for option in sorted(own - offered)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
