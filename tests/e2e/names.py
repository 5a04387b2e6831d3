#!/usr/bin/env python3
# timeout: 240
"""The oracle test of names: small real programs by gcc and clang, every function of each swept with addresses, and what
`heapflame fold --lines` calls them (functions, inlined calls, files, lines) compared with binutils' addr2line and with
llvm-symbolizer. One of the two must agree at 99.9 % of the addresses of each program; the others are printed.

What counts as the same, and why:
  - line 0 is code that the compiler made up: an oracle says '?', heapflame the last real line before it
  - names are compared without the suffix of a clone (".cold", ".isra.0"), and, where one tool has only the plain name of
    an inlined call, by that
  - paths are compared without "/./" and "//"
  - llvm-symbolizer's own demangler does not know all that GCC writes: its names are demangled by c++filt
One oracle is not enough: addr2line 2.40 loses lines and calls of 64-bit DWARF, type units and clang's DWARF 5.
Usage: names.py [-v] [BUILD...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

AGREEMENT = 0.999
ADDRESSES_MAX = 3000  # of one program
BASE = 0x555555554000
MARK = 0x10000000  # roots of the stacks: addresses in no mapping, so that each stack stays a line of its own

C_SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct list { struct list *next; char *text; size_t size; };
static volatile size_t sink;
static inline size_t twice(size_t n) { return n * 2 + sink; }
static inline size_t quad(size_t n) { if (n > 100) sink += n; return twice(twice(n)); }
static struct list *push(struct list *old, const char *text)
{
    struct list *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = old;
    new->size = strlen(text) + quad(old ? old->size : 3);
    new->text = malloc(new->size + 1);
    memcpy(new->text, text, strlen(text) + 1);
    return new;
}
__attribute__((noinline)) static size_t walk(struct list *l, int depth)
{
    size_t sum = 0;
    for (; l; l = l->next) {
        switch (l->text[0]) {
        case 'a': sum += twice(l->size); break;
        case 'b': sum += quad(l->size); break;
        case 'c': sum ^= 77; break;
        case 'd': sum *= 3; break;
        case 'e': if (depth < 3) sum += walk(l->next, depth + 1); break;
        default: { size_t local = quad(sum); sum = local / 3; }
        }
    }
    return sum;
}
__attribute__((cold, noinline)) static void complain(const char *what) { fprintf(stderr, "%s\n", what); exit(1); }
size_t unused_function(size_t n) { return quad(n) + twice(n); }
static int compare(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}
__attribute__((noinline)) void sorted(size_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++) items[i] = quad(i) % 17;
    qsort(items, count, sizeof *items, compare);
}
int main(int argc, char **argv)
{
    struct list *l = NULL;
    size_t items[40];
    for (int i = 0; i < argc; i++) l = push(l, argv[i]);
    if (argc > 1000) complain(argv[1]);
    sorted(items, 40);
    printf("%zu %zu\n", walk(l, 0), items[3]);
    return 0;
}
"""

CPP_SOURCE = r"""
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace shop {
struct Price {
    long cents;
    bool operator<(const Price &other) const { return cents < other.cents; }
    explicit operator double() const { return cents / 100.0; }
    Price &operator+=(const Price &other) { cents += other.cents; return *this; }
};
class Base {
  public:
    virtual ~Base() = default;
    virtual long weigh(long n) const { return n; }
};
template <class T, int N> class Box : public Base {
    std::vector<T> items;
  public:
    void add(T item) { if (items.size() < N) items.push_back(std::move(item)); }
    template <class F> long sum(F f) const { long s = 0; for (auto &i : items) s += f(i); return s; }
    long weigh(long n) const override { return n * long(items.size()); }
    T &operator[](size_t i) { return items[i]; }
};
namespace {
long secret(long n) { return n % 7 ? secret(n - 1) + 1 : n; }
struct Hidden { static long count(const std::string &s) { return long(std::count(s.begin(), s.end(), 'x')); } };
}
static long helper(const std::map<std::string, Price> &m)
{
    long sum = 0;
    std::for_each(m.begin(), m.end(), [&sum](auto &pair) { sum += pair.second.cents + Hidden::count(pair.first); });
    return sum;
}
template <class T> __attribute__((noinline)) T largest(std::vector<T> v)
{
    std::sort(v.begin(), v.end(), [](const T &a, const T &b) { return a < b; });
    return v.back();
}
}
int main(int argc, char **argv)
{
    shop::Box<std::string, 10> box;
    shop::Box<long, 5> numbers;
    std::map<std::string, shop::Price> prices;
    std::vector<shop::Price> list;
    for (int i = 0; i < argc; i++) {
        box.add(argv[i]);
        numbers.add(i);
        prices[argv[i]].cents += i;
        list.push_back({i * 3L});
    }
    std::function<long(long)> f = [&](long n) { return n + argc + shop::secret(n); };
    std::unique_ptr<shop::Base> base(new shop::Box<long, 5>(numbers));
    try {
        if (argc > 100) throw std::string("many");
        printf("%ld %ld %ld %ld %f\n", box.sum([](const std::string &s) { return long(s.size()); }), shop::helper(prices),
            f(base->weigh(3)), numbers[0], double(shop::largest(list)));
    } catch (const std::string &s) {
        puts(s.c_str());
    }
}
"""

