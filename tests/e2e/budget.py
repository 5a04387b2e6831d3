#!/usr/bin/env python3
# sanitized: long, a minute and a half of bombs, which the fuzz targets have, too
# timeout: 600
"""What reading an input takes, held against its size (src/base/budget.h): bombs of every format (tests/bombs.py) stay
within their budget, by the kernel's and by Valgrind's count, and sound profiles take less than half of it."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

SRC, BUILD = Path(os.environ["HEAPFLAME_SRC"]), Path(os.environ["BUILD"])
READ, GENERATE = BUILD / "bench/read-profile", BUILD / "bench/generate-profile"
sys.path.insert(0, str(SRC / "tests"))
import bombs  # noqa: E402

MIB = 1 << 20
ITSELF = 16 * MIB  # of a process that reads a line
STARTUP = 5_000_000  # instructions of it
COMMAND_STARTUP = 12_000_000  # of the command
SLICES = 8 * MIB  # steps that threads have taken and not made
SANITIZED = "HEAPFLAME_SANITIZED" in os.environ


class Use:
    """What read-profile says of its budget, or of `percent` of it."""

    def __init__(self, path, percent=100):
        done = subprocess.run([READ, path, str(percent)], capture_output=True, text=True, errors="replace", timeout=60)
        assert done.returncode in (0, 3), done
        self.status = done.returncode
        self.peak = int(done.stdout.split()[0]) if done.returncode == 0 else 0
        counts, _, self.sentence = done.stderr.partition("\n")
        self.given, self.memory, self.memory_allowed, self.steps, self.steps_allowed = map(int, counts.split())


def resident_peak(*command):
    """Of a child alone: the kernel's ru_maxrss, of a process that was not ours before."""
    script = ("import os, resource, subprocess, sys; d = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
              "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-S", "-c", script, *map(str, command)], capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024


def instructions(*command):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)],
                          capture_output=True, text=True, errors="replace")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def test_every_format_has_bombs():
    listed = re.search(r"#define HF_FORMATS\(USE\)((?:.*\\\n)+.*)", (SRC / "src/formats/format.h").read_text()).group(1)
    formats = set(re.findall(r"USE\((\w+)\)", listed))
    assert len(formats) > 10 and formats - {name.split("__")[0] for name in bombs.BOMBS} == set()


def test_bombs_stay_within():
    for name in bombs.BOMBS:
        bombs.write(name, name, 50000)
        use = Use(name)
        assert use.memory <= use.memory_allowed and use.steps <= use.steps_allowed + SLICES, (name, vars(use))
        assert use.status == 0 or use.sentence.count("\n") == 1, (name, use.sentence)
        if not SANITIZED:
            resident = resident_peak(READ, name)
            assert resident <= use.memory_allowed + ITSELF, (name, resident, vars(use))
        os.remove(name)


def test_steps_are_instructions():
    """Of a fiftieth of the budget, so that Valgrind has not much to count: nothing that is dear is left uncounted."""
    if SANITIZED:
        return
    worst = 0
    for name in ("dhat__ratio", "folded__repeats", "heap_v2__damage", "heap_v2__ratio", "heaptrack__overlap",
                 "live__hole_of_blocks", "live__overlapping_stacks", "memcheck_xml__repeats", "pprof__overlap",
                 "pprof__ratio", "symbolized__repeats", "unknown__ratio"):
        bombs.write(name, name, 15000)
        use, count = Use(name, 2), instructions(READ, name, 2)
        worst = max(worst, (count - STARTUP) / use.steps_allowed)
        assert count <= use.steps_allowed * 1.2 + STARTUP, (name, count, vars(use))
    print(f"at most {worst:.2f} of the instructions that are allowed")


def test_sparse_table_costs_nothing():
    """A table of 400 MiB, all of it one hole: 8 KiB were given."""
    for name in ("live__overlap", "live__hole_of_text", "live__hole_of_frames", "live__hole_of_blocks"):
        bombs.write(name, name, 100000)
        assert os.stat(name).st_size > 400_000_000
        use = Use(name)
        assert use.status == 3 and use.given < 65536, (name, vars(use))
        done = subprocess.run(["heapflame", "top", name], capture_output=True, text=True)
        assert done.returncode == 3 and re.search("too much for an input of 8192 bytes|overlaps what is before it", done.stderr), done


