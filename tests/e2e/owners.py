#!/usr/bin/env python3
# sanitized: long, most of it is the programs' own work; run and top read the same
# timeout: 500
"""What the last line of `run` says of the programs of tests/owners that need no more than the tests need anyway;
bench/soak.d/owners.py judges all of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import failing, heapflame, need
from _owners import RIGHT, SENTENCE, SETS, answer_of, labels, look_at
from _suite import run_tests

need("gcc", "g++")

# One of each kind of those that are compiled by what the tests need anyway.
CHOSEN = {"c_plain.c", "c_xmalloc.c", "c_perform.c", "c_vector.c", "c_asprintf.c", "c_plugin.c", "cc_map.cc", "cc_template.cc", "cc_algorithm.cc"}


# Sanitized, one of each language is enough of what is read the same way: the rest is the programs' own work.
FEW = {"c_plain.c", "cc_map.cc", "c_till.c", "cc_dicom.cc", "rs_glucose.rs", "pl_docket.pl", "py_customs.py"}
IS_SANITIZED = "HEAPFLAME_SANITIZED" in os.environ


def test_labels_are_sound():
    """Every program has one guilty line, is labelled once, and no name is of two columns."""
    assert len(SETS) >= 17, SETS
    for folder in SETS.values():
        check_labels(folder)


def check_labels(folder):
    rows = labels(folder)
    assert len(rows) >= 25 and len({row.program for row in rows}) == len(rows), [row.program for row in rows]
    sources = {path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".md"} - {"c_plugin_library.c"}
    assert sources == {row.program for row in rows}, sources ^ {row.program for row in rows}
    for row in rows:
        assert row.marked == (row.source.suffix != ".sh"), f"{row.program}: {row.marked} guilty lines"
        columns = {"right": row.guilty, "wrapper": row.wrappers, "other user's code": row.others}
        for answer, names in ((answer, [one.pattern for one in column]) for answer, column in columns.items()):
            for name in (name for name in names if re.fullmatch(r"[\w:]+", name)):
                assert row.judge(name) == answer, (row.program, name, row.judge(name))


def test_sentences():
    """What is taken for the answer."""
    for sentence, name, held in (
        ("parse (a.c:5) holds 1.0 MiB of 2.0 MiB in use: see x", "parse", "1.0 MiB of 2.0 MiB"),
        ("peaked at 40.1 MiB after 0.3 s: spike (s.c:9) held 38.1 MiB of 40.1 MiB; at the end main (s.c:3) holds 1 B of 1 B in use: see x",
         "spike", "38.1 MiB of 40.1 MiB"),
        ("a::b via std::string holds 3 B of 3 B in use: see x", "a::b", "3 B of 3 B"),
    ):  # fmt: skip
        found = SENTENCE.search(f"heapflame: in use over 4 s: , at most 1 B\nheapflame: {sentence}\n")
        assert (found["name"], found["held"]) == (name, held), found
    resident = "resident 65.2 MiB: mapped by parse (a.py:12) via PyUnicode_Concat 54.5 MiB, mapped by x 1.0 B, files 5.8 MiB: see x"
    assert answer_of(f"heapflame: {resident}\n") == ("parse", "a.py:12", "54.5 MiB of 65.2 MiB resident")
    assert answer_of("heapflame: resident 5.0 MiB: mapped by a b 5.0 MiB\nheapflame: f holds 1 B of 1 B in use\n")[0] == "f"
    assert answer_of("heapflame: resident 5.0 MiB: files 5.0 MiB\n") is None


HOLDER = """import os
class Desk:
    def __init__(self):
        self.slips = []

    def run(self, month):
        slip = self.compute(month)
        self.file(slip)

    def compute(self, month):
        return bytearray(40000 + month % 7)

    def file(self, slip):
        self.slips.append(slip)

def main():
    desk = Desk()
    for month in range(600):
        desk.run(month)
    os._exit(0)

