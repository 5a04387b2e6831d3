#!/usr/bin/env python3
"""Checks C files, named on standard input (NUL between), and prints "file:line: what is wrong".

usage: csource.py floors|length|banned|terminal|names < names
  floors  folders hold at most 16 modules, includes follow docs/floors.txt, and a .c file in src/ includes its own header first
  length  files of at most 800 lines (.c) or 250 (.h), functions of at most 80
  banned  no function that overflows, guesses or hides an error; printing and exiting only where that is the job; no
          opening of files where paths come out of data
  terminal  nothing is printed but by what escapes it
  names   in src/, agent/ and ctl/ a static function has a name of its own, a struct tag one meaning, and a file name is
          on two floors only where it is the same idea; the verbs of a header are those of docs/STYLE.md
"""

import pathlib
import re
import sys

MAX_LINES = {".c": 800, ".h": 250}
MAX_FUNCTION = 80
MAX_MODULES = 16

BANNED = {
    "atoi": "num.h", "atol": "num.h", "atoll": "num.h", "strtol": "num.h", "strtoul": "num.h", "strtoll": "num.h",
    "strtoull": "num.h", "sscanf": "num.h or a cursor", "strcpy": "a length", "strcat": "a length",
    "strncpy": "a length", "sprintf": "snprintf", "vsprintf": "vsnprintf", "strtok": "a cursor",
    "localtime": "localtime_r", "gets": "a length", "alloca": "the heap or an arena", "system": "fork and exec",
    "popen": "fork and exec",
}
PRINTING = {name: "an error value" for name in (
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "putchar", "perror", "exit", "abort")}
# Their paths come out of profiles, images and other processes, so nothing there opens by itself.
OPENING = {name: "hf_file_open_regular, which looks first" for name in ("open", "openat", "fopen", "opendir")}
MAY_NOT_OPEN = tuple(f"src/{folder}/" for folder in (
    "analysis", "compress", "dwarf", "elf", "formats", "live", "profile", "render", "spec", "symbol", "unwind"))
# Within src/ nothing reaches a terminal but by src/cli/say.c and hf_output, which escape it as a whole.
PRINTING_OF_US = {name: "hf_say or hf_output, which escape" for name in (
    "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs", "fputc", "putc", "putchar",
    "fwrite", "fwrite_unlocked", "perror", "psignal", "fdopen")}
STREAMS = re.compile(r"\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b|\bwrite\s*\(\s*[12]\s*,")
ASKED_ONLY = re.compile(r"\b(isatty|ioctl|close|dup2)\s*\([^;{}()]*\bSTD(OUT|ERR)_FILENO\b")
ASKS_TERMINAL = re.compile(r"\bisatty\s*\(")
MAY_USE_STREAMS = ("src/cli/say.c", "src/os/file_writer.c")
MAY_OPEN_DATA = {  # files of src/cli/
    "cmd_addr2line.c", "command.c", "command.h", "convert.c", "cmd_difffolded_pl.c", "cmd_dump.c", "cmd_flamegraph_pl.c",
    "cmd_llvm_symbolizer.c", "report.c"}
WRITTEN_BY_MESON = {"config.h"}
MAY_PRINT = ("src/cli/", "examples/", "tests/", "fuzz/", "bench/")


def blank_out(code):
    """The code with comments and the insides of literals replaced by spaces; lines stay where they are."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def blank(found):
        return re.sub(r"[^\n]", " ", found.group(0))

    return re.sub(pattern, blank, code, flags=re.DOTALL)


def one_branch(code):
    """The code without preprocessor lines, and without what follows #else: braces then pair up."""
    lines, skipping, continued = [], [], False
    for line in code.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if directive and not continued:
            word = directive.group(1)
            if word.startswith("if"):
                skipping.append(False)
            elif word.startswith("el") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
        keep = not (directive or continued or any(skipping))
        continued = (bool(directive) or continued) and line.endswith("\\")
        lines.append(line if keep else "")
    return "\n".join(lines)


