"""Whether `heapflame run` names the function of the program that holds its memory (tests/owners): each program is built and
recorded, and the function in the last line is compared with the labels. The short form is in owners.py, the long one in
bench/soak.d/owners.py. A set is building material after its first run: nobody tunes for it before."""

import os
import re
import shlex
import shutil
import subprocess
from collections import Counter

from _heap import SOURCE, TIMEOUT_S

PROGRAMS = SOURCE / "tests/owners"
# The sets by their names. The first is in the folder itself, each other one in a folder below.
SETS = {"first": PROGRAMS} | {path.parent.name: path.parent for path in sorted(PROGRAMS.glob("*/LABELS.md"))}
RIGHT, USERS, WRAPPER, OTHER = ANSWERS = "right", "other user's code", "wrapper", "other"

# How a source is built; "{out}" is then run.
COMPILERS = {
    ".c": "gcc -D_GNU_SOURCE -g -O1 -o {out} {source}",
    ".cc": "g++ -std=c++17 -g -O1 -o {out} {source} -pthread",
    ".rs": "rustc --edition 2021 -g -O -o {out} {source}",
    ".f90": "gfortran -g -O1 -o {out} {source}",
    ".java": "javac -g -d . {source}",
}
# Whose source is run as it is, or what runs what was built.
INTERPRETERS = {
    ".py": "/usr/bin/python3",
    ".pl": "perl",
    ".rb": "ruby",
    ".php": "php",
    ".lua": "lua5.4",
    ".js": "node",
    ".java": "java -cp . {stem}",
    ".sh": "bash",
}
# Allocators and containers of libraries, and what only passes a request on: never an owner.
OF_LIBRARIES = re.compile(
    r"_?_?(std|gnu_cxx|boost|alloc|core|hashbrown)::.*|<(alloc|core|std|hashbrown)::.*|operator (new|delete).*|_Z(St|NSt|NKSt|na|nw).*"
    r"|(__GI_|__libc_|__)?(m|c|re|v|pv)alloc|(__GI_|__libc_|__)?\w*(memalign|reallocarray|aligned_alloc)"
    r"|(__GI___|__GI_|__)?(str\w*dup|v?asprintf\w*|vasprintf_internal|getdelim|getline|tsearch|open_memstream)"
    r"|\w*x(m|c|re)alloc\w*|g_(\w*alloc\w*|str\w*dup\w*|slice_\w+|strnfill)|je_\w+"
    r"|_?Py(Object|Mem)_\w*(Malloc|Realloc|Calloc)|Perl_safesys\w+|ruby_x\w+|objspace_x\w+|_*(zend_|e)\w*alloc\w*|os::\w*alloc\w*|AllocateHeap"
)
# "NAME holds 1 MiB of 2 MiB in use", or, of a program that frees what it used, "peaked at ...: NAME held 1 MiB of 2 MiB; ...".
SENTENCE = re.compile(
    r"^heapflame: (?:peaked at \S+ \w+ after \S+ \w+: )?(?P<name>.+?)(?: \((?P<file>[^()]+):(?P<line>\d+)\))?(?: via (?P<via>.+?))?"
    r" (?:holds|held) (?P<held>.+?)(?: in use|;)", re.M
)  # fmt: skip
# Where malloc explains nothing, the last line is on what is resident.
RESIDENT = re.compile(
    r"^heapflame: resident (?P<all>\S+ \w+): mapped by (?P<name>.+?)(?: \((?P<file>[^()]+):(?P<line>\d+)\))?(?: via (?P<via>.+?))?"
    r" (?P<part>[\d.]+ \wi?B)(?:, .*|)$", re.M
)  # fmt: skip


def answer_of(message):
    """What the last line of `run` names: (name, file:line or empty, how much); None if it names nothing."""
    found = SENTENCE.search(message) or RESIDENT.search(message)
    if found is None:
        return None
    held = found["held"] if "held" in found.re.groupindex else f"{found['part']} of {found['all']} resident"
    return found["name"], f"{found['file']}:{found['line']}" if found["file"] else "", held


