#!/usr/bin/env python3
# timeout: 400
# sanitized: no, its time is that of jeprof; jeprof.py runs the same code
"""jeprof's command lines, given to the real one and to `heapflame jeprof`, on one input after the other.

The outputs must be equal, but for the differences of docs/compat/jeprof.md: each is a function here that makes the
outputs equal again, and only those may be used. A difference without a row fails, and so does a row without a
difference: the table cannot rot. Names of libraries and of C++ and Rust are compared by jeprof.py."""

import functools
import http.server
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, SOURCE, need, run, run_profiled, skip

TABLE = SOURCE / "docs/compat/jeprof.md"
ADDRESS = re.compile(r"0x[0-9a-f]+")
COUNTS = re.compile(r"  (t\S+): (\d+): (\d+) \[(\d+): (\d+)\](.*)")
TEXT_ROW = re.compile(r"\s*(-?[\d.]+)\s+(\S+%)\s+(\S+%)\s+(-?[\d.]+)\s+(\S+%) (.*)")


# Inputs

def own_stacks(source, target, program):
    """The dump with the frames of the program itself: those of libraries are jeprof.py's business."""
    head, maps = Path(source).read_text().split("\nMAPPED_LIBRARIES:\n")
    lines = [line for line in maps.splitlines() if line.endswith(str(program))]
    ranges = [[int(end, 16) for end in line.split()[0].split("-")] for line in lines]
    first, *blocks = re.split(r"(?m)^(?=@)", head)
    sums, kept = {}, []
    for block in blocks:
        stack, *counts = block.splitlines()
        words = [word for word in stack.split()[1:] if any(a <= int(word, 16) - 1 < b for a, b in ranges)]
        if words:
            kept.append("\n".join(["@ " + " ".join(words), *counts]) + "\n")
            for line in counts:
                thread, *numbers, _ = COUNTS.fullmatch(line).groups()
                sums[thread] = [a + int(b) for a, b in zip(sums.get(thread, [0] * 4), numbers)]
    period, *summary = first.splitlines()
    totals = [COUNTS.fullmatch(line).groups() for line in summary]
    text = [period] + ["  %s: %d: %d [%d: %d]%s" % (t, *sums[t], name) for t, *_, name in totals if t in sums]
    Path(target).write_text("\n".join(text) + "\n" + "".join(kept) + "\nMAPPED_LIBRARIES:\n" + maps)
    return maps, blocks_of(kept)


def blocks_of(blocks):
    """[(addresses, (objects, bytes, all objects, all bytes))] of the whole process."""
    found = []
    for block in blocks:
        stack, counts, *_ = block.splitlines()
        found.append((stack[2:], tuple(int(n) for n in COUNTS.fullmatch(counts).groups()[1:5])))
    return found


def legacy(name, kind, records, tail):
    """A gperftools profile of these records."""
    total = [sum(numbers[i] for _, numbers in records) for i in range(4)]
    lines = ["heap profile: %6d: %8d [%6d: %8d] @ %s" % (*total, kind)]
    lines += ["%6d: %8d [%6d: %8d] @ %s" % (*numbers, stack) for stack, numbers in records]
    Path(name).write_text("\n".join(lines).rstrip() + "\n\n" + tail)


def repeated(records):
    return [(stack, (n, s, n, s)) for stack, (n, s, _, _) in records if n]