RUST_SOURCE = r"""
use std::collections::BTreeMap;
use std::fmt;
trait Weigh { fn weigh(&self) -> u64; }
struct Item<T> { name: String, value: T }
impl<T: Into<u64> + Copy> Weigh for Item<T> {
    fn weigh(&self) -> u64 { self.name.len() as u64 + self.value.into() }
}
impl<T: fmt::Debug> fmt::Display for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}={:?}", self.name, self.value) }
}
mod inner {
    #[inline(never)]
    pub fn total(items: &[Box<dyn super::Weigh>]) -> u64 { items.iter().map(|i| i.weigh()).filter(|w| w % 3 != 1).sum() }
}
fn main() {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut items: Vec<Box<dyn Weigh>> = Vec::new();
    for (index, word) in std::env::args().enumerate() {
        *seen.entry(word.clone()).or_insert(0) += index as u64;
        println!("{}", Item { name: word.clone(), value: index as u32 });
        items.push(Box::new(Item { name: word, value: index as u8 }));
    }
    println!("{} {:?}", inner::total(&items), seen);
}
"""

# name: compiler, source, options
BUILDS = {
    "gcc-c-2-O2-nopie": ("gcc", C_SOURCE, "-gdwarf-2 -O2 -no-pie"),
    "gcc-c-3-O0": ("gcc", C_SOURCE, "-gdwarf-3 -O0 -pie"),
    "gcc-c-4-O3": ("gcc", C_SOURCE, "-gdwarf-4 -O3 -pie"),
    "gcc-c-5-O2": ("gcc", C_SOURCE, "-gdwarf-5 -O2 -pie"),
    "gcc-c-5-64": ("gcc", C_SOURCE, "-gdwarf-5 -gdwarf64 -O2 -pie"),
    "gcc-c-4-sections": ("gcc", C_SOURCE, "-gdwarf-4 -O2 -ffunction-sections -Wl,--gc-sections"),
    "gcc-cpp-4-O2-nopie": ("g++", CPP_SOURCE, "-gdwarf-4 -O2 -no-pie"),
    "gcc-cpp-5-O0": ("g++", CPP_SOURCE, "-gdwarf-5 -O0"),
    "gcc-cpp-5-O3": ("g++", CPP_SOURCE, "-gdwarf-5 -O3 -pie"),
    "gcc-cpp-g1": ("g++", CPP_SOURCE, "-g1 -O2"),
    "gcc-cpp-types": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -fdebug-types-section"),
    "gcc-cpp-sections": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -ffunction-sections -Wl,--gc-sections"),
    "gcc-cpp-lto": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -flto"),
    "clang-c-4-O2": ("clang", C_SOURCE, "-gdwarf-4 -O2"),
    "clang-c-5-O3": ("clang", C_SOURCE, "-gdwarf-5 -O3 -pie"),
    "clang-c-5-lld": ("clang", C_SOURCE, "-gdwarf-5 -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections"),
    "clang-cpp-4-O2-nopie": ("clang++", CPP_SOURCE, "-gdwarf-4 -O2 -no-pie"),
    "clang-cpp-5-O0": ("clang++", CPP_SOURCE, "-gdwarf-5 -O0"),
    "clang-cpp-5-lld": ("clang++", CPP_SOURCE, "-gdwarf-5 -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections"),
    "rust-legacy-O": ("rustc", RUST_SOURCE, "-g -O"),
    "rust-v0": ("rustc", RUST_SOURCE, "-g -C opt-level=1 -C symbol-mangling-version=v0"),
    "clang-cpp-gmlt": ("clang++", CPP_SOURCE, "-gline-tables-only -O2"),
}
# What is done to a finished program; the addresses stay, so the oracles' answers for the program hold.
VARIANTS = {
    "gcc-c-5-O2": ["debuglink", "build-id", "zlib", "zstd", "zlib-gnu"],
    "gcc-cpp-5-O3": ["debuglink", "zstd"],
    "clang-c-5-O3": ["build-id", "zlib"],
}

