#include "base/limits.h"
#include "base/num.h"
#include "spec/spec.h"

/* Parentheses and stars within each other; more is never meant. */
#define DEPTH_MAX 32

struct reader {
    struct hf_specs *specs;
    struct hf_spec *spec; /* whose lines these are; NULL before the first */
    const char *name;
    struct hf_text line;
    size_t at; /* in it */
    uint32_t number;
    enum hf_status status;
    struct hf_error *err;
};

/* Says that something else was expected at `at` of the line, and what is there. Returns false. */
static bool expected(struct reader *r, size_t at, const char *what)
{
    struct hf_text found = hf_text_from(r->line, at);
    size_t end = 0;
    while (end < found.size && memchr(" \t#", found.data[end], 3) == NULL)
        end++;
    found = hf_text_first(found, end < 40 ? end : 40);
    if (found.size == 0)
        r->status = hf_error_set(r->err, HF_ERR_INPUT,
            "column %zu: expected %s, found the end of the line", at + 1, what);
    else
        r->status = hf_error_set(r->err, HF_ERR_INPUT, "column %zu: expected %s, found '%.*s'",
            at + 1, what, (int)found.size, found.data);
    hf_error_at_line(r->err, r->name, r->number);
    return false;
}

static bool no_memory(struct reader *r)
{
    r->status = hf_error_memory(r->err);
    return false;
}

static struct hf_text rest_of(const struct reader *r)
{
    return hf_text_from(r->line, r->at);
}

static bool take(struct reader *r, const char *text)
{
    if (!hf_text_starts(rest_of(r), text))
        return false;
    r->at += strlen(text);
    return true;
}

/* Goes to the next word of the line; false if there is none. */
static bool next_word(struct reader *r)
{
    while (take(r, " ") || take(r, "\t"))
        ;
    return r->at < r->line.size && r->line.data[r->at] != '#';
}

/* What stands from here up to a blank, or up to one of `ends`. */
static struct hf_text take_until(struct reader *r, const char *ends)
{
    struct hf_text word = rest_of(r);
    size_t size = 0;
    while (size < word.size && strchr(" \t", word.data[size]) == NULL &&
           strchr(ends, word.data[size]) == NULL)
        size++;
    r->at += size;
    return hf_text_first(word, size);
}

/* Which of `words` comes next, and is all of its word; -1: none. */
static int take_word(struct reader *r, const char *const *words, int count)
{
    size_t start = r->at;
    struct hf_text word = take_until(r, "#");
    for (int i = 0; i < count; i++)
        if (hf_text_is(word, words[i]))
            return i;
    r->at = start;
    return -1;
}

/* Makes room for one more in an array of the arena: its size is a power of two. */
static bool grow(struct reader *r, void *items, size_t count, size_t item_size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return true;
    void *larger = hf_arena_alloc(&r->specs->arena, (count == 0 ? 1 : 2 * count) * item_size);
    if (larger == NULL)
        return no_memory(r);
    if (count != 0)
        memcpy(larger, *(void **)items, count * item_size);
    memcpy(items, &larger, sizeof larger);
    return true;
}

static bool take_number(struct reader *r, uint64_t *out_number)
{
    struct hf_text rest = rest_of(r);
    bool is_hex = hf_text_take(&rest, "0x");
    if (!(is_hex ? hf_num_take_hex(&rest, out_number) : hf_num_take_u64(&rest, out_number)))
        return expected(r, r->at, "a number");
    r->at = r->line.size - rest.size;
    return true;
}

static bool push(
    struct reader *r, struct hf_spec_value *value, enum hf_spec_step_kind kind, uint64_t number)
{
    if (value->count == HF_SPEC_STEPS_MAX)
        return expected(r, r->at, "the end of a value: it has more than 12 parts");
    value->steps[value->count++] = (struct hf_spec_step){kind, number};
    return true;
}

static bool take_sum(struct reader *r, struct hf_spec_value *value, unsigned depth);

static bool take_argument(struct reader *r, struct hf_spec_value *value)
{
    uint64_t number;
    size_t start = r->at;
    if (!take_number(r, &number))
        return false;
    if (number >= HF_SPEC_ARGUMENTS)
        return expected(r, start, "an argument in a register, arg0 to arg5");
    return push(r, value, HF_SPEC_ARGUMENT, number);
}

