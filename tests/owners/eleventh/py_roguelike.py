"""A game in caves: each level is carved when the hero comes there, and lit where the hero can see."""

import heapq
import random

WIDTH, HEIGHT = 90, 45
WALL, FLOOR, STAIRS = "#", ".", ">"


class Tile:
    def __init__(self, kind):
        self.kind = kind
        self.seen = False
        self.items = None


class Level:
    def __init__(self, depth, rng):
        self.depth = depth
        self.tiles = [[Tile(WALL) for _ in range(WIDTH)] for _ in range(HEIGHT)]
        self.start = (WIDTH // 2, HEIGHT // 2)
        self.stairs = self.carve(rng)

    def carve(self, rng):
        x, y = self.start
        for _ in range(2500):
            self.tiles[y][x].kind = FLOOR
            if rng.random() < 0.01:
                self.tiles[y][x].items = ["gold", rng.randint(1, 40)]
            dx, dy = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            x = min(WIDTH - 2, max(1, x + dx))
            y = min(HEIGHT - 2, max(1, y + dy))
        self.tiles[y][x].kind = STAIRS
        return x, y

    def open_at(self, x, y):
        return self.tiles[y][x].kind != WALL


class Dungeon:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.levels = {}

    def level(self, depth):
        if depth not in self.levels:
            self.levels[depth] = Level(depth, self.rng)  # guilty
        return self.levels[depth]


class Sight:
    def __init__(self, radius):
        self.radius = radius

    def light(self, level, x, y):
        lit = 0
        for ty in range(max(0, y - self.radius), min(HEIGHT, y + self.radius + 1)):
            for tx in range(max(0, x - self.radius), min(WIDTH, x + self.radius + 1)):
                tile = level.tiles[ty][tx]
                if not tile.seen:
                    tile.seen = True
                    lit += 1
        return lit


def way(level, start, goal):
    """The shortest way, by A*."""
    queue = [(0, start)]
    came = {start: None}
    cost = {start: 0}
    while queue:
        _, at = heapq.heappop(queue)
        if at == goal:
            break
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            to = (at[0] + dx, at[1] + dy)
            if level.open_at(*to) and cost[at] + 1 < cost.get(to, 1 << 30):
                cost[to] = cost[at] + 1
                came[to] = at
                heapq.heappush(queue, (cost[to] + abs(to[0] - goal[0]) + abs(to[1] - goal[1]), to))
    steps = []
    while at is not None:
        steps.append(at)
        at = came[at]
    return steps[::-1]


class Hero:
    def __init__(self):
        self.gold = 0
        self.turns = 0
        self.sight = Sight(5)

    def explore(self, level):
        lit = 0
        for x, y in way(level, level.start, level.stairs):
            self.turns += 1
            lit += self.sight.light(level, x, y)
            tile = level.tiles[y][x]
            if tile.items:
                self.gold += tile.items[1]
                tile.items = None
        return lit


def status(hero, level):
    return f"depth {level.depth}, {hero.gold} gold, {hero.turns} turns"


def main():
    dungeon = Dungeon(13)
    hero = Hero()
    lit = 0
    for depth in range(1, 91):
        lit += hero.explore(dungeon.level(depth))
        if depth % 40 == 0:
            print(status(hero, dungeon.level(depth)))
    print(lit, "tiles seen")


if __name__ == "__main__":
    main()
