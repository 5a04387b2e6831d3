"""Whether what is sampled is un-biased, and its intervals hold: tests/agent/sites.c under the agent with one seed after
the other. The short form is in agent-truth.py, the long one in bench/soak.d/agent_truth.py."""

import math
import statistics

from _agent import compile_agent_test, forget_tables, only_table, profiled, top

PERIOD = 4096
NOTHING_SEEN = -math.log(0.025)  # the upper end of the interval where nothing was sampled, in samples


class Site:
    """One place that allocates: what it keeps, and what each run says of it."""

    def __init__(self, objects, size):
        self.objects, self.bytes = objects, size
        # How many samples are to be expected, taking all of its blocks as of the mean size.
        self.weight = 1 / -math.expm1(-size / objects / PERIOD)
        self.expected = objects / self.weight
        self.estimates, self.covered = [], 0

    def see(self, row):
        """`row` of top --json, or None if nothing of it was sampled."""
        if row is None:
            low, high = 0, NOTHING_SEEN * self.weight * self.bytes / self.objects
        else:
            low, high = row["cum_95"]
        self.estimates.append(0 if row is None else row["cum"])
        self.covered += low <= self.bytes <= high


def sample(seeds):
    """{name: Site} after a run with each seed."""
    program = compile_agent_test("sites.c")
    sites = {}
    for seed in seeds:
        out, err = profiled(f"period:{PERIOD},seed:{seed}", program)
        assert err == "", err
        if not sites:
            for line in out.splitlines():
                name, objects, size = line.split()
                sites[name] = Site(int(objects), int(size))
        rows = top(only_table(), "-q")
        for name, site in sites.items():
            site.see(rows.get(name))
        forget_tables()
    return sites


def z_of(estimates, truth):
    """How many standard errors the mean is off."""
    error = statistics.stdev(estimates) / math.sqrt(len(estimates))
    return (statistics.mean(estimates) - truth) / error


def coverage(sites, low, high):
    """The share of intervals that hold the truth, over sites with [low, high) samples to be expected; and how many."""
    chosen = [site for site in sites.values() if low <= site.expected < high]
    runs = sum(len(site.estimates) for site in chosen)
    return sum(site.covered for site in chosen) / runs, runs
