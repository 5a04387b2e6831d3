"""Runs the test_ functions of a whole-program test, each in a folder of its own."""

import functools
import os
from pathlib import Path


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


def run_tests(names):
    """`names`: globals() of the test. Returns the exit status; prints a line for each."""
    top, failed_count = Path.cwd(), 0
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        (top / name).mkdir()
        os.chdir(top / name)
        try:
            test()
            print(f"ok    {name}")
        except Exception as error:  # one broken test must not hide the others
            failed_count += 1
            line = error.__traceback__.tb_next
            while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_filename == names["__file__"]:
                line = line.tb_next
            print(f"FAIL  {name}, line {line.tb_lineno if line else '?'}: {type(error).__name__}: {error}")
        os.chdir(top)
    return 1 if failed_count else 0
