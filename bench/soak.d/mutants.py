#!/usr/bin/python3
"""Whether the unit tests and the command cases tell a small change of the program (_schemata.py says which changes): of
--count mutants drawn by --seed from the sources of src/ (or of the folders named by --folder), how many make a test
fail or not end. One build, in build-mutants, holds them all, each behind a switch. First every test runs once without
a mutant, which says which mutants it comes to; then each mutant is tried on the tests that come to it, those that come
to fewest first, until one fails.

The tests run as one process group after the other in a namespace of their own, where nothing but /tmp can be
written and no other process is seen: a mutant may remove, overwrite or end what its rule was there to spare.

bench/mutants.equivalent lists mutants that no test can tell, each with its reason; they do not count.

usage: script/soak mutants [--seed N] [--count N] [--folder NAME]... [--tests RE]
"""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import json
import mmap
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

from _measure import expect

SOURCE = pathlib.Path(os.environ["HEAPFLAME_SRC"])
PLACE = SOURCE / "build-mutants"
TREE, BUILD, DRAWN = PLACE / "tree", PLACE / "build", PLACE / "drawn.json"
EQUIVALENTS = TREE / "bench/mutants.equivalent"
LEAST, LEAST_OF_READERS = 0.90, 0.95
READERS = ("formats", "symbol", "dwarf", "profile", "analysis")
LIMIT_S, LIMIT_TIMES = 3, 8  # of a test with a mutant: so long, and so many times as long as without one
MEMORY_BYTES, FILE_BYTES = 6 << 30, 1 << 30
INSIDE = """
mount --bind "$1" /tmp
mount -o remount,bind,ro / && mount -o remount,bind,ro /dev && shift && exec "$@"
"""


