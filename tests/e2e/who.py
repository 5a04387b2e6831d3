#!/usr/bin/env python3
# timeout: 240
"""who: what keeps the blocks of each place. The programs say it before: each function keeps what it allocates as KEPT has
it, and holds as many bytes."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from _agent import AGENT, environment
from _heap import HEAPFLAME, SOURCE, need
from _schemas import held
from _suite import run_tests

need("gcc", "g++")
CLOCK_NS = 20_000_000  # HF_TABLE_CLOCK_NS
EXACT, SAMPLED = "lg_prof_sample:0", "lg_prof_sample:15"

WAIT = r"""
static void *churn(void *unused)
{
    for (;;) free(malloc(1 + rand() % 3000));
    return unused;
}
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0;
}
static __attribute__((noinline)) void ready(void)
{
    wipe();
    (void)!write(1, "r", 1);
    for (char byte; read(0, &byte, 1) == 1;) {}
}
"""

# Functions that return what their caller keeps on its stack: by the source, that would be the owner.
OWN = "--own", "^(keep_on_stack|for_worker)$"

C = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node { struct node *next; void *data; };
static struct node *volatile list;
static void **volatile table;
static void *volatile first_owner, *volatile second_owner, *volatile third_owner;
static __thread struct node *volatile thread_list;
static void *volatile cursor;
""" + WAIT + r"""
static __attribute__((noinline)) void *fresh(size_t size) { return memset(malloc(size), 0, size); }
static __attribute__((noinline)) void **array_of(int count, size_t size)
{
    void **array = fresh((size_t)count * sizeof *array);
    for (int i = 0; i < count; i++) array[i] = fresh(size);
    return array;
}
static __attribute__((noinline)) void keep_in_list(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = fresh(sizeof *node);
        node->data = fresh(1000);
        node->next = list;
        list = node;
    }
}
static __attribute__((noinline)) void keep_in_table(int count)
{
    table = fresh((size_t)count * sizeof *table);
    for (int i = 0; i < count; i++) table[i] = fresh(2000);
}
static __attribute__((noinline)) void keep_in_thread(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *node = fresh(3000);
        node->next = thread_list;
        thread_list = node;
    }
}
static __attribute__((noinline)) void share_by_two(int count)
{
    void **both = fresh((size_t)count * sizeof *both);
    for (int i = 0; i < count; i++) both[i] = fresh(4000);
    first_owner = second_owner = both;
}
static __attribute__((noinline)) void lose(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *volatile parent = fresh(5000);
        parent->next = fresh(500);
    }
}
static __attribute__((noinline)) void **keep_on_stack(int count)
{
    void **array = fresh((size_t)count * sizeof *array);
    for (int i = 0; i < count; i++) array[i] = fresh(6000);
    return array;
}
static void *serve(void *unused)
{
    void **volatile local = keep_on_stack(1000);
    void *volatile looked_at = list->next->next; /* into the middle of what a global keeps */
    keep_in_thread(1000);
    ready();
    exit(0);
    return local == NULL || looked_at == NULL ? unused : NULL;
}
int main(int count, char **words)
{
    pthread_t thread;
    (void)words;
    keep_in_list(5000);
    keep_in_table(2500);
    share_by_two(1200);
    lose(1000);
    wipe();
    if (count > 1) pthread_create(&thread, NULL, churn, NULL);
    pthread_create(&thread, NULL, serve, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"""

