"""The fourth to the seventh set of labelled programs (tests/leakers/LABELS-4.md to -7): labels by kind, and how verdicts come as
profiles do. The long form is in bench/soak.d/verdict_set4.py to verdict_set7.py."""

import random
import re
import shutil
import statistics
import subprocess
from collections import Counter
from pathlib import Path

from _heap import HEAPFLAME, SOURCE
from _verdicts import LEAKERS, NOT_LISTED, trend

PROGRAMS = SOURCE / "tests/leakers"
REAL_TIME = HEAPFLAME.parent / "tests/leakers/leakers-real-time"
LEAK, NO_LEAK, UNDECIDED = "leak", "no leak", "undecided"
KINDS = {"leak": LEAK, "undecided": UNDECIDED, "too little data": UNDECIDED}  # all others: no leak
SAMPLE_BYTES = 512 << 10
NO_PROFILES = 100000  # minutes between them
LOOKS = 30  # prefixes of a series that are judged, too
SAMPLES_OF_REFERENCE = 25  # that many of Poisson's are 5 standard errors
POINTS_MIN = 6
DRAWN = {  # their functions (tests/leakers/drawn.c)
    "random_cache": "cache_put",
    "small_cache": "cache_put",
    "random_queue": "job_put",
    "random_leak": "leak_new/cache_put",
    "random_bursts": "leak_new",
}


def kind_of(verdict):
    return KINDS.get(verdict, NO_LEAK)


class Label:
    """A row of a set's labels, and what was answered; `every`: the minutes between profiles."""

    def __init__(self, program, function, label, onset, is_by_clock, shape, every="1"):
        self.program, self.functions, self.shape = program, function.split("/"), shape
        self.is_twin = label == "twin"
        self.right = {LEAK, UNDECIDED} if self.is_twin else {kind.strip() for kind in label.split(",")}
        self.onset = float(onset) if onset else None
        self.is_by_clock = is_by_clock == "yes"
        self.every = float(every)
        self.answers = Counter()
        self.paths = []  # of each series that was judged as it came: [(minute, kind)]
        self.delays = []  # (minutes from the onset to "leak", minutes to the reference) of each of these
        self.onsets = []  # of each leak that was found by survivors: whether its onset lies in the interval

    def see(self, place, is_one):
        """The final answer; the times of several processes are their own."""
        self.answers[place["verdict"] if place else NOT_LISTED] += 1
        if is_one and self.is_leak and place and place["verdict"] == LEAK and "survivors" in place:
            self.onsets.append(holds_onset(place, self.onset, self.every))

    @property
    def is_leak(self):
        return self.right == {LEAK}

    @property
    def is_no_leak(self):
        return LEAK not in self.right

    @property
    def kinds(self):
        kinds = Counter()
        for answer, count in self.answers.items():
            kinds[kind_of(answer)] += count
        return kinds

    def share(self, *kinds):
        return sum(self.kinds[kind] for kind in kinds) / self.answers.total()


