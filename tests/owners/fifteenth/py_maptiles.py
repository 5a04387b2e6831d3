"""Raster tile server core: styles, elevation blocks and tile rendering."""
import functools
import hashlib
import math
import random
import time


@functools.lru_cache(maxsize=64)
def elevation_block(bx, by):
    return [int(500 + 400 * math.sin(bx + i / 40.0) * math.cos(by + i / 31.0)) for i in range(1024)]


class Style:
    def __init__(self, name, ramp):
        self.name = name
        self.ramp = ramp
        self.revision = 1
        self.table = bytes(self.colour(h * 4) for h in range(256))

    def colour(self, h):
        return self.ramp[min(len(self.ramp) - 1, max(0, h // 100))]


STYLES = {
    "terrain": Style("terrain", [20, 40, 60, 80, 110, 140, 170, 200, 230, 250]),
    "night": Style("night", [1, 2, 4, 8, 16, 24, 32, 40, 48, 56]),
}


@functools.lru_cache(maxsize=None)
def render_tile(style_name, z, x, y, stamp):
    style = STYLES[style_name]
    block = elevation_block(x % 8, y % 8)
    row = bytes((h >> 2) & 0xFF for h in block[::2]).translate(style.table)
    pixels = bytearray()
    for line in range(12):
        shift = (line * z + x) % 512
        pixels += row[shift:] + row[:shift]
    header = ("TILE %s %d/%d/%d %d\n" % (style_name, z, x, y, stamp)).encode()
    return header + bytes(pixels)  # guilty


def encode(tile):
    runs = []
    prev, n = None, 0
    for b in tile[:300]:
        if b == prev:
            n += 1
            continue
        runs.append((prev, n))
        prev, n = b, 1
    runs.append((prev, n))
    return runs


class Viewer:
    """One browser panning around the map."""

    def __init__(self, ident):
        self.ident = ident
        self.x = random.randrange(4000)
        self.y = random.randrange(4000)
        self.z = 12
        self.style = random.choice(sorted(STYLES))

    def pan(self):
        self.x = (self.x + random.randrange(-3, 4)) % 4096
        self.y = (self.y + random.randrange(-3, 4)) % 4096
        if random.random() < 0.05:
            self.z = random.randrange(8, 16)

    def visible(self):
        for dx in range(3):
            for dy in range(2):
                yield self.z, self.x + dx, self.y + dy


class Server:
    def __init__(self):
        self.sent = 0
        self.etags = 0

    def handle(self, viewer, now):
        for z, x, y in viewer.visible():
            tile = render_tile(viewer.style, z, x, y, now // 30)
            runs = encode(tile)
            self.sent += len(runs)
            if hashlib.md5(tile).digest()[0] == 0:
                self.etags += 1


def main():
    random.seed(12)
    server = Server()
    viewers = [Viewer(i) for i in range(40)]
    for now in range(330):
        for viewer in random.sample(viewers, 6):
            viewer.pan()
            server.handle(viewer, now)
        time.sleep(0.006)
    print("sent", server.sent, "etag hits", server.etags)


if __name__ == "__main__":
    main()