def write_changed(path, data):
    """A file that is the same keeps its time, for ninja."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy_tree():
    """The tree as git would add it: what happens to it from now on does not matter."""
    listing = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=SOURCE, check=True, stdout=subprocess.PIPE).stdout
    names = {name for name in listed.decode().split("\0") if (SOURCE / name).is_file()}
    for name in names:
        write_changed(TREE / name, (SOURCE / name).read_bytes())
        (TREE / name).chmod((SOURCE / name).stat().st_mode)
    for copy in TREE.glob("**/*"):
        if copy.is_file() and str(copy.relative_to(TREE)) not in names:
            copy.unlink()


def set_up():
    options = ["-Dwerror=false", "-Doptimization=1", "-Dc_args=-w"]
    again = ["--reconfigure"] if (BUILD / "build.ninja").exists() else []  # it finds the unit tests
    subprocess.run(["meson", "setup", *again, *options, BUILD, TREE], check=True, stdout=subprocess.DEVNULL)


def compile_arguments():
    """{source: what libclang must know to read it}"""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        folder = pathlib.Path(entry["directory"])
        name = os.path.relpath(folder / entry["file"], TREE)
        words = [word for word in shlex.split(entry["command"]) if word.startswith(("-I", "-D", "-std"))]
        found.setdefault(name, [f"-I{folder / word[2:]}" if word.startswith("-I") else word for word in words])
    return found


def draw(args):
    """Some of all mutants; what does not compile is not drawn."""
    from _schemata import Source  # not inside, where it is not needed

    arguments = compile_arguments()
    sources, mutants = {}, []
    for path in sorted(path.relative_to(TREE) for path in TREE.glob("src/**/*.c")):
        if str(path) in arguments and (not args.folder or path.parts[1] in args.folder):
            sources[str(path)] = Source(TREE, str(path), arguments[str(path)])
            mutants += sources[str(path)].find()
    print(f"{len(mutants)} mutants in {len(sources)} sources; seed {args.seed}", flush=True)
    chosen = random.Random(args.seed).sample(mutants, min(args.count, len(mutants)))
    chosen.sort(key=lambda mutant: (mutant.path, mutant.line))
    by_path, changed = defaultdict(list), {}
    for number, mutant in enumerate(chosen):
        mutant.number = number
        by_path[mutant.path].append(mutant)
    for path, some in by_path.items():
        wrong = sources[path].wrong_lines(sources[path].rendered(some))
        by_path[path] = [mutant for mutant in some if mutant.line not in wrong]
        changed[path] = sources[path].rendered(by_path[path])
    return [mutant for some in by_path.values() for mutant in some], changed


def prepare(args):
    copy_tree()
    set_up()
    mutants, changed = draw(args)
    for path, text in changed.items():
        (TREE / path).write_bytes(text)
    units = [f"tests/{path.stem}" for path in (TREE / "tests/unit").glob("test_*.c")]
    wanted = [] if "e2e" in args.tests else ["heapflame", "examples/leaky-service/leaky-service", *units]
    subprocess.run(["ninja", "-C", BUILD, "--quiet", *wanted], check=True)
    facts = [{"number": m.number, "path": m.path, "line": m.line, "key": m.key()} for m in mutants]
    DRAWN.write_text(json.dumps(facts))


def load_runner():
    """tests/run, with a mutant on."""
    loader = importlib.machinery.SourceFileLoader("tests_run", str(TREE / "tests/run"))
    run = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(run)

    class Runner(run.Runner):
        switches, limits = {}, {}

        def environment(self, box):
            return {**super().environment(box), **self.switches}

        def timeout_of(self, path):
            return self.limits.get(path) or super().timeout_of(path)

    return Runner


class Trial:
    """The tests, and which mutants each comes to."""

    def __init__(self, which, count):
        temp = tempfile.mkdtemp(dir="/tmp")
        args = argparse.Namespace(source=TREE, build=BUILD, sanitized=False, bless=False)
        self.runner = load_runner()(args, temp)
        self.seen_path = pathlib.Path(temp) / "seen"
        self.seen_path.write_bytes(bytes(count))
        self.which, self.tests, self.broken = which, [], []

    def come_to(self):
        with open(self.seen_path, "r+b") as file, mmap.mmap(file.fileno(), 0) as seen:
            self.runner.switches = {"MUTANT_SEEN": str(self.seen_path)}
            for kind, name, path in self.runner.find():
                if not re.search(self.which, name):
                    continue
                seen[:] = bytes(len(seen))
                start = time.monotonic()
                result = kind(name, path)
                seconds = time.monotonic() - start
                if result.failed or not result.passed:
                    self.broken.append(name)
                    continue
                numbers = {number for number, byte in enumerate(seen[:]) if byte}
                self.tests.append((len(numbers), seconds, name, kind, path, numbers))
                self.runner.limits[path] = LIMIT_S + LIMIT_TIMES * seconds
        self.tests.sort(key=lambda test: test[:3])

    def killer(self, number):
        """(the test that fails with a mutant, or None; how many ran)"""
        self.runner.switches = {"MUTANT_ON": str(number)}
        tried = [test for test in self.tests if number in test[5]]
        for count, (_, _, name, kind, path, _) in enumerate(tried, 1):
            if kind(name, path).failed:
                return name, count
        return None, len(tried)


def read_equivalents():
    lines = EQUIVALENTS.read_text().splitlines() if EQUIVALENTS.exists() else []
    rows = [[part.strip() for part in line.split(" @ ")] for line in lines if line and not line.startswith("#")]
    return {tuple(row[:3]): row[3] for row in rows}


def try_all(which):
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    mutants, equivalents = json.loads(DRAWN.read_text()), read_equivalents()
    trial = Trial(which, max(mutant["number"] for mutant in mutants) + 1)
    trial.come_to()
    print(f"{len(trial.tests)} tests; without a mutant fail or skip: {' '.join(trial.broken) or 'none'}", flush=True)
    drawn, killed, equal, start = Counter(), Counter(), Counter(), time.monotonic()
    for mutant in mutants:
        folder, key = mutant["path"].split("/")[1], tuple(mutant["key"])
        if key in equivalents:
            equal[folder] += 1
            continue
        drawn[folder] += 1
        name, tried = trial.killer(mutant["number"])
        killed[folder] += name is not None
        if name is None:
            print(f"alive    {key[0]}:{mutant['line']}: {key[2]}   ({tried} tests come to it)\n         {key[1]}", flush=True)
        elif os.environ.get("MUTANTS_TOLD"):
            print(f"killed   {key[0]}:{mutant['line']}: {key[2]}   (by {name}, {tried})", flush=True)
    seconds = time.monotonic() - start
    print(f"\n{seconds / max(1, sum(drawn.values())):.2f} s a mutant")
    return tell(drawn, killed, equal)


def tell(drawn, killed, equal):
    def score(folders):
        return sum(killed[f] for f in folders) / max(1, sum(drawn[f] for f in folders))

    print(f"{'folder':<12} {'drawn':>6} {'killed':>6} {'score':>8} {'equivalent':>11}")
    for folder in sorted(drawn | equal):
        print(f"{folder:<12} {drawn[folder]:>6} {killed[folder]:>6} {score([folder]):>8.1%} {equal[folder]:>11}")
    readers = [folder for folder in READERS if drawn[folder]]
    met = expect(score(drawn) >= LEAST, f"{sum(killed.values())} of {sum(drawn.values())} killed, {score(drawn):.1%}, at least {LEAST:.0%}")
    if readers:
        what = f"in {', '.join(readers)}: {score(readers):.1%}, at least {LEAST_OF_READERS:.0%}"
        met = expect(score(readers) >= LEAST_OF_READERS, what) and met
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what is drawn (default: by the clock)")
    parser.add_argument("--count", type=int, default=200, help="how many are drawn (default: 200)")
    parser.add_argument("--folder", action="append", default=[], metavar="NAME", help="only this folder of src")
    parser.add_argument("--tests", default="^(unit|cmd)/", metavar="RE", help="by these tests (default: %(default)s)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        return 0 if try_all(args.tests) else 1
    if SOURCE.is_relative_to("/tmp"):
        raise SystemExit("the tree stands in /tmp, which is another one for the tests")
    os.nice(19)
    PLACE.mkdir(exist_ok=True)
    prepare(args)
    with tempfile.TemporaryDirectory(dir=PLACE) as temp, contextlib.suppress(KeyboardInterrupt):
        os.chmod(temp, 0o1777)
        user = [] if os.geteuid() == 0 else ["-Ur"]
        unshare = ["unshare", *user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-euc", INSIDE, "inside"]
        return subprocess.run([*unshare, temp, __file__, "--inside", "--tests", args.tests], check=False).returncode
    return 1


if __name__ == "__main__":
    sys.exit(main())