static bool take_unary(struct reader *r, struct hf_spec_value *value, unsigned depth)
{
    uint64_t number;
    if (depth == DEPTH_MAX)
        return expected(r, r->at, "fewer parentheses and stars");
    if (take(r, "*"))
        return take_unary(r, value, depth + 1) && push(r, value, HF_SPEC_LOAD, 0);
    if (take(r, "(")) {
        if (!take_sum(r, value, depth + 1))
            return false;
        return take(r, ")") || expected(r, r->at, "')'");
    }
    if (take(r, "arg"))
        return take_argument(r, value);
    if (take(r, "ret32"))
        return push(r, value, HF_SPEC_RESULT32, 0);
    if (take(r, "ret"))
        return push(r, value, HF_SPEC_RESULT, 0);
    bool is_negative = take(r, "-");
    struct hf_text rest = rest_of(r);
    if (rest.size == 0 || rest.data[0] < '0' || rest.data[0] > '9')
        return expected(
            r, r->at, is_negative ? "a number" : "a value: argN, ret, ret32, *VALUE or a number");
    return take_number(r, &number) &&
           push(r, value, HF_SPEC_CONSTANT, is_negative ? 0 - number : number);
}

static bool take_product(struct reader *r, struct hf_spec_value *value, unsigned depth)
{
    if (!take_unary(r, value, depth))
        return false;
    while (take(r, "*"))
        if (!take_unary(r, value, depth) || !push(r, value, HF_SPEC_MULTIPLY, 0))
            return false;
    return true;
}

static bool take_sum(struct reader *r, struct hf_spec_value *value, unsigned depth)
{
    if (!take_product(r, value, depth))
        return false;
    for (;;) {
        bool is_sum = take(r, "+");
        if (!is_sum && !take(r, "-"))
            return true;
        if (!take_product(r, value, depth) ||
            !push(r, value, is_sum ? HF_SPEC_ADD : HF_SPEC_SUBTRACT, 0))
            return false;
    }
}

static bool holds_result(const struct hf_spec_value *value)
{
    for (uint32_t i = 0; i < value->count; i++)
        if (value->steps[i].kind == HF_SPEC_RESULT || value->steps[i].kind == HF_SPEC_RESULT32)
            return true;
    return false;
}

/* In the order of the enums. */
static const char *const keys[HF_SPEC_KEYS] = {"ctx=", "ptr=", "size=", "name=", "new="};
static const char *const relations[] = {"==", "!=", "<", ">="};

#define CONTEXT (1u << HF_SPEC_CONTEXT)
#define POINTER (1u << HF_SPEC_POINTER)
#define SIZE (1u << HF_SPEC_SIZE)
#define NAME (1u << HF_SPEC_NAME)
#define NEW (1u << HF_SPEC_NEW)

/* What each role has to be told, and may be told. */
static const struct role {
    unsigned needed, allowed;
    const char *expected;
} roles[HF_ROLES] = {
    [HF_ROLE_ALLOC] = {SIZE | NEW, SIZE | NEW | CONTEXT, "size= and new= of alloc, perhaps ctx="},
    [HF_ROLE_FREE] = {POINTER, POINTER | CONTEXT | SIZE, "ptr= of free, perhaps ctx= and size="},
    [HF_ROLE_REALLOC] = {POINTER | SIZE | NEW, POINTER | SIZE | NEW | CONTEXT,
        "ptr=, size= and new= of realloc, perhaps ctx="},
    [HF_ROLE_RESET] = {CONTEXT, CONTEXT, "ctx= of reset"},
    [HF_ROLE_DELETE] = {CONTEXT, CONTEXT, "ctx= of delete"},
    [HF_ROLE_CTXNEW] = {0, CONTEXT | NAME | NEW, "ctx= or new= of ctxnew, perhaps name="},
    [HF_ROLE_MAP] = {SIZE | NEW, SIZE | NEW, "size= and new= of map"},
    [HF_ROLE_UNMAP] = {POINTER | SIZE, POINTER | SIZE, "ptr= and size= of unmap"},
};

static bool take_condition(struct reader *r, struct hf_spec_entry *entry)
{
    if (!take_sum(r, &entry->ok[0], 0))
        return false;
    size_t i = 0;
    while (i < HF_COUNT(relations) && !take(r, relations[i]))
        i++;
    if (i == HF_COUNT(relations))
        return expected(r, r->at, "'==', '!=', '<' or '>='");
    entry->relation = (enum hf_spec_relation)i;
    return take_sum(r, &entry->ok[1], 0);
}

/* One KEY=VALUE. `given`: keys of the line so far. */
static bool take_key(struct reader *r, struct hf_spec_entry *entry, unsigned *given)
{
    size_t start = r->at, key = 0;
    if (take(r, "ok=")) {
        if (entry->ok[0].count != 0)
            return expected(r, start, "ok= once");
        if (!hf_spec_entry_returns(entry))
            return expected(r, start, "no ok=: it takes effect at its entry");
        return take_condition(r, entry);
    }
    while (key < HF_SPEC_KEYS && !take(r, keys[key]))
        key++;
    if (key == HF_SPEC_KEYS || (roles[entry->role].allowed & 1u << key) == 0)
        return expected(r, start, roles[entry->role].expected);
    if ((*given & 1u << key) != 0)
        return expected(r, start, "each key once");
    *given |= 1u << key;
    size_t value = r->at;
    if (!take_sum(r, &entry->values[key], 0))
        return false;
    if (key != HF_SPEC_NEW && holds_result(&entry->values[key]))
        return expected(r, value, "a value that is known at the entry, without ret");
    return true;
}

