"""Fuzzes a reader of a small image format: changes inputs at random and keeps those that reach something new."""

import hashlib
import random
import struct
import zlib


class BadImage(Exception):
    pass


class Reader:
    """The program under test; notes which of its branches were taken."""

    def __init__(self):
        self.trace = set()

    def read(self, data):
        self.trace = set()
        if data[:4] != b"IMG1":
            self.trace.add("magic")
            raise BadImage("magic")
        position = 4
        while position + 6 <= len(data):
            kind, length = struct.unpack_from(">HI", data, position)
            position += 6
            length &= 0x3FF
            self.chunk(kind % 40, data[position : position + length])
            position += length

    def chunk(self, kind, body):
        self.trace.add((kind, min(len(body) // 32, 20)))
        if kind % 7 == 3:
            self.trace.add((kind, "crc", zlib.crc32(body) & 0x3F))
        elif kind % 5 == 1 and body:
            self.trace.add((kind, "first", body[0], len(body) % 8))
        elif len(body) < 2:
            self.trace.add((kind, "short"))
            raise BadImage("short")


class Mutator:
    def __init__(self, rng):
        self.rng = rng

    def mutate(self, data):
        changed = bytearray(data)
        for _ in range(self.rng.randint(1, 8)):
            action = self.rng.randrange(3)
            at = self.rng.randrange(4, len(changed))
            if action == 0:
                changed[at] = self.rng.randrange(256)
            elif action == 1 and len(changed) < 4000:
                changed[at:at] = self.rng.randbytes(self.rng.randint(1, 60))
            else:
                del changed[at : at + self.rng.randint(1, 20)]
        if len(changed) < 40:
            changed += self.rng.randbytes(40)
        return bytes(changed)


class Corpus:
    def __init__(self, seeds):
        self.inputs = list(seeds)
        self.covered = set()

    def choose(self, rng):
        return self.inputs[-1 - int(rng.expovariate(0.02)) % len(self.inputs)]

    def consider(self, data, trace):
        new = trace - self.covered
        if new:
            self.covered |= new
            self.inputs.append(data)  # guilty
        return bool(new)


class Crashes:
    """Inputs that the reader refused, for looking at them later, once each."""

    def __init__(self):
        self.by_digest = {}
        self.reasons = {}

    def save(self, data, error):
        digest = hashlib.sha1(data).hexdigest()
        if digest not in self.by_digest:
            self.by_digest[digest] = data
        self.reasons[str(error)] = self.reasons.get(str(error), 0) + 1


class Fuzzer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.mutator = Mutator(self.rng)
        self.reader = Reader()
        self.crashes = Crashes()
        self.corpus = Corpus(self.seed_images())

    def seed_images(self):
        for count in (2, 4, 8):
            chunks = [struct.pack(">HI", self.rng.randrange(40), 90) + self.rng.randbytes(90) for _ in range(count)]
            yield b"IMG1" + b"".join(chunks)

    def step(self):
        data = self.mutator.mutate(self.corpus.choose(self.rng))
        try:
            self.reader.read(data)
        except BadImage as error:
            self.crashes.save(data, error)
        return self.corpus.consider(data, self.reader.trace)


def main():
    fuzzer = Fuzzer(10)
    new = 0
    for _ in range(60000):
        new += fuzzer.step()
    print(len(fuzzer.corpus.inputs), "inputs,", new, "new,", fuzzer.crashes.reasons, len(fuzzer.crashes.by_digest), "saved")


if __name__ == "__main__":
    main()
