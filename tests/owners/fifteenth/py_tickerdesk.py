"""Trading desk prototype: screens follow prices published by a feed."""
import random
import time
from array import array


class Signal:
    """Minimal signal/slot."""

    def __init__(self, name):
        self.name = name
        self._slots = []

    def connect(self, slot):
        self._slots.append(slot)
        return slot

    def disconnect(self, slot):
        self._slots.remove(slot)

    def emit(self, *args):
        for slot in list(self._slots):
            slot(*args)


class Feed:
    def __init__(self, symbols):
        self.signals = {s: Signal(s) for s in symbols}
        self.last = {s: 100.0 for s in symbols}

    def step(self):
        for s in random.sample(sorted(self.signals), 5):
            self.last[s] *= 1 + random.uniform(-0.01, 0.01)
            self.signals[s].emit(s, self.last[s])


class Ledger:
    """Desk-wide position history, capped."""

    def __init__(self, feed):
        self.recent = []
        for sig in feed.signals.values():
            sig.connect(self.on_price)

    def on_price(self, symbol, price):
        self.recent.append({"symbol": symbol, "price": price, "note": "%s @ %.4f" % (symbol, price)})
        if len(self.recent) > 6000:
            del self.recent[:3000]


class Widget:
    def __init__(self, title):
        self.title = title
        self.dirty = False

    def paint(self):
        return "[%s%s]" % (self.title, "*" if self.dirty else "")


class ChartScreen(Widget):
    def __init__(self, title, symbol):
        super().__init__(title)
        self.symbol = symbol
        self.candles = None
        self.markers = []

    def attach_feed(self, feed):
        self.candles = [array("d", [feed.last[self.symbol]]) * 64 for _ in range(40)]
        self.markers = ["%s+%d" % (self.symbol, i) for i in range(120)]
        feed.signals[self.symbol].connect(self.on_price)  # guilty

    def on_price(self, symbol, price):
        self.candles[int(price) % 40][int(price * 7) % 64] = price
        self.dirty = True

    def paint(self):
        spark = "".join("%6.1f" % c[0] for c in self.candles)
        self.dirty = False
        return super().paint() + spark


class Desk:
    def __init__(self, feed):
        self.feed = feed
        self.open_screens = []

    def open_chart(self, symbol):
        screen = ChartScreen("chart " + symbol, symbol)
        screen.attach_feed(self.feed)
        self.open_screens.append(screen)
        if len(self.open_screens) > 8:
            self.open_screens.pop(0)

    def repaint(self):
        return sum(len(s.paint()) for s in self.open_screens)


def main():
    random.seed(8)
    feed = Feed(["SYM%02d" % i for i in range(30)])
    ledger = Ledger(feed)
    desk = Desk(feed)
    painted = 0
    for _ in range(420):
        for _ in range(5):
            desk.open_chart(random.choice(sorted(feed.signals)))
        feed.step()
        painted += desk.repaint()
        time.sleep(0.008)
    print("painted", painted, "ledger", len(ledger.recent))


if __name__ == "__main__":
    main()