def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


def segments(program):
    for line in run("readelf", "-lW", program).splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            offset, address, _, size, _ = (int(word, 16) for word in words[1:6])
            yield offset, address, size, "".join(words[6:-1])


def is_pie(program):
    return re.search(r"Type:\s+DYN", run("readelf", "-h", program)) is not None


def functions(program):
    """(address, size) of every function that the program defines."""
    found = {}
    for line in run("readelf", "-sW", program).splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] == "FUNC" and words[6] != "UND" and int(words[2], 0):
            found[int(words[1], 16)] = max(int(words[2], 0), found.get(int(words[1], 16), 0))
    return sorted(found.items())


def sweep(program):
    found = functions(program)
    step = max(1, sum(size for _, size in found) // ADDRESSES_MAX)
    return sorted({address + at for address, size in found for at in range(0, size, step)})


def write_heap(path, mapped, program, addresses):
    base = BASE if is_pie(program) else 0
    lines = ["heap_v2/1", f"  t*: {len(addresses)}: {16 * len(addresses)} [0: 0]"]
    for index, address in enumerate(addresses):  # return addresses: one behind what is looked up
        lines += [f"@ {base + address + 1:#x} {MARK + index + 1:#x}", "  t*: 1: 16 [0: 0]"]
    lines += ["", "MAPPED_LIBRARIES:"]
    for offset, address, size, flags in segments(program):
        start, end = address & ~0xFFF, (address + size + 0xFFF) & ~0xFFF
        mode = "".join(letter if letter.upper() in flags.replace("E", "X") else "-" for letter in "rwx")
        lines.append(f"{base + start:x}-{base + end:x} {mode}p {offset & ~0xFFF:08x} 00:00 1 {mapped}")
    path.write_text("\n".join(lines) + "\n")


def normal(name, place):
    """(function, path, line) in one form for all tools."""
    name = re.sub(r"( \[clone [^]]*\])+$| \(\.[\w.]+\)$", "", name)
    name = re.sub(r"\.(cold|part|isra|constprop|lto_priv|llvm)(\.\d+)*.*$", "", name)
    path, _, line = re.sub(r" \(discriminator \d+\)$", "", place).rpartition(":")
    path = re.sub(r"/(\./)+", "/", re.sub(r"//+", "/", path))
    return name, "" if path.startswith("??") else path, int(line) if line.isdigit() else 0


def heapflame_chains(heap, count, *options):
    command = ["heapflame", "fold", "--quiet", "--lines", "--full-names", "--keep-allocator", *options, heap]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    chains = [None] * count
    for line in done.stdout.splitlines():
        mark, *frames = line.rsplit(" ", 1)[0].split(";")
        chain = []
        for frame in reversed(frames):
            name, _, place = frame.rpartition(" ")
            if not name or not re.search(r"^/|[/.].*:\d+$", place):
                name, place = frame, ":0"
            chain.append(normal(name, place if re.search(r":\d+$", place) else place + ":0"))
        chains[int(mark, 16) - MARK] = chain
    return chains


def oracle_chains(command, addresses):
    """addr2line's output and llvm-symbolizer's in GNU style: the address, then two lines for each call."""
    out = run(*command, input="".join(f"{address:#x}\n" for address in addresses))
    if "-C" not in command:
        out = run("c++filt", input=out)
    out = out.splitlines()
    chains, at = [], 0
    while at < len(out):
        if re.fullmatch(r"0x[0-9a-f]+", out[at]):
            chains.append([])
            at += 1
        elif not out[at]:
            at += 1
        else:
            chains[-1].append(normal(out[at], out[at + 1]))
            at += 2
    assert len(chains) == len(addresses), f"{command[0]}: {len(chains)} answers for {len(addresses)} addresses"
    return chains


def bare(name):
    """The last part of a name without parameters: inlined calls without a mangled name have nothing more."""
    depth, out = 0, []
    for letter in name.replace("operator<", "operator~").replace("(anonymous namespace)::", ""):
        depth -= letter in ")>" and depth > 0
        if depth == 0 and letter not in ")>":
            out.append(letter)
        depth += letter in "(<"
    return "".join(out).rstrip("(<").split("::")[-1].split(" ")[0]


def same_function(ours, theirs):
    return ours[0] == theirs[0] or bare(ours[0]) == bare(theirs[0])


def same_place(ours, theirs):
    """Line 0 is code the compiler made up: an oracle says '?', heapflame the last real line of the sequence."""
    return theirs[2] == 0 or (ours[2] == theirs[2] and ours[1] == theirs[1])


def same(ours, theirs):
    return len(ours) == len(theirs) and all(same_function(a, b) and same_place(a, b) for a, b in zip(ours, theirs))


def show(chain):
    return " < ".join(f"{name} {path.rsplit('/', 1)[-1]}:{line}" for name, path, line in chain)


class Table:
    """One line for each program, the disagreements below it, and the sum."""

    def __init__(self):
        self.failed, self.all, self.agreed = [], 0, 0

    def compare(self, build, addresses, ours, oracles):
        by_oracle = {name: 0 for name in oracles}
        differing = []
        for index, address in enumerate(addresses):
            equal = [name for name, chains in oracles.items() if same(ours[index], chains[index])]
            for name in equal:
                by_oracle[name] += 1
            if not equal:
                differing.append((address, ours[index], {name: chains[index] for name, chains in oracles.items()}))
        count = len(addresses)
        figures = "  ".join(f"{name} {100 * n / count:6.2f} %" for name, n in by_oracle.items())
        print(f"{build:24} {count:5} addresses, agrees {100 * (count - len(differing)) / count:6.2f} %  ({figures})")
        for address, mine, theirs in differing[: None if "-v" in sys.argv else 5]:
            print(f"  {address:#x}\n    heapflame: {show(mine)}")
            for name, chain in theirs.items():
                print(f"    {name}: {show(chain)}")
        self.all += count
        self.agreed += count - len(differing)
        if len(differing) > (1 - AGREEMENT) * count:
            self.failed.append(build)

    def finish(self):
        print(f"{self.agreed} of {self.all} addresses agree: {100 * self.agreed / max(self.all, 1):.3f} %")
        if self.failed or self.all == 0:
            raise SystemExit("FAILED: " + ", ".join(self.failed))


def make_variant(kind, program, folder):
    """Returns the changed program and the options that find its names."""
    folder.mkdir()
    changed = folder / program.name
    debug = folder / f"{program.name}.debug"
    if kind in ("zlib", "zlib-gnu", "zstd"):
        run("objcopy", f"--compress-debug-sections={kind}", program, changed)
        return changed, []
    run("objcopy", "--only-keep-debug", program, debug)
    if kind == "debuglink":
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program, changed)
        (folder / ".debug").mkdir()
        debug.rename(folder / ".debug" / debug.name)
        return changed, []
    run("objcopy", "--strip-all", program, changed)
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", program))[1]
    store = folder / "symbols/.build-id" / build_id[:2]
    store.mkdir(parents=True)
    debug.rename(store / f"{build_id[2:]}.debug")
    return changed, ["--symdir", folder / "symbols"]