static bool take_keys(struct reader *r, struct hf_spec_entry *entry)
{
    const struct role *role = &roles[entry->role];
    unsigned given = 0;
    while (next_word(r)) {
        if (!take_key(r, entry, &given))
            return false;
        if (r->at < r->line.size && strchr(" \t#", r->line.data[r->at]) == NULL)
            return expected(r, r->at, "'+', '-', '*' or a blank after a value");
    }
    bool is_context = entry->role != HF_ROLE_CTXNEW || (given & (CONTEXT | NEW)) != 0;
    return (is_context && (given & role->needed) == role->needed) ||
           expected(r, r->at, role->expected);
}

static bool is_hex_digits(struct hf_text text)
{
    return text.size != 0 && text.size % 2 == 0 &&
           strspn(text.data, "0123456789abcdef") >= text.size;
}

static bool take_locator(struct reader *r, struct hf_spec_locator *locator)
{
    size_t start = r->at;
    if (take(r, "sym:")) {
        locator->kind = HF_SPEC_SYMBOL;
        locator->symbol = take_until(r, "#");
        return locator->symbol.size != 0 || expected(r, r->at, "the name of a symbol");
    }
    if (take(r, "table[")) {
        locator->kind = HF_SPEC_TABLE;
        return take_number(r, &locator->number) && (take(r, "]") || expected(r, r->at, "']'"));
    }
    if (take(r, "off:")) {
        locator->kind = HF_SPEC_OFFSET;
        if (!take_number(r, &locator->number))
            return false;
        if (!take(r, "@"))
            return expected(r, r->at, "'@' and the build-id of the file");
        start = r->at;
        locator->build_id = take_until(r, "#");
        return is_hex_digits(locator->build_id) ||
               expected(r, start, "a build-id: pairs of digits and a to f");
    }
    return expected(r, start, "where the function is: sym:NAME, table[N] or off:N@BUILD-ID");
}

static bool read_entry(struct reader *r, enum hf_role role, bool is_optional)
{
    struct hf_spec *spec = r->spec;
    if (!grow(r, &spec->entries, spec->entry_count, sizeof *spec->entries))
        return false;
    struct hf_spec_entry *entry = &spec->entries[spec->entry_count++];
    *entry = (struct hf_spec_entry){.role = role, .is_optional = is_optional, .line = r->number};
    (void)next_word(r);
    return take_locator(r, &entry->locator) && take_keys(r, entry);
}

static bool read_objects(struct reader *r)
{
    static const char *const kinds[] = {"exe", "auto"};
    struct hf_spec *spec = r->spec;
    do {
        if (!grow(r, &spec->objects, spec->object_count, sizeof *spec->objects))
            return false;
        struct hf_spec_object *object = &spec->objects[spec->object_count++];
        *object = (struct hf_spec_object){.kind = HF_SPEC_LIBRARY};
        if (take(r, "lib:")) {
            object->glob = take_until(r, "#");
            if (object->glob.size == 0)
                return expected(r, r->at, "the name of a library, as libc.so.*");
            continue;
        }
        int kind = take_word(r, kinds, HF_COUNT(kinds));
        if (kind < 0)
            return expected(r, r->at, "exe, auto or lib:NAME");
        object->kind = kind == 0 ? HF_SPEC_EXE : HF_SPEC_AUTO;
    } while (next_word(r));
    return true;
}

static bool read_tests(struct reader *r)
{
    struct hf_spec *spec = r->spec;
    do {
        if (!grow(r, &spec->tests, spec->test_count, sizeof *spec->tests))
            return false;
        struct hf_spec_test *test = &spec->tests[spec->test_count++];
        *test = (struct hf_spec_test){.line = r->number};
        if (take(r, "string:\"")) {
            struct hf_text rest = rest_of(r);
            test->is_string = true;
            test->text = hf_text_first(rest, hf_text_find(rest, '"'));
            r->at += test->text.size;
            if (!take(r, "\""))
                return expected(r, r->at, "'\"'");
        } else if (take(r, "sym:")) {
            test->text = take_until(r, "#");
        } else {
            return expected(r, r->at, "sym:NAME or string:\"TEXT\"");
        }
        if (test->text.size == 0)
            return expected(r, r->at, "a text that is not empty");
    } while (next_word(r));
    return true;
}

