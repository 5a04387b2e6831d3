"""What each gate of `heapflame check` says of the labelled programs (tests/leakers/LABELS*.md): which of their leaks it
catches, and which programs without a leak it fails. The short form is in gates.py, the long one in bench/soak.d/gates.py."""

import json
import subprocess
from collections import defaultdict

from _heap import HEAPFLAME
from _schemas import held
from _set4 import LEAK, NO_LEAK, documents_of, kind_of, labels_of, simulate
from _verdicts import LABELS, labels

SETS = range(1, 8)
PERIODS = {"sampled": 512 << 10, "exact": 1}
# Options, and the names of their lines. `limit` is twice what the program holds at the end, within as long as the profiles span.
GATES = {
    "leak": (("--fail-on", "leak"), "leak"),
    "onset": (("--onset-after", "0"), "onset"),
    "survivors, a part": (("--survivors", "1%"), "survivors"),
    "survivors, a rate": (("--survivors", "64KiB/min"), "survivors"),
    "budget": (("--budget", "64KiB/min"), "budget"),
    "max-growth": (("--max-growth", "20%"), "growth"),
    "limit": (None, "limit"),
}


class Row:
    """A label of any set."""

    def __init__(self, functions, right, onset=None):
        self.functions, self.right, self.onset = functions, right, onset

    @property
    def is_leak(self):
        return self.right == {LEAK}


class Program:
    """A labelled program, the rows of its labels, and what the gates said of it."""

    def __init__(self, name, number, every):
        self.name, self.number, self.every, self.rows = name, number, every, []
        self.failed = {}  # by kind of recording and gate: the failing checks

    @property
    def is_healthy(self):
        return all(row.right == {NO_LEAK} for row in self.rows)


def programs_of(number):
    programs = {}
    if number <= len(LABELS):
        for label in labels(LABELS[number - 1]):
            right = {LEAK, "undecided"} if label.is_twin else {kind_of(verdict) for verdict in label.right}
            programs.setdefault(label.program, Program(label.program, number, 1)).rows.append(Row([label.function], right))
        return list(programs.values())
    for label in labels_of(number):
        program = programs.setdefault(label.program, Program(label.program, number, label.every))
        program.rows.append(Row(label.functions, label.right, label.onset))
    return list(programs.values())


class Unchecked(Exception):
    """A table had too little room for every block of a program, so nothing is exact; or it has too few profiles."""


def check(folder, *options):
    """All checks of a series, of whichever process; exit status 1 says that one failed."""
    done = subprocess.run([HEAPFLAME, "check", "-q", "--json", *options, folder], capture_output=True, text=True, check=False)
    if "expected at least 6 profiles" in done.stderr:
        raise Unchecked
    assert done.returncode in (0, 1), (options, done.stderr)
    document = held(json.loads(done.stdout))
    documents = [process["check"] for process in document["processes"]] if "processes" in document else [document]
    return [one for document in documents for one in document["checks"]]


def limit_of(folder):
    """Twice what is in use at the end, in as long as all profiles took."""
    done = subprocess.run([HEAPFLAME, "trend", "-q", "--json", folder], capture_output=True, text=True, check=False)
    if done.returncode == 4:
        raise Unchecked
    documents = documents_of(json.loads(done.stdout))
    last = max(documents, key=lambda document: len(document.get("times", [])))
    return ("--limit", f"{max(2 * last['whole']['points'][-1], 1):.0f}/{max(last['times'][-1], 1):.0f}s")


def run_kind(program, seed, kind):
    simulate(program.name, seed, "profiles", PERIODS[kind], program.every)
    limit = limit_of("profiles")
    rate = check("profiles", *GATES["survivors, a rate"][0])
    joined = [option for name, (options, _) in GATES.items() if name != "survivors, a rate" for option in options or limit]
    found = check("profiles", *joined)
    for gate, (_, line) in GATES.items():
        checks = rate if gate == "survivors, a rate" else found
        program.failed[kind, gate] = [one for one in checks if one["name"] == line and not one["passed"]]


def run_gates(program, seed=1, kinds=PERIODS):
    """Records the program, sampled and exactly, and keeps what each gate fails of it, as far as it can be checked."""
    for kind in kinds:
        try:
            run_kind(program, seed, kind)
        except Unchecked:
            pass


def is_of(place, row, rows):
    """Whether a failing check is of a label's place: as in place_of (_set4.py)."""
    functions = [name for row in rows for name in row.functions]
    ours = [name for name in [*reversed(place["stack"]), place.get("via")] if name in functions]
    return bool(ours) and ours[0] in row.functions


def catches(program, kind, gate, row):
    """All memory counts for each of its leaks."""
    failed = program.failed[kind, gate]
    return any(one["place"] is None or is_of(one["place"], row, program.rows) for one in failed)


class Tally:
    """What a gate says of all programs, of one kind of recording."""

    def __init__(self, programs, kind, gate):
        programs = [program for program in programs if (kind, gate) in program.failed]
        leaks = [(program, row) for program in programs for row in program.rows if row.is_leak]
        late = [(program, row) for program, row in leaks if row.onset is not None and row.onset > program.every]
        healthy = [program for program in programs if program.is_healthy]
        self.caught, self.leaks = sum(catches(program, kind, gate, row) for program, row in leaks), len(leaks)
        self.late_caught, self.late = sum(catches(program, kind, gate, row) for program, row in late), len(late)
        self.failed, self.healthy = [one.name for one in healthy if one.failed[kind, gate]], len(healthy)


def table(programs, kinds=PERIODS):
    lines = [f"{'gate':18} {'recorded':8} {'leaks caught':>16} {'of those that begin later':>26} {'healthy programs failed':>24}"]
    for gate in GATES:
        for kind in kinds:
            tally = Tally(programs, kind, gate)
            shares = [(tally.caught, tally.leaks, 16), (tally.late_caught, tally.late, 26), (len(tally.failed), tally.healthy, 24)]
            columns = [f"{f'{count} of {of} ({count / max(of, 1):.0%})':>{width}}" for count, of, width in shares]
            lines.append(f"{gate:18} {kind:8} " + " ".join(columns))
    return "\n".join(lines)


def by_set(programs):
    """The same by set, sampled: caught, and healthy ones failed."""
    numbers = sorted({program.number for program in programs})
    lines = [f"{'gate':18}" + "".join(f"{f'set {number}':>22}" for number in numbers)]
    for gate in GATES:
        columns = []
        for number in numbers:
            tally = Tally([program for program in programs if program.number == number], "sampled", gate)
            columns.append(f"{f'{tally.caught}/{tally.leaks}, {len(tally.failed)}/{tally.healthy}':>22}")
        lines.append(f"{gate:18}" + "".join(columns))
    return "\n".join(lines)


def names_of_failed(programs, kinds=PERIODS):
    """Each healthy program that a gate fails, by gate."""
    lines = []
    for gate in GATES:
        kinds_of = defaultdict(list)
        for kind in kinds:
            for name in Tally(programs, kind, gate).failed:
                kinds_of[name].append(kind)
        failed = [name if len(found) == len(kinds) else f"{name} ({found[0]})" for name, found in kinds_of.items()]
        lines.append(f"{gate}: {', '.join(failed) or 'none'}")
    return "\n".join(lines)
