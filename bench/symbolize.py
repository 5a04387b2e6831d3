#!/usr/bin/env python3
"""Names: heapflame against gimli's addr2line, binutils, llvm-symbolizer and jeprof, on large real programs.

Two questions about each program of _programs.py and a dump of it, every tool asked in turns:
  names   all distinct addresses of the program in the dump, to functions, inlined calls, files and lines. gimli is the
          fastest of the others: bench/rust/gimli.rs, a library with nothing around it, which neither demangles nor looks
          into symbol tables. heapflame does both here.
  fold    the whole way from the dump to folded stacks, against `jeprof --collapsed` with binutils.
"cold" has no cache of answers, "cached" the one that the run before has left. All files are in the page cache. Figures
are medians. Nobody wins by answering less: the functions that the tools name are compared, too.

usage: script/bench symbolize      (or, of some programs, symbolize.py PROGRAM...)
"""

import os
import re
import subprocess
import sys
import tempfile

import _programs
from _agreement import last_part
from _measure import Runs, expect, in_child, in_turns
from _names import Program, demangle, normal, records

LARGE, GCC, LLVM = "GCC, at least 100 MB", "GCC", "LLVM"
PROGRAMS = {  # who makes it, binary, dump, what goals are set by
    "ceph-mon": (_programs.prepare_ceph, _programs.CEPH, "ceph-run", LARGE),
    "postgres": (_programs.prepare_postgres, _programs.POSTGRES, "postgres", GCC),
    "postgres-lto": (_programs.prepare_postgres_lto, _programs.POSTGRES_LTO, "postgres-lto", GCC),
    "protoc": (_programs.prepare_protoc, _programs.PROTOC, "protoc", LLVM),
    "parse-rust": (_programs.prepare_rust, _programs.PARSE_RUST, "parse-rust", LLVM),
}
# At most so much of what gimli takes.
CPU_GOALS = {LARGE: 0.35, GCC: 0.45, LLVM: 0.5}
WALL_GOALS = {LARGE: 0.2, LLVM: 0.35}
CACHED_GOAL = 1 / 80  # wall, LARGE
FOLD_GOALS = {"cold": 40, "cached": 80}  # times as fast as jeprof, wall
HEAP_GOAL_MIB = 60  # LARGE, with 6,000 addresses
STACKS_MIN = 15000
AGREEMENT_MIN = 0.99
NAMES_ROUNDS, SLOW_ROUNDS, FOLD_ROUNDS = 11, 3, 3
SLOW = ("llvm-symbolizer", "addr2line")
STATES = {"cold": ["--no-cache"], "cached": []}  # what there is before heapflame runs, and its options


def read_dump(name, binary):
    """How many stacks a dump has, and its distinct addresses in the binary, as linked: the last byte of each call."""
    with open(os.path.join(_programs.DUMPS, name + ".heap"), encoding="ascii", errors="replace") as lines:
        stacks, _, maps = lines.read().partition("MAPPED_LIBRARIES:\n")
    segments, found = list(Program(binary).segments()), set()
    calls = {int(word, 16) - 1 for word in re.findall(r"(?<=[@ ])0x[0-9a-f]+", stacks)}
    for line in maps.splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and words[5] == binary and "x" in words[1]:
            start, end = (int(word, 16) for word in words[0].split("-"))
            for offset in (call - start + int(words[2], 16) for call in calls if start <= call < end):
                found.update(offset - first + address for first, address, size, _ in segments
                             if first <= offset < first + size)
    return len(re.findall(r"^@", stacks, re.M)), sorted(found)


def chains_of(path):
    """[[function of each call, the innermost first]], of what the tools print for -a -f -i, one for each address."""
    with open(path, encoding="utf-8", errors="replace") as output:
        return [[last_part(normal(*call)[0]) for call in calls] for _, calls in records(demangle(output.read()))]


class Table:
    """Prints the runs of the tools that were asked one question, and keeps what became of the goals."""

    def __init__(self):
        self.goals = []  # (text, whether it is met)

    def show(self, program, question, runs, reference):
        theirs = runs[reference].medians()
        for tool, one in runs.items():
            ours = one.medians()
            ratios = "".join(f" {mine / other:7.4f}" for mine, other in zip(ours, theirs))
            print(f"{program:12} {question:5} {tool:18} {ours[0]:8.4f} {ours[1]:8.4f} {ours[2]:8.1f}  {ratios}")
        sys.stdout.flush()

    def expect(self, text, figure, bound, at_least=False):
        is_met = figure >= bound if at_least else figure <= bound
        self.goals.append((f"{text}: {figure:.4g}, the goal is {'>=' if at_least else '<='} {bound:.4g}", is_met))


def count_answers(outputs, count):
    """{tool: (how many addresses it names, how many of the others' calls are heapflame's)}."""
    chains = {tool: chains_of(path) for tool, path in outputs.items()}
    for tool, answers in chains.items():
        assert len(answers) == count, f"{tool} answers {len(answers)} of {count} addresses"
    ours = chains["heapflame cold"]
    return {tool: (sum(chain not in ([], ["??"]) for chain in answers),
                   sum(mine == other for mine, other in zip(ours, answers))) for tool, answers in chains.items()}