def functions(code):
    """Yields (name, first line, last line) of each function body."""
    depth, line, head, start = 0, 1, "", None
    for char in code:
        if char == "\n":
            line += 1
        if char == "{":
            if depth == 0:
                _, parameters, rest = head.rpartition(")")
                is_type = re.search(r"\b(struct|union|enum)\b", rest)
                start = line if parameters and "=" not in head and not is_type else None
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                if start:
                    name = re.search(r"(\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head))
                    yield name.group(1) if name else "?", start, line
                head = ""
        elif depth == 0:
            head = "" if char == ";" else head + char


def read_floors():
    """{folder: (floor, only)}; the folders of src/ without it, a floor as numbers that compare, None if it stands alone."""
    floors = {}
    for line in pathlib.Path("docs/floors.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            floor = None if words[0] == "-" else tuple(int(number) for number in words[0].split("."))
            floors[words[1].removeprefix("src/")] = (floor, words[2:])
    return floors


def folder_of(path):
    """A room of src/ is a folder of its own; elsewhere only the first folder counts."""
    parts = path.parts
    return "/".join(parts[1:-1]) if parts[0] == "src" and len(parts) > 2 else parts[0]


def floor_text(folder, other, floors):
    """The number of a floor; with that of the room where `other` is one of the same folder."""
    numbers = floors[folder][0] or ()
    rooms = len(numbers) if folder.split("/")[0] == other.split("/")[0] else 1
    return ".".join(str(number) for number in numbers[:rooms])


def includes(code):
    without_comments = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group(0).count("\n"), code, flags=re.DOTALL)
    for number, line in enumerate(without_comments.split("\n"), 1):
        found = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if found:
            yield number, found.group(1), found.group(2)


def lies_below(target, own, floors):
    """The rooms of one folder have an order (3.0 below 3.1); beside other folders they stand on one floor."""
    under, floor = floors[target][0], floors[own][0]
    if under is None:
        return False
    is_same_folder = target.split("/")[0] == own.split("/")[0]
    return under < floor if is_same_folder else under[0] < floor[0]


def bad_include(path, name, floors):
    """Why this #include "name" is wrong, or None."""
    own = folder_of(path)
    if own not in floors:
        return f"{own} has no floor in docs/floors.txt"
    if not name.endswith(".h"):
        return f'"{name}" is not a header'
    if name in WRITTEN_BY_MESON:
        return None
    floor, only = floors[own]
    target = name.rpartition("/")[0] or None
    if path.parts[0] != "src":
        if (path.parent / name).exists() or pathlib.Path(own, name).exists():
            return None
    elif target is None:
        return f'"{name}" is not written from src/, as in "{own}/{name}"'
    if target not in floors or not pathlib.Path("src", name).exists():
        return f'"{name}" is in no folder of docs/floors.txt'
    if target == own:
        return None
    if floor is None:
        return f'{own} stands alone, yet includes "{name}"'
    if only and target.split("/")[0] not in only:
        return f'{own} may include {" ".join(only)}, not "{name}"'
    if not lies_below(target, own, floors):
        own_floor, target_floor = floor_text(own, target, floors), floor_text(target, own, floors)
        return f'{own} (floor {own_floor}) may not include "{name}" (floor {target_floor})'
    return None


def check_floors(path, code, floors):
    own = f"{folder_of(path)}/{path.stem}.h"
    found = list(includes(code))
    if path.suffix == ".c" and path.parts[0] == "src" and path.with_suffix(".h").exists():
        if not found or found[0][2] != own:
            yield found[0][0] if found else 1, f'its own header "{own}" is not the first include'
    for number, quote, name in found:
        wrong = bad_include(path, name, floors) if quote == '"' else None
        if wrong:
            yield number, wrong


def check_length(path, code, _):
    count = code.count("\n")
    if count > MAX_LINES[path.suffix]:
        yield count, f"{count} lines; a {path.suffix} file has at most {MAX_LINES[path.suffix]}"
    for name, first, last in functions(one_branch(blank_out(code))):
        if last - first + 1 > MAX_FUNCTION:
            yield first, f"{name} has {last - first + 1} lines; a function has at most {MAX_FUNCTION}"


def check_banned(path, code, _):
    banned = BANNED if str(path).startswith(MAY_PRINT) else BANNED | PRINTING
    if str(path).startswith(MAY_NOT_OPEN):
        banned = banned | OPENING
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(banned) + r")\s*\(")
    for number, line in enumerate(blank_out(code).split("\n"), 1):
        for found in pattern.finditer(line):
            yield number, f"{found.group(1)} is banned here; use {banned[found.group(1)]}"


def check_terminal(path, code, _):
    name, blank = str(path), blank_out(code)
    if not name.startswith("src/"):
        return
    calls = re.compile(r"(?<![\w.>])(" + "|".join(PRINTING_OF_US) + r")\s*\(")
    for number, line in enumerate(blank.split("\n"), 1):
        for found in calls.finditer(line):
            yield number, f"{found.group(1)} is banned here; use {PRINTING_OF_US[found.group(1)]}"
        if "hf_output_open_data" in line and not (name.startswith("src/cli/") and path.name in MAY_OPEN_DATA):
            yield number, "hf_output_open_data is for formats and pictures; use hf_output_open, which escapes"
        if ASKS_TERMINAL.search(line) and not name.startswith("src/cli/"):
            yield number, "isatty is banned here; a command knows its terminal"
    if name in MAY_USE_STREAMS:
        return
    asked = ASKED_ONLY.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), blank)
    for number, line in enumerate(asked.split("\n"), 1):
        for found in STREAMS.finditer(line):
            yield number, f"{found.group(0)} is banned here; use hf_say or hf_output, which escape"


