#!/usr/bin/env python3
# timeout: 240
"""heapflame against the real jeprof on dumps of real programs, at one sample per allocation.

Totals: the same as the sum of the dump's own lines, to the byte, and jeprof's within 0.1 %.
Names: each address of each dump, and each stack, is named by both; every difference must fall under a rule of RULES,
whose condition checks from the file's own symbols who is right. A difference without a rule fails the test."""

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from _heap import EVERY_ALLOCATION, Dump, Elf, compile_program, folded, heapflame, need, run, run_profiled, skip
from _heap import PROGRAMS, sum_folded

# rule: (who is right, why). The conditions are in explain_address, explain_frame and explain_cut.
RULES = {
    "address tag": ("heapflame", "jeprof prints name<0000000000001370>: nm's address is no part of the name"),
    "[inline] mark": ("heapflame", "jeprof prints name[inline], so an inlined and a called function never merge"),
    "symbol version": ("heapflame", "jeprof prints name@@GLIBC_2.34: the version is the linker's business"),
    "; in a name": ("heapflame", "jeprof prints a Rust [u8; 640] as two frames; heapflame escapes the semicolon"),
    "nearest export": ("heapflame", "no symbol contains the address, jeprof names it by the one before; "
                       "heapflame prints module+0xoffset"),
    "no inlines without _fini": ("heapflame", "jeprof asks for inlined calls only if the module has a symbol _fini, "
                                 "and shows the innermost function alone"),
    "symbol for inlined": ("heapflame", "binutils gives an innermost inlined call without a linkage name the name of "
                           "the function around it; heapflame has the name that the debug information gives"),
    "name without its scope": ("heapflame", "binutils prints a local function's bare name; heapflame has the scope "
                               "and the arguments from the symbol at this address"),
    "inlined name without its scope": ("heapflame", "GCC writes no linkage name for what other files cannot call; heapflame "
                                       "has what stands around the function in the debug information"),
    "equal functions": ("heapflame", "the compiler made several functions with the same bytes one; heapflame marks the name"),
    "two names at one place": ("both", "aliases: symbols of both names contain the address"),
    "allocator is cut": ("both", "jeprof drops allocator frames before it prints, this comparison keeps heapflame's"),
    "whole address is cut": ("heapflame", "jeprof cuts all inlined calls of an address with the allocator's among "
                             "them, and so a caller that was inlined there"),
    "allocator is not known": ("heapflame", "jeprof knows the allocator by names that it got wrong or does not "
                               "list, and leaves its frames at the leaf"),
    "first frame": ("heapflame", "jeprof does not subtract one from the first address, which is a return address too"),
    "short names": ("heapflame", "template arguments and parameters are left out by default; --full-names has them"),
}

# Frames that belong to the allocator, said anew here: the list of src/profile/allocator.c is what is tested.
ALLOCATOR = re.compile(
    r"((re|c|m|__rtld_c|__rtld_m|__minimal_c|__minimal_m)alloc|posix_memalign|aligned_alloc|memalign|operator new(\[\])?(\(.*\))?"
    r"|_rjem_.*|__rust_(alloc|alloc_zeroed|realloc)|.*__rust_(alloc|realloc|alloc_zeroed)"
    r"|<?(alloc::alloc::|std::sys::.*alloc|__rdl_|__rustc::__r).*|libjemalloc\.so\.2\+0x[0-9a-f]+)"
)
LEAF, ROOT, STEP = 0x7FFFE00000000001, 0x7FFFF00000000001, 16
KEEP = ("--full-names", "--keep-allocator")


