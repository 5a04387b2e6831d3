#!/usr/bin/env python3
# timeout: 300
"""Reading takes few instructions for each byte, names few for each byte of debug information, and little memory:
counted by Valgrind, so the load of the machine does not matter. The bounds are a quarter above what is needed today, of folded
stacks and their pictures a tenth; times are the matter of bench/read.py and bench/symbolize.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

from _names import Program, sweep
from _suite import run_tests

PROGRAMS = Path(os.environ["BUILD"], "bench")
AGENT = str(Path(os.environ["BUILD"], "agent/libheapflame.so").resolve())


def instructions_per_byte(*arguments):
    """Of reading the generated file, without what reading one line takes."""

    def count(name, data):
        Path(name).write_bytes(data)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                   f"{PROGRAMS}/read-profile", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))

    data = subprocess.run([f"{PROGRAMS}/generate-profile", *arguments], capture_output=True, check=True).stdout
    return (count("generated", data) - count("line", b"main 1\n")) / len(data)


def expect_at_most(bound, figure):
    print(f"{figure:.1f} instructions for each byte")
    assert figure <= bound, f"{figure:.1f} instructions for each byte, more than {bound}"


def test_heap_v2():
    expect_at_most(35, instructions_per_byte("heap_v2", "1000"))


def test_folded():
    expect_at_most(3.3, instructions_per_byte("folded", "500", "5000"))


def test_folded_when_most_stacks_are_new():
    expect_at_most(8, instructions_per_byte("folded", "500", "500"))


def of_heapflame(*arguments):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "heapflame", *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return sum(int(count) for count in re.findall(r"Collected : (\d+)", done.stderr))


def per_byte_of_stacks(count, *arguments):
    """Of a command that gets files of so many distinct stacks, without what it takes for one line."""
    size = 0
    for seed, name in enumerate(argument for argument in arguments if argument.endswith(".folded")):
        data = subprocess.run([f"{PROGRAMS}/generate-profile", "folded", str(count - seed)], capture_output=True, check=True).stdout
        Path(name).write_bytes(data)
        Path(f"one.{name}").write_bytes(b"main 1\n")
        size += len(data)
    few = [f"one.{argument}" if argument.endswith(".folded") else argument for argument in arguments]
    return (of_heapflame(*arguments) - of_heapflame(*few)) / size


def test_pictures():
    """To read distinct stacks, and to draw them: the sizes that bench/flame compares with flamegraph.pl."""
    expect_at_most(44, per_byte_of_stacks(2000, "flame", "-q", "-o", "picture.svg", "a.folded"))
    expect_at_most(31, per_byte_of_stacks(2000, "flamegraph.pl", "-q", "-o", "picture.svg", "a.folded"))


def test_difffolded():
    expect_at_most(17.5, per_byte_of_stacks(2000, "difffolded.pl", "-q", "a.folded", "b.folded"))


def colliding(count):
    """Folded stacks whose names all had one hash when it had no key; and as many of the same bytes that had not."""
    wall = (1 << 64) - 1

    def mix(a, b):
        return (a * b & wall) ^ (a * b >> 64)

    lines, number, shift = [], 0, 0x4141414141414141
    while len(lines) < count:
        number += 1
        word = b"%08x" % number
        second = (shift ^ mix(0x2d358dccaa6c78a5 ^ 16 ^ int.from_bytes(word, "little"), 0x8bb84b93962eacc9)).to_bytes(
            8, "little")
        if not set(second) & set(b"\0\t\n\r ;"):
            lines.append((word, second))
    return (b"".join(b"m;" + first + second + b" 1\n" for first, second in lines),
            b"".join(b"m;" + first + lines[i - 1][1] + b" 1\n" for i, (first, _) in enumerate(lines)))


def test_colliding_names_take_no_more_than_others():
    """Folded and pprof: every reader finds names by the same table."""
    counts = {}
    for name, data in zip(("chosen", "ordinary"), colliding(4000)):
        Path(f"{name}.folded").write_bytes(data)
        subprocess.run(["heapflame", "convert", "-q", "-o", f"{name}.pb.gz", f"{name}.folded"], check=True)
        for file in (f"{name}.folded", f"{name}.pb.gz"):
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                       f"{PROGRAMS}/read-profile", file]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            counts[file] = int(re.search(r"Collected : (\d+)", done.stderr).group(1))
    print(counts)
    for ending in ("folded", "pb.gz"):
        assert counts[f"chosen.{ending}"] <= 1.1 * counts[f"ordinary.{ending}"], counts


def names_program():
    """Compiles "large", C++ with large headers; "asked" has addresses of it. (bytes of .debug_info, addresses)"""
    Path("large.cc").write_text(
        "#include <iostream>\n#include <map>\n#include <regex>\n"
        "int main() { std::map<std::string, int> found; std::string line;\n"
        "while (std::getline(std::cin, line)) found[std::regex_replace(line, std::regex(\"a+b\"), \"\")]++;\n"
        "return (int)found.size(); }\n")
    subprocess.run(["g++", "-O1", "-g", "-o", "large", "large.cc"], check=True)
    sections = subprocess.run(["readelf", "-WS", "large"], capture_output=True, text=True, check=True).stdout
    size = int(re.search(r" \.debug_info +PROGBITS +\w+ \w+ (\w+)", sections).group(1), 16)
    addresses = sweep(Program("large"), 6000)
    Path("asked").write_text("".join(f"{address:#x}\n" for address in addresses))
    return size, len(addresses)


def valgrind(*options):
    command = ["valgrind", *options, "heapflame", "addr2line", "--no-cache", "-afi", "-e", "large", "@asked"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def test_names():
    size, count = names_program()
    done = valgrind("--tool=callgrind", "--callgrind-out-file=/dev/null")
    figure = int(re.search(r"Collected : (\d+)", done).group(1)) / size
    print(f"{size} bytes of debug information, {count} addresses: {figure:.1f} instructions for each byte")
    assert figure <= 97

    valgrind("--tool=massif", "--massif-out-file=massif")
    heap = max(int(used) for used in re.findall(r"mem_heap_B=(\d+)", Path("massif").read_text())) / count
    print(f"{heap:.0f} bytes of heap for each address")
    assert heap <= 850


def one_at_a_time(addresses):
    """Instructions of a command that gets these addresses one by one."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "heapflame", "addr2line", "--no-cache", "-f", "-e", "large"]
    with open("counted", "w+", encoding="ascii") as said:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True)
        for address in addresses:
            child.stdin.write(address)
            child.stdin.flush()
            child.stdout.readline(), child.stdout.readline()
        child.stdin.close()
        assert child.wait() == 0
        said.seek(0)
        return sum(int(count) for count in re.findall(r"Collected : (\d+)", said.read()))


