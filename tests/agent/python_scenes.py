"""Allocates at known Python stacks, and prints what Python itself says of each: one JSON list a line, of the size, the frames as
[function, file, line], leaf first, and perhaps what faulthandler prints. Usage: python_scenes.py PROBE.so [SCENE...]"""

import asyncio
import contextlib
import ctypes
import faulthandler
import functools
import gc
import itertools
import json
import os
import re
import sys
import tempfile
import threading

HELD, FREE = ctypes.PyDLL(sys.argv[1]), ctypes.CDLL(sys.argv[1])
HELD.probe.argtypes = [ctypes.c_size_t, ctypes.py_object, ctypes.py_object]
HELD.probe.restype = ctypes.py_object
FREE.plain.argtypes = FREE.in_a_thread.argtypes = [ctypes.c_size_t]
FREE.plain.restype = FREE.in_a_thread.restype = None
BACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
sizes = itertools.count(200_001, 2)  # nobody else allocates these
told, asked, lock = [], tempfile.TemporaryFile("w+b"), threading.Lock()
TELL = functools.partial(faulthandler.dump_traceback, asked, False)


def frames_of(frame):
    frames = []
    while frame is not None:
        frames.append([frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return frames


def note(size, frame):
    told.append([size, frames_of(frame)])


def here():
    """Allocates in a function that asks sys._current_frames() and faulthandler while it is called."""
    with lock:
        size = next(sizes)
        asked.seek(0)
        asked.truncate()
        note(size, HELD.probe(size, sys._current_frames, TELL)[threading.get_ident()])
        asked.seek(0)
        told[-1].append([line.decode() for line in asked.read().splitlines()[1:]])


def unheld():
    """Allocates without the lock of the interpreter."""
    size = next(sizes)
    note(size, sys._getframe()), FREE.plain(size)


def both():
    here()
    unheld()


def recurse(depth):
    return recurse(depth - 1) if depth else both()


def plain_calls():
    both()
    for depth in (1, 7, 90, 700):
        recurse(depth)
    (lambda: both())()
    [both() for _ in range(2)]
    (lambda *a, **k: [(both() or i) for i in range(2)])(1, x=2)


def counting(limit):
    for i in range(limit):
        both()
        yield i


def delegating():
    yield from counting(2)
    both()
    yield sum(counting(2))


def generators():
    list(delegating())
    for _ in delegating():
        unheld()
    one = counting(3)
    next(one)
    dict(zip("ab", one))
    sum(both() or i for i in range(3))
    left = delegating()
    next(left)
    left.close()


async def leaf(number):
    both()
    await asyncio.sleep(0)
    both()
    return number


async def stream():
    for i in range(2):
        await leaf(i)
        yield i


@contextlib.asynccontextmanager
async def managed():
    both()
    yield
    await leaf(0)


async def tree(depth):
    if depth == 0:
        return await leaf(1)
    async with managed():
        pass
    return sum(await asyncio.gather(tree(depth - 1), leaf(depth)))


async def everything():
    await tree(3)
    async for _ in stream():
        both()


def asynchronous():
    asyncio.run(everything())


class Thing:
    def __init__(self):
        both()

    def __lt__(self, other):
        both()
        return id(self) < id(other)

    def __enter__(self):
        both()

    def __exit__(self, *_):
        both()
        return True

    def __del__(self):
        both()

    def __getattr__(self, name):
        both()
        return name

    @property
    def size(self):
        both()
        return 1

    @classmethod
    def make(cls):
        both()
        return cls()


class Derived(Thing):
    both()

    def __init__(self):
        super().__init__()


def c_code():
    """C that calls Python."""
    sorted([3, 1, 2], key=lambda n: both() or n)
    sorted([Thing.make(), Derived()])
    list(map(lambda n: both(), range(2)))
    functools.reduce(lambda a, b: both() or a, range(3))
    re.sub("a", lambda m: both() or "b", "aa")
    HELD.call(BACK(lambda n: both() or n), 1)
    FREE.call(BACK(lambda n: both() or n), 1)
    json.loads('{"a": 1}', object_hook=lambda d: both() or d)
    thing = Thing()
    thing.size, thing.anything
    del thing
    functools.lru_cache(lambda n: both())(1)
    ring = Thing()
    ring.__dict__["self"] = ring
    del ring
    gc.collect()


def raising(depth):
    try:
        if depth:
            raising(depth - 1)
        raise ValueError
    except ValueError:
        both()
        if depth > 2:
            raise
    finally:
        both()


def exceptions():
    try:
        raising(5)
    except ValueError as error:
        both()
        del error
    with Thing():
        raise KeyError
    try:
        try:
            [][1]
        finally:
            both()
    except* IndexError:
        both()


def threads():
    def work(gate):
        gate.wait()
        for depth in range(20):
            recurse(depth)
            list(counting(3))

    gate = threading.Barrier(4)
    workers = [threading.Thread(target=work, args=(gate,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    size = next(sizes)
    FREE.in_a_thread(size)
    told.append([size, []])


def reborn():
    """Code objects that die, and others in their place: function, file and line must be each one's own."""
    for i in range(200):
        names = {"both": both}
        lines = "\n" * (i % 7)
        exec(compile(f"def made{i % 10}():\n{lines}    both()\nmade{i % 10}()\n", f"template{i:03}.py", "exec"), names)


def words():
    exec(compile("def größe():\n both()\ndef \u540d\u524d():\n größe()\n\u540d\u524d()", "/srv/\u00e9t\u00e9/\u4f60.py", "exec"), {"both": both})
    exec(compile("both()", "x" * 400 + "/end.py", "exec"), {"both": both})
    exec(compile("both()\n" * 5 + "\n" * 70000 + "both()", "long.py", "exec"), {"both": both})


def interrupted():
    """Signals whose handler allocates, in C, while frames are made and unmade."""
    import signal

    assert HELD.handle(signal.SIGALRM) == 0
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    for turn in range(5000):
        recurse_only(turn % 30)
        sorted(range(100), key=lambda n: [n] * (n % 3))
        sum(len(left) for left in map(lambda n: [n], range(100)))
        if HELD.interrupted() >= 300:
            break
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert HELD.interrupted() >= 30, HELD.interrupted()
    recurse(3)


def recurse_only(depth):
    return recurse_only(depth - 1) if depth else 0


SCENES = [plain_calls, generators, asynchronous, c_code, exceptions, threads, reborn, words, interrupted]
for scene in SCENES:
    if len(sys.argv) == 2 or scene.__name__ in sys.argv[2:]:
        scene()
for line in told:
    print(json.dumps(line))
sys.stdout.flush()
os._exit(0)
