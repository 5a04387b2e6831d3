#!/usr/bin/env python3
"""A thousand sampled runs of known blocks: is the estimate un-biased, do the intervals hold? See tests/e2e/_sampled.py."""

import os
import sys
import tempfile

from _measure import expect
from _sampled import PERIOD, coverage, sample, z_of

SEEDS = range(1, 1001)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sites = sample(SEEDS)
        os.chdir("/")
    print(f"{len(SEEDS)} runs, seeds {SEEDS[0]} to {SEEDS[-1]}, {PERIOD} bytes from sample to sample\n")
    print("place     objects     bytes  samples expected  mean estimate       z  intervals that hold")
    for name, site in sites.items():
        mean, z = sum(site.estimates) / len(SEEDS), z_of(site.estimates, site.bytes)
        print(f"{name} {site.objects:8} {site.bytes:9} {site.expected:17.1f} {mean:14.0f} {z:7.2f} {site.covered / len(SEEDS):20.1%}")
    totals = [sum(one) for one in zip(*(site.estimates for site in sites.values()))]
    z = z_of(totals, sum(site.bytes for site in sites.values()))
    print()
    met = expect(abs(z) < 3, f"the total is off by {z:.2f} standard errors; the goal is less than 3")
    for low, high, what in ((1, 1e9, "1 or more"), (1, 10, "1 to 10"), (10, 1e9, "10 or more")):
        share, runs = coverage(sites, low, high)
        met &= expect(share >= 0.93, f"{share:.2%} of {runs} intervals with {what} samples expected hold the truth; the goal is 93 %")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
