/*
 * generate_calls.c: folded stacks as raw allocation records give them, for bench/flame.py; the same
 * bytes for the same arguments.
 *
 *     usage: generate-calls LINES SAMPLE [native|deep|wide|distinct|distinct-deep]
 *
 * A call graph of 4,000 functions is drawn, in which a few are callers of most things. 20,000 walks
 * from the roots are the outer halves of stacks; they grow from one another and share long starts.
 * From each function 50 walks, which end in an allocator, are inner halves. A line is an outer
 * half, an inner half and a heavy-tailed number of bytes, so lines repeat, and distinct stacks
 * become fewer and fewer. Another SAMPLE (1, 2 ...) draws other records of the same program: two
 * of them are a before and an after. `native` stacks have 15 frames on average and 360 bytes a
 * line. Of the last two shapes no stack occurs twice: each inner half is a walk of its own. They
 * have 15 and 100 frames on average.
 *
 * Names are a mix: of C, of C++ with blanks, commas and parentheses, of Rust with <impl as>, with
 * annotations, [unknown], bare addresses, [libfoo.so].
 */
#include "base/containers/arena.h"
#include "base/containers/hash.h"
#include "base/containers/intern.h"
#include "base/strings/num.h"
#include "base/strings/out.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 4000u
#define OUTER 20000u
#define INNER 50u /* of each function */
#define CALLEES_MAX 24u
#define SEED 1u
#define OUT_BYTES ((size_t)1 << 20)

/* Frames of the walks of a shape, least and most, and how many callees a function has at most. */
static const struct shape {
    const char *name;
    uint32_t callees, outer_least, outer_most, inner_least, inner_most;
    bool is_distinct; /* no stack occurs twice */
} shapes[] = {
    {"native", 8, 3, 16, 1, 10, false},
    {"deep", 4, 60, 200, 20, 100, false},
    {"wide", 24, 2, 8, 1, 4, false},
    {"distinct", 8, 3, 16, 3, 10, true},
    {"distinct-deep", 8, 60, 200, 20, 60, true},
};

static const char *const verbs[] = {"init", "read", "write", "parse", "build", "alloc", "open",
    "close", "update", "insert", "find", "get", "set", "put", "copy", "grow", "resize", "flush",
    "load", "store", "handle", "process", "dispatch", "decode", "encode", "compile", "eval", "emit",
    "merge", "split", "walk", "visit", "create", "make", "push", "pop", "acquire", "commit",
    "replay", "render", "layout"};
static const char *const nouns[] = {"buf", "node", "tree", "list", "table", "cache", "entry",
    "page", "block", "conn", "request", "response", "header", "session", "token", "string", "key",
    "value", "record", "index", "segment", "batch", "frame", "pool", "arena", "queue", "task",
    "event", "channel", "message", "row", "column", "cursor", "plan", "stmt", "expr", "symbol",
    "section", "module"};
static const char *const parts[] = {"core", "net", "db", "http", "json", "xml", "ssl", "fs", "gfx",
    "js", "rpc", "log", "cfg", "zip", "img", "sql", "mq", "idx"};
static const char *const types[] = {"int", "char const*", "std::string", "unsigned long",
    "std::vector<int>", "std::pair<int, std::string>", "Foo", "bool", "void*",
    "std::map<std::string, std::shared_ptr<Node> >"};
static const char *const classes[] = {"vector", "deque", "_Rb_tree", "_Hashtable"};
static const char *const marks[] = {"_[k]", "_[i]", "_[j]"};
static const char *const allocators[] = {"malloc", "malloc", "malloc", "calloc", "realloc",
    "operator new(unsigned long)", "operator new[](unsigned long)", "posix_memalign",
    "strdup;malloc", "mmap"};
static const char *const roots[] = {"app;_start;__libc_start_main;main",
    "app;clone3;start_thread;worker_main", "app;_start;__libc_start_main;main",
    "app;clone3;start_thread;io_loop"};

struct function {
    struct hf_text name;
    uint32_t callees[CALLEES_MAX], callee_count;
    struct hf_text inner[INNER]; /* when one was needed */
};

/* A walk, and the function where it ended. */
struct half {
    struct hf_text text;
    uint32_t function;
};

static struct function functions[FUNCTIONS];
static struct half outer[OUTER];
static struct hf_arena texts;
static const struct shape *shape = &shapes[0];
static uint64_t state;

/* Knuth's MMIX constants; the upper bits are good. */
static uint32_t draw_bits(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static void seed(uint64_t number)
{
    state = number * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0xd1b54a32d192ed03);
    for (int i = 0; i < 4; i++)
        draw_bits();
}

