#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""PHP frames in the stacks that the agent records: equal to what debug_backtrace says at each allocation."""

import re
import subprocess
import sys
from pathlib import Path

from _agent import PROGRAMS, forget_tables, only_table, profiled
from _heap import HEAPFLAME, need
from _interpreted import check_stacks, play_scenes, scene_test
from _suite import run_tests

need("php")
SCENES = PROGRAMS / "php_scenes.php"
KILLED = -9


def play(conf, *scenes, zend="0"):
    """PHP's own allocator is not used but with zend="1"."""
    command = "php", SCENES, Path.cwd(), *scenes
    return play_scenes(conf, *command, status=KILLED, path_bytes=256, variables={"USE_ZEND_ALLOC": zend})


def check(conf, *scenes, **more):
    return check_stacks("PHP", *play(conf, *scenes), is_exact="exact" in conf, **more)


def scene(name, least, **more):
    return scene_test(check, name, least, **more)


test_plain_calls = scene("plain_calls", 9)
test_objects = scene("objects", 20)
test_native_code = scene("native_code", 14)
test_generators = scene("generators", 12)
test_exceptions = scene("exceptions", 10)
test_errors = scene("errors", 5)
test_code = scene("code", 100)
test_words = scene("words", 5)
test_fibers = scene("fibers", 4, may_be_cut=True)  # which have stacks of their own


def test_sampled():
    assert check("period:65536,seed:7") >= 50


def test_place():
    """PHP frames stand outward of the executor's frame that runs them; where native code called PHP, native frames are between."""
    Path("place.php").write_text(
        "<?php\nfunction inner() {\n    global $kept; $kept[] = str_repeat('x', 300000);\n}\n"
        "function outer() {\n    inner();\n}\nouter();\narray_map('inner', [1]);\nposix_kill(getmypid(), 9);\n")
    profiled("exact:true,budget:256MiB", "php", "place.php", status=KILLED, variables={"USE_ZEND_ALLOC": "0"})
    folded = subprocess.run([HEAPFLAME, "fold", "--lines", only_table()], capture_output=True, text=True, check=True).stdout
    assert re.search(r"<main> \S*place.php:8;outer \S*place.php:6;inner \S*place.php:3;execute_ex", folded), folded[:2000]
    assert re.search(r"<main> \S*place.php:9;execute_ex\S*;(?!.*<main>)\S*;inner \S*place.php:3;execute_ex", folded), folded[:2000]


def test_code_that_ends():
    """An included file's code is freed while its call is still the innermost one; large blocks are unmapped at once."""
    Path("large.php").write_text("<?php\n" + "$f = function() {};\n" * 4000)
    Path("ends.php").write_text("<?php\nfor ($i = 0; $i < 30; $i++) include __DIR__ . '/large.php';\n"
                                "for ($i = 0; $i < 500; $i++) eval('$k[] = function() { return 1; };');\nposix_kill(getmypid(), 9);\n")
    for conf in "exact:true,budget:256MiB", "":
        profiled(conf, "php", "ends.php", status=KILLED, variables={"USE_ZEND_ALLOC": "0"}, timeout=100)
        forget_tables()


def test_below_other_files():
    """With opcache, memory that looks like a file is mapped below the program; the map is read again for late libraries."""
    Path("late.php").write_text(
        "<?php\nfunction keep_it(&$kept) {\n    for ($i = 0; $i < 40; $i++) $kept[] = str_repeat('x', 300000);\n}\n"
        "dl('iconv');\ndl('readline');\nkeep_it($kept);\nposix_kill(getmypid(), 9);\n")
    folder = subprocess.run(["php", "-r", "echo ini_get('extension_dir');"], capture_output=True, text=True, check=True).stdout
    options = ["-n", "-d", f"extension_dir={folder}", "-d", "extension=posix", "-d", "zend_extension=opcache", "-d", "opcache.enable_cli=1"]
    profiled("exact:true,budget:256MiB", "php", *options, "late.php", status=KILLED, variables={"USE_ZEND_ALLOC": "0"})
    folded = subprocess.run([HEAPFLAME, "fold", only_table()], capture_output=True, text=True, check=True).stdout
    assert "keep_it" in folded, folded[-2000:]


def test_mapped():
    """PHP's own heap is mapped, and the mapping has the stack that asked for it."""
    said, table = play("", "mapped", zend="1")
    mappings = table.mappings()
    for size, expected in said.items():
        assert [frame for frame in mappings[size] if frame] == expected, (mappings[size], expected)
    assert len(said) == 1


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
