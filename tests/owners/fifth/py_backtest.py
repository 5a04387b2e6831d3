"""Tries strategies of trading on prices of the past."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass


@dataclass
class Bar:
    day: int
    symbol: str
    open: float
    high: float
    low: float
    close: float


class Window:
    """The last bars of a symbol."""

    def __init__(self, size):
        self.bars = deque(maxlen=size)

    def push(self, bar):
        self.bars.append(bar)

    def full(self):
        return len(self.bars) == self.bars.maxlen

    def closes(self):
        return [bar.close for bar in self.bars]


class Strategy(ABC):
    def __init__(self, size):
        self.size = size
        self.windows = {}
        self.money = 10000.0

    def window(self, symbol):
        if symbol not in self.windows:
            self.windows[symbol] = Window(self.size)
        return self.windows[symbol]

    def features(self, window):
        closes = window.closes()
        mean = sum(closes) / len(closes)
        sigma = math.sqrt(sum((c - mean) ** 2 for c in closes) / len(closes))
        return {"mean": mean, "sigma": sigma, "deviations": [c - mean for c in closes]}

    @abstractmethod
    def on_bar(self, bar):
        """Called for each."""


class Momentum(Strategy):
    def on_bar(self, bar):
        window = self.window(bar.symbol)
        window.push(bar)
        if window.full():
            features = self.features(window)
            self.money += 0.01 * (features["deviations"][-1] - features["deviations"][0])


class MeanReversion(Strategy):
    def __init__(self, size):
        super().__init__(size)
        self.signals = {}

    def on_bar(self, bar):
        window = self.window(bar.symbol)
        window.push(bar)
        if not window.full():
            return
        features = self.features(window)
        # To explain each decision afterwards, also when there was none.
        self.signals[bar.symbol, bar.day] = features  # guilty
        distance = features["deviations"][-1]
        if abs(distance) > 1.5 * features["sigma"]:
            self.money -= math.copysign(0.5, distance)


class Backtest:
    def __init__(self, strategies):
        self.strategies = strategies
        self.curve = []

    def run(self, bars):
        for bar in bars:
            for strategy in self.strategies:
                strategy.on_bar(bar)
            if bar.day % 10 == 0:
                self.curve.append(tuple(s.money for s in self.strategies))


def prices(symbols, days, seed=3):
    rng = random.Random(seed)
    last = {symbol: rng.uniform(20, 200) for symbol in symbols}
    for day in range(days):
        for symbol in symbols:
            first = last[symbol]
            last[symbol] = first * math.exp(rng.gauss(0, 0.01))
            yield Bar(day, symbol, first, max(first, last[symbol]), min(first, last[symbol]), last[symbol])


def main():
    symbols = [f"SYM{n}" for n in range(25)]
    test = Backtest([Momentum(20), MeanReversion(20)])
    test.run(prices(symbols, 950))
    print([round(s.money) for s in test.strategies], len(test.curve))


if __name__ == "__main__":
    main()