COMMANDS = {
    "fold": ["fold"], "lines": ["fold", "--lines"], "top": ["top"], "filter": ["top", "--focus", "(a+)+$"],
    "svg": ["flame"], "reverse": ["flame", "--reverse"], "html": ["flame", "-o", "o.html"], "graph": ["graph", "-o", "o.dot"],
    **{ending: ["convert", "-o", f"o.{ending}"] for ending in ("pb.gz", "heap", "hfb", "stap", "speedscope.json")}}
ANSWERED = ("pprof__many_lines", "dhat__long_names", "heaptrack__chain", "heaptrack__overlap", "folded__nesting",
            "folded__repeats", "symbolized__repeats", "pprof__overlap", "live__overlapping_stacks", "heap_v2__threads")


def allowed(path, percent=100):
    given = os.stat(path).st_blocks * 512
    return (64 * MIB + 256 * given) * percent // 100, (500_000_000 + 20_000 * given) * percent // 100


def test_answers_stay_within():
    """Whole commands: reading has a budget, and what is made of what was read has one, too."""
    for name in bombs.BOMBS:
        bombs.write(name, name, 50000)
        memory, _ = allowed(name)
        for command in COMMANDS.values() if name in ANSWERED else [COMMANDS["html"], COMMANDS["lines"]]:
            command = ["heapflame", *command, "--no-cache", name]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=60)
            assert done.returncode in (0, 3, 4), (name, done)
            assert done.returncode == 0 or re.search("heapflame: ", done.stderr), (name, done)
            if not SANITIZED and name in ANSWERED:
                resident = resident_peak(*command)
                assert resident <= 2 * memory + 2 * ITSELF, (command, resident, memory)
        os.remove(name)


def test_steps_of_answers_are_instructions():
    """Of a fiftieth of both budgets, and of a tenth where that is not enough to get to what costs most."""
    if SANITIZED:
        return
    worst = (0, "")
    tried = [(name, 15000, 2, ("lines", "top", "svg", "heap", "stap", "pb.gz"))
             for name in ("dhat__long_names", "heaptrack__chain", "folded__nesting", "folded__repeats")]
    # Many build-ids, and bytes in which zlib looks far for what is the same.
    tried += [("live__overlapping_paths", 15000, 2, ("pb.gz",)), ("live__overlapping_names", 75000, 10, ("pb.gz",))]
    for name, size, percent, answers in tried:
        bombs.write(name, name, size)
        _, steps = allowed(name, percent)
        for what in answers:
            command = COMMANDS[what]
            count = instructions("heapflame", *command, "--no-cache", "--no-sandbox", "--input-budget", percent / 100, name)
            worst = max(worst, ((count - COMMAND_STARTUP) / (2 * steps), f"{what} {name}"))
            assert count <= 2 * steps * 1.2 + COMMAND_STARTUP, (name, what, count, steps)
    print(f"at most {worst[0]:.2f} of the instructions that are allowed ({worst[1]})")


def attributes(size):
    return b"a\ttitle=" + b"n" * size + b"\n"


OTHERS = {
    "trend": ["trend", "FOLDER"], "trend --json": ["trend", "--json", "FOLDER"], "check": ["check", "FOLDER"],
    "check --json": ["check", "--json", "--fail-on", "undecided", "--fail-on", "steady", "FOLDER"],
    "top DIR": ["top", "FOLDER"], "raw": ["jeprof", "--raw", "FILE"], "flamegraph.pl": ["flamegraph.pl", "FILE"],
    "--flamechart": ["flamegraph.pl", "--flamechart", "FILE"], "--cp": ["flamegraph.pl", "--cp", "--reverse", "FILE"],
    "--nameattr": ["flamegraph.pl", "--nameattr", "attributes", "FILE"], "difffolded.pl": ["difffolded.pl", "-s", "FILE", "FILE"],
    "stackcollapse-stap.pl": ["stackcollapse-stap.pl", "FILE"]}


