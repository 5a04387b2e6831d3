"""Scores transactions for fraud: computes features of each from what the account did before, and a model gives the score."""

import array
import collections
import math
import random


class History:
    """The last transactions of each account."""

    def __init__(self, length):
        self.length = length
        self.accounts = {}

    def add(self, account, amount, when, merchant):
        past = self.accounts.get(account)
        if past is None:
            past = self.accounts[account] = collections.deque(maxlen=self.length)
        past.append((amount, when, merchant))

    def of(self, account):
        return self.accounts.get(account, ())


class Model:
    def __init__(self, trees, depth):
        rng = random.Random(11)
        self.trees = [array.array("d", (rng.random() for _ in range(2**depth))) for _ in range(trees)]
        self.depth = depth

    def score(self, features):
        total = 0.0
        for tree in self.trees[:: len(self.trees) // 6]:
            node = 1
            for level in range(self.depth - 1):
                node = node * 2 + (features[level % len(features)] > tree[node])
            total += tree[node]
        return total / 6


class FeatureStore:
    def __init__(self, history):
        self.history = history
        self.cache = {}
        self.hits = 0

    def features(self, account, day, amount):
        key = (account, day, amount)
        if key in self.cache:
            self.hits += 1
            return self.cache[key]
        past = self.history.of(account)
        amounts = [a for a, _, _ in past] or [0.0]
        mean = sum(amounts) / len(amounts)
        deviation = math.sqrt(sum((a - mean) ** 2 for a in amounts) / len(amounts))
        merchants = collections.Counter(m for _, _, m in past)
        vector = [mean / 100, deviation / 100, amount / (mean + 1), len(merchants) / 10, math.log1p(amount)]
        vector += [count / len(amounts) for _, count in merchants.most_common(3)]
        vector += [math.sin(day / 7 * math.tau), math.cos(day / 7 * math.tau)]
        self.cache[key] = vector  # guilty
        return vector


class Scorer:
    def __init__(self, store, model, threshold):
        self.store = store
        self.model = model
        self.threshold = threshold
        self.flagged = collections.deque(maxlen=500)
        self.scored = 0

    def score(self, transaction):
        account, amount, when, merchant = transaction
        features = self.store.features(account, when // 86400, amount)
        score = self.model.score(features)
        if score > self.threshold:
            self.flagged.append((account, amount, score))
        self.store.history.add(account, amount, when, merchant)
        self.scored += 1
        return score


def transactions(count):
    rng = random.Random(5)
    when = 1_700_000_000
    for _ in range(count):
        when += rng.randrange(30)
        yield f"DE{rng.randrange(3000):020d}", round(rng.expovariate(0.02), 2), when, f"merchant-{rng.randrange(400)}"


def main():
    store = FeatureStore(History(12))
    scorer = Scorer(store, Model(60, 12), 0.72)
    for transaction in transactions(42_000):
        scorer.score(transaction)
    print(scorer.scored, "scored,", len(scorer.flagged), "flagged,", store.hits, "hits")


if __name__ == "__main__":
    main()