CC = r"""
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#include <pthread.h>
#include <cstdlib>
#include <unistd.h>
""" + WAIT + r"""
struct Session { virtual ~Session() {} std::vector<std::string> lines; };
struct Registry {
    std::map<int, std::unique_ptr<Session>> all;
    static Registry &instance() { static Registry one; return one; }
    __attribute__((noinline)) void record(int count)
    {
        for (int i = 0; i < count; i++) {
            auto session = std::make_unique<Session>();
            session->lines.push_back(std::string(1000, 'x'));
            all[i] = std::move(session);
        }
    }
};
struct Cycle { std::shared_ptr<Cycle> other; char bytes[2000]; };
namespace cache { std::unordered_map<int, std::string> by_number; std::list<std::string> recent; }
namespace cache {
__attribute__((noinline)) void fill(int count) { for (int i = 0; i < count; i++) by_number[i] = std::string(1500, 'y'); }
__attribute__((noinline)) void remember(int count) { for (int i = 0; i < count; i++) recent.push_back(std::string(1200, 'z')); }
}
__attribute__((noinline)) void forget_cycles(int count)
{
    for (int i = 0; i < count; i++) {
        auto a = std::make_shared<Cycle>(), b = std::make_shared<Cycle>();
        a->other = b;
        b->other = a;
    }
}
int main()
{
    Registry::instance().record(4000);
    cache::fill(3000);
    cache::remember(3000);
    forget_cycles(1500);
    ready();
    return 0;
}
"""

# {place: (bytes, form, kind, the variables; None: not told)}: what the program does. `lose` is lost, and what it points to.
KEPT_C = {
    "keep_in_list": (5000 * 1016, "one", "data", {"list"}),
    "keep_in_table": (2500 * 2008, "one", "data", {"table"}),
    "keep_in_thread": (1000 * 3000, "one", "thread_local", {"thread_list"}),
    "share_by_two": (1200 * 4008, "two", "data", {"first_owner", "second_owner"}),
    "keep_on_stack": (1000 * 6008, "one", "stack", {"serve"}),
    "lose": (1000 * 5500, "lost", "", None),
}
KEPT_CC = {
    "Registry::record": (4000 * (1001 + 32 + 32 + 48), "one", "data", {"Registry::instance::one"}),
    "cache::fill": (None, "one", "data", {"cache::by_number"}),
    "cache::remember": (3000 * (1201 + 48), "one", "data", {"cache::recent"}),
    "forget_cycles": (None, "lost", "", None),
}