class Comparison:
    def __init__(self, name, program, dump_path):
        self.name, self.program, self.path = name, program, dump_path
        self.dump = Dump(dump_path)
        self.used, self.unexplained = Counter(), []

    def totals(self):
        text = heapflame("fold", "-q", self.path)
        own = sum(size for _, size in self.dump.stacks)
        assert own > 0, f"{self.name}: an empty dump"
        assert own == self.dump.total, f"{self.name}: lines add up to {own}, the dump's head says {self.dump.total}"
        assert sum_folded(text) == own, f"{self.name}: fold adds up to {sum_folded(text)}, the dump to {own}"
        top = json.loads(heapflame("top", "-q", "--json", self.path))
        assert top["total"] == own, f"{self.name}: top says {top['total']}, the dump {own}"
        by_row = sum(row["flat"] for row in top["rows"])
        assert by_row == own, f"{self.name}: the rows of top add up to {by_row}, the dump to {own}"
        table = run("jeprof", "--text", "--show_bytes", self.program, self.path)
        jeprof = int(re.search(r"^Total: (\d+) B", table, re.M)[1])
        assert abs(jeprof - own) <= own / 1000, f"{self.name}: jeprof says {jeprof}, the dump {own}"
        ours = heapflame("jeprof", "-q", "--text", "--show_bytes", self.program, self.path)
        assert f"Total: {own} B" in ours, f"{self.name}: heapflame jeprof says {ours.splitlines()[0]}"
        return own, jeprof

    def write(self, name, stacks):
        """The dump with other stacks, each ending in a root of its own, so that no two are merged."""
        lines = ["heap_v2/1", "  t*: 1: 1 [0: 0]"]
        for i, stack in enumerate(stacks):
            words = [f"0x{address:x}" for address in (*stack, ROOT + STEP * i)]
            lines += ["@ " + " ".join(words), "  t*: 1: 4096 [0: 0]"]
        Path(name).write_text("\n".join(lines) + "\n\nMAPPED_LIBRARIES:\n" + self.dump.maps_text)

    @staticmethod
    def read(text, count):
        """Frames of each stack of `write`, root first, without the marks at its ends."""
        stacks = [None] * count
        for frames, _ in folded(text):
            leaf = len(frames) > 1 and re.fullmatch(r"0x0*7fffe[0-9a-f]{11}", frames[-1])
            stacks[(int(frames[0], 16) - ROOT + 1) // STEP] = frames[1:-1] if leaf else frames[1:]
        assert None not in stacks, "a stack is missing, or merged with another"
        return stacks

    def ask(self, name, stacks, *options):
        self.write(name, stacks)
        ours = self.read(heapflame("fold", "-q", *options, name), len(stacks))
        theirs = self.read(run("jeprof", "--collapsed", self.program, name), len(stacks))
        return ours, theirs

    def names(self):
        """Explains each address alone, then each stack from its addresses."""
        stacks = [addresses for addresses, _ in self.dump.stacks]
        addresses = sorted({address for stack in stacks for address in stack})
        # A leaf that is mapped nowhere comes first, so that jeprof subtracts one from the address.
        ours, theirs = self.ask("addresses.heap", [(LEAF, address) for address in addresses], *KEEP)
        self.ours, self.theirs = dict(zip(addresses, ours)), dict(zip(addresses, theirs))
        for address in addresses:
            self.explain_address(address)
        self.first_frames(addresses)
        ours, theirs = self.ask("stacks.heap", stacks, "--full-names")
        shown = self.read(heapflame("fold", "-q", "stacks.heap"), len(stacks))
        for i, stack in enumerate(stacks):
            self.explain_cut(stack, ours[i], theirs[i])
            self.explain_short(ours[i], shown[i])

    def fail(self, address, *what):
        path, virtual = self.dump.place(address - 1)
        self.unexplained.append((f"{path}+0x{virtual or 0:x}", *what))

    def plain(self, frame):
        """jeprof's frame without its decorations; each counts as a rule used."""
        for rule, pattern in (
            ("[inline] mark", r"\[inline\]$"), ("address tag", r"<[0-9a-f]{16}>$"), ("symbol version", r"@@?[A-Z][\w.]*$")
        ):
            shorter = re.sub(pattern, "", frame)
            if shorter != frame:
                self.used[rule] += 1
            frame = shorter
        return frame

    def split_names(self, frames):
        """heapflame's frames as jeprof would cut them apart."""
        apart = ";".join(frames).replace("\\x3b", ";").split(";")
        if len(apart) != len(frames):
            self.used["; in a name"] += 1
        return apart

    def explain_address(self, address):
        ours, theirs = self.split_names(self.ours[address]), [self.plain(frame) for frame in self.theirs[address]]
        if ours == theirs:
            return
        path, virtual = self.dump.place(address - 1)
        elf = Elf.of(path) if path else None
        at_place = elf.containing(virtual) if path else set()
        demangled = at_place | set(run("c++filt", *at_place).splitlines()) if at_place else set()
        rule = None
        if not theirs:
            rule = "allocator is cut" if ALLOCATOR.fullmatch(ours[-1]) else None
        elif path and ours == [f"{os.path.basename(path)}+0x{elf.function_start(virtual):x}"]:
            rule = "nearest export" if len(theirs) == 1 and not at_place else None
        elif len(theirs) == 1 and len(ours) > 1 and elf and "_fini" not in elf.own_names:
            rule = "no inlines without _fini" if theirs[0] == ours[-1] or theirs[0] in demangled else None
        elif len(theirs) == len(ours):
            for i, (our, their) in enumerate(zip(ours, theirs)):
                if our != their:
                    self.explain_frame(address, demangled, our, their, i == 0, 0 < i == len(ours) - 1)
            return
        if rule is None:
            self.fail(address, ours, theirs)
        self.used[rule] += 1

    def explain_frame(self, address, at_place, ours, theirs, is_function, is_innermost):
        rule = None
        if is_function and (name := re.sub(r" \[one of \d+ equal functions\]$", "", ours)) != ours:
            self.used["equal functions"] += 1
            if name == theirs:
                return
            ours = name
        if is_innermost and theirs in at_place:
            rule = "symbol for inlined"
        elif is_function and ours in at_place and theirs in at_place:
            rule = "two names at one place"
        elif is_function and ours in at_place and "::" in ours:
            bare = re.sub(r"<.*", "", theirs) if not theirs.startswith("operator") else "operator"
            rule = "name without its scope" if bare in ours else None
        elif not is_function and ours.endswith("::" + theirs):
            rule = "inlined name without its scope"
        if rule is None:
            self.fail(address, ours, theirs)
        self.used[rule] += 1

    def explain_cut(self, stack, ours, theirs):
        """Both must be what their tool says of the addresses, but for the leaf's end."""
        whole = [frame for address in reversed(stack) for frame in self.ours[address]]
        kept, cut = whole[: len(ours)], whole[len(ours):]
        if ours != kept or not all(ALLOCATOR.fullmatch(frame) or "jemalloc" in frame for frame in cut[:1]):
            self.fail(stack[0], "heapflame cuts", whole, ours)
        theirs_whole = [frame for address in reversed(stack[1:]) for frame in self.theirs[address]]
        theirs_whole += self.theirs_first[stack[0]]
        if theirs != theirs_whole[: len(theirs)]:
            self.fail(stack[0], "jeprof contradicts itself", theirs_whole, theirs)
        more = len(theirs) - len(self.split_names(ours))
        without_inlines = sum(
            len(self.split_names(self.ours[a])) - len(self.theirs[a]) for a in stack if self.theirs[a]
        )
        if more > 0 and all(ALLOCATOR.fullmatch(frame) for frame in whole[len(ours):]):
            self.used["allocator is not known"] += 1
        elif more + without_inlines < 0:
            # jeprof took more: every frame it took is of an address whose innermost call is the allocator's.
            for address in stack:
                if not self.theirs[address] and not ALLOCATOR.fullmatch(self.ours[address][-1]):
                    self.fail(address, "jeprof cuts", self.ours[address])
            self.used["whole address is cut"] += 1
        elif more > 0:
            self.fail(stack[0], "heapflame cuts more", whole[len(ours):])

    def explain_short(self, full, shown):
        """Default names are the full ones with parts left out, frame by frame."""
        if len(full) != len(shown):
            return self.fail(0, "short names change the depth", full, shown)
        for whole, short in zip(full, shown):
            if whole != short:
                letters = iter(whole)
                if not short or not all(letter in letters for letter in short):
                    self.fail(0, "not a short form", whole, short)
                self.used["short names"] += 1

    def first_frames(self, addresses):
        """heapflame names a first address as any other; jeprof forgets to subtract one."""
        ours, theirs = self.ask("first.heap", [(address,) for address in addresses], *KEEP)
        self.theirs_first = dict(zip(addresses, theirs))
        for address, frames in zip(addresses, ours):
            if frames != self.ours[address]:
                self.fail(address, "the first frame is named otherwise", frames, self.ours[address])
            elif self.theirs_first[address] != self.theirs[address]:
                self.used["first frame"] += 1


class Redis:
    """Debian's redis-server on a Unix socket of this folder, as an unprivileged user; dumps when it is shut down."""

    def __init__(self):
        self.box = Path("redis").resolve()
        self.box.mkdir()
        self.user = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.box, nobody.pw_uid, nobody.pw_gid)
            # The folders of a test are the user's own (0700): nobody is let through, and no further.
            for folder in [*self.box.parents][:3]:
                if folder.stat().st_uid == 0 and folder != Path("/tmp") and len(folder.parts) > 2:
                    folder.chmod(folder.stat().st_mode | 0o011)

    def dump(self):
        # The path of a Unix socket has 108 bytes; a relative one is short wherever the folder is.
        os.chdir(self.box)
        options = ["--port", "0", "--unixsocket", "socket", "--save", "", "--appendonly", "no", "--daemonize", "no"]
        conf = f"{EVERY_ALLOCATION},prof_final:true,prof_prefix:{self.box}/redis"
        with open("../redis.log", "wb") as log:
            server = subprocess.Popen(
                ["redis-server", *options], env={**os.environ, "MALLOC_CONF": conf}, stdout=log, stderr=log, **self.user
            )
        try:
            answer = self.talk(server)
            server.wait(timeout=600)
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGKILL)
                server.wait()
            os.chdir(self.box.parent)
        log = Path("redis.log").read_text()
        assert server.returncode == 0, f"redis-server: exit {server.returncode}: {answer}; log: {log}"
        dumps = list(self.box.glob("redis.*.f.heap"))
        assert len(dumps) == 1, f"redis-server wrote {dumps}; log: {log}"
        return dumps[0]

    @staticmethod
    def talk(server):
        for _ in range(600):
            try:
                client = socket.socket(socket.AF_UNIX)
                client.connect("socket")
                break
            except OSError:
                client.close()
                assert server.poll() is None, "redis-server does not start: " + Path("../redis.log").read_text()
                time.sleep(0.1)
        else:
            raise AssertionError("redis-server does not listen")
        lines = []
        for i in range(300):
            lines += [f"SET key:{i} {'v' * (100 + i)}", f"HSET hash:{i % 9} field:{i} {'h' * 90}"]
            lines += [f"RPUSH list {'l' * 200}", f"ZADD sorted {i} member:{i}", f"SADD set:{i % 3} {i * 7919}"]
        lines += ["XADD stream * name value", "EVAL 'return redis.call(\"GET\", KEYS[1])' 1 key:7", "SHUTDOWN NOSAVE"]
        with client:
            client.settimeout(60)
            client.sendall("".join(line + "\r\n" for line in lines).encode())
            answer = b""
            while part := client.recv(65536):
                answer += part
        return answer.decode("latin-1")[-300:]


