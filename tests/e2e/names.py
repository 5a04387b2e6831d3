#!/usr/bin/env python3
# sanitized: no, addr2line.py runs the same code
# timeout: 600
"""The oracle test of names: small real programs by gcc, clang and rustc, every function of each swept with addresses.
What `heapflame fold --lines` calls them must be what binutils' addr2line, llvm-symbolizer or elfutils' eu-addr2line
calls them, at 99.9 % of the addresses of each program (see _agreement.py and docs/compat/names.md); the other
addresses are printed. `script/soak names` does the same with large programs.

One oracle is not enough: addr2line 2.40 loses lines and calls of 64-bit DWARF, type units and clang's DWARF 5.
Usage: names.py [-v] [BUILD...]
"""

import os
import pathlib
import re
import shutil
import sys

from _agreement import Agreement, ask, check_table
from _names import NEEDED, Program, heapflame_chains, run, sweep, write_heap
from _variants import make_variant

ADDRESSES_MAX = 3000  # of one program
SHOWN = 5

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

# Its first function begins with a block, or an inlined call, that has a range of no instructions at the start of the
# code: in DWARF 4 that is (0, 0), the end of its list.
FIRST_SOURCE = r"""
#include <stdlib.h>
#include <string.h>
struct text { const char *data; size_t size; };
struct table { size_t count; struct text *rows; char *scratch; };
static size_t columns_of(struct text text)
{
    size_t columns = 0;
    for (size_t i = 0; i < text.size; i++) columns += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return columns;
}
static struct text escaped(struct table *t, struct text raw)
{
    t->scratch[0] = 0;
    strncat(t->scratch, raw.data, raw.size);
    return (struct text){t->scratch, strlen(t->scratch)};
}
__attribute__((unused)) static size_t first_empty(const struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].size == 0) return i;
    return t->count;
}
__attribute__((unused)) static void check(struct table *t)
{
    if (t->scratch == NULL) return;
    size_t first = first_empty(t);
    if (first == t->count) return;
    for (size_t i = 0; i < first; i++)
        if (t->rows[i].data == t->rows[first].data) t->scratch[0] = 1;
    t->count = first;
}
__attribute__((noinline)) static size_t name_width(struct table *t)
{
#ifdef CHECK
    check(t);
#endif
    size_t width = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t columns = columns_of(escaped(t, t->rows[i]));
        if (columns > width && columns <= 70) width = columns;
    }
    return width;
}
int main(int argc, char **argv)
{
    struct text row = {argv[0], strlen(argv[0])};
    struct table t = {(size_t)argc / 100 + 1, &row, calloc(row.size + 9, 1)};
    return (int)name_width(&t);
}
"""