def bombs_of(command):
    if command[0] == "stackcollapse-stap.pl":
        return ("stap__nesting", "stap__ratio", "stap__repeats")
    if command[0].endswith(".pl"):
        return ("folded__nesting", "folded__repeats", "folded__ratio")
    return ANSWERED


def test_other_answers_stay_within():
    """What has no view of its own: the drop-ins, jeprof's raw output, and what is said of a folder of profiles. Held by what
    they write, of a fiftieth of the budget: a byte of it is 8 steps."""
    Path("attributes").write_bytes(attributes(50000))
    worst = (0, "")
    for what, command in OTHERS.items():
        for name in bombs_of(command):
            os.makedirs("folder", exist_ok=True)
            for point in range(7 if "FOLDER" in command else 1):
                bombs.write(name, f"folder/{point}", 50000)
                os.utime(f"folder/{point}", (1_700_000_000 + 60 * point,) * 2)
            paths = [path for path in Path("folder").iterdir()] + ([Path("attributes")] if what == "--nameattr" else [])
            memory, steps = map(sum, zip(*(allowed(path, 2) for path in paths)))
            words = [{"FOLDER": "folder", "FILE": "folder/0"}.get(word, word) for word in command]
            whole = ["heapflame", *words, *([] if words[0].endswith(".pl") else ["--no-cache"]), "--input-budget", "0.02"]
            with open("written", "wb") as out:
                done = subprocess.run(whole, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace", timeout=60)
            size = os.stat("written").st_size
            shutil.rmtree("folder")
            assert done.returncode in (0, 3, 4) or "check" in what and done.returncode == 1, (what, name, done)
            worst = max(worst, (size * 8 / steps, f"{what} {name}"))
            assert size * 8 <= 2 * steps, (what, name, size, steps // 8)
    print(f"at most {worst[0]:.2f} of what may be written ({worst[1]})")


HOLDER = """
import mmap, os, struct, sys, time
with open(sys.argv[1], "r+b") as table:
    memory = mmap.mmap(table.fileno(), 0)
start = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
memory[12:16], memory[32:40] = struct.pack("<I", os.getpid()), struct.pack("<Q", start)
os.rename(sys.argv[1], f"{os.path.dirname(sys.argv[1])}/{os.getpid()}-1.live")
print(os.getpid(), flush=True)
while memory[8200:8208] == bytes(8):  # until a watcher says that it is there
    time.sleep(0.01)
"""


def watched(name, size, output):
    """(Bytes given, peak of memory of all of it, status, standard error) of a watch of a process with this table."""
    folder = Path(f"heapflame-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    bombs.write(name, folder / "bomb", size)
    given = os.stat(folder / "bomb").st_blocks * 512 + 4096  # the page that the watcher writes to
    measure = ("import resource, subprocess, sys; d = subprocess.run(sys.argv[1:]); "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(d.returncode)")
    holder = subprocess.Popen([sys.executable, "-S", "-c", HOLDER, folder / "bomb"], stdout=subprocess.PIPE, text=True)
    pid = int(holder.stdout.readline())
    try:
        done = subprocess.run([sys.executable, "-S", "-c", measure, "heapflame", "watch", "--dir", ".", "-o", output, str(pid)],
                              capture_output=True, text=True, errors="replace", timeout=120)
    finally:
        holder.kill()
        holder.wait()
    shutil.rmtree(folder)
    return given, int(done.stdout) * 1024, done.returncode, done.stderr


def test_pictures_of_a_watch_stay_within():
    """What `watch` draws of a process whose table is a bomb, at its end: within what the table's bytes allow, or refused."""
    worst, drawn = (0, 0, ""), 0
    for name in ("live__overlapping_stacks", "live__overlapping_blocks"):
        for size, output in ((3000, "o.svg"), (50000, "o.svg"), (50000, "o.html"), (50000, "o.folded"), (200000, "o.svg")):
            Path(output).unlink(missing_ok=True)
            given, resident, status, err = watched(name, size, output)
            memory, steps = 64 * MIB + 256 * given, 500_000_000 + 20_000 * given
            written = os.stat(output).st_size if os.path.exists(output) else 0
            drawn += written > 100_000
            assert status in (0, 3, 4) and (written or re.search("HF_LIMIT_|lost: |nothing is in use", err)), (name, output, status, err)
            assert written * 8 <= 2 * steps, (name, output, written, steps)
            if not SANITIZED:
                assert resident <= 2 * memory + 2 * ITSELF, (name, output, resident, memory)
                worst = max(worst, (resident / (2 * memory + 2 * ITSELF), written, f"{output} {size} {name}"))
    assert drawn >= 3, drawn
    print(f"at most {worst[0]:.2f} of the memory that is allowed ({worst[1]} bytes written, {worst[2]})")


def test_callees_that_are_too_many_are_their_callers():
    """What is cut is said, and nothing is lost of the sum."""
    bombs.write("folded__repeats", "a.folded", 15000)
    whole = len(Path("a.folded").read_text().splitlines())
    for command in ("fold", "top"):
        done = subprocess.run(["heapflame", command, "--input-budget", "0.02", "a.folded"], capture_output=True, text=True)
        assert done.returncode == 4, done
        assert re.search(r"lost: \d+ callees are not shown and count for their callers, because showing them would cost too much "
                         r"for an input of \d+ bytes; if you trust it, allow N times as much with --input-budget N", done.stderr), done
        if command == "fold":
            assert sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()) == whole


def test_sound_answers_take_less_than_half():
    if SANITIZED:  # what is counted is the same
        return
    for name, arguments in {"b.folded": ("folded", "500", "50000"), "c.folded": ("folded", "3000", "3000"),
                            "a.heap": ("heap_v2", "8000")}.items():
        with open(name, "wb") as out:
            subprocess.run([GENERATE, *arguments], stdout=out, check=True)
    paths = [path for folder in ("fuzz/corpus", "tests/cmd", "tests/fixtures") for path in (SRC / folder).rglob("*")
             if path.is_file() and "crash" not in path.name]
    paths = sorted(paths, key=lambda path: -path.stat().st_size)[:30] + [Path("b.folded"), Path("c.folded"), Path("a.heap")]
    for path in paths:
        for command in COMMANDS.values():
            done = subprocess.run(["heapflame", *command, "--no-cache", "--input-budget", "0.5", path], capture_output=True)
            assert b"HF_LIMIT_BUDGET" not in done.stderr, done.stderr


def sound_dhat(points):
    names = ["[root]"] + [f"0x{i:x}: function_{i}(unsigned long) (source_{i % 90}.cc:{i % 700})" for i in range(1, 2000)]
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": True, "pps": [
        {"tb": i * 48, "tbk": i, "tl": i * 9001, "mb": 48, "mbk": 1, "gb": 48, "gbk": 1, "eb": 48, "ebk": 1,
         "fs": [(i * 7 + k * k) % 2000 for k in range(14)]} for i in range(points)], "ftbl": names}, indent=1)


