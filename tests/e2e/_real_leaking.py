"""Programs of tests/owners whose leak begins at a known time (see _real.py)."""

import os
import re
import shutil
import time

from _owners import PROGRAMS, RIGHT, SETS, command_of, labels
from _real import PACED, Program
from _real_healthy import ask_redis, paced, redis_command, redis_stream

# (folder, program, calls of the guilty function a second, what stands in its source, what takes its place)
LEAKING = [
    (PROGRAMS, "c_plain.c", 1000, "int i = 0; i < 50000; i++", "int i = 0; served(); i++"),
    (PROGRAMS, "c_callbacks.c", 1000, "int i = 0; i < 60000; i++", "int i = 0; served(); i++"),
    (PROGRAMS, "cc_map.cc", 1000, "int i = 0; i < 80000; i++", "int i = 0; served(); i++"),
    (PROGRAMS, "cc_shared.cc", 1000, "int i = 0; i < count; i++", "int i = 0; i < count && served(); i++"),
    (PROGRAMS, "rs_map.rs", 1000, "number in 0..60_000", "number in std::iter::from_fn(served)"),
    (PROGRAMS, "rs_cycle.rs", 1000, "(0..count)", "(0..count).map_while(|_| served())"),
    (PROGRAMS, "py_lists.py", 500, "for _ in range(40000):", "while served():"),
    (SETS["second"], "py_cache.py", 800, "for request in range(50000):", "for request in iter(served, 0):"),
    (PROGRAMS, "pl_hash.pl", 800, "log_in($_) for 1 .. 50000;", "while (my $number = served()) { log_in($number) }"),
    (PROGRAMS, "rb_strings.rb", 1000, "60_000.times { |number| tail(number) }", "while (number = served) do tail(number) end"),
    (PROGRAMS, "php_array.php", 1000, "$number = 0; $number < 60000; $number++", "$number = 0; served(); $number++"),
    (PROGRAMS, "js_buffers.js", 20, "let number = 0; number < 1000; number++", "let number = 0; served(); number++"),
]
# The line that takes the place of the first comment, and the file that it names.
IMPORTS = {
    ".c": ('#include "pace.h"', "pace.h"),
    ".cc": ('#include "pace.h"', "pace.h"),
    ".rs": ('include!("pace.rs");', "pace.rs"),
    ".py": ("from pace import served", "pace.py"),
    ".pl": ('require "./pace.pl";', "pace.pl"),
    ".rb": ('require "./pace"', "pace.rb"),
    ".php": ('require "./pace.php";', "pace.php"),
    ".js": ('const { served } = require("./pace.js");', "pace.js"),
}
COMMENT = re.compile(r"^(//|#|/\*).*$", re.MULTILINE)


def pace_of(healthy_s, leaking_s, rate):
    return {"PACE_HEALTHY_S": str(healthy_s), "PACE_LEAKING_S": str(leaking_s), "PACE_RATE": str(rate)}


def leaking(row, healthy_s, leaking_s):
    """A program of tests/owners, whose loop is made to wait for its time."""
    folder, name, rate, count, instead = row
    (label,) = [label for label in labels(folder) if label.program == name]

    def start(program):
        line, pace = IMPORTS[label.source.suffix]
        text = label.source.read_text()
        assert text.count(count) == 1, f"{name} has no loop '{count}'"
        text = COMMENT.sub(lambda _: line, text.replace(count, instead), count=1)
        label.source = program.folder / name
        label.source.write_text(text)
        shutil.copy(PACED / pace, program.folder)
        os.chdir(program.folder)
        command = command_of(label)
        os.chdir(program.folder.parent)
        program.missing = label.missing
        return command

    variables = pace_of(healthy_s, leaking_s, rate)
    if name.endswith(".php"):
        variables["USE_ZEND_ALLOC"] = "0"  # PHP maps its heap itself, in chunks that are not seen as blocks
    return Program(name.replace(".", "_"), start, judge=label.judge, environment=variables)


def names_like(pattern):
    return lambda name: RIGHT if re.fullmatch(pattern, name) else "other"


def leaking_bash(healthy_s, leaking_s):
    return Program(
        "bash", lambda _: ["bash", PACED / "array.sh"], environment=pace_of(healthy_s, leaking_s, 1000),
        judge=names_like("array_create_element|array_insert|assign_array_element.*"))  # fmt: skip


def leaking_redis(healthy_s, leaking_s):
    """Lists of a redis without a limit: the same keys again, and then values that are pushed for ever."""

    def ask(program):
        stream, begin = redis_stream(program), time.time() + healthy_s
        for number in paced(20):
            requests = [[b"SET", b"key:%d" % (number * 50 % 3000 + i), b"v" * (200 + number * 7919 % 700)] for i in range(50)]
            if time.time() > begin:
                if program.noted("onset") is None:
                    program.note("onset")
                requests += [[b"RPUSH", b"list%d" % (number % 10), b"x" * 900]] * 50
            ask_redis(stream, *requests)
            if time.time() > begin + leaking_s:
                break
        stream.write(b"SHUTDOWN NOSAVE\r\n")
        stream.flush()

    guilty = "lpInsert|lpAppend|quicklist.*|pushGenericCommand"  # as tests/owners/LABELS.md says of real_redis.sh
    return Program("redis_lists", redis_command, ask, judge=names_like(guilty))
