"""meterload - loads electricity meter readings, checks them and prints a report per grid area."""
import csv
import io
import itertools
import math
import time


class Reading:
    __slots__ = ("meter", "at", "kwh", "flags")

    def __init__(self, meter, at, kwh, flags):
        self.meter = meter
        self.at = at
        self.kwh = kwh
        self.flags = flags


class MeterFile(io.RawIOBase):
    """A data file as the grid operator would send it, made up line by line."""

    def __init__(self, area, rows):
        self.area = area
        self.rows = rows
        self.n = 0

    def lines(self):
        while self.n < self.rows:
            self.n += 1
            k = self.n * 7919 % 10007
            yield f"M{self.area:02d}{k:05d};{self.n * 15};{k % 400 / 10 + 0.1:.2f};{'E' if k % 50 == 0 else ''}\n"
            if self.n % 2000 == 0:
                time.sleep(0.012)


def parse(lines):
    for rec in csv.reader(lines, delimiter=";"):
        yield Reading(rec[0], int(rec[1]), float(rec[2]), rec[3])


def usable(readings, rejected):
    for r in readings:
        if r.flags == "E" or not math.isfinite(r.kwh):
            rejected[r.flags] = rejected.get(r.flags, 0) + 1
            continue
        yield r


def mean_and_peak(readings):
    total = n = 0
    peak = 0.0
    for r in readings:
        total += r.kwh
        n += 1
        peak = max(peak, r.kwh)
    return (total / n if n else 0.0), peak


def outliers(readings, limit):
    return sum(1 for r in readings if r.kwh > limit)


def hourly(readings, slots=24):
    table = [0.0] * slots
    for r in readings:
        table[r.at // 60 % slots] += r.kwh
    return table


def bar(value, top, width=40):
    return "#" * int(width * value / top) if top else ""


class AreaReport:
    def __init__(self, area):
        self.area = area
        self.rejected = {}

    def build(self, source):
        good = usable(parse(source.lines()), self.rejected)
        for_mean, for_outliers, for_table = itertools.tee(good, 3)  # guilty
        mean, peak = mean_and_peak(for_mean)
        return {
            "mean": mean,
            "peak": peak,
            "outliers": outliers(for_outliers, mean * 1.9),
            "hours": hourly(for_table),
        }

    def show(self, data):
        top = max(data["hours"])
        print(f"area {self.area}: mean {data['mean']:.2f} peak {data['peak']:.1f} outliers {data['outliers']} rejected {self.rejected}")
        for h in range(0, 24, 8):
            print(f"  {h:02d}h {bar(data['hours'][h], top)}")


def quick_check(area):
    """Small sample that is read before the file proper."""
    sample = list(itertools.islice(parse(MeterFile(area, 500).lines()), 500))
    return len({r.meter for r in sample}) > 1


def main():
    for area, rows in ((1, 20000), (2, 15000), (3, 300000)):
        if quick_check(area):
            report = AreaReport(area)
            report.show(report.build(MeterFile(area, rows)))


main()