static uint32_t draw(size_t below)
{
    return (uint32_t)((uint64_t)draw_bits() * below >> 31);
}

/* Small values are likelier. */
static uint32_t draw_skewed(size_t below)
{
    uint64_t first = draw_bits();
    return (uint32_t)((first * draw_bits() >> 31) * below >> 31);
}

static void need(bool is_there)
{
    if (!is_there) {
        fputs("generate-calls: out of memory\n", stderr);
        exit(1);
    }
}

static struct hf_text keep(struct hf_out *out)
{
    char *copy = hf_arena_copy(&texts, out->data, out->size);
    need(copy != NULL && out->error.status == HF_OK);
    struct hf_text text = {copy, out->size};
    out->size = 0;
    return text;
}

static void put_capital(struct hf_out *out, const char *word)
{
    hf_out_char(out, (char)toupper((unsigned char)word[0]));
    hf_out_string(out, word + 1);
}

static void put_method(struct hf_out *out, const char *verb, const char *noun, const char *part)
{
    hf_out_printf(out, "%s::", part);
    put_capital(out, noun);
    put_capital(out, parts[draw(HF_COUNT(parts))]);
    hf_out_printf(out, "::%s", verb);
    put_capital(out, noun);
    hf_out_char(out, '(');
    for (uint32_t i = 0, count = draw(3); i < count; i++)
        hf_out_printf(out, "%s%s", i != 0 ? ", " : "", types[draw(HF_COUNT(types))]);
    hf_out_char(out, ')');
}

static void put_member(struct hf_out *out, const char *verb, const char *noun)
{
    hf_out_printf(out, "std::%s<", classes[draw(HF_COUNT(classes))]);
    hf_out_printf(out, "%s, std::allocator<", types[draw(HF_COUNT(types))]);
    hf_out_printf(out, "%s> >::_M_%s_%s", types[draw(HF_COUNT(types))], verb, noun);
}

static void put_impl(struct hf_out *out, const char *verb, const char *noun, const char *part)
{
    hf_out_printf(out, "<%s::", part);
    put_capital(out, noun);
    hf_out_printf(out, " as %s::", parts[draw(HF_COUNT(parts))]);
    put_capital(out, verb);
    hf_out_printf(out, ">::%s", verb);
}

/* Draws a name; true if it is one of C, which gets a number where it is not new. */
static bool put_name(struct hf_out *out)
{
    uint32_t kind = draw(100);
    const char *verb = verbs[draw(HF_COUNT(verbs))], *noun = nouns[draw(HF_COUNT(nouns))];
    const char *part = parts[draw(HF_COUNT(parts))];
    if (kind < 45)
        hf_out_printf(out, "%s_%s_%s", part, verb, noun);
    else if (kind < 70)
        put_method(out, verb, noun, part);
    else if (kind < 80)
        put_member(out, verb, noun);
    else if (kind < 86)
        put_impl(out, verb, noun, part);
    else if (kind < 91)
        hf_out_printf(out, "%s_%s%s", verb, noun, marks[draw(HF_COUNT(marks))]);
    else if (kind < 95)
        hf_out_printf(out, "[lib%s.so.%u]", part, draw(9));
    else if (kind < 98)
        hf_out_printf(out, "0x%" PRIx64, UINT64_C(0x7f0000000000) + draw_bits());
    else
        hf_out_string(out, "[unknown]");
    return kind < 45;
}

static bool is_new(struct hf_intern *known, const struct hf_out *name)
{
    uint32_t before = known->count, id;
    need(hf_intern_put(known, name->data, name->size, &id));
    return known->count != before;
}

static void make_functions(void)
{
    struct hf_intern known = {0};
    struct hf_out name = {0};
    for (uint32_t i = 0; i < FUNCTIONS;) {
        name.size = 0;
        bool is_plain = put_name(&name);
        bool is_taken = is_new(&known, &name) || hf_text_is(hf_out_view(&name), "[unknown]");
        if (!is_taken && is_plain) {
            hf_out_printf(&name, "_%u", draw(100000));
            is_taken = is_new(&known, &name);
        }
        if (is_taken)
            functions[i++].name = keep(&name);
    }
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct function *function = &functions[i];
        function->callee_count = 1 + draw_skewed(shape->callees);
        for (uint32_t c = 0; c < function->callee_count; c++)
            function->callees[c] = draw_skewed(FUNCTIONS);
    }
    hf_intern_done(&known);
    hf_out_done(&name);
}

/* Appends the names of a walk, each with ';' behind it. */
static uint32_t walk(uint32_t from, uint32_t least, uint32_t most, struct hf_out *out)
{
    uint32_t count = least + draw_skewed(most - least + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct function *function = &functions[from];
        from = function->callees[draw_skewed(function->callee_count)];
        hf_out_text(out, functions[from].name);
        hf_out_char(out, ';');
    }
    return from;
}

