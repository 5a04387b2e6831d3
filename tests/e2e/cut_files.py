#!/usr/bin/env python3
# timeout: 400
"""Files that are cut and filled again while they are read: that costs their names, and says so. Never a signal, never the
names of other files, never a recording. (tests/unit/test_file.c and test_cut.c have the same without chance.)"""

import os
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, PROGRAMS, TIMEOUT_S, need, run
from _suite import run_tests

need("gcc")

ROUNDS = int(os.environ.get("HEAPFLAME_CUT_ROUNDS", "24"))
CUT = Path("cut").resolve()
SAID = "was cut short or written to while it was read"


class Storm:
    """tests/programs/cut.c at work on a copy of heapflame, whose debug information is large."""

    def __init__(self, pause_us):
        self.path = Path("copy").resolve()
        self.path.write_bytes(HEAPFLAME.read_bytes())
        self.process = subprocess.Popen(
            [CUT, HEAPFLAME, self.path, str(pause_us)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        alive = self.process.poll() is None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
        assert alive, "the process was killed"


def look(statuses, *arguments):
    """(status, output, messages) of heapflame, which must not be killed."""
    done = subprocess.run([HEAPFLAME, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_S,
                          env={**os.environ, "XDG_CACHE_HOME": str(Path.cwd() / "cache")})
    assert done.returncode in statuses, (arguments, done.returncode, done.stderr)
    return done.returncode, done.stdout, done.stderr


def rounds(*checks):
    """How often each way that it can end was seen, at two speeds of the storm."""
    seen = {}
    for pause in (50, 2000):
        with Storm(pause) as storm:
            for turn in range(ROUNDS // 2):
                for check in checks:
                    result = check(storm, turn)
                    seen[result] = seen.get(result, 0) + 1
    print("      " + ", ".join(f"{count} {result}" for result, count in sorted(seen.items())))
    return seen


def test_symbols_info():
    whole = look({0}, "symbols", "info", HEAPFLAME)[1].splitlines()[1:]

    def check(storm, _):
        status, out, said = look({0, 3, 5}, "symbols", "info", storm.path)
        if status == 0:  # then it is all true
            assert out.splitlines()[1:len(whole)] == whole[:-1], out
            return "whole"
        assert not out, out
        if SAID in said:
            return "cut"
        assert storm.path.name in said and ("ELF" in said or "section" in said), said  # short when it was opened
        return "short"

    rounds(check)


def a_main():
    return "0x" + [line.split()[0] for line in run("nm", HEAPFLAME).splitlines() if line.endswith(" T main")][0]


def test_addr2line():
    address = a_main()
    expected = look({0}, "addr2line", "-f", "-e", HEAPFLAME, address)[1]

    def check(storm, _):
        status, out, said = look({0, 3, 4, 5}, "addr2line", "-f", "-e", storm.path, address)
        if status == 0 and out == expected:
            return "named"
        assert out in ("??\n??:0\n", "") and (SAID in said or status in (3, 5)), (status, out, said)
        return "unnamed"

    rounds(check)


def test_top():
    """Two modules: the one that is cut, and one that nobody touches."""
    text = [line.split() for line in run("readelf", "-lW", HEAPFLAME).splitlines() if " R E " in line][0]
    offset, address, size = int(text[1], 16), int(text[2], 16), int(text[4], 16)
    main = int(a_main(), 16) + 1 - address + offset
    end = (offset & 0xfff) + size + 0xfff & ~0xfff

    def dump(cut):
        at = {HEAPFLAME: 0x10000000, cut: 0x20000000}
        Path("p.heap").write_text(
            "heap_v2/1\n  t*: 2: 200 [0: 0]\n" + "".join(
                f"@ {start + main - (offset & ~0xfff):#x}\n  t*: 1: 100 [0: 0]\n" for start in at.values()) +
            "\nMAPPED_LIBRARIES:\n" + "".join(
                f"{start:08x}-{start + end:08x} r-xp {offset & ~0xfff:08x} 08:01 12 {path}\n" for path, start in at.items()))

    def check(storm, _):
        dump(storm.path)
        out, said = look({0, 4}, "top", "p.heap")[1:]
        names = sorted(line.split()[8] for line in out.splitlines()[2:])  # 100 B 50.0 % 100 B 50.0 % main main.c:64
        assert "main" in names, (out, said)
        if names == ["main"]:
            return "named"
        assert names[0].startswith("copy+0x") and len(names) == 2, (out, said)
        return "cut" if SAID in said else "other reason"

    rounds(check)
    dump(Path("copy").resolve())  # it is whole again: nothing that was kept meanwhile is wrong
    assert "main" in look({0}, "top", "p.heap")[1] and "copy+0x" not in look({0}, "top", "p.heap")[1]


def test_attach():
    if os.geteuid() != 0:
        return

    def check(storm, turn):
        status, _, said = look({0, 4}, "attach", storm.pid, "-d", "300ms", "--period", "1", "--max-overhead", "100000%",
                               "--backend", ("perf", "bpf")[turn % 2], "-o", "out.folded")
        folded = Path("out.folded").read_text()
        assert "leak_here" in folded, (status, said, folded)
        return "recorded"

    rounds(lambda storm, turn: check(storm, turn) if turn % 3 == 0 else "left out")


def main():
    run("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", CUT, PROGRAMS / "cut.c")
    return run_tests(globals())


if __name__ == "__main__":
    sys.exit(main())
