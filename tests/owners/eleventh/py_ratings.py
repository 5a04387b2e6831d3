"""Recommends films: finds readers with a similar taste, and predicts how someone would rate what they have not seen."""

import functools
import math
import random
import statistics


class Ratings:
    def __init__(self, people, films, seed=6):
        self.random = random.Random(seed)
        self.films = films
        self.by_person = {}
        for person in range(people):
            taste = self.random.random()
            seen = self.random.sample(range(films), self.random.randint(6, 14))
            self.by_person[person] = {film: self._stars(taste, film) for film in seen}

    def _stars(self, taste, film):
        return max(1, min(5, round(3 + 2 * math.cos(taste * 6 + film) + self.random.gauss(0, 0.5))))

    def rate(self, person, film, stars):
        self.by_person[person][film] = stars

    def of(self, person):
        return self.by_person[person]

    @functools.lru_cache(maxsize=4096)
    def mean(self, person):
        return statistics.fmean(self.by_person[person].values())


class Neighbours:
    """Who is like whom."""

    def __init__(self, ratings):
        self.ratings = ratings
        self.known = {}

    def similarity(self, one, other):
        pair = (one, other) if one < other else (other, one)
        if pair not in self.known:
            self.known[pair] = self.cosine(self.ratings.of(one), self.ratings.of(other))  # guilty
        return self.known[pair]

    @staticmethod
    def cosine(a, b):
        common = a.keys() & b.keys()
        if not common:
            return 0.0
        product = sum(a[film] * b[film] for film in common)
        return product / math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))

    def nearest(self, person, candidates, count):
        scored = [(self.similarity(person, other), other) for other in candidates if other != person]
        scored.sort(reverse=True)
        return scored[:count]


class Recommender:
    def __init__(self, ratings, neighbours):
        self.ratings = ratings
        self.neighbours = neighbours

    def predict(self, person, film, near):
        weighted, total = 0.0, 0.0
        for similarity, other in near:
            stars = self.ratings.of(other).get(film)
            if stars is not None:
                weighted += similarity * (stars - self.ratings.mean(other))
                total += similarity
        return self.ratings.mean(person) + (weighted / total if total else 0)

    def recommend(self, person, sample):
        near = self.neighbours.nearest(person, sample, 20)
        seen = self.ratings.of(person)
        candidates = {film for _, other in near for film in self.ratings.of(other) if film not in seen}
        best = sorted(candidates, key=lambda film: self.predict(person, film, near), reverse=True)
        return best[:5]


def page(person, films):
    lines = [f"<li>film {film}</li>" for film in films]
    return f"<h1>For person {person}</h1><ul>{''.join(lines)}</ul>"


def main():
    ratings = Ratings(people=2500, films=300)
    recommender = Recommender(ratings, Neighbours(ratings))
    visits = random.Random(1)
    sent = 0
    for _ in range(1400):
        person = visits.randrange(2500)
        sample = visits.sample(range(2500), 200)
        sent += len(page(person, recommender.recommend(person, sample)))
        ratings.rate(person, visits.randrange(300), visits.randint(1, 5))
    print(sent, "bytes sent")


if __name__ == "__main__":
    main()