static uint32_t count_separators(struct hf_text text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == ';';
    return count;
}

static uint32_t start_at_root(struct hf_out *out)
{
    hf_out_printf(out, "%s;", roots[draw(HF_COUNT(roots))]);
    return draw_skewed(FUNCTIONS);
}

static void make_outer_halves(void)
{
    struct hf_out text = {0};
    for (uint32_t i = 0; i < OUTER; i++) {
        if (i != 0 && draw(4) != 0) {
            const struct half *base = &outer[draw(i)];
            bool is_deep = count_separators(base->text) > shape->outer_most + 1;
            uint32_t from = is_deep ? start_at_root(&text) : base->function;
            if (!is_deep)
                hf_out_text(&text, base->text);
            outer[i].function = walk(from, 1, 3, &text);
        } else {
            uint32_t from = start_at_root(&text);
            outer[i].function = walk(from, shape->outer_least, shape->outer_most / 2, &text);
        }
        outer[i].text = keep(&text);
    }
    hf_out_done(&text);
}

static void make_inner_halves(uint32_t from)
{
    struct hf_out text = {0};
    uint64_t before = state;
    seed(SEED * UINT64_C(7919) + from);
    for (uint32_t i = 0; i < INNER; i++) {
        walk(from, shape->inner_least, shape->inner_most, &text);
        hf_out_string(&text, allocators[draw(HF_COUNT(allocators))]);
        functions[from].inner[i] = keep(&text);
    }
    state = before;
    hf_out_done(&text);
}

static void write_text(struct hf_text text)
{
    fwrite_unlocked(text.data, 1, text.size, stdout);
}

/* A line whose stack none had before; `known` has all stacks so far. */
static void write_distinct_line(struct hf_intern *known, struct hf_out *line)
{
    struct hf_out key = {0};
    do {
        const struct half *half = &outer[draw(OUTER)];
        line->size = 0;
        hf_out_text(line, half->text);
        walk(half->function, shape->inner_least, shape->inner_most, line);
        hf_out_string(line, allocators[draw(HF_COUNT(allocators))]);
        uint64_t hash = hf_hash_bytes(line->data, line->size);
        key.size = 0;
        hf_out_bytes(&key, (const char *)&hash, sizeof hash);
    } while (!is_new(known, &key));
    hf_out_printf(line, " %u\n", 16 + draw_skewed(100000));
    write_text(hf_out_view(line));
    hf_out_done(&key);
}

static void write_distinct_lines(uint64_t lines)
{
    struct hf_intern known = {0};
    struct hf_out line = {0};
    for (uint64_t i = 0; i < lines; i++)
        write_distinct_line(&known, &line);
    hf_out_done(&line);
    hf_intern_done(&known);
}

static void write_line(void)
{
    uint64_t r = draw_bits(), q = draw_bits();
    const struct half *half = &outer[r * OUTER >> 31];
    struct function *function = &functions[half->function];
    if (function->inner[0].size == 0)
        make_inner_halves(half->function);
    write_text(half->text);
    write_text(function->inner[(q & 0x7fff) * (q >> 15 & 0x7fff) * INNER >> 30]);
    char count[24];
    int size = snprintf(
        count, sizeof count, " %" PRIu64 "\n", (UINT64_C(16) << (r ^ q) % 11) + (r & 0xff) * 8);
    write_text((struct hf_text){count, (size_t)size});
}

int main(int argc, char **argv)
{
    uint64_t lines, sample;
    const struct shape *wanted = NULL;
    for (size_t i = 0; i < HF_COUNT(shapes); i++) {
        if (argc == 3 || (argc == 4 && strcmp(argv[3], shapes[i].name) == 0)) {
            wanted = &shapes[i];
            break;
        }
    }
    if (wanted == NULL || !hf_num_u64(hf_text_of(argv[1]), &lines) ||
        !hf_num_u64(hf_text_of(argv[2]), &sample)) {
        fputs("usage: generate-calls LINES SAMPLE [native|deep|wide|distinct|distinct-deep]\n",
            stderr);
        return 2;
    }
    shape = wanted;
    setvbuf(stdout, NULL, _IOFBF, OUT_BYTES);
    seed(SEED);
    make_functions();
    make_outer_halves();
    seed(sample * 1000003 + SEED);
    if (shape->is_distinct)
        write_distinct_lines(lines);
    for (uint64_t i = 0; !shape->is_distinct && i < lines; i++)
        write_line();
    hf_arena_done(&texts);
    return fflush(stdout) == 0 ? 0 : 1;
}
