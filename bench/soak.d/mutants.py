#!/usr/bin/python3
"""Whether the tests tell a small change of the program (_schemata.py says which changes): of --count mutants drawn by
--seed from the sources of src/ (or of the folders named by --folder), how many make a test fail or not end. One build,
in build-mutants, holds them all, each behind a switch. First every test runs once without a mutant, which says where it
comes to; then each mutant is tried on the tests that come to it, until one fails.

Unit tests, command cases and fuzz corpora come first, those with most of their work in the mutant's file before the
others. What they leave alive, the same unit tests and corpora judge once more under Valgrind, which tells a read or write
beside a block and memory that nothing refers to any more, as the sanitized suite would; a test whose faults Valgrind also finds without a mutant does not judge
there. Last come the tests of tests/e2e, one test_ function at a time, in the same order, short ones earlier, until
--seconds of them were tried. They may fail for the machine's sake: such a one counts only if it passes without the mutant
then, and fails once more with it. Those that put probes into the kernel judge one at a time; they can only see the
processes of the namespace. Left out are those of the tree's own scripts and documents, and of how it is built; those that
bring mutants of their own; and those that compare measured times or work. What else fails or skips without a mutant is
told with its reason; a function of tests/e2e that does (one that counts the instructions of the agent, which has switches
here) does not keep the others of its file from judging.

What tests/e2e come to (by block: what runs together or not at all) is kept in build-mutants until the test changes, or
a module that it imports: the first run takes as long as these tests take, the next ones do without. To a block whose
function is newer come the tests that come to its file; --anew finds out all of it again. A mutant that no test comes
to is alive without a trial: these are told first, because they show which tests are missing; build-mutants/unreached
lists all blocks that no test comes to. A mutant that a unit test or a command case kills takes a second or two on two
slow cores; one that lives takes up to --seconds more, so 200 mutants of which one in five lives take some fifty
minutes. --minutes ends it earlier: mutants are tried in the order in which they are drawn, so those that were tried
are as fair a sample, of fewer. --jobs are tried at once.

The tests run as one process group after the other in a namespace of their own, where nothing but /tmp can be
written and no other process is seen: a mutant may remove, overwrite or end what its rule was there to spare.

bench/mutants.equivalent lists mutants that no test can tell, each with its reason; they do not count.

usage: script/soak mutants [--seed N] [--count N] [--folder NAME]... [--tests RE] [--seconds S] [--minutes M] [--jobs N]
                           [--anew]
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import queue
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict

from _measure import expect

SOURCE = pathlib.Path(os.environ["HEAPFLAME_SRC"])
PLACE = SOURCE / "build-mutants"
TREE, RENDERED, BUILD, DRAWN = PLACE / "tree", PLACE / "rendered", PLACE / "build", PLACE / "drawn.json"
KEPT = pathlib.Path("/tmp/reached.json")  # inside: what the tests of tests/e2e come to
UNREACHED = pathlib.Path("/tmp/unreached")  # inside: the blocks that no test comes to
EQUIVALENTS = TREE / "bench/mutants.equivalent"
LEAST, LEAST_OF_READERS = 0.90, 0.95
READERS = ("formats", "symbol", "dwarf", "profile", "analysis")
LIMIT_S, LIMIT_TIMES = 3, 8  # of a test with a mutant: so long, and so many times as long as without one
WHOLE_LIMIT_S, WHOLE_LIMIT_TIMES = 10, 3  # of one of tests/e2e
CHECKER = [
    "valgrind", "-q", "--error-exitcode=86", "--trace-children=no",
    "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
]  # fmt: skip
CHECKED_S = 2  # the longest test that runs under it, about twenty times as slow
NOT_ASKED = (
    "attach_(price|memory|postgres|runtimes|allocators|kernels)", "agent_mutants", "install", "lint", "docs", "runner", "recipes", "sbom", "pitfalls", "checklist",
    "hardening", "reproducible",
    "budget", "work", "gc", "mark", "viewer", ".*browser", ".*firefox",
)  # fmt: skip
TESTS = rf"^(unit|cmd|fuzz)/|^e2e/(?!({'|'.join(NOT_ASKED)})[._])"
BOOTSTRAPPED = "tests/pg/headers", "tests/browser/node_modules", "web/node_modules"  # what tests need, and git ignores
NOT_TRIED = object()
WHY_CHARS = 400
SANITIZED = re.compile(rb"-fsanitize|ThreadSanitizer|LeakSanitizer")
SPARSE = re.compile(rb"\bftruncate\(")
WITHOUT_LIMIT = ["prlimit", "--data=unlimited:"]
OF_ANY_SIZE = ["prlimit", "--fsize=unlimited:"]
PROBING = threading.Lock()
NICE = 10
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
        name = str(copy.relative_to(TREE))
        if copy.is_file() and name not in names and not name.startswith(BOOTSTRAPPED):
            copy.unlink()
    for name in BOOTSTRAPPED:
        if (SOURCE / name).is_dir() and not (TREE / name).is_symlink():
            (TREE / name).symlink_to(SOURCE / name)


def set_up():
    options = ["-Dwerror=false", "-Doptimization=0", "-Ddebug=false", "-Dc_args=-w -g1"]
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


def read_source(path, arguments):
    from _schemata import Source  # not inside, where it is not needed

    source = Source(TREE, path, arguments)
    source.find()
    return source


def read_sources():
    """{path: Source}; what was read before is kept until it changes, or a header does."""
    kept = PLACE / "sources.pickle"
    headers = digest_of(TREE / "bench/_schemata.py", *(TREE / "src").glob("**/*.h"))
    before, sources = pickle.loads(kept.read_bytes()) if kept.exists() else ("", {})
    arguments = compile_arguments()
    paths = [str(path.relative_to(TREE)) for path in sorted(TREE.glob("src/**/*.c"))]
    paths = [path for path in paths if path in arguments]
    if before != headers:
        sources = {}
    new = [path for path in paths if path not in sources or sources[path].text != (TREE / path).read_bytes()]
    with multiprocessing.Pool() as pool:
        sources.update(zip(new, pool.starmap(read_source, [(path, arguments[path]) for path in new])))
    kept.write_bytes(pickle.dumps((headers, sources)))
    return {path: sources[path] for path in paths}


def draw(args, sources):
    """(some of all mutants in any order, {source: with them in it}, [(name of a block, its line)]). What does not
    compile is not drawn."""
    wanted = [source for path, source in sources.items() if not args.folder or path.split("/")[1] in args.folder]
    mutants = [mutant for source in wanted for mutant in source.mutants]
    marks = [mark for source in sources.values() for mark in source.marks]
    print(f"{len(mutants)} mutants in {len(wanted)} sources; seed {args.seed}", flush=True)
    chosen = random.Random(args.seed).sample(mutants, min(args.count, len(mutants)))
    by_path, changed = defaultdict(list), {}
    for number, mutant in enumerate(marks + chosen):  # the marks have the same number whatever is drawn
        mutant.number = number
    for mutant in chosen:
        by_path[mutant.path].append(mutant)
    for path, source in sources.items():
        if by_path[path]:
            wrong = source.wrong_lines(source.rendered(by_path[path]))
            by_path[path] = [mutant for mutant in by_path[path] if mutant.line not in wrong]
        changed[path] = source.rendered(by_path[path])
    sound = {mutant.number for some in by_path.values() for mutant in some}
    return [mutant for mutant in chosen if mutant.number in sound], changed, [(mark.name, mark.line) for mark in marks]


def digest_of(*paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(TREE)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def helpers_of(path):
    """The modules of tests/e2e that one of its files in Python is made of; of another: all."""
    folder = TREE / "tests/e2e"
    if path.suffix != ".py":
        return set(folder.glob("_*.py"))
    found, left = set(), [path]
    while left:
        names = re.findall(rb"^\s*(?:from|import) (_\w+)", left.pop().read_bytes(), re.M)
        new = {folder / f"{name.decode()}.py" for name in names} - found
        found |= {helper for helper in new if helper.exists()}
        left += [helper for helper in new if helper.exists()]
    return found


def prepare(args):
    copy_tree()
    set_up()
    mutants, changed, blocks = draw(args, read_sources())
    for path, text in changed.items():
        write_changed(RENDERED / path, text)
        shutil.copy2(RENDERED / path, TREE / path)  # with its time: what is the same is not compiled again
    units = [f"tests/{path.stem}" for path in (TREE / "tests/unit").glob("test_*.c")]
    wanted = [] if re.search("e2e|fuzz", args.tests) else ["heapflame", "examples/leaky-service/leaky-service", *units]
    subprocess.run(["ninja", "-C", BUILD, "--quiet", *wanted], check=True)
    told = ("number", "path", "line", "block")
    facts = [{**{name: getattr(m, name) for name in told}, "key": m.key()} for m in mutants]
    names, lines = zip(*blocks)
    DRAWN.write_text(json.dumps({"blocks": names, "lines": lines, "mutants": facts}))


def load_runner():
    """tests/run, with a mutant on."""
    loader = importlib.machinery.SourceFileLoader("tests_run", str(TREE / "tests/run"))
    run = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(run)

    class Runner(run.Runner):
        def __init__(self, args, temp):
            super().__init__(args, temp)
            self.switches, self.limits, self.checker, self.prefix = {}, {}, [], []

        def execute(self, command, timeout, **extra):
            return super().execute([*self.prefix, *self.checker, *command], timeout, **extra)

        def environment(self, box):
            return {**super().environment(box), **self.switches}

        def timeout_of(self, path):
            return self.limits.get(path) or super().timeout_of(path)

    return Runner


def prefix_of(path):
    """What stands before the command of a test. A sanitizer maps terabytes that it does not use; a C
    program may make a file of terabytes that are not there."""
    if SANITIZED.search(path.read_bytes()):
        return WITHOUT_LIMIT
    return OF_ANY_SIZE if path.suffix == ".c" and SPARSE.search(path.read_bytes()) else []


class Test:
    """A test, or one function of a file in tests/e2e, and the mutants that it comes to."""

    def __init__(self, found, function, seconds, numbers, blocks):
        self.kind, self.name, self.path = found
        self.function, self.seconds, self.numbers, self.blocks = function, seconds, numbers, blocks
        self.files = Counter(block.split(":")[0] for block in blocks)
        self.is_whole = self.name.startswith("e2e/")
        self.is_probing = self.is_whole and b"# lane: probes" in self.path.read_bytes()
        self.checked_s = None if self.kind in ("unit", "fuzz") and seconds < CHECKED_S else math.inf  # None: not known
        self.title = f"{self.name} {function}".strip()
        self.prefix = prefix_of(self.path)

    def place(self, path):
        """Where it stands among those that come to a mutant of this file: the sooner, the more of its work is there."""
        share = (1 + self.files[path]) / (1 + len(self.blocks))
        return self.is_whole, (self.seconds if self.is_whole else 1) / share, self.name


class Worker:
    """Runs one test at a time, and finds out which switches it comes to."""

    def __init__(self, runner_class, count):
        temp = tempfile.mkdtemp(dir="/tmp")
        self.runner = runner_class(argparse.Namespace(source=TREE, build=BUILD, sanitized=False, bless=False), temp)
        self.seen_path, self.count = pathlib.Path(temp) / "seen", count
        self.seen_path.write_bytes(bytes(count))
        self.why = ""  # the last test that run_seen() ran failed or was skipped

    def run(self, kind, name, path):
        return getattr(self.runner, kind)(name, path)

    def run_seen(self, found):
        """(seconds, or None if it fails or is skipped; the time when it began; what it came to)"""
        for old in self.seen_path.parent.glob("seen.*"):
            old.unlink()
        with open(self.seen_path, "r+b") as seen:
            seen.write(bytes(self.count))
        self.runner.switches = {"MUTANT_SEEN": str(self.seen_path)}
        self.runner.limits.pop(found[2], None)
        self.runner.checker, self.runner.prefix = [], prefix_of(found[2])
        is_probing = found[0] == "e2e" and b"# lane: probes" in found[2].read_bytes()
        with PROBING if is_probing else contextlib.nullcontext():
            begin, start = time.time(), time.monotonic()
            result = self.run(*found)
            seconds = time.monotonic() - start
        told = [" ".join(detail.split()) for _, detail in result.failed or result.skipped]
        self.why = "" if result.passed and not result.failed else "; ".join(told)[-WHY_CHARS:]
        return None if result.failed or not result.passed else seconds, begin, self.numbers_in(self.seen_path)

    def parts_of(self, found):
        """[(test_ function, its seconds, what it comes to)] of those that pass: _suite.py leaves a file for each."""
        seconds, begin, all_numbers = self.run_seen(found)
        files = sorted(self.seen_path.parent.glob("seen.*"), key=lambda path: path.stat().st_mtime_ns)
        if not files:
            return [("", seconds, all_numbers)] if seconds is not None else []
        before, begun, parts = set(self.numbers_in(files[0])), files[0].stat().st_mtime, []
        prelude = begun - begin
        for path in files[1:]:
            function, now = path.name.removeprefix("seen."), path.stat().st_mtime
            if not function.endswith(".failed"):
                parts.append((function, prelude + now - begun, sorted(before | set(self.numbers_in(path)))))
            begun = now
        return parts

    @staticmethod
    def numbers_in(path):
        return [number for number, byte in enumerate(path.read_bytes()) if byte]

    def fails(self, test, number, checker=()):
        times, least = (WHOLE_LIMIT_TIMES, WHOLE_LIMIT_S) if test.is_whole else (LIMIT_TIMES, LIMIT_S)
        self.runner.checker, self.runner.prefix = list(checker), test.prefix
        self.runner.limits[test.path] = least + times * (test.checked_s if checker else test.seconds)
        self.runner.switches = {} if number is None else {"MUTANT_ON": str(number)}
        if test.function:
            self.runner.switches["SUITE_ONLY"] = test.function
        with PROBING if test.is_probing else contextlib.nullcontext():
            return bool(self.run(test.kind, test.name, test.path).failed)

    def can_check(self, test):
        """Whether it passes under the checker without a mutant."""
        if test.checked_s is None:
            test.checked_s, start = 20 * CHECKED_S, time.monotonic()
            test.checked_s = math.inf if self.fails(test, None, CHECKER) else time.monotonic() - start
        return test.checked_s < math.inf


class Trial:
    """The tests, and which mutants each comes to."""

    def __init__(self, which, seconds, jobs, drawn):
        self.blocks, self.lines, self.mutants = drawn["blocks"], drawn["lines"], drawn["mutants"]
        count = max([len(self.blocks)] + [mutant["number"] + 1 for mutant in self.mutants])
        runner_class = load_runner()
        self.first = runner_class(argparse.Namespace(source=TREE, build=BUILD, sanitized=False, bless=False), "/tmp")
        self.idle, self.pool = queue.SimpleQueue(), concurrent.futures.ThreadPoolExecutor(jobs)
        for _ in range(jobs):
            self.idle.put(Worker(runner_class, count))
        self.which, self.seconds, self.tests = which, seconds, []
        self.broken = {}  # those that fail or skip without a mutant: why
        self.kept, self.lock = json.loads(KEPT.read_text()) if KEPT.exists() else {}, threading.Lock()

    @contextlib.contextmanager
    def worker(self):
        worker = self.idle.get()
        try:
            yield worker
        finally:
            self.idle.put(worker)

    def come_to(self):
        found = [(kind.__name__, name, path) for kind, name, path in self.first.find() if re.search(self.which, name)]
        for tests in self.pool.map(lambda test: (self.whole if test[0] == "e2e" else self.one)(test), found):
            self.tests += tests

    def one(self, found):
        with self.worker() as worker:
            seconds, _, numbers = worker.run_seen(found)
            if seconds is None:
                self.broken[found[1]] = worker.why
                return []
        return [Test(found, "", seconds, set(numbers), [self.blocks[n] for n in numbers if n < len(self.blocks)])]

    def whole(self, found):
        key = digest_of(found[2], *helpers_of(found[2]))
        if key not in self.kept:
            with self.worker() as worker:
                parts = worker.parts_of(found)
                if worker.why:
                    self.broken[found[1]] = worker.why
                if not parts:
                    return []
            last = len(self.blocks)
            parts = [(function, seconds, [n for n in numbers if n < last]) for function, seconds, numbers in parts]
            with self.lock:
                self.kept[key] = [self.known_blocks(), parts]
                self.keep()
        names, parts = self.kept[key]
        known = self.kept[names]
        found_in, tests = {name.split(":")[1] for name in known}, []
        for function, seconds, numbers in parts:
            blocks = [known[number] for number in numbers]
            reached = {block.split(":")[1] for block in blocks}  # a function that moved is the same
            files = {block.split(":")[0] for block in blocks}
            come = {
                mutant["number"]
                for mutant in self.mutants
                if mutant["block"].split(":")[1] in reached
                or mutant["block"].split(":")[1] not in found_in and mutant["path"] in files
            }
            tests.append(Test(found, function, seconds, come, blocks))
        return tests

    def unreached(self):
        """A line for each block that no test comes to."""
        reached = {block.split(":")[1] for test in self.tests for block in test.blocks}
        rows = zip(self.blocks, self.lines)
        parts = [(*name.split(":"), line) for name, line in rows]
        return [f"{path}:{line} {block.split('@')[0]}" for path, block, line in parts if block not in reached]

    def known_blocks(self):
        """The name under which the blocks of now are kept."""
        name = "blocks " + hashlib.sha256("\0".join(self.blocks).encode()).hexdigest()
        self.kept[name] = self.blocks
        return name

    def keep(self):
        """The names of blocks that nothing is told by are left out."""
        used = {value[0] for key, value in self.kept.items() if not key.startswith("blocks ")}
        self.kept = {key: value for key, value in self.kept.items() if key in used or not key.startswith("blocks ")}
        KEPT.write_text(json.dumps(self.kept))

    def killer(self, number, path):
        """(the test that fails with a mutant of this file, or None; how many ran; how many come to it)"""
        come, seconds = [test for test in self.tests if number in test.numbers], 0
        come.sort(key=lambda test: test.place(path))
        whole = [test for test in come if test.is_whole]
        with self.worker() as worker:
            for count, test in enumerate(come[:len(come) - len(whole)], 1):
                if worker.fails(test, number):
                    return test.title, count, len(come)
            checked_s = 0
            for test in come[:len(come) - len(whole)]:
                if checked_s < self.seconds and worker.can_check(test):
                    checked_s += test.checked_s
                    if worker.fails(test, number, CHECKER):
                        return f"{test.title} under Valgrind", len(come) - len(whole), len(come)
            for count, test in enumerate(whole, len(come) - len(whole) + 1):
                seconds += test.seconds
                if seconds > self.seconds:
                    return None, count - 1, len(come)
                if worker.fails(test, number) and not worker.fails(test, None) and worker.fails(test, number):
                    return test.title, count, len(come)
        return None, len(come), len(come)


def read_equivalents():
    lines = EQUIVALENTS.read_text().splitlines() if EQUIVALENTS.exists() else []
    rows = [[part.strip() for part in line.split(" @ ")] for line in lines if line and not line.startswith("#")]
    return {tuple(row[:3]): row[3] for row in rows}


def try_all(which, most_seconds, most_minutes, jobs):
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    data, equivalents = json.loads(DRAWN.read_text()), read_equivalents()
    trial = Trial(which, most_seconds, jobs, data)
    trial.come_to()
    if which != TESTS:
        print(f"only tests that match '{which}'")
    print(f"{len(trial.tests)} tests; without a mutant fail or skip, in whole or in part: {len(trial.broken) or 'none'}", flush=True)
    for name, why in sorted(trial.broken.items()):
        print(f"unasked  {name}: {why}", flush=True)
    UNREACHED.write_text("".join(f"{line}\n" for line in trial.unreached()))
    reached = set().union(*(test.numbers for test in trial.tests))
    start = time.monotonic()

    def judge(mutant):
        if tuple(mutant["key"]) in equivalents or mutant["number"] not in reached:
            return None, 0, 0
        if time.monotonic() - start > 60 * most_minutes:
            return NOT_TRIED
        return trial.killer(mutant["number"], mutant["path"])

    for mutant in data["mutants"]:
        if mutant["number"] not in reached and tuple(mutant["key"]) not in equivalents:
            tell_mutant("alive", mutant, "no test comes to it")
    drawn, killed, equal, left = Counter(), Counter(), Counter(), 0
    for mutant, verdict in zip(data["mutants"], trial.pool.map(judge, data["mutants"])):
        folder = mutant["path"].split("/")[1]
        if verdict is NOT_TRIED or left:  # what comes after it counts no more: it would be no fair sample
            left += 1
            continue
        if tuple(mutant["key"]) in equivalents:
            equal[folder] += 1
            continue
        name, tried, come = verdict
        drawn[folder] += 1
        killed[folder] += name is not None
        if name is None and come:
            tell_mutant("alive", mutant, f"{come} tests come to it" + (f", {tried} ran" if tried < come else ""))
        elif name is not None and os.environ.get("MUTANTS_TOLD"):
            tell_mutant("killed", mutant, f"by {name}, {tried} of {come}")
    if left:
        print(f"{most_minutes:g} minutes are over: {left} were not tried")
    seconds = time.monotonic() - start
    print(f"\n{seconds / max(1, sum(drawn.values())):.2f} s a mutant")
    return tell(drawn, killed, equal)


def tell_mutant(word, mutant, why):
    path, text, change = mutant["key"]
    print(f"{word:<8} {path}:{mutant['line']}: {change}   ({why})\n         {text}", flush=True)


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
    parser.add_argument("--tests", default=TESTS, metavar="RE", help="by these tests (default: as above)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S",
                        help="of tests/e2e for one mutant (default: 60)")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M",
                        help="end the trial after so many (default: when all were tried)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="how many at once (default: one per core)")
    parser.add_argument("--anew", action="store_true", help="forget what tests/e2e came to before")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        return 0 if try_all(args.tests, args.seconds, args.minutes, args.jobs) else 1
    if SOURCE.is_relative_to("/tmp"):
        raise SystemExit("the tree stands in /tmp, which is another one for the tests")
    os.nice(NICE)
    PLACE.mkdir(exist_ok=True)
    prepare(args)
    with tempfile.TemporaryDirectory(dir=PLACE) as temp, contextlib.suppress(KeyboardInterrupt):
        os.chmod(temp, 0o1777)
        kept = pathlib.Path(temp, KEPT.name)
        if (PLACE / KEPT.name).exists() and not args.anew:
            shutil.copy(PLACE / KEPT.name, kept)
        user = [] if os.geteuid() == 0 else ["-Ur"]
        unshare = ["unshare", *user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        inside = ["--inside", "--tests", args.tests, "--seconds", str(args.seconds), "--minutes", str(args.minutes)]
        inside += ["--jobs", str(args.jobs)]
        command = [*unshare, "sh", "-euc", INSIDE, "inside", temp, __file__, *inside]
        try:
            return subprocess.run(command, check=False).returncode
        finally:
            for name in KEPT.name, UNREACHED.name:
                if (pathlib.Path(temp) / name).exists():
                    shutil.copy(pathlib.Path(temp) / name, PLACE / name)
    return 1


if __name__ == "__main__":
    sys.exit(main())