class Label:
    """One row of LABELS.md, and what was answered."""

    def __init__(self, cells, folder):
        self.program, self.language, self.options = cells[0], cells[1], cells[2]
        self.guilty, self.wrappers, self.others = ([re.compile(name.strip()) for name in cell.split(",") if name.strip()] for cell in cells[3:])
        self.source = folder / self.program
        self.line, self.marked = self.guilty_line()
        self.message = self.missing = self.answer = self.name = self.where = self.held = None
        self.is_line_right = False

    def guilty_line(self):
        """(file, number) of the line that says so; of a script of a real program there is none."""
        library = re.match(r"library (\S+)", self.options)
        source = self.source.parent / library[1] if library else self.source
        marked = [number for number, line in enumerate(source.read_text().splitlines(), 1) if re.search(r"\bguilty\b", line)]
        return (source.name, marked[0]) if marked else None, len(marked)

    def judge(self, name):
        names = {name, name.replace("(anonymous namespace)::", "")}  # labels need not say these, nor in what a lambda stands
        if re.search(r"\{lambda[^}]*\}::operator\(\)$", name):
            names.add("operator()")

        def is_of(patterns):
            return any(pattern.fullmatch(one) for pattern in patterns for one in names)

        if is_of(self.guilty):
            return RIGHT
        if is_of(self.others):
            return USERS
        return WRAPPER if is_of(self.wrappers) or OF_LIBRARIES.fullmatch(name) else OTHER

    def see(self, message):
        self.message = message
        found = answer_of(message)
        if found is None:
            self.name, self.answer, self.held = "no answer", OTHER, ""
            return
        self.name, self.where, self.held = found
        self.answer = self.judge(self.name)
        self.is_line_right = self.answer == RIGHT and self.line is not None and self.where == "%s:%d" % self.line


def labels(folder=PROGRAMS):
    rows = []
    for line in (folder / "LABELS.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and re.fullmatch(r"\w+\.\w+", cells[0]):
            rows.append(Label(cells, folder))
    return rows


def shell(command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)


def options_of(label):
    """Words for the compiler; None if a library is missing."""
    kind, _, rest = label.options.partition(" ")
    if kind == "pkg-config":
        package, *more = rest.split()
        found = shell(["pkg-config", "--cflags", "--libs", package]) if shutil.which("pkg-config") else None
        return found.stdout.split() + more if found and found.returncode == 0 else None
    if kind == "library":
        name = rest.split(".")[0]
        subprocess.run(["gcc", "-g", "-O1", "-fPIC", "-shared", "-o", f"lib{name}.so", PROGRAMS / rest], check=True)
        return ["-L.", f"-l{name}", "-Wl,-rpath,$ORIGIN"]
    return label.options.split()


def command_of(label):
    """The words that run the program; sets `missing` if it cannot be built here."""
    suffix, stem = label.source.suffix, label.source.stem
    compiler, interpreter = COMPILERS.get(suffix), INTERPRETERS.get(suffix)
    tools = [words.split()[0] for words in (compiler, interpreter) if words] + (label.options.split() if suffix == ".sh" else [])
    label.missing = next((tool for tool in tools if shutil.which(tool) is None), None)
    if label.missing:
        return None
    if compiler:
        options = options_of(label)
        if options is None:
            label.missing = label.options
            return None
        built = shell(compiler.format(out=stem, source=label.source).split() + options)
        if built.returncode != 0:
            missing = re.search(r"fatal error: (\S+): No such file", built.stderr)
            assert missing, built.stderr
            label.missing = missing[1]
            return None
    if not interpreter:
        return [f"./{stem}"]
    return interpreter.format(stem=stem).split() + ([] if "{" in interpreter else [label.source])


def look_at(label, *options):
    command = command_of(label)
    if command is None:
        return
    run = ["heapflame", "run", *options, "-o", f"{label.source.stem}.hfb", "--"]
    if label.source.suffix == ".sh":
        done = subprocess.run(command, env={**os.environ, "RUN": shlex.join(run)}, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT_S, check=False)  # fmt: skip
    else:
        done = shell(run + command)
    label.see(done.stderr)


class Sums:
    def __init__(self, rows):
        self.seen = [row for row in rows if row.answer]
        self.counts = Counter(row.answer for row in self.seen)
        with_lines = [row for row in self.seen if row.line]
        self.lines, self.with_lines = sum(row.is_line_right for row in with_lines), len(with_lines)

    def share(self, answer):
        return self.counts[answer] / len(self.seen) if self.seen else 0


def table(rows):
    lines = [f"{'program':16} {'language':13} {'judged':18} {'line':6} named"]
    for row in rows:
        if row.missing:
            lines.append(f"{row.program:16} {row.language:13} not run: {row.missing} is missing")
            continue
        line = "" if row.line is None else "right" if row.is_line_right else "no"
        where = f" ({row.where})" if row.where else ""
        lines.append(f"{row.program:16} {row.language:13} {row.answer:18} {line:6} {row.name}{where}{': ' if row.held else ''}{row.held}")
    return "\n".join(lines)
