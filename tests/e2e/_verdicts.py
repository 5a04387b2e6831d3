"""Whether verdicts are right on labelled programs (tests/leakers): each runs with one seed of the sampler after the other,
and what `heapflame trend` says of its functions is compared with the labels. The short form is in verdict.py, the long
one in bench/soak.d/verdict.py."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, SOURCE
from _schemas import held

LEAKERS = HEAPFLAME.parent / "tests/leakers/leakers"
LABELS = [SOURCE / "tests/leakers" / name for name in ("LABELS.md", "LABELS-2.md", "LABELS-3.md")]
NOT_LISTED = "not listed"


class Label:
    """One row of LABELS.md, and what was answered."""

    def __init__(self, program, function, right, rate):
        self.program, self.function, self.rate = program, function, rate
        self.is_twin = right == ["twin"]  # of a leak: counted apart
        self.right = ["leak", "undecided"] if self.is_twin else right
        self.answers, self.covered, self.slopes = Counter(), 0, []

    def see(self, place):
        self.answers[place["verdict"] if place else NOT_LISTED] += 1
        if place and self.rate is not None:
            low, high = (bound * 60 / 1024 for bound in place["per_second_95"])
            self.covered += low <= self.rate <= high
            self.slopes.append(place["per_second"] * 60 / 1024)

    @property
    def total(self):
        return sum(self.answers.values())

    @property
    def right_share(self):
        return sum(self.answers[answer] for answer in self.right) / self.total

    @property
    def levels_off(self):
        """Whether "leak" would be said of a cache that levels off."""
        return "full cache" in self.right or "filling cache" in self.right


def labels(path=LABELS[0]):
    rows = []
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"[a-z_]+", cells[0]) and cells[0] != "program":
            rate = float(cells[3]) if cells[3] else None
            rows.append(Label(cells[0], cells[1], [right.strip() for right in cells[2].split(",")], rate))
    return rows


def trend(*arguments, status=0):
    done = subprocess.run([HEAPFLAME, "trend", "-q", "--json", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"trend {arguments}: {done.returncode}: {done.stderr}"
    return held(json.loads(done.stdout))


def folded_series(values, name="profiles"):
    """Folded stacks, one file for each {stack: bytes}, a minute apart."""
    shutil.rmtree(name, ignore_errors=True)
    os.mkdir(name)
    for minute, stacks in enumerate(values):
        path = Path(name, f"{minute:03}.folded")
        path.write_text("".join(f"{stack} {size}\n" for stack, size in stacks.items()))
        os.utime(path, (1_700_000_000 + minute * 60,) * 2)
    return name


def place_of(document, function, functions):
    """The place of a function: that whose stack it is in, or that holds its memory by it, nearest to the root of all
    `functions`."""
    for place in document["places"]:
        ours = [name for name in [*reversed(place["stack"]), place.get("via")] if name in functions]
        if ours and ours[0] == function:
            return place
    return None


def run_program(program, seed, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    subprocess.run([LEAKERS, program, str(seed), folder], check=True, stdout=subprocess.DEVNULL)
    return trend(folder)


def judge(rows, seeds):
    """Runs each program of the rows with each seed."""
    for program in dict.fromkeys(row.program for row in rows):
        for seed in seeds:
            document = run_program(program, seed, "profiles")
            ours = [row for row in rows if row.program == program]
            for row in ours:
                row.see(place_of(document, row.function, [row.function for row in ours]))
    return rows


class Sums:
    """The four goals over all rows but twins of a leak."""

    def __init__(self, rows):
        rows = [row for row in rows if not row.is_twin]
        total = sum(row.total for row in rows)
        self.right = sum(row.right_share * row.total for row in rows) / total
        self.false_leaks = sum(row.answers["leak"] for row in rows if row.levels_off)
        leaks = [row for row in rows if row.right == ["leak"]]
        unsure = sum(row.answers["undecided"] + row.answers["too little data"] for row in leaks)
        self.unsure = unsure / sum(row.total for row in leaks)
        rated = [row for row in rows if row.rate is not None and row.slopes]
        self.covered = sum(row.covered for row in rated) / sum(len(row.slopes) for row in rated)


def outcome(rows):
    sums = Sums(rows)
    return (
        f"{sums.right:.2%} are right, {sums.false_leaks} caches that level off are called a leak, "
        f"{sums.unsure:.2%} of the leaks are not decided, {sums.covered:.2%} of the intervals hold the true slope"
    )


def table(rows):
    lines = [f"{'program':18} {'function':16} {'right':>6}  {'covers':>6}  answers"]
    for row in rows:
        covers = f"{row.covered / len(row.slopes):6.0%}" if row.slopes else ""
        answers = ", ".join(f"{answer} {count}" for answer, count in row.answers.most_common())
        right = "twin" if row.is_twin else f"{row.right_share:.0%}"
        lines.append(f"{row.program:18} {row.function:16} {right:>6}  {covers:6}  {answers}")
    return "\n".join(lines)
