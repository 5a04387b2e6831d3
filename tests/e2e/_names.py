"""What heapflame, and three programs that it must agree with, call the addresses of a file.

A chain is what one program says of one address: [(function, path, line)], the innermost inlined call first; the last
is the function that holds the address. Every answer passes through normal(); nothing else is ever done to one.
"""

import bisect
import functools
import re
import subprocess

BASE = 0x555555554000
MARK = 0x10000000  # roots of the stacks: addresses in no mapping, so that each stack stays a line of its own

ORACLES = {
    "addr2line": ["addr2line", "-a", "-f", "-i", "-e"],
    "llvm": ["llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-i", "--no-demangle", "-e"],
    "elfutils": ["eu-addr2line", "-a", "-f", "-i", "-e"],
}
NEEDED = ("addr2line", "llvm-symbolizer", "eu-addr2line", "c++filt", "readelf", "objcopy")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))[:500]}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def demangle(text):
    """Demangles every name in the text; one demangler for all, because llvm's own does not know all that GCC writes."""
    return run("c++filt", "--no-verbose", "--no-recurse-limit", input=text)


def normal_name(name):
    """The C1, C2 and C4 forms of a constructor and the D forms of a destructor are one name when demangled. Cut is what
    a compiler appends to the name of a function that it cloned or split (".cold", ".isra.0") or that is nested in another
    (".0"), and a symbol's version.
    """
    name = re.sub(r"( \[clone [^]]*\])+$| \(\.[\w.]+\)$", "", name)
    name = re.sub(r"\.(cold|part|isra|constprop|lto_priv|llvm)(\.\d+)*.*$|\.\d+$", "", name)
    return re.sub(r"(?<=\w)@@?[A-Z][\w.]*$", "", name)


@functools.cache
def normal(name, place):
    """(function, path, line). Of a path "//" becomes "/", and "./" goes; what is not known is empty, or line 0. A relative
    folder that a path begins with twice is there once: folder 0 of DWARF 5 is the folder of compilation itself."""
    path, _, line = re.sub(r" \(discriminator \d+\)$", "", place).rpartition(":")
    path = re.sub(r"(^|/)(\./)+", r"\1", re.sub(r"//+", "/", path))
    path = re.sub(r"^([^/].*?/)\1", r"\1", path)
    return normal_name(name), "" if path.startswith("??") else path, int(line) if line.isdigit() else 0


class Program:
    """An ELF file: how it is mapped, and its function symbols, as readelf tells them."""

    def __init__(self, path):
        self.path = path
        self.is_pie = re.search(r"Type:\s+DYN", run("readelf", "-h", path)) is not None
        self.symbols = sorted(set(self._read_symbols()))
        self.starts = [start for start, *_ in self.symbols]
        self.longest = max((size for _, size, *_ in self.symbols), default=0)

    def _read_symbols(self):
        for line in run("readelf", "-sW", self.path).splitlines():
            words = line.split()
            if len(words) >= 8 and words[3] in ("FUNC", "IFUNC", "NOTYPE") and words[6].isdigit():
                yield int(words[1], 16), int(words[2], 0), words[3], words[7]

    def segments(self):
        for line in run("readelf", "-lW", self.path).splitlines():
            words = line.split()
            if words and words[0] == "LOAD":
                offset, address, _, size, _ = (int(word, 16) for word in words[1:6])
                yield offset, address, size, "".join(words[6:-1])

    def functions(self):
        """(address, size) of every function that has a size."""
        found = {}
        for start, size, kind, _ in self.symbols:
            if kind == "FUNC" and size != 0:
                found[start] = max(size, found.get(start, 0))
        return sorted(found.items())

    def symbols_at(self, address):
        """Names of all symbols that contain the address."""
        found, at = set(), bisect.bisect_right(self.starts, address)
        while at > 0 and self.starts[at - 1] + self.longest >= address:
            start, size, _, name = self.symbols[at - 1]
            if address < start + size:
                found.add(name)
            at -= 1
        return found


