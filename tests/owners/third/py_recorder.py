# Measures, filters and shows a signal; the recorder keeps each block as it came, because its limit is in seconds and not in blocks.
import array
import contextlib
import math
import os


class Device:
    """A source of samples, which gives the same buffer again."""

    def __init__(self, rate):
        self.rate = rate
        self.buffer = bytearray(rate * 2)
        self.phase = 0

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.buffer = None

    def read(self):
        view = memoryview(self.buffer).cast("h")
        for i in range(0, len(view), 64):
            view[i] = int(1000 * math.sin(self.phase + i))
        self.phase += 1
        return view


class Stage:
    def __init__(self, following=None):
        self.following = following

    def push(self, block):
        if self.following:
            self.following.push(block)


class LowPass(Stage):
    def __init__(self, weight, following):
        super().__init__(following)
        self.weight, self.state = weight, 0.0

    def push(self, block):
        filtered = array.array("h", block)
        for i in range(0, len(filtered), 64):
            self.state += self.weight * (filtered[i] - self.state)
            filtered[i] = int(self.state)
        super().push(filtered)


class Recorder(Stage):
    def __init__(self, seconds, following):
        super().__init__(following)
        self.seconds, self.blocks = seconds, []

    def keep(self, block):
        self.blocks.append(block.tobytes())  # guilty
        if len(self.blocks) > self.seconds * 1000:
            del self.blocks[0]

    def push(self, block):
        self.keep(block)
        super().push(block)


class Meter(Stage):
    def __init__(self):
        super().__init__()
        self.levels = []

    def push(self, block):
        copy = list(block)
        self.levels.append(max(copy))
        del self.levels[:-200]


def build():
    meter = Meter()
    return LowPass(0.2, Recorder(10, meter)), meter


def main():
    chain, meter = build()
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(Device(4000))
        for _ in range(6000):
            chain.push(device.read())
    print(meter.levels[-1])
    os._exit(0)


if __name__ == "__main__":
    main()
