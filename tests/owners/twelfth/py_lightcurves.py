"""Photometry of a field of stars, night by night: measures, corrects for the sky, and looks for those that vary."""
import math
import random
import statistics
from dataclasses import dataclass, field


@dataclass
class Star:
    number: int
    x: float
    y: float
    magnitude: float
    period: float
    depth: float


@dataclass
class Measurement:
    star: int
    night: int
    magnitude: float
    error: float
    flags: list = field(default_factory=list)


class Sky:
    def __init__(self, stars, seed):
        self.random = random.Random(seed)
        self.stars = [
            Star(i, self.random.uniform(0, 2048), self.random.uniform(0, 2048), self.random.uniform(9, 16),
                 self.random.uniform(1.5, 30), 0.4 if i % 40 == 0 else 0.0)
            for i in range(stars)
        ]

    def frame(self, night):
        extinction = self.random.uniform(0.1, 0.5)
        counts = []
        for star in self.stars:
            dip = star.depth if math.sin(2 * math.pi * night / star.period) > 0.8 else 0
            noise = self.random.gauss(0, 0.01 + 0.003 * (star.magnitude - 9))
            counts.append((star.number, star.magnitude + dip + extinction + noise))
        return counts


class Calibration:
    """The zero point of a night, from stars that are known to be steady."""

    def __init__(self, references):
        self.references = references

    def zero_point(self, counts):
        differences = [m - self.references[number] for number, m in counts if number in self.references]
        return statistics.median(differences)


class Photometer:
    def __init__(self, calibration):
        self.calibration = calibration
        self.nights = 0

    def measure(self, night, counts):
        zero = self.calibration.zero_point(counts)
        self.nights += 1
        for number, raw in counts:
            m = Measurement(number, night, raw - zero, 0.01 + 0.002 * max(0, raw - 12))
            if raw > 15.5:
                m.flags.append("faint")
            if zero > 0.45:
                m.flags.append("cloud")
            yield m


class LightCurve:
    def __init__(self, number):
        self.number = number
        self.points = []
        self.mean = 0.0
        self.squares = 0.0

    def extend(self, m):
        self.points.append(m)  # guilty
        delta = m.magnitude - self.mean
        self.mean += delta / len(self.points)
        self.squares += delta * (m.magnitude - self.mean)

    def spread(self):
        return math.sqrt(self.squares / max(1, len(self.points) - 1))

    def latest(self, n=5):
        return [p.magnitude for p in self.points[-n:]]


class Survey:
    def __init__(self, sky, photometer):
        self.sky, self.photometer = sky, photometer
        self.curves = {}

    def observe(self, night):
        for m in self.photometer.measure(night, self.sky.frame(night)):
            curve = self.curves.get(m.star)
            if curve is None:
                curve = self.curves[m.star] = LightCurve(m.star)
            curve.extend(m)

    def suspects(self, times=4):
        usual = statistics.median(c.spread() for c in self.curves.values())
        return [c for c in self.curves.values() if c.spread() > times * usual]

    def fading(self):
        found = 0
        for curve in self.curves.values():
            last = curve.latest()
            if last and statistics.mean(last) > curve.mean + 0.1:
                found += 1
        return found


def main():
    sky = Sky(900, 77)
    references = {s.number: s.magnitude for s in sky.stars if s.depth == 0 and s.magnitude < 13}
    survey = Survey(sky, Photometer(Calibration(references)))
    fading = 0
    for night in range(200):
        survey.observe(night)
        if night % 20 == 19:
            fading += survey.fading()
    names = sorted(c.number for c in survey.suspects(2))
    print(f"{survey.photometer.nights} nights, {len(names)} suspects, first {names[:5]}, {fading} fading")


if __name__ == "__main__":
    main()