def labels_of(number):
    rows = []
    for line in (PROGRAMS / f"LABELS-{number}.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) in (7, 8) and re.fullmatch(r"[a-z_0-9]+", cells[0]) and cells[0] != "program":
            rows.append(Label(*cells[: len(cells) - 1]))
    return rows


def check_labels(number):
    """Each script of the set has labels that can be read, and each label a script; returns the labels."""
    rows = labels_of(number)
    scripts = set()
    for path in PROGRAMS.glob(f"set{number}_*.c"):
        scripts |= set(re.findall(r'^ {4}\{"([a-z0-9_]+)", ', path.read_text(), re.MULTILINE))
    programs = {row.program for row in rows}
    assert programs == scripts, programs ^ scripts
    for row in rows:
        assert row.right <= {LEAK, NO_LEAK, UNDECIDED}, (row.program, row.right)
        assert row.onset is not None or not row.is_leak, row.program
    return rows


def count_seen_leaks(rows):
    """The leaks of which so much is sampled that it must be seen. Of what a script says is never given back, nothing may be
    recorded before the onset."""
    seen = 0
    for row in rows:
        if row.is_leak:
            for_ever = simulate(row.program, 1, "profiles", SAMPLE_BYTES, NO_PROFILES)
            before = int(row.onset)
            assert before == 0 or for_ever[before - 1] == 0, f"{row.program}: {for_ever[before - 1]} until minute {before}"
            seen += for_ever[-1] >= SAMPLES_OF_REFERENCE
    return seen


def documents_of(document):
    """The answers of a document: of one process, or of several."""
    if "processes" not in document:
        return [document]
    return [process["trend"] for process in document["processes"] if process.get("trend")]


def those_that_count(document, label):
    """Of several processes each does, and the worst verdict is the answer; unless what the program is said to do, above its
    processes, is that the latest one leaks no more: then that one is."""
    documents = documents_of(document)
    gone = [one["name"].split(" via ")[0] for one in document.get("together", []) if one["gone"]]
    return documents[-1:] if any(name in label.functions for name in gone) else documents


def place_of(document, label, rows):
    """The place with the worst verdict of all of the label's functions: those on whose way, or by which its owner holds its
    memory, the first function of any row is one."""
    functions = [name for row in rows for name in row.functions]
    ranks = {LEAK: 0, UNDECIDED: 1, NO_LEAK: 2}
    found = []
    for one in those_that_count(document, label):
        for place in one.get("places", []):
            ours = [name for name in [*reversed(place["stack"]), place.get("via")] if name in functions]
            if ours and ours[0] in label.functions:
                found.append(place)
    return min(found, key=lambda place: ranks[kind_of(place["verdict"])], default=None)


def verdict_of(document, label, rows):
    place = place_of(document, label, rows)
    return place["verdict"] if place else NOT_LISTED


def holds_onset(place, onset, every=1):
    """Whether a leak's interval, in seconds since the first profile, which is of minute `every`, holds the minute of its onset,
    give or take one: births are known by minutes. Without one, it is said to leak since before the first profile."""
    low, high = place["survivors"].get("since_95", (-60 * (every + 1), 0))
    return low / 60 + every - 1 <= onset <= high / 60 + every + 1


def simulate(program, seed, folder, *period_and_every):
    """Leaves a profile of each minute, or of every so many; returns the samples of what is never given back, until each of these minutes."""
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir()
    done = subprocess.run([LEAKERS, program, str(seed), folder, *map(str, period_and_every)], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def reference_minute(label, for_ever):
    """When a test that knows place and onset, and that all else of the place will be freed, is sure to 5 standard errors:
    as many of Poisson's samples have come, and there is a profile. None: not within the series."""
    for minute, count in enumerate(for_ever, 1):
        if count >= SAMPLES_OF_REFERENCE and minute >= max(POINTS_MIN * label.every, label.onset) and minute % label.every == 0:
            return minute
    return None


def see_as_it_comes(rows, folder, for_ever):
    """Judges each of LOOKS prefixes of the series, and keeps what is said of each row."""
    files = sorted(Path(folder).iterdir())
    step = max(1, len(files) // LOOKS)
    paths = [[] for _ in rows]
    for count in range(POINTS_MIN, len(files) + 1):
        if count % step == 0 or count == len(files):
            document = trend(*files[:count])
            for row, path in zip(rows, paths):
                path.append((count * row.every, kind_of(verdict_of(document, row, rows))))
    for row, path in zip(rows, paths):
        row.paths.append(path)
        reference = reference_minute(row, for_ever) if row.is_leak else None
        if reference is not None:
            first = next((minute for minute, kind in path if kind == LEAK and minute >= row.onset), None)
            row.delays.append((first - row.onset if first is not None else None, reference - row.onset))


def flaps(path):
    """Whether "leak" was said, taken back, and said again."""
    said = [kind == LEAK for _, kind in path]
    return sum(now and not before for before, now in zip([False, *said], said)) > 1


def judge(rows, seeds, watched):
    """Runs each program of the rows with each seed, and judges the first `watched` of them also as they come."""
    for program in dict.fromkeys(row.program for row in rows):
        ours = [row for row in rows if row.program == program]
        for number, seed in enumerate(seeds):
            for_ever = simulate(program, seed, "profiles", SAMPLE_BYTES, ours[0].every)
            document = trend("profiles")
            for row in ours:
                row.see(place_of(document, row, ours), is_one="processes" not in document)
            if number < watched:
                see_as_it_comes(ours, "profiles", for_ever)
    return rows


def judge_drawn(program, numbers):
    """What is said of the place of each drawn program (drawn.c), of one seed each."""
    functions = DRAWN[program]
    label = Label(program, functions, LEAK if "leak_new" in functions else NO_LEAK, "", "", "drawn")
    answers = Counter()
    for number in numbers:
        simulate(f"{program}:{number}", number, "profiles")
        answers[verdict_of(trend("profiles"), label, [label])] += 1
    return answers


def record_by_clock(rows, seconds, at_once):
    """Runs their programs by the clock of the machine, under the real agent, and judges each."""
    names = list(dict.fromkeys(row.program for row in rows if row.is_by_clock))
    for at in range(0, len(names), at_once):
        running = []
        for name in names[at : at + at_once]:
            Path(name).mkdir()
            command = [
                HEAPFLAME, "run", "-q", "--period", "512KiB", "--every", f"{seconds * 1000 // 60}ms", "--keep", "0", "--no-final",
                "--dir", Path.cwd(), "-o", f"{name}/%n.hfb", "--", REAL_TIME, name, str(seconds),
            ]  # fmt: skip
            running.append(subprocess.Popen(command))
        assert all([process.wait(timeout=900) == 0 for process in running]), names[at : at + at_once]
    for row in rows:
        if row.program in names:
            ours = [other for other in rows if other.program == row.program]
            row.answers[verdict_of(trend(row.program), row, ours)] += 1


def mean_with_interval(shares):
    """The mean of shares, one of each scenario, and its 95 % interval by bootstrap over scenarios."""
    chance = random.Random(21)
    means = sorted(statistics.fmean(chance.choices(shares, k=len(shares))) for _ in range(2000))
    return f"{statistics.fmean(shares):.1%} [{means[50]:.1%}, {means[1949]:.1%}]"


def summary_of(rows):
    """Shares over scenarios, each counted as one; twins apart."""
    counted = [row for row in rows if row.answers and not row.is_twin]
    leaks = [row for row in counted if row.is_leak]
    others = [row for row in counted if row.is_no_leak]
    twins = Counter()
    for row in rows:
        if row.is_twin:
            twins += row.kinds
    lines = [
        f"right                        {mean_with_interval([row.share(*row.right) for row in counted])} of {len(counted)}",
        f"leaks found                  {mean_with_interval([row.share(LEAK) for row in leaks])} of {len(leaks)}",
        f'"leak" of no leak            {mean_with_interval([row.share(LEAK) for row in others])} of {len(others)}',
        f"undecided of no leak         {mean_with_interval([row.share(UNDECIDED) for row in others])}",
        f"scenarios right in >= 90 %   {sum(row.share(*row.right) >= 0.9 for row in counted)} of {len(counted)}",
        f"onset in its interval        {onsets_of(leaks)}",
        f"twins                        {', '.join(f'{kind} {count}' for kind, count in twins.most_common()) or 'none'}",
    ]
    return "\n".join(lines)


def onsets_of(rows):
    onsets = [holds for row in rows for holds in row.onsets]
    return f"{sum(onsets) / len(onsets):.1%} of {len(onsets)} leaks that survivors showed" if onsets else "none"


def flapping_of(rows):
    """The functions that flap, and in how many of their series."""
    counts = {row: sum(map(flaps, row.paths)) for row in rows if not row.is_twin}
    return ", ".join(f"{row.program} {row.functions[0]} {count}" for row, count in counts.items() if count) or "none"


def summary_of_paths(rows):
    paths = [path for row in rows if not row.is_twin for path in row.paths]
    if not paths:
        return "no series was judged as it came"
    wrong = [any(kind == LEAK for _, kind in path) for row in rows if row.is_no_leak for path in row.paths]
    delays = [delay for row in rows for delay in row.delays]
    ratios = [found / known for found, known in delays if found is not None]
    within = sum(ratio <= 2 for ratio in ratios)
    lines = [
        f'"leak", taken back, "leak"   {sum(map(flaps, paths))} of {len(paths)} series: {flapping_of(rows)}',
        f'ever "leak" of no leak       {sum(wrong)} of {len(wrong)} series (a cache that fills is a twin until it is full)',
        f"minutes to leak / reference  median {statistics.median(ratios):.1f}; at most 2 in {within} of {len(delays)}; "
        f"never found {len(delays) - len(ratios)}",
    ]
    return "\n".join(lines)


def table_by_shape(rows):
    lines = [f"{'shape':22} {'labels':>6} {'right':>6} {'leak':>5} {'no leak':>8} {'undecided':>10}"]
    for shape in sorted({row.shape for row in rows}):
        ours = [row for row in rows if row.shape == shape and row.answers]
        if ours:
            kinds = sum((row.kinds for row in ours), Counter())
            right = statistics.fmean(row.share(*row.right) for row in ours)
            lines.append(
                f"{shape:22} {len(ours):6} {right:6.0%} {kinds[LEAK]:5} {kinds[NO_LEAK]:8} {kinds[UNDECIDED]:10}"
            )
    return "\n".join(lines)


def table_by_row(rows):
    lines = [f"{'program':20} {'function':18} {'label':18} {'onset':>5} {'right':>6}  {'delay':>11}  answers"]
    for row in rows:
        if not row.answers:
            continue
        label = "twin" if row.is_twin else ", ".join(sorted(row.right))
        found = [first for first, _ in row.delays if first is not None]
        delay = ""
        if row.delays:
            known = statistics.median(known for _, known in row.delays)
            delay = f"{statistics.median(found):.0f}/{known:.0f}" if found else f"never/{known:.0f}"
        onset = f"{row.onset:g}" if row.onset is not None else ""
        answers = ", ".join(f"{answer} {count}" for answer, count in row.answers.most_common())
        lines.append(
            f"{row.program:20} {'/'.join(row.functions):18} {label:18} {onset:>5} {row.share(*row.right):6.0%}  {delay:>11}  {answers}"
        )
    return "\n".join(lines)
