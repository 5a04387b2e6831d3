"""Puts coordinates to the addresses of deliveries: an address is cut into its parts, and those are looked up in a register."""

import functools
import re
import unicodedata
from collections import Counter
from typing import NamedTuple

STREETS = ["Station", "Mill", "Church", "Orchard", "Garden", "Harbour", "School", "Forest", "Meadow", "Bridge", "Castle", "Market"]
FORM = re.compile(r"(?P<number>\d+)(?:/(?P<flat>\d+))? (?P<street>\w+) (?P<kind>\w+) +(?P<town>\w+) +(?P<code>.+)")
KINDS = {"rd": "road", "st": "street", "ave": "avenue", "ln": "lane", "sq": "square"}
TOWNS = ["Ashford", "Birchwood", "Coldbrook", "Dunmore", "Eastvale", "Fairhill", "Greenock", "Hartley"]
DELIVERIES = 64000


class Address(NamedTuple):
    street: str
    kind: str
    number: str
    flat: str
    town: str
    code: str


class Place(NamedTuple):
    latitude: float
    longitude: float


def plain(text):
    text = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^\w\s/-]", " ", text).strip()


@functools.lru_cache(maxsize=None)
def parsed(line):
    """The parts of an address, as somebody has typed it."""
    found = FORM.match(plain(line))
    if found is None:
        return None
    return Address(**found.groupdict(default=""))  # guilty


class Register:
    """The streets of all towns, with where they begin and end."""

    def __init__(self):
        self.streets = {}
        self.unknown = Counter()

    def load(self):
        for row, town in enumerate(TOWNS):
            for column, street in enumerate(STREETS):
                for kind in KINDS.values():
                    points = [Place(50 + row + n / 500, column + n / 700) for n in range(80)]
                    self.streets[town.lower(), street.lower(), kind] = points

    def find(self, address):
        points = self.streets.get((address.town, address.street, KINDS.get(address.kind)))
        if points is None:
            self.unknown[address.town] += 1
            return None
        return points[int(address.number) % len(points)]


class Tour:
    """What one van brings on a day: it is planned, printed and forgotten."""

    def __init__(self, day):
        self.day = day
        self.stops = []

    def add(self, place, label):
        self.stops.append((place.latitude, place.longitude, label))

    def length(self):
        self.stops.sort()
        return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(self.stops, self.stops[1:]))


def typed(number):
    """The address of a delivery, as the shop's form has it."""
    street, town = STREETS[number % 12], TOWNS[number // 12 % 8]
    kind = list(KINDS)[number // 96 % 5]
    flat = f"/{number % 7}" if number % 3 else ""
    return f"{number % 890 + 1}{flat} {street} {kind.title()}., {town}, {town[:2].upper()}{number % 97} {number * 7919 % 51000}x"


def plan(register, day, numbers):
    tour = Tour(day)
    for number in numbers:
        address = parsed(typed(number))
        place = address and register.find(address)
        if place is not None:
            tour.add(place, f"{address.street} {address.number}")
    return tour.length()


def main():
    register = Register()
    register.load()
    driven = 0.0
    for day, first in enumerate(range(0, DELIVERIES, 400)):
        driven += plan(register, day, range(first, first + 400))
    print(f"{driven:.1f} {sum(register.unknown.values())} {parsed.cache_info().hits}")


main()