def test_build(table, oracles, name, here):
    compiler, source, options = BUILDS[name]
    file = here / (name + {C_SOURCE: ".c", CPP_SOURCE: ".cc", RUST_SOURCE: ".rs"}[source])
    file.write_text(source)
    program = here / name
    link = "-Clink-arg=-Wl,--build-id=sha1" if compiler == "rustc" else "-Wl,--build-id=sha1"
    run(compiler, *options.split(), link, "-o", program, file)
    addresses = sweep(program)
    answers = {tool: oracle_chains(command + [program], addresses) for tool, command in oracles.items()}
    heap = here / f"{name}.heap"
    write_heap(heap, program, program, addresses)
    table.compare(name, addresses, heapflame_chains(heap, len(addresses)), answers)
    for kind in VARIANTS.get(name, []):
        changed, more = make_variant(kind, program, here / f"{name}.{kind}")
        write_heap(heap, changed, changed, addresses)
        table.compare(f"{name} {kind}", addresses, heapflame_chains(heap, len(addresses), *more), answers)


def main():
    here = pathlib.Path.cwd()
    oracles = {
        "addr2line": ["addr2line", "-a", "-f", "-i", "-C", "-e"],
        "llvm": ["llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-i", "--no-demangle", "-e"],
    }
    needed = ("addr2line", "llvm-symbolizer", "c++filt", "gcc", "g++", "readelf")
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"{', '.join(missing)} missing")
        sys.exit(77)
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")] or list(BUILDS)
    table = Table()
    for name in chosen:
        if not shutil.which(BUILDS[name][0]):
            print(f"{name}: no {BUILDS[name][0]}")
        elif "lld" in BUILDS[name][2] and not shutil.which("ld.lld"):
            print(f"{name}: no ld.lld")
        else:
            test_build(table, oracles, name, here)
    table.finish()


if __name__ == "__main__":
    os.environ.pop("DEBUGINFOD_URLS", None)
    main()
