"""Runs the test_ functions of a whole-program test, each in a folder of its own."""

import faulthandler
import functools
import os
import shutil
from pathlib import Path

ONLY = os.environ.get("SUITE_ONLY")  # the name of one function
SEEN = os.environ.get("MUTANT_SEEN")


def measures(test):
    """Of a test that compares measured times: a busy machine may spoil one round, a fault is there in each of three."""

    @functools.wraps(test)
    def rounds():
        top = Path.cwd()
        for number in (1, 2, 3):
            (top / f"round{number}").mkdir()
            os.chdir(top / f"round{number}")
            try:
                return test()
            except AssertionError as error:
                if number == 3:
                    raise
                print(f"once more: {error}")
            finally:
                os.chdir(top)

    return rounds


def keep_seen(name):
    """For script/soak mutants: which parts of the program ran since the last call (bench/mutant_switch.h). What a test
    that failed came to has the ending .failed."""
    if SEEN:
        shutil.copyfile(SEEN, f"{SEEN}.{name}")
        with open(SEEN, "r+b") as seen:
            seen.write(bytes(os.path.getsize(SEEN)))


def run_tests(names):
    """`names`: globals() of the test. Returns the exit status; prints a line for each."""
    faulthandler.enable()  # tests/run aborts what does not end in time: the last lines say where it was
    top, failed_count = Path.cwd(), 0
    keep_seen("before")
    for name, test in list(names.items()):
        if not name.startswith("test_") or ONLY not in (None, name):
            continue
        (top / name).mkdir()
        os.chdir(top / name)
        seen = name
        try:
            test()
            print(f"ok    {name}", flush=True)
        except Exception as error:  # one broken test must not hide the others
            failed_count += 1
            seen = f"{name}.failed"
            line = error.__traceback__.tb_next
            while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_filename == names["__file__"]:
                line = line.tb_next
            print(f"FAIL  {name}, line {line.tb_lineno if line else '?'}: {type(error).__name__}: {error}")
        os.chdir(top)
        keep_seen(seen)
    return 1 if failed_count else 0