class Program:
    """Compiled, run under the agent, and where it waits."""

    def __init__(self, text, ending, conf, *words, strips=False, links=()):
        source = Path("program" + ending)
        source.write_text(text)
        compiler = "g++" if ending == ".cc" else "gcc"
        subprocess.run([compiler, "-O1", "-g", "-pthread", "-o", "program", source, *links], check=True)
        if strips:
            subprocess.run(["strip", "program"], check=True)
        preload = (AGENT,) if conf is not None else ()
        self.process = subprocess.Popen(
            ["./program", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(conf, preload))
        assert self.process.stdout.read(1) == b"r"
        born_ns = time.monotonic_ns()
        while time.monotonic_ns() < born_ns + CLOCK_NS:  # what is younger is left out
            time.sleep(0.001)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.communicate()
        assert self.process.returncode == 0, self.process.returncode


def who(*words, status=0):
    done = subprocess.run([HEAPFLAME, "who", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def document(*words):
    """What keeps a place adds up to it, and places to all."""
    found = held(json.loads(who("--json", "--rows", 0, *OWN, *words)))
    for owner in found["owners"]:
        assert sum(part["bytes"] for part in owner["kept_by"]) == owner["bytes"], owner
    assert sum(owner["bytes"] for owner in found["owners"]) == found["bytes"], found
    assert sum(part["bytes"] for part in found["kept_by"]) == found["bytes"], found
    return found


def share_as_told(owner, form, kind, names):
    """How much of a place is kept as the program says: 0 to 1."""
    bytes_told = 0
    for part in owner["kept_by"]:
        is_form = part["form"] == form or (form == "lost" and part["form"] == "lost_with")
        is_named = names is None or {keeper["name"] for keeper in part["keepers"]} == names
        bytes_told += part["bytes"] if is_form and part["kind"] == kind and is_named else 0
    return bytes_told / owner["bytes"]


def check(found, kept, least_share, tolerance):
    owners = {owner["name"]: owner for owner in found["owners"]}
    for name, (size, form, kind, names) in kept.items():
        owner = owners[name]
        assert share_as_told(owner, form, kind, names) >= least_share, (name, owner)
        assert size is None or abs(owner["bytes"] - size) <= tolerance * size, (name, owner["bytes"], size)


def all_found(found):
    table = found["table"]
    assert table["exact"] == table["blocks"] > 0 and table["inside"] == 0, table


def test_c():
    """A lost block of a thousand may be held by a word that was left somewhere."""
    with Program(C, ".c", EXACT) as program:
        found = document(program.pid)
        all_found(found)
        check(found, KEPT_C, 0.995, 0)
        owners = {owner["name"]: owner for owner in found["owners"]}
        example = owners["keep_in_list"]["kept_by"][0]["example"]
        assert example["from"]["name"] == "list" and example["from"]["path"].endswith("/program"), example
        assert [step["bytes"] for step in example["blocks"]] == [24, 1000] and example["blocks"][0]["count"] > 1000, example
        lost, lost_with = owners["lose"]["kept_by"]
        assert (lost["form"], lost_with["form"]) == ("lost", "lost_with") and 999 <= lost["objects"] <= 1000, owners["lose"]
        assert 995 <= lost_with["objects"] <= 1000, owners["lose"]


def test_c_sampled():
    with Program(C, ".c", SAMPLED) as program:
        found = document(program.pid)
        all_found(found)
        check(found, KEPT_C, 0.95, 0.5)


def test_cc():
    with Program(CC, ".cc", EXACT) as program:
        found = document(program.pid)
        all_found(found)
        check(found, KEPT_CC, 0.995, 0)
        said = who(program.pid, "Registry::record")
        assert re.search(r"e\.g\. Registry::instance::one\.all \(map<\.\.\.>\) → 56 B ×\d+ → Session::lines \(vector<\.\.\.>\) 40 B → ", said), said


def test_cc_sampled():
    with Program(CC, ".cc", SAMPLED) as program:
        found = document(program.pid)
        all_found(found)
        check(found, KEPT_CC, 0.95, 0.5)


def test_stripped():
    """Without symbols a global is its module; places have none either, but shares stay what they are."""
    with Program(C, ".c", EXACT, strips=True) as program:
        found = document(program.pid)
        forms = {(part["form"], part["kind"]): part["bytes"] for part in found["kept_by"]}
        keepers = {keeper["name"] for part in found["kept_by"] for keeper in part["keepers"] if keeper["path"].endswith("/program")}
        assert keepers == {""}, found["kept_by"]
        total = sum(KEPT_C[name][0] for name in ("keep_in_list", "keep_in_table", "share_by_two"))
        assert forms["one", "data"] >= total, (forms, total)
        assert ("two", "data") not in forms, found["kept_by"]


def test_at_work():
    """While another thread allocates and frees, too, each block of the table is one of the heaps: ten times."""
    with Program(C, ".c", EXACT, "churn") as program:
        for _ in range(10):
            found = document(program.pid)
            all_found(found)
            check(found, KEPT_C, 0.995, 0)


GROWS = (SOURCE / "tests/programs/sessions.c").read_text()


def check_growing(found, verdict):
    """What is freed again, and what was there before, is left out; the rest is held as the program says."""
    assert found["chosen"]["chosen"] == 2 and found["chosen"]["looks"] >= 10 and found["chosen"]["verdict"] == verdict, found["chosen"]
    owners = {owner["name"]: owner for owner in found["owners"]}
    assert set(owners) == {"session_open", "parse_request"}, owners
    assert share_as_told(owners["session_open"], "one", "data", {"registry"}) >= 0.99, owners
    assert share_as_told(owners["parse_request"], "lost", "", None) >= 0.98, owners


def longer(look, is_enough):
    """A busy machine needs more time for a verdict."""
    for seconds in 5, 10, 20:
        found = look("-d", f"{seconds}s")
        if is_enough(found):
            break
    return found


def test_growing():
    with Program(GROWS, ".c", EXACT) as program:
        check_growing(longer(lambda *how: document(program.pid, "--growing", *how), lambda found: found["chosen"]["chosen"] == 2), "")
        leaks = longer(lambda *how: document(program.pid, "--verdict", "leak", *how), lambda found: found["chosen"]["chosen"] == 2)
        check_growing(leaks, "leak")
        only = json.loads(who(program.pid, "session_", "--growing", "-d", "2s", "--every", "200ms", "--json"))
        assert [owner["name"] for owner in only["owners"]] == ["session_open"], only
        said = who(program.pid, "--verdict", "full cache", "-d", "2s")
        assert re.search(r"^1[234] looks over 2 s: 0 of \d places have the verdict 'full cache'$", said, re.M), said
        for words, why in (
            (["--verdict", "theft"], "--verdict: expected leak, filling cache"),
            (["--growing", "--verdict", "leak"], "exclude each other"),
            (["-d", "1s"], "--duration needs --growing or --verdict"),
        ):
            assert why in who(program.pid, *words, status=2), words
        check_trend(program)
        waits = subprocess.Popen([HEAPFLAME, "who", str(program.pid), "--growing"], stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        program.process.communicate()
        assert waits.wait() == 5 and "ended before its heaps could be read" in waits.stderr.read()
        program.process = subprocess.Popen(["true"])


def check_trend(program):
    """trend --who says of each leak what holds it, and that one is proven; of other places nothing."""
    def trend(*words, status=0):
        done = subprocess.run([HEAPFLAME, "trend", "--who", *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == status, done
        return done.stdout if status == 0 else done.stderr

    json_text = longer(lambda *how: trend(program.pid, "--json", *how), lambda found: found.count('"held_by"') == 2)
    places = {place["name"]: place for place in held(json.loads(json_text))["places"]}
    assert [(part["keeper"], part["lost"]) for part in places["session_open"]["held_by"]] == [("global registry (program)", False)], places
    assert all(part["lost"] for part in places["parse_request"]["held_by"]), places
    assert all("held_by" not in place for name, place in places.items() if name not in ("session_open", "parse_request")), places
    said = longer(lambda *how: trend(program.pid, *how), lambda found: found.count("held by: ") == 2)
    assert re.search(r"^LEAK: .*session_open.*\n(  .*\n)+?  held by: 100\.0 % global registry \(program\)\n\n", said, re.M), said
    lost = r"  held by: 8\d\.\d % nothing: lost, 1\d\.\d % lost blocks only: lost with them\n  proven: nothing leads to these blocks, so they cannot be freed"
    assert re.search(lost, said) and said.count("proven:") == 1, said
    for words, why in (
        ([program.pid, program.pid], "--who: expected one PID"),
        (["x.heap"], "--who: expected one PID"),
        ([program.pid, "--limit", "1GiB"], "--who excludes --limit"),
        ([program.pid, "--skip", "1s"], "--who excludes --skip"),
    ):
        assert why in trend(*words, status=2), words


# What is reached through structs and classes: the way has the names of members.
MEMBERS_C = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
""" + WAIT + r"""
struct buffer { long used; char *bytes; };
struct session { struct session *next; long number; union { struct buffer *bufs; char *text; }; struct { long flags; void *rest; } more; };
typedef struct session session_type;
static struct server { char name[64]; struct { long port; session_type *volatile sessions[4]; } net; const char *const *config; } server;
static __attribute__((noinline)) char *fill(size_t size) { return memset(malloc(size), 1, size); }
static __attribute__((noinline)) void configure(int count)
{
    char **all = malloc((size_t)count * sizeof *all);
    for (int i = 0; i < count; i++) all[i] = fill(1000);
    server.config = (const char *const *)all;
}
static __attribute__((noinline)) void add_sessions(int count)
{
    for (int i = 0; i < count; i++) {
        struct session *session = calloc(1, sizeof *session);
        session->bufs = calloc(1, sizeof *session->bufs);
        session->bufs->bytes = fill(3000);
        session->next = server.net.sessions[2];
        server.net.sessions[2] = session;
    }
}
int main(void)
{
    configure(2000);
    add_sessions(1000);
    ready();
    return 0;
}
"""

MEMBERS_CC = r"""
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <pthread.h>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
""" + WAIT + r"""
namespace net {
struct Buffer { virtual ~Buffer() {} long used = 0; char *bytes = nullptr; };
struct Base { virtual ~Base() {} std::vector<Buffer *> bufs; };
template <class T> struct Session : Base { T number{}; std::unique_ptr<Buffer> extra; };
}
namespace { struct Registry { long count; std::map<int, net::Base *> all; std::vector<net::Session<double> *> recent; } registry; }
static __attribute__((noinline)) net::Buffer *fill(size_t size)
{
    auto *buffer = new net::Buffer;
    buffer->bytes = (char *)memset(malloc(size), 1, size);
    return buffer;
}
static __attribute__((noinline)) void keep_bufs(int count)
{
    for (int i = 0; i < count; i++) {
        auto *session = new net::Session<int>;
        session->bufs.push_back(fill(1000));
        registry.all[i] = session;
    }
}
static __attribute__((noinline)) void keep_extra(int count)
{
    for (int i = 0; i < count; i++) {
        auto *session = new net::Session<double>;
        session->extra.reset(fill(2000));
        registry.recent.push_back(session);
    }
}
int main()
{
    keep_bufs(1000);
    keep_extra(1000);
    ready();
    return 0;
}
"""


def members(owner):
    """The way to the example: what points on from the variable, and from each step."""
    example = owner["kept_by"][0]["example"]
    return [(one["member"]["class"], one["member"]["name"], one["member"]["type"]) for one in [example, *example["blocks"]]]


def test_members_of_c():
    with Program(MEMBERS_C, ".c", EXACT) as program:
        owners = {owner["name"]: owner for owner in document(program.pid)["owners"]}
        assert members(owners["configure"]) == [("server", "config", "char * *"), ("", "", ""), ("", "", "")], owners["configure"]
        way = members(owners["add_sessions"])
        assert way[0] == ("server", "net", "struct") and ("session", "bufs", "buffer *") in way, way
        assert way[-2:] == [("buffer", "bytes", "char *"), ("", "", "")], way
        said = who(program.pid)
        assert re.search(r"e\.g\. server\.config \(char \* \*\) → [\d,]+ B → [\d,]+ B\n", said), said
        assert re.search(r"e\.g\. server\.net \(struct\) → session::bufs \(buffer \*\) 40 B ×\d+ → buffer::bytes \(char \*\) 24 B → 3,000 B\n", said), said
    with Program(MEMBERS_C, ".c", EXACT, strips=True) as program:
        assert "bufs" not in who(program.pid)


def test_members_of_cxx():
    """Classes that have names by their tables of functions, templates and bases; pointers lead on through std::vector."""
    with Program(MEMBERS_CC, ".cc", EXACT) as program:
        owners = {owner["name"]: owner for owner in document(program.pid)["owners"]}
        way = members(owners["keep_bufs"])
        assert way[0][:2] == ("Registry", "all") and way[0][2].startswith("map<int, net::Base*"), way
        assert ("Base", "bufs") in [step[:2] for step in way], way
        way = members(owners["keep_extra"])
        assert way[0][:2] == ("Registry", "recent") and ("Session<double>", "extra") in [step[:2] for step in way], way
        said = who(program.pid)
        assert re.search(r"registry\.recent \(vector<...>\) → [\d,]+ B → net::Session<double>::extra \(unique_ptr<...>\) [\d,]+ B → net::Buffer::bytes \(char \*\) ", said), said


def test_text():
    with Program(C, ".c", EXACT) as program:
        said = who(*OWN, program.pid)
        assert said.startswith(f"process {program.pid}: ") and "recorded blocks, all found in its heaps\n" in said, said
        assert re.search(r"keep_in_list +program\.c:\d+\n +100\.0 %  global list \(program\)\n +e\.g\. list → node::data \(void \*\) 24 B ×2,\d+ → 1,000 B\n", said), said
        assert re.search(r"100\.0 %  stack of thread \d+, in serve\n +e\.g\. stack of serve → 8,008 B → 6,008 B\n", said), said
        for words in "both global ", "nothing: lost\n", "lost → 5,000 B → 504 B\n", "thread-local variable thread_list of thread ", "e.g. thread_list → ":
            assert words in said, said
        shares = re.findall(r"^ {10,}( *\d+\.\d|<0\.1) %  ", said[: said.index("keep_")], re.M)
        assert abs(sum(float(share) for share in shares if "<" not in share) - 100) < 0.05, said
        only = who(program.pid, "keep_in_(list|table)")
        assert "keep_in_table" in only and "share_by_two" not in only and "in use, by 2 owners" in only, only
        assert len(re.findall(r"^ +e\.g\. .* → ", who("--rows", 1, program.pid), re.M)) == 1, said
        assert re.search(r"and [5-9] more owners: ", who("--rows", 1, program.pid)), said


# What each function of a deep call has, it gives to those that it calls. The workers of a pool all have theirs.
FRAMES = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
""" + WAIT + r"""
static pthread_barrier_t barrier;
static __attribute__((noinline)) void *for_level(void *next) { void **block = calloc(1, 3000); *block = next; return block; }
static __attribute__((noinline)) void *for_main(void) { void **all = calloc(500, 8); for (int i = 0; i < 500; i++) all[i] = calloc(1, 1000); return all; }
static __attribute__((noinline)) void *for_worker(void) { return calloc(1, 20000); }
static __attribute__((noinline)) int descend(int level, void *given)
{
    void *volatile own = for_level(NULL), *volatile lent = given;
    volatile char bytes[1000] = {0};
    if (level == 0) { ready(); return bytes[0]; }
    return descend(level - 1, lent) + (own == lent) + bytes[1];
}
static __attribute__((noinline)) void *work(void *unused)
{
    void *volatile buffer = for_worker();
    pthread_barrier_wait(&barrier);
    for (;;) pause();
    return buffer == NULL ? unused : NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 65);
    for (int i = 0; i < 64; i++) pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    void *volatile all = for_main();
    return descend(50, all);
}
"""


def test_frames():
    for strips in (False, True):
        with Program(FRAMES, ".c", EXACT, strips=strips) as program:
            owners = {owner["name"]: owner for owner in document(program.pid)["owners"]}
            if strips: # the frames have no names, but what is on stacks is there all the same
                kinds = {part["kind"] for owner in owners.values() for part in owner["kept_by"] if part["bytes"] > 100000}
                assert kinds == {"stack"}, owners
                continue
            functions = {}
            for name in ("for_main", "for_level", "for_worker"):
                part = owners[name]["kept_by"][0]
                assert part["bytes"] >= 0.95 * owners[name]["bytes"] and part["kind"] == "stack", owners[name]
                functions[name] = part["function"] or part["keepers"][0]["name"]
            assert functions == {"for_main": "main", "for_level": "descend", "for_worker": "work"}, functions
            assert "stacks of several threads, in work\n" in who(program.pid), functions


def test_of_heap():
    """heap knows what the recorder has, too: what it remembers holds nothing."""
    with Program(C, ".c", SAMPLED) as program:
        found = json.loads(subprocess.check_output([HEAPFLAME, "heap", "--json", str(program.pid)]))
        assert 999 <= found["lost"]["blocks"] <= 1010, found["lost"]


def test_refused():
    with Program(C, ".c", None) as program:
        said = who(program.pid, status=5)
        assert f"process {program.pid} has no live table: start it with heapflame run" in said, said
        assert f"to see what holds its memory, without the code that allocated it: heapflame heap {program.pid}\n" in said, said
    assert "expected one PID, and perhaps a regular expression; found 0" in who(status=2)
    assert "expected a PID, e.g. 4711; found 'me'" in who("me", status=2)
    assert "4000000" in who(4000000, status=5)


sys.exit(run_tests(globals()))
