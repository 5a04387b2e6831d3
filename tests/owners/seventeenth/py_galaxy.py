"""Few body simulation with energy control and adaptive step width."""
import math
import random
import time


class Star:
    __slots__ = ("mass", "pos", "vel")

    def __init__(self, mass, pos, vel):
        self.mass = mass
        self.pos = pos
        self.vel = vel


def make_cluster(n, seed):
    rng = random.Random(seed)
    stars = []
    for _ in range(n):
        pos = [rng.uniform(-10, 10) for _ in range(3)]
        vel = [rng.uniform(-0.3, 0.3) for _ in range(3)]
        stars.append(Star(rng.uniform(0.5, 2), pos, vel))
    return stars


def pull(stars):
    centre = [0.0, 0.0, 0.0]
    total = sum(s.mass for s in stars)
    for s in stars:
        for k in range(3):
            centre[k] += s.mass * s.pos[k] / total
    acc = []
    for s in stars:
        d = [centre[k] - s.pos[k] for k in range(3)]
        r = math.sqrt(sum(x * x for x in d)) + 0.5
        acc.append([x * total / (r * r * r) for x in d])
    return acc


class Simulation:
    def __init__(self, stars):
        self.stars = stars
        self.time = 0.0
        self.dt = 0.01
        self.states = []
        self.rejected = 0

    def energy(self):
        return sum(s.mass * sum(v * v for v in s.vel) / 2 for s in self.stars)

    def save(self):
        self.states.append((self.time, [(tuple(s.pos), tuple(s.vel)) for s in self.stars]))  # guilty

    def restore(self):
        self.time, bodies = self.states[-1]
        for s, (pos, vel) in zip(self.stars, bodies):
            s.pos = list(pos)
            s.vel = list(vel)

    def move(self):
        for s, a in zip(self.stars, pull(self.stars)):
            s.vel = [v + x * self.dt for v, x in zip(s.vel, a)]
            s.pos = [p + v * self.dt for p, v in zip(s.pos, s.vel)]
        self.time += self.dt

    def step(self):
        before = self.energy()
        self.save()
        self.move()
        if abs(self.energy() - before) > before * 0.2:
            self.restore()
            self.dt = max(self.dt / 2, 1e-4)
            self.rejected += 1
        else:
            self.dt = min(self.dt * 1.05, 0.05)


def main():
    sim = Simulation(make_cluster(60, 1))
    for i in range(3000):
        sim.step()
        if i % 20 == 0:
            time.sleep(0.005)
    print(round(sim.time, 3), sim.rejected, round(sim.energy(), 3))
    time.sleep(0.2)


if __name__ == "__main__":
    main()