def make_inputs():
    program = Path("phases").resolve()
    run("gcc", "-g", "-O1", "-o", program, PROGRAMS / "phases.c", "-ljemalloc", "-pthread")
    run_profiled(program, conf="prof:true,lg_prof_sample:0,prof_accum:true")
    for phase in "1234":
        maps, records = own_stacks(f"phase{phase}.heap", f"own{phase}.heap", program)
    text = Path("own4.heap").read_text()
    Path("crlf.heap").write_text(text.replace("\n", "\r\n"))
    Path("sampled.heap").write_text(text.replace("heap_v2/1\n", "heap_v2/65536\n"))
    Path("unsampled.heap").write_text(text.replace("heap_v2/1\n", "heap_v2/0\n"))
    stacks = [Path(f"own{phase}.heap").read_text().split("\nMAPPED")[0].split("\n@", 1)[1] for phase in "12"]
    head = Path("own2.heap").read_text().split("\n@", 1)[0]
    Path("sum12.heap").write_text(head + "".join("\n@" + stack for stack in stacks) + "\nMAPPED_LIBRARIES:\n" + maps)
    mapped = "MAPPED_LIBRARIES:\n" + maps
    legacy("profile.heap", "heapprofile", records, mapped)
    legacy("growth.heap", "growth", repeated(records), mapped)
    legacy("fragmentation.heap", "fragmentation", repeated(records), mapped)
    legacy("v2.heap", "heap_v2/65536", repeated(records), mapped)
    legacy("heapz.heap", "heapz_v2/65536", repeated(records), mapped)
    legacy("v1.heap", "heap/131072", repeated(records), mapped)
    legacy("untyped.heap", "", repeated(records), mapped)
    legacy("untyped-exact.heap", "", [(s, (*n[:3], n[3] + 1)) for s, n in records], mapped)
    legacy("zero.heap", "heap/131072", records + [(records[0][0], (0, 0, 1, 512))], mapped)
    legacy("negative.heap", "heapprofile", [*records, (records[0][0], (-1, -512, 0, 0))], mapped)
    Path("named.heap").write_text(heapflame_of("--raw", program, "own4.heap")[1])
    return program


# Running both

