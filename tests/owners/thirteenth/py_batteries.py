"""Plans the battery of a house: prices by the hour, sun, loads of appliances, a plan by dynamic programming, and the bill."""
import math
from dataclasses import dataclass, field


@dataclass
class Hour:
    number: int
    price: float
    sun: float
    load: float


@dataclass
class Battery:
    capacity: float = 10.0
    level: float = 5.0
    cycles: float = 0.0

    def change(self, amount):
        before = self.level
        self.level = min(self.capacity, max(0.0, self.level + amount))
        self.cycles += abs(self.level - before) / (2 * self.capacity)
        return self.level - before


class Weather:
    def __init__(self, seed):
        self.seed = seed

    def noise(self):
        self.seed = (self.seed * 1103515245 + 12345) % 2**31
        return (self.seed >> 8) % 1000 / 1000

    def sun(self, number):
        hour = number % 24
        height = math.sin((hour - 6) / 12 * math.pi) if 6 <= hour <= 18 else 0.0
        season = 0.6 + 0.4 * math.sin(number / 8760 * 2 * math.pi)
        return max(0.0, height) * season * (0.5 + 1.8 * self.noise())


class Market:
    def __init__(self, weather):
        self.weather = weather

    def day(self, first):
        hours = []
        for number in range(first, first + 24):
            hour = number % 24
            evening = 0.18 if 17 <= hour <= 20 else 0.0
            price = 0.12 + evening + 0.1 * self.weather.noise()
            load = 0.3 + (1.4 if hour in (7, 8, 18, 19, 20) else 0.2) * self.weather.noise()
            hours.append(Hour(number, price, self.weather.sun(number), load))
        return hours


@dataclass
class Plan:
    start: int
    actions: list
    costs: list
    total: float

    def action(self, number):
        return self.actions[number - self.start]


class Optimiser:
    """The cheapest way through the hours for each level of the battery."""

    STEPS = 20

    def __init__(self, battery):
        self.unit = battery.capacity / self.STEPS

    def cost(self, hour, change):
        grid = hour.load - hour.sun + change * self.unit
        return grid * hour.price if grid > 0 else grid * 0.06

    def plan(self, hours, level):
        after = [0.0] * (self.STEPS + 1)
        costs, choices = [], []
        for hour in reversed(hours):
            best, choice = [], []
            for at in range(self.STEPS + 1):
                options = [(self.cost(hour, c) + after[at + c], c) for c in range(-4, 5) if 0 <= at + c <= self.STEPS]
                cost, change = min(options)
                best.append(round(cost, 4))
                choice.append(change)
            after = best
            costs.append(best)
            choices.append(choice)
        costs.reverse()
        choices.reverse()
        at = round(level / self.unit)
        total, actions = costs[0][at], []
        for choice in choices:
            actions.append(choice[at] * self.unit)
            at += choice[at]
        return Plan(hours[0].number, actions, costs, total)


@dataclass
class Controller:
    battery: Battery
    optimiser: Optimiser
    plans: list = field(default_factory=list)

    def replan(self, hours):
        plan = self.optimiser.plan(hours, self.battery.level)
        self.plans.append(plan)  # guilty
        return plan

    def run(self, hour):
        change = self.battery.change(self.plans[-1].action(hour.number))
        return hour.load - hour.sun + change

    def regret(self):
        """How much the last plans hoped for less than the ones before."""
        last = self.plans[-8:]
        return sum(b.total - a.total for a, b in zip(last, last[1:]))


class Meter:
    def __init__(self):
        self.bought = self.sold = self.euros = 0.0
        self.by_hour = [0.0] * 24

    def count(self, hour, grid):
        self.by_hour[hour.number % 24] += grid
        if grid > 0:
            self.bought += grid
            self.euros += grid * hour.price
        else:
            self.sold -= grid
            self.euros += grid * 0.06

    def peak(self):
        return max(range(24), key=self.by_hour.__getitem__)


def main():
    market = Market(Weather(17))
    battery = Battery()
    controller = Controller(battery, Optimiser(battery))
    meter = Meter()
    today = market.day(0)
    for day in range(1, 61):
        tomorrow = market.day(day * 24)
        for index, hour in enumerate(today):
            if index % 2 == 0:
                controller.replan(today[index:] + tomorrow)
            meter.count(hour, controller.run(hour))
        today = tomorrow
    print(f"bought {meter.bought:.0f} kWh, sold {meter.sold:.0f} kWh, {meter.euros:.2f} euros, peak at {meter.peak()} h")
    print(f"{battery.cycles:.1f} cycles, regret of the last plans {controller.regret():.2f}")


if __name__ == "__main__":
    main()