def compare_answers(program, runs, count, table):
    answered = in_child(count_answers, {tool: one.output.name for tool, one in runs.items()}, count)
    for tool, (named, same) in answered.items():
        print(f"{program:12} {tool:18} names {named} of {count} addresses; "
              f"{100 * same / count:.2f} % have heapflame's functions and inlined calls")
    table.expect(f"{program}: named addresses", answered["heapflame cold"][0], answered["gimli"][0], at_least=True)
    table.expect(f"{program}: the same calls as gimli", answered["gimli"][1] / count, AGREEMENT_MIN, at_least=True)


def compare_names(program, binary, kind, addresses, folder, table):
    asked = os.path.join(folder, "addresses")
    with open(asked, "w", encoding="ascii") as out:
        out.writelines(f"{address:#x}\n" for address in addresses)
    commands = {
        **{f"heapflame {state}": ["heapflame", "addr2line", *options, "-afiC", "-e", binary]
           for state, options in STATES.items()},
        "gimli": [_programs.GIMLI, binary],
        "llvm-symbolizer": ["llvm-symbolizer", "--output-style=GNU", "-afi", "--no-demangle", "-e", binary],
        "addr2line": ["addr2line", "-afi", "-e", binary],
    }
    runs = {tool: Runs(command, asked) for tool, command in commands.items()}
    in_turns(runs, [{}] * SLOW_ROUNDS + [{tool: 0 for tool in SLOW}] * (NAMES_ROUNDS - SLOW_ROUNDS))
    table.show(program, "names", runs, "gimli")
    compare_answers(program, runs, len(addresses), table)
    cold, cached, gimli = (runs[tool].medians() for tool in ("heapflame cold", "heapflame cached", "gimli"))
    table.expect(f"{program}: names, cold, CPU against gimli", cold[0] / gimli[0], CPU_GOALS[kind])
    if kind in WALL_GOALS:
        table.expect(f"{program}: names, cold, wall against gimli", cold[1] / gimli[1], WALL_GOALS[kind])
    if kind == LARGE:
        table.expect(f"{program}: names, cached, wall against gimli", cached[1] / gimli[1], CACHED_GOAL)
        heap = heap_peak_mib(commands["heapflame cold"], asked)
        table.expect(f"{program}: heapflame's own heap, MiB", heap, HEAP_GOAL_MIB)


def heap_peak_mib(command, input_path):
    """What a command has allocated when it is most, file mappings apart: counted by Valgrind."""
    with tempfile.NamedTemporaryFile() as result, open(input_path, encoding="ascii") as stdin:
        subprocess.run(["valgrind", "--tool=massif", "--peak-inaccuracy=0.0", f"--massif-out-file={result.name}",
                        *command], stdin=stdin, capture_output=True, check=True)
        peaks = re.findall(r"^mem_heap_(?:extra_)?B=(\d+)$", result.read().decode(), re.M)
    return max(int(used) + int(extra) for used, extra in zip(peaks[::2], peaks[1::2])) / (1 << 20)


def compare_folds(program, binary, dump, table):
    path = os.path.join(_programs.DUMPS, dump + ".heap")
    runs = {
        **{f"heapflame {state}": Runs(["heapflame", "fold", "--alloc_space", "-q", *options, path])
           for state, options in STATES.items()},
        "jeprof": Runs(["jeprof", "--alloc_space", "--collapsed", binary, path]),
    }
    in_turns(runs, [{f"heapflame {state}": 3 for state in STATES}] * FOLD_ROUNDS)
    table.show(program, "fold", runs, "jeprof")
    ours, theirs = runs["heapflame cold"].folded_total(), runs["jeprof"].folded_total()
    if abs(ours - theirs) > theirs / 1000:
        sys.exit(f"{program}: the totals of the folded stacks differ: {ours} and {theirs}")
    for state, bound in FOLD_GOALS.items():
        times = runs["jeprof"].medians()[1] / runs[f"heapflame {state}"].medians()[1]
        table.expect(f"{program}: fold, {state}, times as fast as jeprof", times, bound, at_least=True)


def main():
    programs = {name: PROGRAMS[name] for name in sys.argv[1:] or PROGRAMS}
    _programs.prepare_gimli()
    for prepare, *_ in programs.values():
        prepare()
    for tool in ("heapflame", "jeprof", "addr2line", "llvm-symbolizer"):
        print(next(line.strip() for line in _programs.output_of(tool, "--version").splitlines() if "ersion" in line
                   or re.search(r"\d\.\d", line)))
    print(f"load before: {os.getloadavg()[0]:.2f}, {len(os.sched_getaffinity(0))} processors\n")
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        for program, (_, binary, dump, kind) in programs.items():
            stacks, addresses = in_child(read_dump, dump, binary)
            print(f"{program}: {kind}; {os.path.getsize(binary) / 1e6:.0f} MB, .debug_info "
                  f"{_programs.debug_info_bytes(binary) / 1e6:.1f} MB; {stacks} stacks, {len(addresses)} addresses")
            print("program      asked tool                  CPU s   wall s peak MiB   ratio to the reference")
            table.expect(f"{program}: stacks of the dump", stacks, STACKS_MIN, at_least=True)
            compare_names(program, binary, kind, addresses, folder, table)
            compare_folds(program, binary, dump, table)
            print()
    met = [expect(is_met, text) for text, is_met in table.goals]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