static bool read_prefix(struct reader *r)
{
    size_t start = r->at;
    if (take(r, "sym:"))
        r->spec->prefix = take_until(r, "#");
    return hf_text_find(r->spec->prefix, '*') != r->spec->prefix.size ||
           expected(r, start, "sym:NAME with a '*' for the prefix");
}

static bool read_label(struct reader *r)
{
    r->spec->labels_contexts = take(r, "ctx.name");
    return r->spec->labels_contexts || expected(r, r->at, "ctx.name");
}

static bool read_skip(struct reader *r)
{
    if (!take(r, "classes") || !next_word(r))
        return expected(r, r->at, "'classes reset-or-deleted'");
    r->spec->skips_short_lived = take(r, "reset-or-deleted");
    return r->spec->skips_short_lived || expected(r, r->at, "reset-or-deleted");
}

static bool read_spec(struct reader *r)
{
    struct hf_specs *specs = r->specs;
    struct hf_text name = take_until(r, "#");
    if (name.size == 0)
        return expected(r, r->at, "a name");
    if (!grow(r, &specs->items, specs->count, sizeof *specs->items))
        return false;
    r->spec = &specs->items[specs->count++];
    *r->spec = (struct hf_spec){.name = name};
    return true;
}

/* First words of lines that are no roles, and how the rest is read. */
static const char *const openings[] = {"object", "detect", "prefix", "label", "skip"};
static bool (*const readers[])(struct reader *r) = {
    read_objects, read_tests, read_prefix, read_label, read_skip};

static bool read_line(struct reader *r)
{
    static const char *const spec_word = "spec", *const optional_word = "optional";
    const char *role_words[HF_ROLES];
    for (int i = 0; i < HF_ROLES; i++)
        role_words[i] = hf_role_name((enum hf_role)i);
    if (!next_word(r))
        return true;
    if (take_word(r, &spec_word, 1) == 0)
        return (void)next_word(r), read_spec(r);
    if (r->spec == NULL)
        return expected(r, r->at, "'spec NAME' as the first line");
    int opening = take_word(r, openings, HF_COUNT(openings));
    if (opening >= 0)
        return (void)next_word(r), readers[opening](r);
    bool is_optional = take_word(r, &optional_word, 1) == 0;
    if (is_optional)
        (void)next_word(r);
    int role = take_word(r, role_words, HF_ROLES);
    if (role >= 0)
        return read_entry(r, (enum hf_role)role, is_optional);
    return expected(r, r->at,
        is_optional ? "alloc, free, realloc, reset, delete, ctxnew, map or unmap"
                    : "spec, object, detect, prefix, label, skip, optional, alloc, free, realloc, "
                      "reset, delete, ctxnew, map or unmap");
}

/* Every spec says where its functions are, and which they are. */
static void check_specs(struct reader *r)
{
    const struct hf_specs *specs = r->specs;
    if (specs->count == 0)
        r->status = hf_error_set(r->err, HF_ERR_INPUT, "expected 'spec NAME', found no line");
    for (size_t i = 0; i < specs->count && r->status == HF_OK; i++) {
        const struct hf_spec *spec = &specs->items[i];
        if (spec->object_count == 0 || spec->entry_count == 0)
            r->status = hf_error_set(r->err, HF_ERR_INPUT,
                "expected a line of spec %.*s that says %s", (int)spec->name.size, spec->name.data,
                spec->object_count == 0 ? "in which 'object' it is" : "what a function does");
    }
    if (r->status != HF_OK)
        hf_error_in(r->err, r->name);
}

enum hf_status hf_specs_parse(
    struct hf_specs *specs, struct hf_text text, const char *name, struct hf_error *err)
{
    struct reader r = {.specs = specs, .name = name, .err = err};
    *specs = (struct hf_specs){0};
    if (text.size > HF_LIMIT_SPEC_BYTES)
        return hf_error_set(err, HF_ERR_LIMIT, "%s: longer than %u bytes (HF_LIMIT_SPEC_BYTES)",
            name, HF_LIMIT_SPEC_BYTES);
    struct hf_text rest = {hf_arena_copy(&specs->arena, text.data, text.size), text.size};
    if (rest.data == NULL)
        return hf_error_memory(err);
    bool is_sound = true;
    while (is_sound && rest.size != 0) {
        r.line = hf_text_first(rest, hf_text_find(rest, '\n'));
        rest = hf_text_from(rest, r.line.size + 1);
        r.line = hf_text_trim_end(r.line, "\r");
        r.at = 0;
        r.number++;
        is_sound = read_line(&r);
        if (is_sound && next_word(&r))
            is_sound = expected(&r, r.at, "the end of the line");
    }
    if (is_sound)
        check_specs(&r);
    return r.status;
}

void hf_specs_done(struct hf_specs *specs)
{
    hf_arena_done(&specs->arena);
    *specs = (struct hf_specs){0};
}