def test_sound_inputs_take_less_than_half():
    """The largest of the corpora, and generated ones of some megabytes, also compressed as far as that goes."""
    if SANITIZED:
        return
    paths = [path for folder in ("fuzz/corpus", "tests/cmd", "tests/fixtures") for path in (SRC / folder).rglob("*")
             if path.is_file() and "crash" not in path.name]
    paths = sorted(paths, key=lambda path: -path.stat().st_size)[:100]
    large = {"a.folded": ("folded", "500", "50000"), "b.folded": ("folded", "3000", "3000"), "a.heap": ("heap_v2", "8000")}
    for name, arguments in large.items():
        with open(name, "wb") as out:
            subprocess.run([GENERATE, *arguments], stdout=out, check=True)
    for ending in ("pb.gz", "hfb", "stap", "heap"):
        subprocess.run(["heapflame", "convert", "-q", "-o", f"converted.{ending}", "b.folded"], check=True)
    Path("dhat.json").write_text(sound_dhat(4000))
    made = [Path(name) for name in [*large, "converted.pb.gz", "converted.hfb", "converted.stap", "converted.heap", "dhat.json"]]
    for path in list(made):
        if path.suffix not in (".gz", ".hfb"):
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 9))
            subprocess.run(["zstd", "-q", "-19", "-k", path], check=True)
            made += [Path(f"{path}.gz"), Path(f"{path}.zst")]
    most = {"memory": (0, ""), "steps": (0, "")}
    for path in paths + made:
        use = Use(path)
        assert "HF_LIMIT_BUDGET" not in use.sentence, (path, use.sentence)
        most["memory"] = max(most["memory"], (use.memory / use.memory_allowed, str(path)))
        most["steps"] = max(most["steps"], (use.steps / use.steps_allowed, str(path)))
    print(f"{len(paths)} files of the corpora and {len(made)} generated ones take at most", most)
    assert most["memory"][0] < 0.5 and most["steps"][0] < 0.5


