"""Drives the show of a planetarium: a catalogue of stars, the sky over a place at a moment, figures, a projector, and a log."""
import math
from collections import deque
from functools import lru_cache


class Catalogue:
    def __init__(self, count, seed):
        self.stars = []
        for number in range(count):
            seed = (seed * 69069 + 1) % 2**32
            height = ((seed >> 8) % 20001 - 10000) / 10000
            seed = (seed * 69069 + 1) % 2**32
            self.stars.append((number, (seed >> 8) % 36000 / 100, math.degrees(math.asin(height)), 6 - (seed >> 24) / 64))

    @lru_cache(maxsize=16)
    def brighter(self, magnitude):
        return [star for star in self.stars if star[3] < magnitude]


class Place:
    def __init__(self, name, latitude, longitude):
        self.name = name
        self.sin = math.sin(math.radians(latitude))
        self.cos = math.cos(math.radians(latitude))
        self.longitude = longitude

    def turn(self, minute):
        return (minute * 360.98564736 / 1440 + self.longitude) % 360


class Dome:
    """The sky as it stands over a place."""

    def __init__(self, catalogue, place):
        self.catalogue = catalogue
        self.place = place

    @lru_cache(maxsize=None)
    def sky(self, minute, magnitude):
        turn = self.place.turn(minute)
        points = []
        for number, ascension, declination, brightness in self.catalogue.brighter(magnitude):
            hour = math.radians(turn - ascension)
            d = math.radians(declination)
            height = self.place.sin * math.sin(d) + self.place.cos * math.cos(d) * math.cos(hour)
            if height > 0.05:
                azimuth = math.atan2(math.sin(hour), math.cos(hour) * self.place.sin - math.tan(d) * self.place.cos)
                points.append((number, azimuth, math.asin(height), 6 - brightness))  # guilty
        return points


class Figures:
    """Lines between stars that the guide points at."""

    def __init__(self, catalogue):
        bright = [star[0] for star in catalogue.brighter(4)]
        self.lines = {f"figure {i}": bright[i * 5 : i * 5 + 5] for i in range(len(bright) // 5)}

    def visible(self, points):
        shown = {point[0] for point in points}
        return [name for name, stars in self.lines.items() if sum(s in shown for s in stars) > 3]


class Projector:
    def __init__(self, width):
        self.width = width
        self.frames = 0
        self.light = 0.0

    def project(self, points):
        frame = bytearray(self.width * self.width)
        for _, azimuth, height, light in points:
            radius = (1 - height / (math.pi / 2)) * self.width / 2 * 0.98
            x = int(self.width / 2 + radius * math.sin(azimuth))
            y = int(self.width / 2 + radius * math.cos(azimuth))
            at = y * self.width + x
            frame[at] = min(255, frame[at] + int(light * 40))
        self.frames += 1
        self.light += sum(frame) / 255
        return frame


class Log:
    def __init__(self, lines):
        self.lines = deque(maxlen=lines)

    def write(self, minute, names):
        self.lines.append(f"minute {minute}: {', '.join(names[:6])}")


class Show:
    def __init__(self, dome, projector, figures, log):
        self.dome = dome
        self.projector = projector
        self.figures = figures
        self.log = log

    def steps(self, start, minutes):
        """Time runs faster in the middle of the night."""
        minute = float(start)
        while minute < start + minutes:
            yield round(minute, 1)
            minute += 2.1 if minutes / 3 < minute - start < 2 * minutes / 3 else 1.3

    def run(self, start, minutes):
        for step, minute in enumerate(self.steps(start, minutes)):
            points = self.dome.sky(minute, 5.2)
            self.projector.project(points)
            if step % 10 == 0:
                self.log.write(minute, self.figures.visible(points))


def main():
    catalogue = Catalogue(750, 3)
    figures, projector, log = Figures(catalogue), Projector(160), Log(200)
    for name, latitude, longitude in (("Jena", 50.9, 11.6), ("Quito", -0.2, -78.5), ("Hobart", -42.9, 147.3)):
        dome = Dome(catalogue, Place(name, latitude, longitude))
        for evening in range(2):
            Show(dome, projector, figures, log).run(evening * 1440 + 1140, 360)
    print(f"{projector.frames} frames, {projector.light / projector.frames:.1f} of light in each")
    print(log.lines[-1])


if __name__ == "__main__":
    main()
