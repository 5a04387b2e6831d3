#!/usr/bin/env python3
# timeout: 240
"""The symbol cache: the second answer is the first one, read from nothing but the entry, and whatever has changed or
is damaged, the answer is the one without a cache."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from _heap import HEAPFLAME, compile_program, need, run, run_profiled
from _suite import run_tests

need("gcc", "g++", "objcopy", "objdump", "nm", "readelf")

LONG_AGO = time.time() - 86400  # of a file changed just now the next change might not show
PROGRAM = """
static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
int __attribute__((noinline)) outer(int x) { return inner(x) + inner(x * 2); }
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""


def environment(**more):
    return {**os.environ, "XDG_CACHE_HOME": str(Path.cwd() / "cache"), **more}


def entries():
    return sorted(path for path in Path("cache/heapflame").glob("*"))


def old(path):
    os.utime(path, (LONG_AGO, LONG_AGO))


def ask(binary, *options, program=HEAPFLAME, **more):
    """What addr2line says, on both streams, of all functions of the program, which is also the unharmed file "names"."""
    addresses = [f"0x{line.split()[0]}" for line in run("nm", "names").splitlines() if line.split()[-2] in "Tt"]
    done = subprocess.run([program, "addr2line", *options, "-afie", binary, *addresses], env=environment(**more),
                          capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def build(code=PROGRAM, *flags):
    Path("program.c").write_text(code)
    run("gcc", "-O2", "-g", *flags, "program.c", "-o", "names")
    shutil.copy("names", "program")
    old("program")


def build_apart():
    """A stripped program whose debug file is beside it."""
    build()
    run("objcopy", "--only-keep-debug", "names", "program.debug")
    run("objcopy", "-S", "--add-gnu-debuglink=program.debug", "names", "program")
    old("program.debug")
    old("program")


def overwrite(path, name):
    """Zeros in the place of a section, in the same file as before."""
    found = re.search(rf" {re.escape(name)} +\w+ +\w+ (\w+) (\w+)", run("readelf", "-SW", path))
    with open(path, "r+b") as file:
        file.seek(int(found[1], 16))
        file.write(bytes(int(found[2], 16)))
    old(path)


def test_debug_information_is_not_read_again():
    """It is destroyed after the first run, in a way that the file's time and size do not show."""
    build()
    plain = ask("program", "--no-cache")
    assert "inner\n" in plain and "program.c:2\n" in plain and not Path("cache").exists()
    assert ask("program") == plain and len(entries()) == 1
    for section in ".debug_info", ".debug_line", ".debug_str", ".symtab":
        overwrite("program", section)
    assert ask("program") == plain != ask("program", "--no-cache")


def test_debug_file_is_not_read_again():
    build_apart()
    plain = ask("program", "--no-cache")
    assert "inner\n" in plain
    assert ask("program") == plain and len(entries()) == 1
    Path("program.debug").write_bytes(bytes(Path("program.debug").stat().st_size))
    old("program.debug")
    assert ask("program") == plain and "inner" not in ask("program", "--no-cache")


def test_every_program():
    """All functions of the programs of the other tests, through the commands, byte for byte."""
    for source in "golden.c", "shapes.cc", "leaks.cc":
        name = Path(source).stem
        compile_program(source, "names")
        shutil.copy("names", name)
        for options in (), ("-C",), ("-Cs",):
            plain = ask(name, "--no-cache", *options)
            assert [ask(name, *options), ask(name, *options)] == [plain, plain], (source, options)
    run_profiled("./golden", "a.heap", "b.heap")
    for command in ("fold", "--lines"), ("fold", "--full-names"), ("top",), ("flame", "--title", "t"):
        plain = run(HEAPFLAME, *command, "--no-cache", "b.heap", env=environment())
        assert plain and all(run(HEAPFLAME, *command, "b.heap", env=environment()) == plain for _ in "12"), command


def test_only_new_addresses_are_looked_up():
    """Some addresses first, then all: both end up in the entry, and the sum is what one run finds."""
    build()
    plain = ask("program", "--no-cache")
    main = next(line.split()[0] for line in run("nm", "names").splitlines() if line.endswith(" main"))
    run(HEAPFLAME, "addr2line", "-e", "program", main, env=environment())
    first = entries()[0].stat().st_size
    assert ask("program") == plain
    assert len(entries()) == 1 and entries()[0].stat().st_size > first
    overwrite("program", ".debug_info")
    assert ask("program") == plain


def test_damage_is_not_believed():
    """Bytes changed, cut off and added, all over the entry: the answer is looked up and the entry made again."""
    build()
    plain = ask("program")
    entry, whole = entries()[0], entries()[0].read_bytes()
    step = max(1, len(whole) // 60)
    damaged = [whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:] for at in range(0, len(whole), step)]
    damaged += [whole[:size] for size in range(0, len(whole), len(whole) // 8)] + [whole + b"x", b"", b"text\n"]
    for content in damaged:
        entry.write_bytes(content)
        assert ask("program") == plain
        assert entry.read_bytes() == whole


def test_many_at_once():
    build()
    plain = ask("program", "--no-cache")
    command = [HEAPFLAME, "addr2line", "-afie", "program"]
    addresses = [f"0x{line.split()[0]}" for line in run("nm", "names").splitlines() if line.split()[-2] in "Tt"]
    for _ in range(5):
        running = [subprocess.Popen([*command, *addresses], env=environment(), stdout=subprocess.PIPE, text=True)
                   for _ in range(8)]
        assert all(process.communicate()[0] == plain and process.returncode == 0 for process in running)
        assert len(entries()) == 1
        entries()[0].unlink()


def test_another_heapflame():
    """The entry of another build is not used, whatever its version says."""
    build()
    plain = ask("program")
    made = entries()[0].stat().st_ino
    overwrite("program", ".debug_abbrev")
    assert ask("program") == plain and entries()[0].stat().st_ino == made
    shutil.copy(HEAPFLAME, "another")
    old("another")
    assert ask("program", program="./another") == ask("program", "--no-cache") != plain
    assert entries()[0].stat().st_ino != made


def test_replaced_binary():
    """At the same path: with another build-id, and without one."""
    for flags in (), ("-Wl,--build-id=none",):
        build(PROGRAM, *flags)
        ask("program")
        changed = PROGRAM.replace("int x) { return x * 3", "int x)\n\n{ return x * 5")
        build(changed, *flags)
        os.utime("program", (LONG_AGO + 1, LONG_AGO + 1))
        assert ask("program") == ask("program", "--no-cache"), flags
        assert "program.c:4\n" in ask("program"), flags


def test_debug_file_comes_and_goes():
    build_apart()
    debug = Path("program.debug").rename("later")
    without = ask("program")
    assert "inner" not in without and ask("program") == without and len(entries()) == 1
    shutil.copy2(debug, "program.debug")
    found = ask("program")
    assert "inner\n" in found and found == ask("program", "--no-cache") == ask("program")
    Path("program.debug").unlink()
    assert ask("program") == without
    Path("symbols").mkdir()
    shutil.copy2(debug, "symbols/program.debug")
    assert ask("program", "--symdir", "symbols") == found and ask("program") == without


def test_split_dwarf():
    """A .dwo file that is gone is missed, one that is read was opened by the first run alone."""
    Path("program.c").write_text(PROGRAM)
    run("gcc", "-O2", "-g", "-gsplit-dwarf", "-c", "program.c")
    run("gcc", "program.o", "-o", "program")
    shutil.copy("program", "names")
    old("program.dwo"), old("program")
    plain = ask("program")
    assert "inner\n" in plain and len(entries()) == 1
    Path("program.dwo").write_bytes(bytes(Path("program.dwo").stat().st_size))
    old("program.dwo")
    assert ask("program") == plain
    Path("program.dwo").unlink()
    assert ask("program") == ask("program", "--no-cache") != plain


def test_warm():
    """Every call that objdump sees is known then, and symbols info says what is kept."""
    build()
    assert "cached from earlier runs: nothing\n" in run(HEAPFLAME, "symbols", "info", "program", env=environment())
    said = run(HEAPFLAME, "symbols", "warm", "program", env=environment())
    size = entries()[0].stat().st_size
    count = re.fullmatch(rf"program: (\d+) addresses, {size} bytes\n", said)[1]
    text = run(HEAPFLAME, "symbols", "info", "program", env=environment())
    assert f"cached from earlier runs: {count} addresses, {size} bytes in {entries()[0].resolve()}\n" in text, text
    document = json.loads(run(HEAPFLAME, "symbols", "info", "--json", "program", env=environment()))
    assert document["kept"] == {"addresses": int(count), "size": size}
    lines = re.findall(r"(?m)^ +(\w+):\t(.*)$", run("objdump", "-d", "--no-show-raw-insn", "program"))
    calls = [hex(int(after, 16) - 1) for (_, code), (after, _) in zip(lines, lines[1:]) if re.match(r"(bnd )?(call|blr?)\b", code)]
    assert len(calls) > 3 and len(calls) <= int(count)
    plain = run(HEAPFLAME, "addr2line", "--no-cache", "-afie", "names", *calls)
    for section in ".debug_info", ".debug_line", ".symtab":
        overwrite("program", section)
    assert run(HEAPFLAME, "addr2line", "-afie", "program", *calls, env=environment()) == plain


def test_warm_says_what_went_wrong():
    build()
    done = subprocess.run([HEAPFLAME, "symbols", "warm", "program"], env=environment(XDG_CACHE_HOME="/proc/none"),
                          capture_output=True, text=True, check=False)
    assert done.returncode == 5 and "program: its names cannot be cached: the folder /proc/none/heapflame" in done.stderr


def test_notes_are_not_lost():
    """What comes with a note is not kept, so the note comes again."""
    build()
    overwrite("program", ".debug_info")
    plain = ask("program", "--no-cache")
    assert "damaged" in plain
    assert ask("program") == plain == ask("program") and not entries()


def test_fresh_files_are_not_trusted():
    """The next change of a file that was just changed may have the same time: nothing is kept."""
    build_apart()
    os.utime("program.debug")
    assert ask("program") == ask("program", "--no-cache") and not entries()


def test_folder_of_nobody_else():
    """No cache where the folder is a link, can be written by others, is another's, or cannot be made."""
    build()
    plain = ask("program", "--no-cache")
    cache, away = Path("cache/heapflame"), Path("away")
    cache.parent.mkdir()
    away.mkdir()
    cache.symlink_to(away.resolve())
    assert ask("program") == plain and not list(away.iterdir())
    cache.unlink()
    cache.mkdir()
    cache.chmod(0o777)
    assert ask("program") == plain and not entries()
    cache.rmdir()
    cache.write_text("no folder\n")
    assert ask("program") == plain and cache.read_text() == "no folder\n"
    assert ask("program", XDG_CACHE_HOME="/proc/none", HOME="/proc/none") == plain
    cache.unlink()
    if os.geteuid() == 0:  # as root in the home of somebody else
        os.chown(cache.parent, 1, 1)
        assert ask("program") == plain and not cache.exists()
        cache.mkdir()
        os.chown(cache, 1, 1)
        assert ask("program") == plain and not entries()
        shutil.rmtree(cache.parent)
    # And where it can: of its user alone, in the home folder if nothing else is said.
    shutil.rmtree("cache", ignore_errors=True)
    assert ask("program", XDG_CACHE_HOME="relative", HOME=str(Path.cwd() / "home")) == plain
    assert not Path("relative").exists() and not Path("home").exists()
    Path("home").mkdir()
    assert ask("program", XDG_CACHE_HOME="", HOME=str(Path.cwd() / "home")) == plain
    kept = Path("home/.cache/heapflame")
    assert [oct(path.stat().st_mode & 0o777) for path in (kept.parent, kept, *kept.iterdir())] == ["0o700", "0o700", "0o600"]


def test_link_in_the_folder():
    """An entry that is a link is not read, and what it leads to is not written to."""
    build()
    plain = ask("program")
    entry = entries()[0]
    entry.rename("away")
    before = Path("away").read_bytes()
    entry.symlink_to(Path("away").resolve())
    overwrite("program", ".debug_abbrev")
    assert ask("program") == ask("program", "--no-cache") != plain
    assert not entry.is_symlink() and Path("away").read_bytes() == before


def test_what_was_used_stays():
    """Of four entries that heapflame-tight made, the oldest is used again: it outlives the others."""
    tight = HEAPFLAME.parent / "tests/heapflame-tight"
    build()
    shutil.copy2("program", "p0")
    ask("p0", program=tight)
    size, first = entries()[0].stat().st_size, entries()[0].name
    count = 4000 // size  # HF_LIMIT_CACHE_BYTES of tests/limits_tight.h
    assert count > 2, size
    made = [first]
    for i in range(1, count):
        shutil.copy2("program", f"p{i}")
        ask(f"p{i}", program=tight)
        made += [path.name for path in entries() if path.name not in made]
    for age, name in enumerate(reversed(made)):
        os.utime(Path("cache/heapflame", name), (LONG_AGO - age * 60,) * 2)
    ask("p0", program=tight)
    shutil.copy2("program", "more")
    ask("more", program=tight)
    kept = {path.name for path in entries()}
    assert len(kept) == count and made[0] in kept and made[1] not in kept, (made, kept)


def test_leftovers_are_removed():
    """What a writer that was killed left behind, after an hour; what others are writing stays."""
    build()
    ask("program")
    for name, age in (".1.old", 7200), (".2.new", 10):
        path = Path("cache/heapflame", name)
        path.write_text("half")
        os.utime(path, (time.time() - age,) * 2)
    entries()[-1].unlink()
    ask("program")
    assert {path.name[:3] for path in entries() if path.name.startswith(".")} == {".2."}


sys.exit(run_tests(globals()))
