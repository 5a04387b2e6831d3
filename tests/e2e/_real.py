"""Real programs, recorded by the clock of the machine under the real agent, and judged as their profiles come: healthy ones
under load, of which no verdict may be a leak (_real_healthy.py), and those of tests/owners with a leak that begins at a known
time (_real_leaking.py); both of PostgreSQL are in _real_postgres.py. The short form is in verdict_real.py, the long one in
bench/soak.d/verdict_real.py."""

import multiprocessing
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, SOURCE, TIMEOUT_S
from _owners import RIGHT
from _set4 import LEAK, NO_LEAK, POINTS_MIN, documents_of, kind_of
from _verdicts import trend

PACED = SOURCE / "tests/paced"
WHOLE = "the whole"


class Program:
    """What is run, who asks it, and what was answered. `start(program)` returns the command; `load(program)` runs beside it, as
    a process, and notes in the file "full" when the program's caches have their size. `judge(name)`: of a program that leaks,
    whether that function is the guilty one. `is_many`: it is several processes. `as_user`: words before the command."""

    def __init__(self, name, start, load=None, judge=None, environment=None, is_many=False, as_user=()):
        self.name, self.start, self.load, self.judge, self.is_many, self.as_user = name, start, load, judge, is_many, as_user
        self.environment, self.folder = environment or {}, Path(name).resolve()
        self.process = self.asking = self.missing = self.document = None
        self.begun = self.stopped = 0
        self.files, self.path = [], []

    def note(self, what):
        (self.folder / what).write_text(f"{time.time():.3f}\n")

    def noted(self, what):
        """Seconds since 1970, or None."""
        path = self.folder / what
        return float(path.read_text()) if path.exists() else None

    def port(self):
        """What the program's first line says."""
        deadline = time.monotonic() + TIMEOUT_S
        while not (line := (self.folder / "out").read_text()).endswith("\n"):
            assert time.monotonic() < deadline, f"{self.name} does not begin"
            time.sleep(0.1)
        return int(line)

    def prepare(self):
        (self.folder / "profiles").mkdir(parents=True)
        for folder in (self.folder, self.folder / "profiles"):
            os.chmod(folder, 0o777)  # also for a server that is another user's
        self.command = self.start(self)

    def run(self, every):
        """Starts it under the agent, and who asks it."""
        many = ["--follow-fork", "-o", "profiles/%p.%n.hfb"] if self.is_many else ["-o", "profiles/%n.hfb"]
        recorded = [HEAPFLAME, "run", "-q", "--every", every, "--keep", "0", "--no-final", "--dir", self.folder, *many, "--"]
        words = [str(word) for word in [*self.as_user, *recorded, *self.command]]
        self.begun = time.time()
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            self.process = subprocess.Popen(
                words, cwd=self.folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env={**os.environ, **self.environment})
        if self.load is not None:
            self.asking = multiprocessing.get_context("fork").Process(target=self.load, args=(self,), daemon=True)
            self.asking.start()

    def stop(self):
        """Ends what still runs; a load that has ended before its program lost it."""
        if self.process is None:
            return
        self.stopped = self.stopped or time.time()
        was_asked = self.asking is None or self.asking.is_alive()
        if self.asking is not None:
            self.asking.terminate()
            self.asking.join()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        assert was_asked or self.judge, f"{self.name}: {(self.folder / 'err').read_text()[-2000:]}"

    def series(self):
        """Its profiles, in the order of their times, without those of its end: [(time, path)]."""
        files = [(path.stat().st_mtime, path) for path in (self.folder / "profiles").glob("*.hfb")]
        return sorted(entry for entry in files if entry[0] < self.stopped)

    @property
    def full(self):
        """Seconds from the start until its caches had their size."""
        when = self.noted("full")
        return when and when - self.begun

    def leaks_seen(self):
        """Times of looks at which something was called a leak, from the start; each with the names."""
        return [(when - self.begun, names) for when, kind, names in self.path if kind == LEAK]


def record(programs, every, seconds=None):
    """Runs them beside each other, for so long, or until each has ended."""
    for program in programs:
        program.prepare()
    programs = [program for program in programs if not program.missing]
    try:
        for program in programs:
            program.run(every)
        time.sleep(seconds or 0)
        while seconds is None and any(program.process.poll() is None for program in programs):
            for program in programs:
                if program.process.poll() is not None and not program.stopped:
                    program.stopped = time.time()
            time.sleep(0.1)
    finally:
        for program in programs:
            program.stop()
    return programs


def places_of(document):
    """What is judged: the whole and each place, of each process."""
    for one in documents_of(document):
        yield {"name": WHOLE, **one["whole"]}
        yield from one["places"]


def leaks_of(document):
    return [place for place in places_of(document) if kind_of(place["verdict"]) == LEAK]


def process_of(path):
    return path.name.split(".")[0]


def look(program, looks_max=64):
    """Judges the series as it comes, and at its end; program.path is [(time, LEAK or not, names of leaks)]."""
    program.files = program.series()
    paths = [path for _, path in program.files]
    step = max(1, len(paths) // looks_max)
    for count in range(POINTS_MIN, len(paths) + 1):
        if (len(paths) - count) % step != 0:
            continue
        seen = paths[:count]
        if program.is_many:  # one profile of a process is no series
            of_each = Counter(map(process_of, seen))
            seen = [path for path in seen if of_each[process_of(path)] > 1]
        if seen:
            program.document = trend(*seen)
            found = leaks_of(program.document)
            program.path.append((program.files[count - 1][0], LEAK if found else NO_LEAK, [place["name"] for place in found]))
    return program


class Found:
    """What the verdicts say of a program that leaks, at the end of its series; times are seconds from the first profile."""

    def __init__(self, program):
        self.names, self.interval, self.is_named = [], None, False
        first = program.files[0][0] if program.files else program.begun
        document = program.document or {}  # of too few profiles there is none
        processes = document.get("processes", [{"trend": document, "from": first}])
        for process in processes:
            places = [place for place in (process.get("trend") or {}).get("places", []) if kind_of(place["verdict"]) == LEAK]
            if places and not self.names:
                first = process["from"]
                self.is_named = program.judge(places[0]["name"]) == RIGHT
                self.interval = places[0].get("survivors", {}).get("since_95")
            self.names += [place["name"] for place in places]
        self.onset = program.noted("onset") - first
        leaks = [when - first for when, kind, _ in program.path if kind == LEAK]
        self.early = sum(when < self.onset for when in leaks)
        self.delay = next((when - self.onset for when in leaks if when >= self.onset), None)

    def holds(self, slack=0):
        if self.interval is None:
            return False
        low, high = self.interval
        return low - slack <= self.onset <= high + slack
