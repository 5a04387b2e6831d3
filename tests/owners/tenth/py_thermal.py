"""Heats a house in a simulation: rooms with walls and radiators, a controller that learns, and a year of weather."""
import array
import math


class Weather:
    def __init__(self, days):
        self.hours = array.array("d", (self.at(hour) for hour in range(days * 24)))

    @staticmethod
    def at(hour):
        return 9 - 11 * math.cos(hour / 8760 * 2 * math.pi) - 4 * math.cos(hour / 24 * 2 * math.pi)


class Room:
    def __init__(self, name, area, wanted):
        self.name = name
        self.area = area
        self.wanted = wanted
        self.temperature = wanted
        self.neighbours = []

    def step(self, outside, power, minutes):
        loss = (self.temperature - outside) * self.area * 0.9
        for other in self.neighbours:
            loss += (self.temperature - other.temperature) * 6
        self.temperature += (power - loss) * minutes * 60 / (self.area * 90000)


class Controller:
    """Keeps a table of how warm a room became by what it did, and looks there for what is nearest."""

    def __init__(self, most):
        self.most = most
        self.experience = {}

    def power(self, room, outside):
        known = self.experience.get((room.name, round(outside), round(room.temperature)))
        need = (room.wanted - room.temperature) * 400 + (room.wanted - outside) * room.area * 0.9
        if known:
            need += (room.wanted - known[-1][1]) * 50
        return min(max(need, 0.0), self.most)

    def learn(self, room, outside, before, power):
        key = room.name, round(outside), round(before)
        self.experience.setdefault(key, []).append((power, room.temperature))  # guilty


class Meter:
    def __init__(self):
        self.by_month = [0.0] * 13

    def add(self, day, power, minutes):
        self.by_month[day // 30] += power * minutes / 60000


class House:
    def __init__(self, controller):
        self.controller = controller
        self.meter = Meter()
        self.rooms = [Room("kitchen", 14, 19), Room("living", 32, 21), Room("bath", 8, 23), Room("bed", 16, 17)]
        for left, right in zip(self.rooms, self.rooms[1:]):
            left.neighbours.append(right)
            right.neighbours.append(left)

    def simulate(self, weather, minutes):
        for hour, outside in enumerate(weather.hours):
            for _ in range(60 // minutes):
                for room in self.rooms:
                    before = room.temperature
                    power = self.controller.power(room, outside)
                    room.step(outside, power, minutes)
                    self.controller.learn(room, outside, before, power)
                    self.meter.add(hour // 24, power, minutes)

    def comfort(self):
        return {room.name: round(room.temperature, 1) for room in self.rooms}


def main():
    weather = Weather(days=365)
    house = House(Controller(most=2500))
    house.simulate(weather, minutes=10)
    print(house.comfort(), [round(month) for month in house.meter.by_month], len(house.controller.experience))


if __name__ == "__main__":
    main()
