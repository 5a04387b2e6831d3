#!/usr/bin/env python3
"""The test runner itself: on a small tree of tests with known ends, it counts and says exactly what happened."""
# sanitized: no, it runs no program that is built

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

SRC = pathlib.Path(os.environ["HEAPFLAME_SRC"])


def write(path, content, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(mode)


def run(tree, *options, ci=False, source=None):
    env = {name: value for name, value in os.environ.items() if name != "CI"}
    env |= {"PYTHONUNBUFFERED": "1", **({"CI": "1"} if ci else {})}
    done = subprocess.run(
        [SRC / "tests/run", "--source", source or tree, "--build", tree / "build", *options],
        env=env, capture_output=True, text=True, check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stdout + done.stderr


def expect(condition, output):
    if not condition:
        raise SystemExit(f"unexpected:\n{output}")


def golden(tree):
    case = tree / "tests/cmd/deep/wrong"
    write(case / "cmd", 'pwd; echo "$CASE"; echo "$HEAPFLAME_SRC" >&2; exit 3\n')
    write(case / "out", "something else\n")
    status, lines, output = run(tree, "--filter", "^cmd/deep/wrong$")
    expect(status == 1 and lines[-1] == "0 passed, 1 failed, 0 skipped", output)
    for part in "-something else", "+@TMP@", "+@CASE@", "+@SRC@", "-0", "+3":
        expect(part in lines, output)
    status, lines, output = run(tree, "--filter", "^cmd/deep/wrong$", "--bless")
    expect(status == 0 and "blessed  cmd/deep/wrong: status err out" in lines, output)
    expect((case / "out").read_text() == "@TMP@\n@CASE@\n" and (case / "status").read_text() == "3\n", output)
    expect(run(tree, "--filter", "^cmd/deep/wrong$")[0] == 0, "a blessed case does not pass")
    write(case / "cmd", "true\n")
    run(tree, "--filter", "^cmd/deep/wrong$", "--bless")
    expect([path.name for path in case.iterdir()] == ["cmd"], "blessing nothing leaves files behind")
    write(case / "cmd", "false | true\necho not reached\n")
    expect(run(tree, "--filter", "^cmd/deep/wrong$")[0] == 1, "a failing pipe goes unnoticed")


def whole_programs(tree):
    e2e = tree / "tests/e2e"
    write(e2e / "good.sh", "#!/bin/sh\n[ -z \"$(ls)\" ] && [ \"$LC_ALL$TZ$PYTHONUNBUFFERED\" = CUTC ]\n", 0o755)
    write(e2e / "skip.py", "#!/usr/bin/env python3\nprint('no gizmo here')\nraise SystemExit(77)\n", 0o755)
    write(e2e / "bad.sh", "#!/bin/sh\necho 'ok    test_it'; echo to out; echo to err >&2; exit 9\n", 0o755)
    write(e2e / "plain.sh", "#!/bin/sh\n")
    write(e2e / "_helper.sh", "#!/bin/sh\nexit 1\n", 0o755)
    # Its child outlives it and would hold the output open; the group is killed.
    write(e2e / "slow.sh", "#!/bin/sh\n# timeout: 5\necho begun\nsleep 987654 & sleep 987654\n", 0o755)
    write(e2e / "hangs.py", f"#!/usr/bin/env python3\n# timeout: 5\nimport sys, time\nsys.path.append({str(SRC / 'tests/e2e')!r})\n"
          "from _suite import run_tests\ndef test_too_long():\n    time.sleep(987654)\nrun_tests(globals())\n", 0o755)  # fmt: skip
    start = time.monotonic()
    status, lines, output = run(tree, "--filter", "^e2e/")
    expect(status == 1 and lines[-1] == "1 passed, 4 failed, 1 skipped", output)
    for part in "skipped  e2e/skip.py: no gizmo here", "exit status 9", "to err", "begun":
        expect(part in lines, output)
    expect("test_it" not in output, output)
    expect("e2e/slow.sh\ntimed out after" in output and "e2e/plain.sh\nis not executable" in output, output)
    expect("e2e/hangs.py\ntimed out after" in output and "hangs.py\", line 7 in test_too_long" in output, output)
    expect(time.monotonic() - start < 600, "the timeout did not end the test")
    left = subprocess.run(["pgrep", "-f", "sleep 987654"], check=False, capture_output=True).stdout
    expect(not left, "a process outlived its test")
    status, lines, output = run(tree, "--filter", "skip", ci=True)
    expect(status == 1 and lines[-1] == "0 passed, 1 failed, 0 skipped", output)
    write(tree / "tests/skips.allow", "# comment\n^e2e/skip.py: no gizmo\n")
    expect(run(tree, "--filter", "skip", ci=True)[0] == 0, "an expected skip fails")
    write(e2e / "same.sh", "#!/bin/sh\n# sanitized: no, it has no program of ours\n", 0o755)
    expect(run(tree, "--filter", "e2e/same")[0] == 0, "a test is left out where nothing is sanitized")
    expect(run(tree, "--filter", "e2e/same", "--sanitized", "--list")[1] == [""], "a test is not left out")
    write(e2e / "waits.sh", "#!/bin/sh\n# sanitized: long, it waits\n", 0o755)
    for more, expected in ((), [""]), (("--long",), ["e2e/waits.sh"]):
        expect(run(tree, "--filter", "e2e/waits", "--sanitized", "--list", *more)[1] == expected, "what takes long is not asked for")


def told(tree):
    """A line says how far it is, also into a file; who ends it is told what ran, and nothing goes on."""
    e2e = tree / "tests/e2e"
    write(e2e / "told_quick.sh", "#!/bin/sh\n", 0o755)
    write(e2e / "told_slow.sh", "#!/bin/sh\nsleep 876543\n", 0o755)
    command = [SRC / "tests/run", "--source", tree, "--build", tree / "build", "--filter", "/told_", "-j", "2", "--progress", "0.2"]
    for number, name in (signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT"), (signal.SIGHUP, "SIGHUP"):
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        while not re.fullmatch(r"progress 1 of 2 test programs, 0 tests failed, \d+ s; running: e2e/told_slow.sh \(\d+ s\)\n",
                               lines[-1] if lines else ""):
            lines.append(running.stdout.readline())
            expect(lines[-1], "".join(lines))
        running.send_signal(number)
        rest = running.communicate(timeout=600)[0]
        expect(running.returncode == 128 + number, rest)
        expect(f"ended by {name}: 1 of 2 test programs, 0 tests failed, " in rest and "running: e2e/told_slow.sh" in rest, rest)
        expect(rest.endswith("1 passed, 0 failed, 0 skipped\n"), rest)
        left = subprocess.run(["pgrep", "-f", "sleep 876543"], check=False, capture_output=True).stdout
        expect(not left, "a process outlived the runner")


def again(tree):
    """What fails beside others gets a second run alone; what fails twice, or is one of many, does not."""
    e2e = tree / "tests/e2e"
    seen = tree / "seen"
    write(e2e / "again_first.sh", f"#!/bin/sh\n[ -e {seen} ] || {{ touch {seen}; echo lost 3 calls; exit 1; }}\n", 0o755)
    for i in range(7):
        write(e2e / f"again_other_{i}.sh", "#!/bin/sh\n", 0o755)
    status, lines, output = run(tree, "--filter", "/again_")
    expect(status == 0 and lines[-1] == "8 passed, 0 failed, 0 skipped", output)
    expect("unsteady: e2e/again_first.sh passed when it ran again alone, after: exit status 1" in lines, output)
    write(e2e / "again_other_0.sh", "#!/bin/sh\nexit 4\n", 0o755)
    status, lines, output = run(tree, "--filter", "/again_")
    expect(status == 1 and lines[-1] == "7 passed, 1 failed, 0 skipped", output)
    expect("failed again, alone: e2e/again_other_0.sh" in lines and "failed: e2e/again_other_0.sh: exit status 4" in lines, output)
    for i in range(6):
        write(e2e / f"again_other_{i}.sh", "#!/bin/sh\nexit 4\n", 0o755)
    seen.unlink()
    status, lines, output = run(tree, "--filter", "/again_")
    expect(status == 1 and lines[-1] == "1 passed, 7 failed, 0 skipped", output)
    expect("again, alone" not in output and "unsteady" not in output, output)


def longest_first(tree):
    """What may take longest begins first; what takes processor time is told with it."""
    for name, seconds in ("a", 10), ("b", 200), ("c", 30):
        write(tree / f"tests/e2e/order_{name}.sh", f"#!/bin/sh\n# timeout: {seconds}\n", 0o755)
    write(tree / "tests/e2e/order_busy.sh", "#!/bin/sh\n# timeout: 300\ni=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done\n", 0o755)
    _, lines, output = run(tree, "--filter", "/order_", "-j", "1", "-v")
    order = [found[1] for line in lines if (found := re.match(r"passed +e2e/order_(\w+)", line))]
    expect(order == ["busy", "b", "c", "a"], output)
    cpu = [float(found[1]) for line in lines if (found := re.match(r"passed .*, ([\d.]+) s of CPU\)", line))]
    expect(len(cpu) == 4 and cpu[0] > 0 and cpu[0] > cpu[1], output)


def more_where_idle(_tree):
    """One more begins while the processors have nothing to do, and none while they have."""
    loader = importlib.machinery.SourceFileLoader("tests_run", str(SRC / "tests/run"))
    runner = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(runner)
    for idle_share, expected in (1, 3), (0.1, 2):
        begun = time.monotonic()
        runner.idle_and_all = lambda: (idle_share * 200 * (time.monotonic() - begun), 200 * (time.monotonic() - begun))
        gate, inside, leave = runner.Gate(2, 3), [], threading.Event()

        def wait():
            with gate.passed(waits=True):
                inside.append(time.monotonic() - begun)
                leave.wait()

        waiting = [threading.Thread(target=wait) for _ in range(4)]
        for thread in waiting:
            thread.start()
        time.sleep(3 * runner.IDLE_S)
        expect(len(inside) == expected, str(inside))
        expect(expected == 2 or inside[2] >= runner.IDLE_S, str(inside))
        leave.set()
        for thread in waiting:
            thread.join()
        expect(len(inside) == 4, str(inside))


def lanes(tree):
    """Of one lane two run at a time, beside the others; and who wants to be alone is."""
    mark = tree / "running"
    for name, line in ("alone", "alone: it measures"), *((f"{i}", "lane: slow, because") for i in range(4)):
        count = f"mkdir -p {mark}; touch {mark}/$$; ls {mark} | wc -l >>{tree}/{'alone' if name == 'alone' else 'others'}; sleep 0.5; rm {mark}/$$"
        write(tree / f"tests/e2e/lane_{name}.sh", f"#!/bin/sh\n# timeout: {300 if name == 'alone' else 10}\n# {line}\n{count}\n", 0o755)
    status, _, output = run(tree, "--filter", "/lane_")
    expect(status == 0, output)
    expect((tree / "alone").read_text() == "1\n", (tree / "alone").read_text())
    others = (tree / "others").read_text().split()
    expect(len(others) == 4 and set(others) == {"1", "2"}, str(others))


def signals(tree):
    """Of what is ignored where it was started, in the background or by nohup, tests know nothing."""
    write(tree / "tests/e2e/signals.sh", "#!/bin/sh\nexec grep -x 'SigIgn:[[:space:]]*0*' /proc/self/status\n", 0o755)
    done = subprocess.run(
        ["sh", "-c", "trap '' INT QUIT HUP; exec \"$@\"", "sh", SRC / "tests/run", "--source", tree, "--build", tree / "build",
         "--filter", "e2e/signals"], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stdout)


def units(tree):
    def program(name, body):
        write(tree / f"tests/unit/test_{name}.c", "")
        write(tree / f"build/tests/test_{name}", f"#!/bin/sh\n{body}\n", 0o755)

    program("two", "printf '1..2\\nok 1 - a\\nok 2 - b\\n'")
    program("one", "printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n# why\\n'; exit 1")
    program("skip", "printf '1..1\\nno kernel\\nok 1 # SKIP a\\n'")
    program("crash", "printf '1..3\\nok 1 - a\\n'; kill -SEGV $$")
    program("late", "printf '1..1\\nok 1 - a\\n'; exit 86")
    program("none", "true")
    write(tree / "tests/unit/test_unbuilt.c", "")
    status, lines, output = run(tree, "--filter", "^unit/")
    expect(status == 1 and lines[-1] == "5 passed, 4 failed, 2 skipped", output)
    for part in "FAILED   unit/test_one/b", "# why", "skipped  unit/test_skip/a: no kernel":
        expect(part in lines, output)
    for part in "killed by SIGSEGV after 1 of 3", "exit status 86 after 1 of 1", "exit status 0 after 0 of 0":
        expect(part in output, output)


def corpus(tree):
    write(tree / "fuzz/fuzz_x.c", "")
    write(tree / "build/fuzz/fuzz_x", '#!/bin/sh\n[ "$(cat "$@")" = ab ]\n', 0o755)
    expect("its corpus is empty" in run(tree, "--filter", "^fuzz/")[2], "an empty corpus goes unnoticed")
    write(tree / "fuzz/corpus/x/1", "a")
    write(tree / "fuzz/corpus/x/2", "b")
    status, lines, output = run(tree, "--filter", "^fuzz/")
    expect(status == 0 and lines[-1] == "1 passed, 0 failed, 0 skipped", output)


with tempfile.TemporaryDirectory() as folder:
    for part in golden, whole_programs, told, again, longest_first, more_where_idle, lanes, signals, units, corpus:
        part(pathlib.Path(folder))
    code, _, text = run(pathlib.Path(folder), "--filter", "no such test")
    expect(code == 1 and "no test matches" in text, text)