@functools.cache
def jeprof(*arguments, stdin=""):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(Path.cwd()), "JEPROF_TMPDIR": str(Path.cwd())}
    done = subprocess.run(
        ["jeprof", *arguments], input=stdin, capture_output=True, text=True, timeout=600, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


def heapflame_of(*arguments, stdin=""):
    done = subprocess.run(
        [HEAPFLAME, "jeprof", "-q", *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=600,
        check=False, env={"PATH": "/usr/bin:/bin", "JEPROF_TOOLS": "/nowhere/", "JEPROF_TMPDIR": "/nowhere"},
    )
    return done.returncode, done.stdout, done.stderr


class Case:
    """One command line and what both make of it."""

    def __init__(self, *arguments, stdin=""):
        self.arguments, self.stdin = [str(word) for word in arguments], stdin
        self.theirs_given, self.ours_given = list(self.arguments), list(self.arguments)

    def run(self):
        """(jeprof's, heapflame's) answers, with their arguments as the rows have changed them."""
        status, theirs, error = jeprof(*self.theirs_given, stdin=self.stdin)
        self.failure = error if status else ""
        status, ours, error = heapflame_of(*self.ours_given, stdin=self.stdin)
        self.refusal = error if status not in (0, 4) else ""
        return [line.rstrip() for line in theirs.splitlines()], [line.rstrip() for line in ours.splitlines()]

    def has(self, *words):
        return any(any(given.startswith(word) for word in words) for given in self.arguments)

    def is_table(self):
        return not self.has("--col", "--dot", "--svg", "--list", "--raw", "--sym")


# The rows of the table: each takes the case and both outputs, and gives outputs without its difference.

def each(pattern, replacement):
    def apply(_, theirs, ours):
        return [re.sub(pattern, replacement, line) for line in theirs], ours
    return apply


def merged_stacks(case, theirs, ours):
    if not case.has("--col"):
        return theirs, ours
    sums = Counter()
    for line in theirs:
        stack, _, value = line.rpartition(" ")
        sums[stack] += int(value)
    return [f"{stack} {sums[stack]}" for stack in sorted(sums) if sums[stack]], sorted(ours)


def merged_files(case, theirs, ours):
    """A row "file:50 (discriminator 3)" is part of the row of the file."""
    if not case.has("--files"):
        return theirs, ours
    return [line for line in theirs if not line.endswith(")")], ours


def unknown_place(case, theirs, ours):
    return each(r" (\?\?|):[?0]$", "")(case, theirs, ours) if not case.has("--files") else (theirs, ours)


def no_file(case, theirs, ours):
    if not case.has("--files"):
        return theirs, ours
    ours = [re.sub(r"% phases$", "% ??:?", line) for line in ours]
    return sorted(theirs), sorted(ours)


def addresses(case, theirs, ours):
    """As place in the file; of one address the innermost call, with all the values."""
    if not case.has("--addr"):
        return theirs, ours
    inlined = {line.split()[5] for line in theirs if "(inline)" in line}
    theirs = [line for line in theirs if "(inline)" in line or len(line.split()) < 6 or line.split()[5] not in inlined]
    theirs = [re.sub(r"% 0000[0-9a-f]{12} ", "% ", line) for line in theirs]
    ours = [re.sub(r"% phases\+0x[0-9a-f]+ ", "% ", line) for line in ours]
    return sorted(re.sub(r" \(inline\)", "", line) for line in theirs), sorted(ours)


def bare(line):
    """Without percentages, and what heapflame says of growth and release beside the net."""
    return re.sub(r"\s+", " ", re.sub(r" grew \d+, released \d+|\(?-?[\d.]+%\)?", "", line))


def percent(case, theirs, ours):
    if not case.has("--base") or case.has("--coll"):
        return theirs, ours
    return tuple([bare(line) for line in lines] for lines in (theirs, ours))


def empty_stacks(case, theirs, ours):
    """heapflame keeps what all frames of were dropped: jeprof's sum of percents is of what is left."""
    if not case.has("--retain", "--excl") or not any("[no stack]" in line for line in ours):
        return theirs, ours
    ours = [line for line in ours if "[no stack]" not in line]
    return [bare(line) for line in theirs], [bare(line) for line in ours]


def graph_of(lines):
    """Boxes and arrows of DOT, by the names of the boxes."""
    names, found = {}, []
    for line in lines:
        node = re.match(r'N(\d+) \[label="(.*?)"', line)
        edge = re.match(r'N(\d+) -> N(\d+) \[label="?([-\d.]+)"?,', line)
        if node:
            label = re.sub(r"\\n\(inline\)", "", node[2])
            names[node[1]] = label.split("\\n")[0]
            found.append("box " + re.sub(r"\s+|\\r|\\n", " ", label).strip())
            found[-1] += " filled" if "fillcolor=gray" in line else ""
        elif edge:
            found.append(f"arrow {names[edge[1]]} {names[edge[2]]} {edge[3]}")
    return sorted(found)


def looks_of_dot(case, theirs, ours):
    if not case.has("--dot"):
        return theirs, ours
    return graph_of(theirs), graph_of(ours)


def recursive_arrow(case, theirs, ours):
    """Arrows of a box to itself; for jeprof such a one keeps the box linked, so that another one may go."""
    arrows = [line.split() for line in theirs + ours if line.startswith("arrow ")]
    boxes = {words[1] for words in arrows if words[1] == words[2]}
    theirs = [line for line in theirs if not line.startswith("arrow ") or line.split()[2] not in boxes]
    ours = [line for line in ours if not line.startswith("arrow ") or line.split()[2] not in boxes]
    return theirs, ours


def one_base(case, theirs, ours):
    """jeprof takes the last base only: it is given the sum of both."""
    bases = [word for word in case.arguments if word.startswith("--base=")]
    if bases == ["--base=own1.heap", "--base=own2.heap"]:
        case.theirs_given = [w for w in case.theirs_given if w not in bases] and [
            "--base=sum12.heap", *(w for w in case.theirs_given if w not in bases)
        ]
        theirs, _ = case.run()
    return theirs, ours


def first_address(case, theirs, ours):
    """jeprof is given each first address less one."""
    def corrected(word):
        prefix, path = word.split("=", 1) if word.startswith("--base=") else ("", word)
        if not path.endswith(".heap") or not Path(path).exists() or path.startswith("first-"):
            return word
        other = Path("first-" + path)
        lines = Path(path).read_text().split("\n")
        for i, line in enumerate(lines):
            if "@ 0x" in line and "heap profile" not in line:
                lines[i] = ADDRESS.sub(lambda found: hex(int(found[0], 16) - 1), line, count=1)
        other.write_text("\n".join(lines))
        return f"{prefix}={other}" if prefix else str(other)

    case.theirs_given = [corrected(word) for word in case.theirs_given]
    theirs, _ = case.run()
    return theirs, ours


def is_near(their, our):
    """The same but for numbers that differ by at most 16, the number of stacks, and percentages by 0.1."""
    if their.startswith("Total: ") and our.startswith("Total: "):
        return abs(float(their.split()[1]) - float(our.split()[1])) <= 16
    rows = TEXT_ROW.fullmatch(their), TEXT_ROW.fullmatch(our)
    if None in rows or rows[0][6] != rows[1][6]:
        return False
    near = [abs(float(rows[0][i].strip("%")) - float(rows[1][i].strip("%"))) for i in range(1, 6)]
    return max(near[0], near[3]) <= 16 and max(near[1], near[2], near[4]) <= 0.11


def fraction(case, theirs, ours):
    if len(theirs) != len(ours) or not case.is_table():
        return theirs, ours
    return [our if is_near(their, our) else their for their, our in zip(theirs, ours)], ours


def listed_lines(case, theirs, ours):
    """Of a listing the lines with values."""
    if not case.has("--list"):
        return theirs, ours
    return tuple([line for line in lines if not re.match(r"---|\s+\.\s+\. ", line)] for lines in (theirs, ours))


def listed_recursion(case, theirs, ours):
    if not case.has("--list") or "walk" not in str(case.arguments):
        return theirs, ours
    return tuple([re.sub(r"\d+ Total", "Total", line) for line in lines] for lines in (theirs, ours))


def heap_slash_n(case, theirs, ours):
    if case.has("v1.heap", "first-v1.heap"):
        case.ours_given = ["--tcmalloc-v1", *case.ours_given]
        _, ours = case.run()
    return theirs, ours


def nothing_in_use(case, theirs, ours):
    return (ours, ours) if "Illegal division by zero" in case.failure and ours else (theirs, ours)


def negative_records(case, theirs, ours):
    """jeprof passes over such lines: so does heapflame when they are not there."""
    if case.has("negative.heap"):
        case.ours_given = [word.replace("negative.heap", "profile.heap") for word in case.ours_given]
        _, ours = case.run()
    return theirs, ours


def ever_allocated(case, theirs, ours):
    return (ours, ours) if "the profile has no values of type 'alloc_" in case.refusal and theirs else (theirs, ours)


def raw_of_files(case, theirs, ours):
    return (ours, ours) if "can only dump remote profiles" in case.failure and ours else (theirs, ours)


def program_and_names(case, theirs, ours):
    """Names of the input and a program."""
    return (ours, ours) if "Try again without passing" in case.failure and ours else (theirs, ours)


def lines_without_program(case, theirs, ours):
    return (ours, ours) if "cannot be used without a binary" in case.failure and ours else (theirs, ours)


def raw_order(case, theirs, ours):
    """jeprof writes names in no order, and the profile as it came; heapflame one that is corrected."""
    if not case.has("--raw"):
        return theirs, ours
    # The server names functions only.
    theirs, ours = ([line.split("--")[0] for line in lines] for lines in (theirs, ours))
    names = [[line for line in lines if re.match(r"0x", line)] for lines in (theirs, ours)]
    known = {int(word.split()[0], 16) for word in names[0]}
    return tuple(sorted(hex(int(line.split()[0], 16)) + line.split(" ", 1)[1] for line in lines
                        if int(line.split()[0], 16) in known) for lines in names)


ROWS = {
    "inline mark": each(r" \(inline\)|\[inline\]|\\n\(inline\)", ""),
    "address tag": each(r"<[0-9a-f]{16}>", ""),
    "discriminator": each(r" \(discriminator \d+\)$", ""),
    "unknown place": unknown_place,
    "first address": first_address,
    "one base": one_base,
    "heap/N": heap_slash_n,
    "negative record": negative_records,
    "nothing in use": nothing_in_use,
    "ever allocated": ever_allocated,
    "raw of a file": raw_of_files,
    "order of raw": raw_order,
    "program and names": program_and_names,
    "lines without program": lines_without_program,
    "discriminator is a file": merged_files,
    "no file": no_file,
    "address": addresses,
    "looks of DOT": looks_of_dot,
    "recursive arrow": recursive_arrow,
    "extent of a listing": listed_lines,
    "recursion in a listing": listed_recursion,
    "stacks of addresses": merged_stacks,
    "percent of a difference": percent,
    "no frame is left": empty_stacks,
    "fraction": fraction,
}
# First those that run a program again, then those that look at what others change.
FIRST = ["one base", "first address", "heap/N", "negative record", "discriminator is a file", "address"]
ORDER = [*FIRST, *(row for row in ROWS if row not in FIRST)]


def apply(case, rows):
    """Both outputs after these rows."""
    case.theirs_given, case.ours_given = list(case.arguments), list(case.arguments)
    theirs, ours = case.run()
    for row in rows:
        theirs, ours = ROWS[row](case, theirs, ours)
    return theirs, ours


def explain(case):
    """The rows that are needed to make both outputs equal; None if there are none."""
    theirs, ours = apply(case, [])
    if theirs == ours and not case.refusal:
        return []
    theirs, ours = apply(case, ORDER)
    if theirs != ours:
        return None
    needed = list(ORDER)
    for row in ORDER:
        fewer = [other for other in needed if other != row]
        theirs, ours = apply(case, fewer)
        if theirs == ours:
            needed = fewer
    return needed


# The corpus

def command_lines(program):
    """(options, operands) of every case but those by URL."""
    lines = []
    for source in ("own1", "own2", "own3", "own4", "crlf", "sampled", "unsampled", "profile", "growth", "fragmentation",
                   "v2", "heapz", "v1", "untyped", "untyped-exact", "zero", "negative"):
        lines.append((["--text", "--show_bytes"], [program, f"{source}.heap"]))
    for option in (
        ["--collapse"], ["--dot"], ["--lines"], ["--files"], ["--addresses"], ["--functions"], ["--cum"], [],
        ["--inuse_objects"], ["--alloc_space"], ["--alloc_objects"], ["--inuse_space"], ["--focus=walk"],
        ["--ignore=walk"], ["--retain=walk|keep"], ["--exclude=walk"], ["--focus=leak", "--ignore=work"],
        ["--thread=0"], ["--thread=1"], ["--thread=*"], ["--dot", "--nodecount=4"], ["--dot", "--nodefraction=.2"],
        ["--dot", "--edgefraction=.3"], ["--dot", "--maxdegree=1"], ["--dot", "--heapcheck"],
        ["--list=work|main|fill_cache"], ["--list=walk"], ["--raw"], ["--lib_prefix=/nowhere,/nothing"],
        ["--tools=/usr/bin/"], ["--seconds=5"], ["--scale=2"], ["--debug-syms-by-id"], ["-tex"],
        ["--lines", "--nolines", "--focus=walk"], ["--inuse_objects", "-no-inuse_o", "--NOGV", "--cum", "--nocum"], ["--coll", "-foc", "work"],
    ):
        lines.append((option + ["--show_bytes"] * ("--coll" not in option), [program, "own3.heap"]))
    for option in (["--text"], ["--coll"], ["--text", "--drop_negative"], ["--dot"], ["--text", "--cum", "--inuse_objects"]):
        lines.append((option + ["--show_bytes", "--base=own2.heap"], [program, "own4.heap"]))
    lines += [
        (["--collapsed", "--base=own1.heap", "--base=own2.heap"], [program, "own4.heap"]),
        (["--text", "--show_bytes"], [program, "own1.heap", "own2.heap", "own3.heap"]),
        (["--collapsed"], [program, "own1.heap", "own2.heap"]),
        (["--text", "--show_bytes"], ["named.heap"]), (["--collapsed"], ["named.heap"]),
        (["--text", "--show_bytes"], ["named.heap", "named.heap"]), (["--lines", "--show_bytes"], ["named.heap"]),
        (["--text", "--show_bytes"], [program, "named.heap"]),
        (["--text", "--show_bytes", "--alloc_space"], [program, "v2.heap"]),
        (["--collapsed"], [program, "profile.heap"]), (["--collapsed", "--alloc_space"], [program, "profile.heap"]),
        (["--collapsed"], [program, "growth.heap"]),
        (["--text"], [program, "own4.heap"]),
    ]
    return lines


class Server(http.server.BaseHTTPRequestHandler):
    """A program with jeprof's pages."""

    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        pages = {"/pprof/heap": Path("own4.heap").read_text, "/pprof/symbol": lambda: "num_symbols: 1\n",
                 "/pprof/cmdline": lambda: "phases\n"}
        if self.path.split("?")[0] in pages:
            return self.answer(pages[self.path.split("?")[0]]())
        return self.send_error(404)

    def do_POST(self):
        if not self.path.startswith("/pprof/symbol"):
            return self.send_error(404)
        wanted = self.rfile.read(int(self.headers["Content-Length"])).decode().split("+")
        named = dict(re.findall(r"(?m)^0x0*([0-9a-f]+) (.*)", Path("named.heap").read_text()))
        plain = [(word, named.get(word.removeprefix("0x").lstrip("0"), word)) for word in wanted]
        return self.answer("".join(f"{word}\t{name.split('--')[0]}\n" for word, name in plain))

    def log_message(self, *_):
        pass


def cases(program, port):
    found = [Case(*options, *operands) for options, operands in command_lines(program)]
    text = Path("own4.heap").read_text()
    mapping = [line for line in text.splitlines() if line.endswith(str(program)) and "r-xp" in line]
    words = sorted(set(re.findall(r"\b0x[0-9a-f]+\b", text)))
    found.append(Case("--symbols", program, stdin="\n".join(mapping + words) + "\n"))
    for host in (f"http://127.0.0.1:{port}/pprof/heap", f"127.0.0.1:{port}/pprof/heap"):
        found.append(Case("--text", "--show_bytes", "--exclude=add_entry", host))
    found.append(Case("--raw", f"http://127.0.0.1:{port}/pprof/heap"))
    return found


def rows_of_the_table():
    return set(re.findall(r"(?m)^\| (?!difference|---)(.+?) +\|", TABLE.read_text()))


def main():
    need("jeprof", "gcc", "addr2line", "nm", "curl")
    if not Path("/usr/include/jemalloc/jemalloc.h").exists():
        skip("libjemalloc-dev is missing (script/bootstrap build installs it)")
    program = make_inputs()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    used, equal, wrong = Counter(), 0, 0
    for case in cases(program, server.server_port):
        rows = explain(case)
        if rows is None:
            wrong += 1
            theirs, ours = apply(case, ORDER)
            print("UNEXPLAINED", *case.arguments, case.failure[-200:], case.refusal)
            print("\n".join(f"    jeprof    {line}" for line in theirs if line not in ours))
            print("\n".join(f"    heapflame {line}" for line in ours if line not in theirs))
            continue
        equal += not rows
        used.update(rows)
        print("equal" if not rows else "; ".join(rows), "|", *case.arguments)
    server.shutdown()
    documented = rows_of_the_table()
    assert documented == set(ROWS), f"the table and this test differ in: {documented ^ set(ROWS)}"
    unseen = set(ROWS) - set(used)
    print(f"{equal} equal as they are, {sum(used.values())} differences of {len(used)} kinds, {wrong} unexplained")
    for row, count in sorted(used.items()):
        print(f"{count:6}  {row}")
    assert not unseen, f"rows of the table that no case shows: {unseen}"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