# The same idea on two floors: an ELF image, a parser of lines, the notes of a profile and of an image, ...
MAY_SHARE_A_NAME = {"image", "line", "modules", "notes", "parse", "probe", "reader", "resolve", "embedded"}


# The verbs of docs/STYLE.md: how each ends what another began, and which others mean the same.
OPENING_VERB = {"close": ("open", "find"), "free": ("new",)}
CLOSING_VERB = {"open": "close", "new": "free"}
OTHER_VERBS = {
    "create": "new", "destroy": "free", "delete": "free", "dispose": "free", "cleanup": "done", "fini": "done", "insert": "add",
    "get": "find or at", "lookup": "find"}


def check_verbs(code):
    """Yields (line, message) of a header: hf_thing_verb(struct hf_thing *...)."""
    lines = {}
    for found in re.finditer(r"\b(hf_\w+)\(([^()]*)", code):
        lines.setdefault(found.group(1), (code.count("\n", 0, found.start()) + 1, found.group(2)))
    for name, (line, parameters) in lines.items():
        thing, _, verb = name.rpartition("_")
        if verb in OTHER_VERBS:
            yield line, f"{name}: the verb for that is {OTHER_VERBS[verb]} (docs/STYLE.md)"
        if not re.match(rf"(const )?struct {thing}\b", parameters):
            continue
        if verb in OPENING_VERB and not any(f"{thing}_{begins}" in lines for begins in OPENING_VERB[verb]):
            yield line, f"{name}: there is no {thing}_{OPENING_VERB[verb][0]} (docs/STYLE.md)"
        is_begun = verb in CLOSING_VERB and not parameters.startswith("const ")
        if is_begun and f"{thing}_{CLOSING_VERB[verb]}" not in lines:
            yield line, f"{name}: there is no {thing}_{CLOSING_VERB[verb]}; what owns nothing is read, not opened (docs/STYLE.md)"
        for begins, ends in ("open", "close"), ("new", "free"):
            if verb == "done" and re.match(rf"struct {thing} \*", lines.get(f"{thing}_{begins}", (0, ""))[1]):
                yield line, f"{name}: what {begins} begins, {ends} ends (docs/STYLE.md)"


class Names:
    """Of all files together: what each name is taken by."""

    def __init__(self):
        self.functions, self.tags, self.modules = {}, {}, {}

    def taken_before(self, names, name, path):
        first = names.setdefault(name, path)
        return None if first == path else first

    def check(self, path, code, _):
        if path.parts[0] not in ("src", "agent", "ctl"):
            return
        blank = blank_out(code)
        for pattern, names, what in (
            (r"^static [^;={}()]*?\b(\w+)\(", self.functions, "static function"),
            (r"^(?:struct|enum|union) (\w+) \{", self.tags, "tag"),
        ):
            for found in re.finditer(pattern, blank, re.MULTILINE):
                first = self.taken_before(names, found.group(1), path)
                if first and not found.group(1).startswith("__"):
                    line = blank.count("\n", 0, found.start()) + 1
                    yield line, f"the {what} {found.group(1)} is in {first}, too: put the module's name first, as in pprof_bid"
        if path.suffix == ".h":
            yield from check_verbs(blank)
        first = self.taken_before(self.modules, path.stem, path.with_suffix(""))
        if first and path.stem not in MAY_SHARE_A_NAME:
            yield 1, f"{first} has this file name, too: a module is called by what it is, on one floor"


def main():
    checks = {"names": Names().check, "floors": check_floors, "length": check_length, "banned": check_banned, "terminal": check_terminal}
    check = checks[sys.argv[1]]
    floors = read_floors()
    wrong = 0
    for folder in floors if sys.argv[1] == "floors" else []:
        if not pathlib.Path(folder).is_dir() and not pathlib.Path("src", folder).is_dir():
            print(f"docs/floors.txt: {folder} is no folder of the tree")
            wrong += 1
        modules = {path.stem.removesuffix("_agent") for path in pathlib.Path("src", folder).glob("*.[ch]")}
        if len(modules) > MAX_MODULES:
            print(f"src/{folder}: {len(modules)} modules; a folder holds at most {MAX_MODULES}: make rooms (docs/ARCHITECTURE.md)")
            wrong += 1
    for name in filter(None, sys.stdin.read().split("\0")):
        path = pathlib.Path(name)
        for number, message in check(path, path.read_text(errors="replace"), floors):
            print(f"{path}:{number}: {message}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