def test_names_one_at_a_time():
    """What was read of the file stays: a further address does not read its unit again."""
    names_program()
    asked = Path("asked").read_text().splitlines(keepends=True)[::20]
    figure = (one_at_a_time(asked[:300]) - one_at_a_time(asked[:100])) / 200
    print(f"{figure:.0f} instructions for each further address")
    assert figure <= 250000


def instructions_of(*arguments, status=0):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "heapflame", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return sum(int(count) for count in re.findall(r"Collected : (\d+)", done.stderr))


def test_owners():
    """A function of a table by owners is compared with few of the hundreds of rules."""
    count = 3000
    names = "".join(f"{0x1000 + 16 * i:#x} Module{i % 97}::handle_request_{i}\n" for i in range(count))
    stacks = "".join(f"@ {0x1001 + 16 * i:#x}\n  t*: 1: 4096 [0: 0]\n" for i in range(count))
    Path("named.heap").write_text(f"--- symbol\nbinary=/srv/server\n{names}---\n--- heap\nheap_v2/524288\n"
                                  f"  t*: {count}: {4096 * count} [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n")
    by = [instructions_of("top", "--no-sandbox", "--no-cache", "--by", by, "named.heap") for by in ("owner", "leaf")]
    figure = (by[0] - by[1]) / count
    print(f"{figure:.0f} instructions for each function")
    assert figure <= 23600


def libraries_program(count):
    """A program that is linked with so many libraries, and allocates once in itself; it leaves its live table."""
    folder = Path(f"with{count}").resolve()
    folder.mkdir()
    Path("part.c").write_text("".join(f"int part_{i}(int x) {{ return x + {i}; }}\n" for i in range(50)))
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", "part.so", "part.c"], check=True)
    for number in range(count):
        Path(folder, f"libpart{number}.so").write_bytes(Path("part.so").read_bytes())
    Path("many.c").write_text(
        "#include <signal.h>\n#include <stdlib.h>\nvoid *volatile kept;\n"
        "int main(int count, char **words) { if (count > 1) kept = malloc(atoi(words[1])); raise(SIGKILL); }\n")
    libraries = [f"-lpart{number}" for number in range(count)]
    subprocess.run(["gcc", "-g", "-o", folder / "many", "many.c", f"-L{folder}", "-Wl,--no-as-needed,-rpath,$ORIGIN", *libraries],
                   check=True)  # fmt: skip
    return folder / "many"


def table_of(program, *words):
    tables = program.parent / "tables"
    tables.mkdir(exist_ok=True)
    environment = {**os.environ, "LD_PRELOAD": AGENT, "HEAPFLAME_CONF": f"prof:true,dir:{tables}"}
    subprocess.run([program, *words], env=environment, check=False)
    (found,) = tables.rglob("*.live")
    return found.rename(program.parent / f"{len(words)}.live")


def test_a_library_costs_little():
    """Of 200 libraries of which nothing was recorded, or of one block of the program itself, `run` looks into none at
    its end; and at its start it reads what each needs once."""
    few, many = libraries_program(10), libraries_program(210)
    for words in (), ("9000000",):
        tables = [table_of(program, *words) for program in (few, many)]
        for bound, *command in (4000, "top"), (20000, "convert", "-o", "one.hfb"):
            counts = [instructions_of(*command, "--no-sandbox", "--no-cache", table) for table in tables]
            figure = (counts[1] - counts[0]) / 200
            print(f"{command[0]}, {'a block' if words else 'nothing'}: {figure:.0f} instructions for each library")
            assert figure <= bound, (command, counts)
    counts = [instructions_of("conf", "check", "--no-sandbox", "prof:true", program, status=3) for program in (few, many)]
    print(f"conf check: {(counts[1] - counts[0]) / 200:.0f} instructions for each library")
    assert counts[1] - counts[0] <= 200 * 35000, counts
    Path("part.c").write_text('__asm__(".text\\n.space 8000000, 0x90\\n");\n')
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", few.parent / "libpart0.so", "part.c"], check=True)
    large = instructions_of("conf", "check", "--no-sandbox", "prof:true", few, status=3)
    print(f"8 MB of code: {large - counts[0]} instructions")
    assert large - counts[0] <= 1000000, (large, counts)


if __name__ == "__main__":
    if "HEAPFLAME_SANITIZED" in os.environ:
        print("skipped: a sanitizer does not run under Valgrind")
        sys.exit(77)
    sys.exit(run_tests(globals()))