def sweep(program, addresses_max):
    """Addresses over all functions in even steps, every byte if there are not too many."""
    step = max(1, sum(size for _, size in program.functions()) // addresses_max)
    return sorted({start + at for start, size in program.functions() for at in range(0, size, step)})


def write_heap(path, program, mapped, addresses):
    """A heap dump with one stack for each address, as if `mapped`, a file laid out as the program, had run."""
    base = BASE if program.is_pie else 0
    lines = ["heap_v2/1", f"  t*: {len(addresses)}: {16 * len(addresses)} [0: 0]"]
    for index, address in enumerate(addresses):  # return addresses: one behind what is looked up
        lines += [f"@ {base + address + 1:#x} {MARK + index + 1:#x}", "  t*: 1: 16 [0: 0]"]
    lines += ["", "MAPPED_LIBRARIES:"]
    for offset, address, size, flags in program.segments():
        start, end = address & ~0xFFF, (address + size + 0xFFF) & ~0xFFF
        mode = "".join(letter if letter.upper() in flags.replace("E", "X") else "-" for letter in "rwx")
        lines.append(f"{base + start:x}-{base + end:x} {mode}p {offset & ~0xFFF:08x} 00:00 1 {mapped}")
    path.write_text("\n".join(lines) + "\n")


class MarkedChain(list):
    """A chain of heapflame's; `equal_count` functions have these bytes, if it says "[one of N equal functions]"."""

    equal_count = 1


def heapflame_chains(heap, addresses, *options):
    """{address: chain} of a heap dump that write_heap wrote."""
    command = ["heapflame", "fold", "--quiet", "--no-cache", "--lines", "--full-names", "--keep-allocator", *options, heap]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    chains = {}
    for line in done.stdout.splitlines():
        mark, *frames = line.rsplit(" ", 1)[0].split(";")
        chain = MarkedChain()
        for frame in reversed(frames):
            frame = re.sub(r":~(\d+)$", r":\1", frame.replace("\\x3b", ";"))
            name, _, place = frame.rpartition(" ")
            if not name or not re.search(r"^/|[/.].*:\d+$|/[^()<>]*\.\w+$", place):
                name, place = frame, ":0"
            name, count = re.fullmatch(r"(.*?)(?: \[one of (\d+) equal functions\])?", name).groups()  # nobody else says so
            chain.equal_count = int(count or 1)  # in the end that of the function that holds the address
            chain.append(normal(name, place if re.search(r":\d+$", place) else place + ":0"))
        chains[addresses[int(mark, 16) - MARK]] = chain
    assert len(chains) == len(addresses), f"heapflame: {len(chains)} stacks of {len(addresses)}"
    return chains


def records(text):
    """[(address, [(function, place)])], the innermost call first: what the tools print for -a -f -i."""
    found = []
    lines = (line for line in text.splitlines() if line)
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            found.append((line, []))
        else:
            found[-1][1].append((line, next(lines)))
    return found


def oracle_chains(tool, program, addresses):
    """{address: chain}: the three print the address, then two lines for each call. Of calls that have no name (clang's
    -gline-tables-only, of lambdas) heapflame's stacks show nothing; they are left out of all chains."""
    # eu-addr2line exits with 1 when it knows nothing of the last address.
    asked = "".join(f"{address:#x}\n" for address in addresses)
    out = subprocess.run([*ORACLES[tool], str(program)], input=asked, capture_output=True, text=True).stdout
    if tool == "elfutils":  # says the caller twice, and columns
        out = re.sub(r"(?m)^(.*) inlined at .* in .*$", r"\1", out)
        out = re.sub(r"(?m)^(.*:\d+):\d+$", r"\1", out)
    chains = [[normal(*call) for call in calls] for _, calls in records(demangle(out))]
    assert len(chains) == len(addresses), f"{tool}: {len(chains)} answers for {len(addresses)} addresses"
    named = ([call for call in chain[:-1] if call[0] != "??"] + chain[-1:] for chain in chains)
    return dict(zip(addresses, named))