# GNU C: a function in a function.
NESTED_SOURCE = r"""
#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) static int outer(int n)
{
    int seen = n;
    __attribute__((noinline)) int compare(const void *a, const void *b)
    {
        __attribute__((noinline)) int deepest(int m) { sink += m; return seen++ + m; }
        return deepest(*(const int *)a) - *(const int *)b;
    }
    int items[] = {3, n, 1};
    qsort(items, 3, sizeof *items, compare);
    return items[0] + seen;
}
int main(int argc, char **argv) { (void)argv; return outer(argc); }
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

SMALL_SOURCE = r"""
namespace shop {
static volatile long sink;
struct Price {
    long cents;
    bool operator<(const Price &other) const { return cents < other.cents; }
    long twice() const { sink = cents; return cents * 2; }
};
template <class T, int N> class Box {
    T items[N];
    int count = 0;
    T &place(long at) { sink += at; return items[at % N]; }
  public:
    Box() { for (auto &item : items) item = T{}; sink = N; }
    virtual ~Box() { sink -= N; }
    virtual void add(const T &item) { if (count < N) place(count++) = item; }
    T &operator[](long at) { return place(at + sink); }
    template <class F> __attribute__((noinline)) long sum(F f) { long s = 0; for (auto &i : items) s += f(i); return s; }
};
namespace { long secret(long n) { return n % 7 ? secret(n - sink) + 1 : n; } }
}
extern "C" __attribute__((weak)) int more(int, char **);
int main(int argc, char **argv)
{
    shop::Box<shop::Price, 10> prices;
    shop::Box<long, 3> numbers;
    for (int i = 0; i < argc; i++) { prices.add({i}); numbers.add(prices[i].twice()); }
    auto weigh = [&](shop::Price &p) { return p < prices[1] ? shop::secret(p.twice()) : numbers[0]; };
    return argc > 3 && more ? more(argc, argv) : int(prices.sum(weigh) + numbers.sum([](long n) { return n ^ shop::sink; }));
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
    "gcc-c-4-block": ("gcc", FIRST_SOURCE, "-gdwarf-4 -O2 -fno-reorder-functions"),
    "gcc-c-4-inlined": ("gcc", FIRST_SOURCE, "-gdwarf-4 -O2 -fno-reorder-functions -DCHECK"),
    "gcc-cpp-4-O2-nopie": ("g++", CPP_SOURCE, "-gdwarf-4 -O2 -no-pie"),
    "gcc-cpp-5-O0": ("g++", CPP_SOURCE, "-gdwarf-5 -O0"),
    "gcc-cpp-5-O3": ("g++", CPP_SOURCE, "-gdwarf-5 -O3 -pie"),
    "gcc-cpp-g1": ("g++", CPP_SOURCE, "-g1 -O2"),
    "gcc-cpp-types": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -fdebug-types-section"),
    "gcc-c-2-strict": ("gcc", C_SOURCE, "-gdwarf-2 -gstrict-dwarf -O2"),
    "gcc-c-cold": ("gcc", C_SOURCE, "-g -O2 -freorder-blocks-and-partition"),
    "gcc-c-nested": ("gcc", NESTED_SOURCE, "-g -O2"),
    "gcc-cpp-types-4": ("g++", SMALL_SOURCE, "-gdwarf-4 -O2 -fdebug-types-section"),
    "gcc-cpp-sections": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -ffunction-sections -Wl,--gc-sections"),
    "gcc-cpp-lto": ("g++", CPP_SOURCE, "-gdwarf-5 -O2 -flto"),
    "clang-c-2-strict": ("clang", C_SOURCE, "-gdwarf-2 -gstrict-dwarf -O2 -ffunction-sections"),
    "clang-c-3-O2": ("clang", C_SOURCE, "-gdwarf-3 -O2"),
    "clang-c-5-64": ("clang", C_SOURCE, "-gdwarf-5 -gdwarf64 -O2"),
    "clang-cpp-types": ("clang++", SMALL_SOURCE, "-gdwarf-5 -O2 -fdebug-types-section"),
    "clang-cpp-types-4": ("clang++", SMALL_SOURCE, "-gdwarf-4 -O2 -fdebug-types-section"),
    "clang-cpp-lto": ("clang++", SMALL_SOURCE, "-gdwarf-5 -O2 -flto -fuse-ld=lld"),
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
# Here eu-addr2line loses inlined calls: it must not confirm that there are none.
WITHOUT_ELFUTILS = ("gcc-c-4-block", "gcc-c-4-inlined")
# What must be in a program or variant, so that its layout is what it is here for: patterns in what readelf prints.
RANGES_OF_CALLS = r"DW_TAG_inlined_subroutine.*\n(?: +DW_AT_(?!value).*\n)*? +DW_AT_ranges"
MARKS = {
    "gcc-c-2-strict": [r"Version: +2\n", r"low_pc.*\n.*high_pc.*\n.*stmt_list"],
    "gcc-c-3-O0": [r"Version: +3\n"],
    "gcc-c-4-O3": [r"Version: +4\n", r"\.debug_ranges ", RANGES_OF_CALLS],
    "gcc-c-5-O2": [r"Version: +5\n", r"\.debug_rnglists ", RANGES_OF_CALLS],
    "gcc-c-5-64": [r"\(64-bit\)"],
    "gcc-c-cold": [r" FUNC .*\.cold\n", r"DW_TAG_subprogram.*\n(?: +DW_AT_(?!value).*\n)*? +DW_AT_ranges"],
    "gcc-cpp-types": [r"Unit Type: +DW_UT_type"],
    "gcc-cpp-types-4": [r"\.debug_types "],
    "gcc-cpp-lto": [r"<artificial>", r"DW_AT_abstract_origin +DW_FORM_ref_addr"],
    "clang-c-2-strict": [r"Version: +2\n"],
    "clang-c-3-O2": [r"Version: +3\n"],
    "clang-c-5-O3": [r"Version: +5\n", RANGES_OF_CALLS, r"(?s)\A(?!.*\.debug_aranges )"],
    "clang-c-5-64": [r"\(64-bit\)"],
    "clang-cpp-types": [r"Unit Type: +DW_UT_type"],
    "clang-cpp-types-4": [r"\.debug_types "],
    "zlib": [r"\.debug_info .* C "],
    "zstd": [r"\.debug_info .* C "],
    "zlib-gnu": [r"\.zdebug_info "],
    "dwz-m": [r"\.gnu_debugaltlink "],
    "dwz-5": [r"\.debug_sup "],
    "partial units": [r"DW_TAG_partial_unit", r"DW_TAG_imported_unit", r"DW_AT_abstract_origin +DW_FORM_ref_addr"],
    "eu-strip": [r"\.gnu_debuglink "],
    "no-aranges": [r"(?s)\A(?!.*\.debug_aranges )"],
}
# What is done to a finished program; the addresses stay, so the oracles' answers for the program hold.
VARIANTS = {
    "gcc-c-5-O2": ["debuglink", "build-id", "zlib", "zstd", "zlib-gnu", "eu-strip", "no-aranges"],
    "gcc-cpp-4-O2-nopie": ["dwz", "dwz-m"],
    "gcc-cpp-5-O3": ["debuglink", "zstd", "dwz", "dwz-m", "dwz-5"],
    "clang-c-5-O3": ["build-id", "zlib"],
    "clang-cpp-4-O2-nopie": ["dwz-m"],
}


def check_marks(name, program):
    printed = run("readelf", "-SsW", "--debug-dump=info,abbrev", "-wN", program)
    for mark in MARKS.get(name, []):
        assert re.search(mark, printed), f"{name} has no {mark}"


class Table:
    """One line for each program, what is odd below it, and the sum."""

    def __init__(self, shown=SHOWN):
        self.sum, self.failed, self.shown = Agreement(), [], shown

    def add(self, name, program, ours, oracles, sample):
        one = Agreement()
        one.compare(program, ours, oracles, sample)
        print(f"{name:24} {one.figures()}", flush=True)
        one.print_odd(self.shown)
        self.sum.add(one)
        if one.faults():
            self.failed.append(f"{name}: {', '.join(one.faults())}")

    def finish(self):
        print(f"{'all':24} {self.sum.figures()}\n")
        self.sum.print_sums()
        if self.failed or self.sum.addresses == 0:
            raise SystemExit("FAILED\n" + "\n".join(self.failed))


def build(name, here):
    compiler, source, options = BUILDS[name]
    file = here / (name + {CPP_SOURCE: ".cc", SMALL_SOURCE: ".cc", RUST_SOURCE: ".rs"}.get(source, ".c"))
    file.write_text(source)
    link = "-Clink-arg=-Wl,--build-id=sha1" if compiler == "rustc" else "-Wl,--build-id=sha1"
    run(compiler, *options.split(), link, "-o", here / name, file)
    return Program(here / name)


def test_build(table, name, here):
    program = build(name, here)
    check_marks(name, program.path)
    addresses = sweep(program, ADDRESSES_MAX)
    heap = here / f"{name}.heap"
    write_heap(heap, program, program.path, addresses)
    ours = heapflame_chains(heap, addresses)
    oracles, sample = ask(program, addresses, ours, name)
    if name in WITHOUT_ELFUTILS:
        del oracles["elfutils"]
    table.add(name, program, ours, oracles, sample)
    for kind in VARIANTS.get(name, []):
        changed, more = make_variant(kind, program.path, here / f"{name}.{kind}")
        check_marks(kind, changed)
        write_heap(heap, program, changed, addresses)
        table.add(f"{name} {kind}", program, heapflame_chains(heap, addresses, *more), oracles, sample)


def can_build(name):
    compiler, _, options = BUILDS[name]
    return shutil.which(compiler) and (shutil.which("ld.lld") or "lld" not in options)


def main():
    missing = [tool for tool in (*NEEDED, "gcc", "g++", "dwz") if not shutil.which(tool)]
    if missing:
        print(f"{', '.join(missing)} missing")
        sys.exit(77)
    check_table()
    table = Table(sys.maxsize if "-v" in sys.argv else SHOWN)
    for name in [word for word in sys.argv[1:] if not word.startswith("-")] or BUILDS:
        if can_build(name):
            test_build(table, name, pathlib.Path.cwd())
        else:
            print(f"{name}: {BUILDS[name][0]} or its linker is missing")
    table.finish()


if __name__ == "__main__":
    os.environ.pop("DEBUGINFOD_URLS", None)
    main()
