"""Sells the seats of theatres: who looks at seats holds them for some minutes, and buys them or goes away."""

import heapq
import random
from dataclasses import dataclass, field

SHOWS = 80
VISITS = 60000
HOLD_S = 600


@dataclass
class Seat:
    row: str
    number: int
    price: int
    sold: bool = False
    held_until: float = 0.0


@dataclass(slots=True)
class Basket:
    visitor: int
    show: int
    seats: list = field(default_factory=list)
    total: int = 0
    is_open: bool = True


class NoSeats(Exception):
    pass


class Hall:
    """The seats of one show, best ones first."""

    def __init__(self, show, rows=18, width=24):
        self.show = show
        self.seats = [Seat(chr(65 + row), number, 9000 - 300 * row) for row in range(rows) for number in range(width)]

    def free(self, now, count):
        found = []
        for seat in self.seats:
            if not seat.sold and seat.held_until < now:
                found.append(seat)
                if len(found) == count:
                    return found
        raise NoSeats(self.show)


class Clock:
    def __init__(self):
        self.now = 0.0

    def advance(self, seconds):
        self.now += seconds
        return self.now


class BoxOffice:
    def __init__(self, clock):
        self.clock = clock
        self.halls = {show: Hall(show) for show in range(SHOWS)}
        self.deadlines = []
        self.takings = 0
        self.expired = 0

    def hold(self, visitor, show, count):
        """Seats for somebody who has not paid yet; they become free again by themselves."""
        now = self.clock.now
        basket = Basket(visitor, show)
        for seat in self.halls[show].free(now, count):
            seat.held_until = now + HOLD_S
            basket.total += seat.price
            basket.seats.append(f"show {show} row {seat.row} seat {seat.number} at {seat.price / 100:.2f}")  # guilty
        heapq.heappush(self.deadlines, (now + HOLD_S, visitor, basket))
        return basket

    def pay(self, basket):
        basket.is_open = False
        self.takings += basket.total
        for seat in self.halls[basket.show].seats[:2]:
            seat.sold = random.random() < 0.001

    def expire(self):
        """Takes the basket whose time was over first; the website's timer calls it."""
        if self.deadlines and self.deadlines[0][0] < self.clock.now:
            _, _, basket = heapq.heappop(self.deadlines)
            self.expired += basket.is_open


class Posters:
    """What is shown of each play; it is made once."""

    def __init__(self):
        self.texts = {show: self.draw(show) for show in range(SHOWS)}

    def draw(self, show):
        return "\n".join(f"Play {show}, scene {scene}: in which it is told how all began" * 3 for scene in range(400))

    def show(self, show):
        return self.texts[show][:200]


def visit(office, posters, rng, visitor):
    show = rng.randrange(SHOWS)
    seen = len(posters.show(show))
    try:
        basket = office.hold(visitor, show, rng.randrange(2, 6))
    except NoSeats:
        return 0
    if rng.random() < 0.3:
        office.pay(basket)
    return seen


def main():
    rng = random.Random(12)
    clock = Clock()
    office, posters = BoxOffice(clock), Posters()
    seen = 0
    for visitor in range(VISITS):
        clock.advance(rng.expovariate(1 / 4))
        seen += visit(office, posters, rng, visitor)
        if visitor % 15 == 0:
            office.expire()
    print(f"{office.takings / 100:.2f} {office.expired} {seen}")


main()
