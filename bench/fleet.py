#!/usr/bin/env python3
"""What a store costs: bytes a sample in each table, and how fast `heapflame ship` fills it.

A service has 5,000 stacks, of which a process uses 1,250 in any hour, with 5 % of them exchanged from hour to hour. It writes a
heap dump a minute; from one to the next 10 % of the rows change. Of a quarter of the stacks, objects have many sizes; of the others one. The binary is not there: naming costs what it does without.
Processes are shipped one hour after the other, as one that ships once an hour does; and, of one process, every 5 minutes
and every minute. A *sample* is a row of a profile: a stack that holds something. CPU is that of both processes of `ship`."""

import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HEAPFLAME = Path(os.environ["BUILD"]).resolve() / "heapflame"
STACKS, IN_USE, DEPTH, CHANGED = 5000, 1250, 14, 0.1
START = 1764446400  # an hour begins
BASE = 0x7F1200000000


def stack_lines(dice):
    """The line of each stack's addresses, of a tree that branches towards the leaves."""
    lines = []
    for i in range(STACKS):
        path = [BASE + 0x1000 + 16 * dice.randrange(20000) for _ in range(4)]
        path += [BASE + 0x100000 + 16 * (i // 4 ** (level + 1)) + 0x10000 * level for level in range(DEPTH - 4)]
        lines.append("@" + "".join(f" {address:#x}" for address in path))
    return lines


class Process:
    def __init__(self, number):
        self.dice = random.Random(number)
        self.base = number * 0x10000000
        self.used = self.dice.sample(range(STACKS), IN_USE)
        self.size = {i: 8 * self.dice.randint(2, 512) for i in range(STACKS)}
        self.objects = {i: self.new() for i in self.used}
        self.bytes = {i: self.objects[i] * self.size[i] for i in self.used}

    def new(self):
        return max(1, int(2 ** self.dice.uniform(0, 14)))

    def next_hour(self):
        for _ in range(IN_USE // 20):
            gone = self.used.pop(self.dice.randrange(len(self.used)))
            del self.objects[gone]
            came = self.dice.choice([i for i in range(STACKS) if i not in self.objects])
            self.used.append(came)
            self.objects[came] = self.new()
            self.bytes[came] = self.objects[came] * self.size[came]

    def step(self):
        for i in self.dice.sample(self.used, int(CHANGED * IN_USE)):
            by = max(self.dice.choice((-3, -2, -1, 1, 2, 3, 8)), 1 - self.objects[i])
            self.objects[i] += by
            self.bytes[i] = max(16, self.bytes[i] + by * (self.size[i] if i % 4 else self.dice.randint(16, 2 * self.size[i])))

    def write(self, path, lines):
        rows = "".join(f"{lines[i]}\n  t*: {self.objects[i]}: {self.bytes[i]} [0: 0]\n" for i in self.used)
        path.write_text(f"heap_v2/1\n  t*: 1: 1 [0: 0]\n{rows}\nMAPPED_LIBRARIES:\n"
                        f"{BASE:x}-{BASE + 0x10000000:x} r-xp 00000000 00:00 9 /opt/shop-2.4.1/bin/shop\n")


def ship(files, number):
    subprocess.run([HEAPFLAME, "ship", "-q", "--store", "fleet.db", "--instance", f"process-{number}", "--node", f"node-{number}",
                    *files], check=True, stdout=subprocess.DEVNULL)


def fill(processes, hours, minutes_a_batch, lines):
    """Returns samples and seconds of CPU."""
    samples, cpu = 0, 0.0
    for number in range(processes):
        process = Process(number)
        for hour in range(hours):
            files = []
            for minute in range(60):
                files.append(Path(f"{START + 3600 * hour + 60 * minute}.heap"))
                process.write(files[-1], lines)
                process.step()
                samples += IN_USE
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            for first in range(0, 60, minutes_a_batch):
                ship(files[first : first + minutes_a_batch], number)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu += after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            for file in files:
                file.unlink()
            process.next_hour()
    return samples, cpu


def tables():
    """Bytes of each table and its indexes."""
    database = sqlite3.connect("fleet.db")
    assert database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    names = dict(database.execute("SELECT name, tbl_name FROM sqlite_master"))
    sizes = {}
    for name, size in database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
        table = names.get(name, name)
        sizes[table] = sizes.get(table, 0) + size
    blobs = database.execute("SELECT sum(length(profiles)) FROM profiles").fetchone()[0]
    database.close()
    return sizes, blobs


def main():
    lines = stack_lines(random.Random(0))
    print(f"{'processes':>9} {'hours':>5} {'min/batch':>9} {'samples':>9} {'samples/s':>9} {'B/sample':>8} {'blobs':>6}  tables, B a sample")
    for processes, hours, minutes in ((1, 2, 60), (4, 4, 60), (8, 8, 60), (1, 2, 5), (1, 2, 1)):
        samples, cpu = fill(processes, hours, minutes, lines)
        sizes, blobs = tables()
        shown = ", ".join(f"{name} {size / samples:.3f}" for name, size in sorted(sizes.items(), key=lambda item: -item[1]) if size > 9000)
        print(f"{processes:9} {hours:5} {minutes:9} {samples:9} {samples / cpu:9.0f} {sum(sizes.values()) / samples:8.3f} "
              f"{blobs / samples:6.3f}  {shown}", flush=True)
        Path("fleet.db").unlink()


if __name__ == "__main__":
    folder = tempfile.mkdtemp(prefix="heapflame-fleet-")
    os.chdir(folder)
    try:
        main()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(0)
