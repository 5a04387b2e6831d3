"""Draws meadows: plants grow from rules, a turtle turns them into lines, and the lines are scaled into pictures."""
import math
import random
from collections import Counter

RULES = {
    "grass": ("X", {"X": [("F[+X]F[-X]+X", 0.6), ("F[-X]+X", 0.4)], "F": [("FF", 1.0)]}, 22, 5),
    "fern": ("X", {"X": [("F+[[X]-X]-F[-FX]+X", 0.8), ("F[+X]-X", 0.2)], "F": [("FF", 1.0)]}, 25, 4),
    "bush": ("F", {"F": [("FF+[+F-F-F]-[-F+F+F]", 0.5), ("F[+F]F[-F]", 0.5)]}, 23, 3),
}


class Grammar:
    def __init__(self, rules, seed):
        self.rules = rules
        self.random = random.Random(seed)

    def choose(self, symbol):
        options = self.rules.get(symbol)
        if options is None:
            return symbol
        pick = self.random.random()
        for text, share in options:
            pick -= share
            if pick <= 0:
                return text
        return options[-1][0]

    def expand(self, axiom, rounds):
        text = axiom
        for _ in range(rounds):
            text = "".join(self.choose(symbol) for symbol in text)
        return text


class Turtle:
    def __init__(self, angle):
        self.angle = math.radians(angle)

    def lines(self, text):
        x = y = 0.0
        heading = math.pi / 2
        stack, found = [], []
        for symbol in text:
            if symbol == "F":
                nx, ny = x + math.cos(heading), y + math.sin(heading)
                found.append((x, y, nx, ny))
                x, y = nx, ny
            elif symbol == "+":
                heading += self.angle
            elif symbol == "-":
                heading -= self.angle
            elif symbol == "[":
                stack.append((x, y, heading))
            elif symbol == "]":
                x, y, heading = stack.pop()
        return found


class Plant:
    def __init__(self, species, lines):
        self.species = species
        self.lines = lines

    def height(self):
        return max((line[3] for line in self.lines), default=0)

    def box(self):
        xs = [line[2] for line in self.lines] or [0]
        return min(xs), max(xs)


class Nursery:
    """Plants by their species and seed; a meadow asks for the same one more than once."""

    def __init__(self):
        self.plants = {}
        self.asked = Counter()

    def plant(self, species, seed):
        self.asked[species] += 1
        key = (species, seed)
        if key not in self.plants:
            axiom, rules, angle, rounds = RULES[species]
            text = Grammar(rules, seed).expand(axiom, rounds)
            self.plants[key] = Plant(species, Turtle(angle).lines(text))  # guilty
        return self.plants[key]


class Picture:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = bytearray(width * height)

    def draw(self, plant, at, scale):
        low, high = plant.box()
        middle = (low + high) / 2
        for _, _, x, y in plant.lines[::7]:
            column = int(at + (x - middle) * scale)
            row = int(y * scale)
            if 0 <= column < self.width and 0 <= row < self.height:
                self.pixels[row * self.width + column] = 255

    def coverage(self):
        return self.pixels.count(255) / len(self.pixels)


def meadow(nursery, number, rng):
    picture = Picture(320, 120)
    species = list(RULES)
    for k in range(12):
        kind = species[(number + k) % len(species)]
        plant = nursery.plant(kind, number * 4 + rng.randrange(6))
        tall = plant.height() or 1
        picture.draw(plant, rng.randrange(320), rng.uniform(40, 110) / tall)
    return picture.coverage()


def main():
    rng = random.Random(8)
    nursery = Nursery()
    coverage = [meadow(nursery, number, rng) for number in range(95)]
    mean = sum(coverage) / len(coverage)
    print(f"{len(coverage)} meadows, {mean:.4f} covered, {len(nursery.plants)} plants, {sum(nursery.asked.values())} asked for")


if __name__ == "__main__":
    main()