main()
"""


def sentence_of(name, text):
    """The last lines of an exact run of a script."""
    Path(name).with_suffix(".py").write_text(text)
    done = subprocess.run(["heapflame", "run", "--exact", "-o", f"{name}.hfb", "--", "/usr/bin/python3", f"{name}.py"], capture_output=True,
                          text=True, check=True, timeout=200)  # fmt: skip
    return done.stderr


def test_who_keeps_what_another_makes():
    """A function that was not running when the memory was allocated; its container takes a few KiB of its own."""
    said = sentence_of("desk", HOLDER)
    assert re.search(r"Desk\.file \(desk\.py:14\) via Desk\.compute holds 2\d\.\d MiB of ", said), said
    top = heapflame("top", "desk.hfb")
    assert re.search(r"Desk\.file +desk\.py:14  via Desk\.compute", top), top
    stacks = heapflame("fold", "desk.hfb")
    assert re.search(r"Desk\.run;.*Desk\.compute", stacks) and "Desk.file;PyList" not in stacks, stacks
    heapflame("flame", "desk.hfb", "-o", "desk.html")
    assert re.search(r"of which Desk\.file \(desk\.py:14\) keeps 2\d\.\d MiB\.", Path("desk.html").read_text())


ROWS = """import csv, io, os
class Statement:
    def __init__(self, text):
        self.reader = csv.DictReader(io.StringIO(text))
    def __iter__(self):
        for row in self.reader:
            yield row
class Worklist:
    def __init__(self):
        self.items = []
    def suspend(self, line):
        self.items.append(line)
def main():
    worklist = Worklist()
    for line in Statement("a,b,c" + chr(10) + ("x" * 4000 + ",second,third" + chr(10)) * 6000):
        worklist.suspend(line)
    os._exit(0)
main()
"""


def test_who_keeps_what_a_loop_takes():
    """From a generator, for which a function of Python's library makes it: that is no owner because the program begins above it."""
    said = sentence_of("rows", ROWS)
    assert re.search(r"Worklist\.suspend \(rows\.py:12\) via \S+ holds 2\d\.\d MiB of ", said), said


# One function makes a value, another keeps it; in C++ with all that stands between.
KEPT = {
    "done.c": """#include <stdlib.h>
#include <string.h>
struct preview { char *bytes; size_t size; };
struct done { struct done *next; struct preview preview; };
static struct done *last;
__attribute__((noinline)) static struct preview encode(int id)
{
    struct preview p = {malloc(40000), 40000};
    memset(p.bytes, id, p.size);
    return p;
}
__attribute__((noinline)) static void finished(struct preview preview)
{
    struct done *d = malloc(sizeof(*d));
    d->preview = preview;
    d->next = last;
    last = d;
}
__attribute__((noinline)) static void work(int id) { finished(encode(id)); }
__attribute__((noinline)) static void looked(int id)
{
    struct preview mine = encode(id);
    free(mine.bytes);
}
int main(void)
{
    for (int i = 0; i < 600; i++) {
        work(i);
        looked(i);
    }
    return last == NULL;
}
""",
    "sensor.cc": """#include <map>
#include <string>
namespace net {
struct Segment { unsigned at; std::string payload; };
class Stream {
public:
    __attribute__((noinline)) void receive(Segment &&segment) {
        if (segment.at > 1)
            hold(std::move(segment));
    }
private:
    __attribute__((noinline)) void hold(Segment &&segment) {
        early_.try_emplace(segment.at, std::move(segment));
    }
    std::map<unsigned, Segment> early_;
};
class Capture {
public:
    __attribute__((noinline)) Segment next(unsigned at) {
        Segment segment{at, text()};
        return segment;
    }
private:
    __attribute__((noinline)) std::string text() {
        std::string out;
        out.append(40000, 'x');
        return out;
    }
};
}
static net::Stream stream;
int main() {
    net::Capture capture;
    for (unsigned i = 2; i < 602; i++)
        stream.receive(capture.next(i));
    return 0;
}
""",
}


