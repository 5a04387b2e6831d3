#!/usr/bin/env python3
"""Each fuzz target until it ran 5,000,000 inputs or 15 minutes of one core, whichever comes first. What it ran is kept in
fuzz/campaign, which belongs to the tree, and added up: so this can be interrupted (Ctrl-C, TERM) and continued, also on
another machine. It goes round by round: those that ran least come first. Inputs of the corpus, with which each round
begins, are not counted. When all are done, it says so and what each line of the parsers' coverage is (script/fuzz
--coverage).

FUZZ_TARGETS="a b" runs only those; FUZZ_ROUND_S is the length of a round in seconds of CPU (default 60); FUZZ_REPORT=1
runs nothing and prints what there is."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

SRC = Path(os.environ["HEAPFLAME_SRC"])
STATE = SRC / "fuzz/campaign"
STATE_HEAD = "# What bench/soak.d/fuzz.py ran so far: TARGET COMMIT EXECUTIONS SECONDS (of CPU).\n"
EXECUTIONS = 5_000_000
CORE_S = 15 * 60
ROUND_S = float(os.environ.get("FUZZ_ROUND_S", 60))
POLL_S = 0.2
STALLED_S = 300  # of the clock, for one input: a busy machine may halt a process for a while
TICKS = os.sysconf("SC_CLK_TCK")

stop_asked = False


def ask_to_stop(*_):
    global stop_asked
    stop_asked = True


class Target:
    """What a target ran so far: by commit, [executions, seconds of CPU]."""

    def __init__(self, name):
        self.name, self.runs = name, {}

    def executions(self):
        return sum(run[0] for run in self.runs.values())

    def seconds(self):
        return sum(run[1] for run in self.runs.values())

    def progress(self):
        return max(self.executions() / EXECUTIONS, self.seconds() / CORE_S)

    def add(self, commit, executions, seconds):
        run = self.runs.setdefault(commit, [0, 0.0])
        run[0] += executions
        run[1] = round(run[1] + seconds, 2)


def read_state(targets):
    """Targets that are no more are left out."""
    by_name = {target.name: target for target in targets}
    for line in STATE.read_text().splitlines() if STATE.exists() else []:
        words = line.split("#")[0].split()
        if len(words) == 4 and words[0] in by_name:
            by_name[words[0]].add(words[1], int(words[2]), float(words[3]))


def write_state(targets):
    part = STATE.with_suffix(".part")
    rows = [f"{target.name} {commit} {run[0]} {run[1]}\n" for target in targets for commit, run in target.runs.items()]
    part.write_text(STATE_HEAD + "".join(rows))
    part.replace(STATE)


def cpu_of(pid):
    """Seconds of CPU of a child, None when it ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / TICKS


def command_of(target):
    folder = SRC / "build-sanitize/corpus" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    options = [line.split()[1:] for line in (SRC / "fuzz/options").read_text().splitlines() if line.split()[:1] == [target.name]]
    dictionary = SRC / "fuzz/dict" / target.name
    return [
        str(SRC / f"build-sanitize/fuzz/fuzz_{target.name}"), *(option for line in options for option in line),
        *([f"-dict={dictionary}"] if dictionary.exists() else []), f"-timeout={STALLED_S}", "-rss_limit_mb=2048",
        "-print_final_stats=1", "-reload=0", f"-artifact_prefix={SRC}/build-sanitize/crashes/{target.name}-", str(folder),
        str(SRC / "fuzz/corpus" / target.name),
    ]  # fmt: skip


def commit_of_sources():
    def git(*words):
        return subprocess.run(["git", "-C", SRC, *words], check=True, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "src", "fuzz/*.c", "fuzz/*.h")
    return git("rev-parse", "--short=10", "HEAD") + ("-modified" if changed else "")


def run_round(target):
    """One round; whether it ended well."""
    seconds = min(ROUND_S, CORE_S - target.seconds())
    folders = [SRC / "build-sanitize/corpus" / target.name, SRC / "fuzz/corpus" / target.name]
    inputs = sum(1 for folder in folders if folder.is_dir() for _ in folder.iterdir())
    left = EXECUTIONS - target.executions() + inputs + 16
    log = SRC / f"build-sanitize/logs/{target.name}"
    with log.open("w") as out:
        child = subprocess.Popen([*command_of(target), f"-runs={left}"], stdout=out, stderr=out)
        asked = False
        while (used := cpu_of(child.pid)) is not None:
            if (used >= seconds or stop_asked) and not asked:
                asked = True
                child.send_signal(signal.SIGUSR1)  # it ends after this input
            time.sleep(POLL_S)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    counted = re.search(r"^stat::number_of_executed_units: *(\d+)", text, re.M)
    replayed = re.search(r"^#(\d+)\s+INITED", text, re.M)
    if child.returncode != 0 or not counted:
        print(f"FAILED   fuzz_{target.name}: status {child.returncode}, log {log}", flush=True)
        return False
    executed = int(counted[1]) - (int(replayed[1]) if replayed else int(counted[1]))
    target.add(commit_of_sources(), max(executed, 0), usage.ru_utime + usage.ru_stime)
    return True


def report(targets, failed):
    """The table, and whether all are done."""
    for target in targets:
        commits = " ".join(target.runs)
        ending = "" if target.progress() >= 1 else ", not done yet"
        each = f"{target.executions() / target.seconds():8.0f}/s" if target.seconds() else " " * 10
        print(f"{target.name:16} {target.executions():9,} executions {target.seconds():6.0f} s of CPU {each}: {commits}{ending}")
    done = sum(target.progress() >= 1 for target in targets)
    crashes = sum(1 for path in (SRC / "build-sanitize/crashes").glob("*"))
    print(f"{done} of {len(targets)} done; files in build-sanitize/crashes: {crashes}; failed in this run: {' '.join(failed) or 'none'}")
    return done == len(targets) and not failed and crashes == 0


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask_to_stop)
    only_report = "FUZZ_REPORT" in os.environ
    if not only_report:
        subprocess.run([SRC / "script/build", "--fuzz"], check=True)
    for folder in (SRC / "build-sanitize/logs", SRC / "build-sanitize/crashes"):
        folder.mkdir(parents=True, exist_ok=True)
    everything = [Target(path.stem[5:]) for path in sorted((SRC / "fuzz").glob("fuzz_*.c"))]
    read_state(everything)
    names = os.environ.get("FUZZ_TARGETS", "").split()
    targets, failed = [target for target in everything if not names or target.name in names], []
    while not only_report and not stop_asked:
        waiting = [target for target in targets if target.progress() < 1 and target.name not in failed]
        if not waiting:
            break
        target = min(waiting, key=Target.progress)
        if not run_round(target):
            failed.append(target.name)
        write_state(everything)
    is_done = report(targets, failed)
    if is_done:
        sys.stdout.flush()
        is_done = subprocess.run([SRC / "fuzz/coverage"], check=False).returncode == 0
    return 0 if is_done else 1


if __name__ == "__main__":
    sys.exit(main())
