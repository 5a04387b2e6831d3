"""Whether the 95 % interval of a sampled peak holds what was in use at it (programs/peaks.c): one run with each seed. The short
form is in run_peak_sampled.py, the long one in bench/soak.d/peak_sampled.py."""

import json
import subprocess
from pathlib import Path

from _agent import forget_tables, only_table, profiled
from _heap import PROGRAMS, heapflame

SHAPES = {"even": "even", "mixed": "mixed", "spike": "spike", "stairs": "stairs", "churn": "churn", "threads": "thread_main"}


def build():
    program = Path("peaks").resolve()
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", program, PROGRAMS / "peaks.c"], check=True)
    return program


def peak_of(program, shape, conf):
    """The row of what the shape held at the peak, as `top FILE@peak` has it."""
    profiled(conf, program, shape)
    rows = json.loads(heapflame("top", "--json", "-q", f"{only_table()}@peak"))["rows"]
    forget_tables()
    return next(row for row in rows if row["name"] == SHAPES[shape])


def intervals(program, shape, seeds):
    """(what was in use at the peak, [(estimate, low, high)]); what it was, exact mode says."""
    truth = peak_of(program, shape, "exact:true")["cum"]
    rows = [peak_of(program, shape, f"seed:{seed}") for seed in seeds]
    return truth, [(row["cum"], *row["cum_95"]) for row in rows]


def held(truth, found):
    return sum(low <= truth <= high for _, low, high in found)