def test_who_keeps_what_another_makes_in_c():
    """By the sources of C and C++, while they are there; without them, the answer is on the stack."""
    for name, text, kept, without in (
        ("done", "done.c", r"finished \(done\.c:17\) via encode", r"(work|encode) \(done\.c:\d+\)( via encode)?"),
        ("sensor", "sensor.cc", r"net::Stream::hold \(sensor\.cc:13\) via net::Capture::\w+", r"(net::Capture::\w+|main).*"),
    ):
        Path(text).write_text(KEPT[text])
        subprocess.run(["gcc" if text.endswith(".c") else "g++", "-g", "-O2", "-o", name, text, *["-lstdc++"] * text.endswith("cc")], check=True)
        run = ["heapflame", "run", "--exact", "-o", f"{name}.hfb", "--", f"./{name}"]
        done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=100)
        assert re.search(kept + r" (holds|held) 2\d\.\d MiB of ", done.stderr), done.stderr
        where = "done.c:17" if name == "done" else "sensor.cc:13"
        assert re.search(re.escape(where) + " ", heapflame("top", f"{name}.hfb@peak")), heapflame("top", f"{name}.hfb@peak")
        Path(text).rename(f"{text}.moved")
        done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=100)
        assert re.search(": " + without + " (holds|held) 2", done.stderr) and where not in done.stderr, done.stderr


def test_who_keeps_what_a_helper_made():
    """By what the caller gave, in a list that a loop goes through, what one function takes from where another had put it,
    what it is called for by a pointer, what a coroutine is, an iterator of its own, and methods of objects of Perl."""
    programs = {"c_till.c", "c_waterfall.c", "cc_dicom.cc"}
    programs |= {"c_dialplan.c", "cc_algebra.cc", "cc_weighbridge.cc", "rs_glucose.rs", "pl_docket.pl", "pl_hamradio.pl",
                 "py_customs.py"}  # fmt: skip
    programs &= FEW if IS_SANITIZED else programs
    rows = [row for name in ("twelfth", "fourteenth") for row in labels(SETS[name]) if row.program in programs]
    for row in rows:
        look_at(row, "--exact")
    wrong = [(row.program, row.missing, row.name, row.where) for row in rows if row.answer != RIGHT]
    assert len(rows) == len(programs) and not wrong, wrong


def test_who_takes_what_another_put_down():
    """What a function keeps of one type, what it chooses a container of anything for, what another one takes out of a queue, and
    what points to itself when the variable is gone that held it."""
    programs = {"c_undo.c", "c_gallery.c", "c_mailroom.c", "c_worker.c", "cc_family.cc", "cc_pipeline.cc", "pl_inventory.pl"}
    rows = [row for row in labels(SETS["shapes"]) if row.program in programs]
    for row in rows:
        look_at(row, "--exact")
    wrong = [(row.program, row.missing, row.name, row.where) for row in rows if row.answer != RIGHT]
    assert len(rows) == len(programs) and not wrong, wrong


def test_owners():
    """Exact, so that no row hangs on a sample that was not taken."""
    programs = CHOSEN & FEW if IS_SANITIZED else CHOSEN
    rows = [row for row in labels() if row.program in programs]
    for row in rows:
        look_at(row, "--exact")
    wrong = [(row.program, row.missing, row.name, row.where) for row in rows if row.answer != RIGHT or not row.is_line_right]
    assert len(rows) == len(programs) and not wrong, wrong


def test_what_is_told():
    [row] = [row for row in labels() if row.program == "c_xmalloc.c"]
    for options, owner in (["--own", "^xmalloc$"], "xmalloc"), (["--wrapper", "^read_config$"], "main"):
        look_at(row, "--exact", *options)
        assert row.name == owner, (options, row.message)
    for option in "--own", "--wrapper":
        message = failing(125, "run", option, "(", "--", "./c_xmalloc")
        assert message.startswith(f"heapflame: {option}: regular expression '('"), message


def test_top_names_the_same():
    [row] = [row for row in labels() if row.program == "cc_map.cc"]
    look_at(row, "--exact")
    assert re.search(r"via std::\w+ holds", row.message), row.message
    table = heapflame("top", "--by", "owner", "cc_map.hfb").splitlines()
    assert table[1].split()[-2:] == ["owner", "where"] and re.search(r"Registry::record +cc_map.cc:\d+  via std::", table[2]), table


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
