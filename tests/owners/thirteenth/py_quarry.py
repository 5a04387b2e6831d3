"""Watches blasts of a quarry: signals of geophones, picking of onsets, spectra, limits of vibration, and neighbours' complaints."""
import cmath
import math
from array import array
from dataclasses import dataclass


@dataclass(frozen=True)
class Geophone:
    name: str
    distance: float
    limit: float


@dataclass
class Trace:
    geophone: Geophone
    blast: int
    rate: int
    samples: array

    def peak(self):
        return max(abs(min(self.samples)), abs(max(self.samples)))


class Ground:
    """The earth, as far as the programme is concerned."""

    def __init__(self, seed):
        self.seed = seed

    def uniform(self):
        self.seed = (self.seed * 16807) % 2147483647
        return self.seed / 2147483647

    def shake(self, geophone, blast, kilos):
        rate, samples = 400, array("d")
        strength = kilos**0.8 / geophone.distance**1.4 * 60
        onset = 0.2 + geophone.distance / 3000
        for n in range(1600):
            t = n / rate
            value = (self.uniform() - 0.5) * 0.02
            if t > onset:
                value += strength * math.exp(-(t - onset) * 4) * math.sin(2 * math.pi * (9 + blast % 5) * t)
            samples.append(value)
        return Trace(geophone, blast, rate, samples)


class Picker:
    def onset(self, trace):
        short, long = 0.0, 1e-4
        for n, value in enumerate(trace.samples):
            power = value * value
            short += (power - short) / 10
            long += (power - long) / 200
            if n > 40 and short / long > 6:
                return n / trace.rate
        return None


class Spectrum:
    def fft(self, values):
        n = len(values)
        if n == 1:
            return values
        even, odd = self.fft(values[::2]), self.fft(values[1::2])
        turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
        return [e + o for e, o in zip(even, turned)] + [e - o for e, o in zip(even, turned)]

    def strongest(self, trace, onset):
        first = int(onset * trace.rate)
        part = [complex(v) for v in trace.samples[first : first + 256]]
        powers = [abs(v) for v in self.fft(part)[:128]]
        return powers.index(max(powers)) * trace.rate / 256


@dataclass
class Event:
    blast: int
    kilos: float
    traces: list
    exceeded: list


class Archive:
    def __init__(self):
        self.events = []

    def store(self, blast, kilos, traces, exceeded):
        self.events.append(Event(blast, kilos, traces, exceeded))  # guilty

    def latest(self, count):
        return self.events[-count:]

    def exceeded(self):
        return [e.blast for e in self.events if e.exceeded]


class Law:
    """How strong a blast is felt at a distance, from what was measured lately."""

    def __init__(self, archive):
        self.archive = archive

    def fit(self):
        points = []
        for event in self.archive.latest(10):
            for trace in event.traces:
                points.append((math.log(trace.geophone.distance / math.sqrt(event.kilos)), math.log(trace.peak())))
        n = len(points)
        mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
        slope = sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)
        return slope, my - slope * mx


class Station:
    def __init__(self, geophones, ground):
        self.geophones = geophones
        self.ground = ground
        self.archive = Archive()
        self.law = Law(self.archive)
        self.picker, self.spectrum = Picker(), Spectrum()
        self.frequencies = {}

    def blast(self, number, kilos):
        traces = [self.ground.shake(g, number, kilos) for g in self.geophones]
        exceeded = [t.geophone.name for t in traces if t.peak() > t.geophone.limit]
        onset = self.picker.onset(traces[0])
        if onset is not None and number % 10 == 0:
            self.frequencies[number] = self.spectrum.strongest(traces[0], onset)
        self.archive.store(number, kilos, traces, exceeded)
        return exceeded


def main():
    geophones = [Geophone(f"house {i}", 250 + 180 * i, 1.1 / (1 + i)) for i in range(7)]
    station = Station(geophones, Ground(42))
    angry = 0
    for number in range(420):
        kilos = 60 + 90 * station.ground.uniform()
        angry += len(station.blast(number, kilos)) > 2
        if number % 70 == 69:
            slope, offset = station.law.fit()
            print(f"blast {number}: slope {slope:.2f}, offset {offset:.2f}")
    print(f"{len(station.archive.exceeded())} blasts above a limit, {angry} with complaints, {len(station.frequencies)} spectra")


if __name__ == "__main__":
    main()