def programs():
    """(name, binary, dump) of each program, one after the other."""
    for name, source, extra in [
        ("C", "forest.c", []),
        ("C++", "shapes.cc", []),
        ("Rust", "ledger.rs", []),
        ("Rust v0", "ledger.rs", ["-C", "symbol-mangling-version=v0"]),
    ]:
        folder = Path(name.replace(" ", "-")).resolve()
        folder.mkdir()
        binary = compile_program(source, folder / Path(source).stem, *extra)
        dump = folder / "program.heap"
        run_profiled(binary, dump, *([PROGRAMS / source] if source.endswith(".c") else []))
        yield name, binary, dump
    yield "redis-server", Path(shutil.which("redis-server")).resolve(), Redis().dump()


def main():
    need("jeprof", "gcc", "g++", "rustc", "redis-server", "readelf", "c++filt", "addr2line", "nm")
    wrong, used = 0, Counter()
    for name, binary, dump in programs():
        compared = Comparison(name, binary, dump)
        own, jeprof = compared.totals()
        compared.names()
        stacks, addresses = len(compared.dump.stacks), len(compared.ours)
        difference = 100.0 * (jeprof - own) / own
        print(f"{name}: {stacks} stacks, {addresses} addresses, {own} bytes; jeprof {difference:+.4f} %")
        for rule, count in sorted(compared.used.items(), key=str):
            print(f"    {count:6}  {rule}")
        for what in compared.unexplained:
            print("UNEXPLAINED", *what, sep="\n      ")
        wrong += len(compared.unexplained)
        used += compared.used
        assert addresses >= 40 and used["nearest export"] > 0, "the comparison compares too little"
    print("\nWho is right, and why:")
    for rule, (right, why) in RULES.items():
        print(f"{used[rule]:6}  {rule} ({right}): {why}")
    unknown = set(used) - set(RULES) - {None}
    assert not unknown, f"rules that are not in the table: {unknown}"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