def test_a_section_that_unpacks_to_hundreds_of_megabytes_is_left_out():
    """300 MB of zeros in 300 KB, as the strings of debug information; what is not in it is named as ever."""
    Path("p.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-g", "-no-pie", "-o", "p", "p.c"], check=True)
    subprocess.run(["objcopy", "--dump-section", ".debug_str=strings", "p", "/dev/null"], check=True)
    with open("strings", "ab") as strings:
        strings.truncate(300_000_000)
    subprocess.run(["objcopy", "--update-section", ".debug_str=strings", "p", "large"], check=True)
    subprocess.run(["objcopy", "--compress-debug-sections=zlib", "large", "bomb"], check=True)
    for name in "strings", "large":
        os.remove(name)
    main = int(re.search(r"(\w+) T main\n", subprocess.run(["nm", "bomb"], capture_output=True, text=True).stdout).group(1), 16)
    Path("a.heap").write_text(f"heap_v2/1\n  t*: 1: 1 [0: 0]\n@ {main + 5:#x}\n  t*: 1: 1 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                              f"401000-402000 r-xp 00001000 00:00 9 {Path('bomb').resolve()}\n"
                              "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n")
    command = ["heapflame", "fold", "--no-cache", "a.heap"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "main 1\n"), done
    asking = ["heapflame", "addr2line", "--no-cache", "-f", "-e", "bomb", hex(main + 5)]
    asked = subprocess.run(asking, capture_output=True, text=True)
    assert asked.returncode in (0, 4) and asked.stdout.count("\n") == 2, asked
    told = subprocess.run(["heapflame", "symbols", "info", "bomb"], capture_output=True, text=True)
    assert told.returncode in (0, 3, 4), told
    for command in () if SANITIZED else (command, asking, ["heapflame", "symbols", "info", "bomb"],
                                         ["heapflame", "symbols", "warm", "bomb"]):
        assert resident_peak(*command) < 64 * MIB, command


def test_more_is_allowed_by_the_option():
    bombs.write("dhat__ratio", "bomb.json.gz", 20000)
    refused = subprocess.run(["heapflame", "fold", "bomb.json.gz"], capture_output=True, text=True)
    assert refused.returncode == 3 and refused.stdout == "", refused
    assert re.search(r"bomb.json.gz: needs more than 64 MiB of memory, too much for an input of \d+ bytes; if you trust "
                     r"it, allow N times as much with --input-budget N \(HF_LIMIT_BUDGET_MEMORY\)", refused.stderr), refused
    allowed = subprocess.run(["heapflame", "fold", "--input-budget", "20", "bomb.json.gz"], capture_output=True, text=True)
    assert allowed.returncode == 0, allowed


def test_what_came_before_is_read():
    """A packed file that is more than so few bytes may be ends there: what came before is no less sound."""
    Path("bomb.gz").write_bytes(gzip.compress(b"a;b 1\n" * 6_000_000))
    done = subprocess.run(["heapflame", "fold", "--input-budget", "0.2", "bomb.gz"], capture_output=True, text=True)
    assert done.returncode == 4 and re.fullmatch(r"a;b [1-9]\d+\n", done.stdout), done
    assert re.search(r"lost: bomb.gz: after \d+ bytes \(\d+ decompressed\), the gzip data is too large for so few compressed bytes; "
                     r"if you trust it, .* \(HF_LIMIT_BUDGET_STEPS\); what came before is read", done.stderr), done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
