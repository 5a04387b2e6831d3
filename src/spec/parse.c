#include "spec/entry.h"

struct parse_reader {
    struct hf_specs *specs;
    struct hf_spec *spec; /* whose lines these are; NULL before the first */
    struct hf_spec_line line;
};

/* Makes room for one more in an array of the arena: its size is a power of two. */
static bool parse_grow(struct parse_reader *r, void *items, size_t count, size_t item_size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return true;
    void *larger = hf_arena_alloc(&r->specs->arena, (count == 0 ? 1 : 2 * count) * item_size);
    if (larger == NULL) {
        r->line.status = hf_error_memory(r->line.err);
        return false;
    }
    if (count != 0)
        memcpy(larger, *(void **)items, count * item_size);
    memcpy(items, &larger, sizeof larger);
    return true;
}

static bool parse_read_entry(struct parse_reader *r, enum hf_role role, bool is_optional)
{
    struct hf_spec *spec = r->spec;
    if (!parse_grow(r, &spec->entries, spec->entry_count, sizeof *spec->entries))
        return false;
    struct hf_spec_entry *entry = &spec->entries[spec->entry_count++];
    *entry =
        (struct hf_spec_entry){.role = role, .is_optional = is_optional, .line = r->line.number};
    (void)hf_spec_next_word(&r->line);
    return hf_spec_read_entry(&r->line, entry);
}

static bool read_objects(struct parse_reader *r)
{
    struct hf_spec_line *l = &r->line;
    static const char *const words[] = {"exe", "auto", "kernel"};
    static const enum hf_spec_object_kind kinds[] = {HF_SPEC_EXE, HF_SPEC_AUTO, HF_SPEC_KERNEL};
    struct hf_spec *spec = r->spec;
    do {
        if (!parse_grow(r, &spec->objects, spec->object_count, sizeof *spec->objects))
            return false;
        struct hf_spec_object *object = &spec->objects[spec->object_count++];
        *object = (struct hf_spec_object){.kind = HF_SPEC_LIBRARY};
        if (hf_spec_take(l, "lib:")) {
            object->glob = hf_spec_take_text(l);
            if (object->glob.size == 0)
                return hf_spec_expected(l, "the name of a library, e.g. libc.so.*");
            continue;
        }
        int kind = hf_spec_take_word(l, words, HF_COUNT(words));
        if (kind < 0)
            return hf_spec_expected(l, "exe, auto, kernel or lib:NAME");
        object->kind = kinds[kind];
    } while (hf_spec_next_word(l));
    return true;
}

static bool read_tests(struct parse_reader *r)
{
    struct hf_spec_line *l = &r->line;
    struct hf_spec *spec = r->spec;
    do {
        if (!parse_grow(r, &spec->tests, spec->test_count, sizeof *spec->tests))
            return false;
        struct hf_spec_test *test = &spec->tests[spec->test_count++];
        *test = (struct hf_spec_test){.line = l->number};
        if (hf_spec_take(l, "string:\"")) {
            struct hf_text rest = hf_spec_rest(l);
            test->is_string = true;
            test->text = hf_text_first(rest, hf_text_find(rest, '"'));
            l->at += test->text.size;
            if (!hf_spec_take(l, "\""))
                return hf_spec_expected(l, "'\"'");
        } else if (hf_spec_take(l, "sym:")) {
            test->text = hf_spec_take_text(l);
        } else {
            return hf_spec_expected(l, "sym:NAME or string:\"TEXT\"");
        }
        if (test->text.size == 0)
            return hf_spec_expected(l, "a text that is not empty");
    } while (hf_spec_next_word(l));
    return true;
}

static bool parse_read_prefix(struct parse_reader *r)
{
    struct hf_spec_line *l = &r->line;
    size_t start = l->at;
    if (hf_spec_take(l, "sym:"))
        r->spec->prefix = hf_spec_take_text(l);
    return hf_text_find(r->spec->prefix, '*') != r->spec->prefix.size ||
           hf_spec_expected_at(l, start, "sym:NAME with a '*' for the prefix");
}

static bool parse_read_label(struct parse_reader *r)
{
    r->spec->labels_contexts = hf_spec_take(&r->line, "ctx.name");
    return r->spec->labels_contexts || hf_spec_expected(&r->line, "ctx.name");
}

static bool read_skip(struct parse_reader *r)
{
    if (!hf_spec_take(&r->line, "classes") || !hf_spec_next_word(&r->line))
        return hf_spec_expected(&r->line, "'classes reset-or-deleted'");
    r->spec->skips_short_lived = hf_spec_take(&r->line, "reset-or-deleted");
    return r->spec->skips_short_lived || hf_spec_expected(&r->line, "reset-or-deleted");
}

static bool parse_read_chunk(struct parse_reader *r)
{
    uint64_t bytes;
    size_t start = r->line.at;
    if (!hf_spec_take_number(&r->line, &bytes))
        return false;
    r->spec->chunk_head_bytes = (uint32_t)bytes;
    return bytes <= 64 ||
           hf_spec_expected_at(&r->line, start, "the bytes of a block's head, up to 64");
}

static bool read_spec(struct parse_reader *r)
{
    struct hf_specs *specs = r->specs;
    struct hf_text name = hf_spec_take_text(&r->line);
    if (name.size == 0)
        return hf_spec_expected(&r->line, "a name");
    if (!parse_grow(r, &specs->items, specs->count, sizeof *specs->items))
        return false;
    r->spec = &specs->items[specs->count++];
    *r->spec = (struct hf_spec){.name = name};
    return true;
}

/* First words of lines that are no roles, and how the rest is read. */
static const char *const openings[] = {"object", "detect", "prefix", "label", "skip", "chunk"};
static bool (*const readers[])(struct parse_reader *r) = {
    read_objects, read_tests, parse_read_prefix, parse_read_label, read_skip, parse_read_chunk};

static bool parse_read_line(struct parse_reader *r)
{
    struct hf_spec_line *l = &r->line;
    static const char *const spec_word = "spec", *const optional_word = "optional";
    const char *role_words[HF_ROLES];
    for (int i = 0; i < HF_ROLES; i++)
        role_words[i] = hf_role_name((enum hf_role)i);
    if (!hf_spec_next_word(l))
        return true;
    if (hf_spec_take_word(l, &spec_word, 1) == 0)
        return (void)hf_spec_next_word(l), read_spec(r);
    if (r->spec == NULL)
        return hf_spec_expected(l, "'spec NAME' as the first line");
    int opening = hf_spec_take_word(l, openings, HF_COUNT(openings));
    if (opening >= 0)
        return (void)hf_spec_next_word(l), readers[opening](r);
    bool is_optional = hf_spec_take_word(l, &optional_word, 1) == 0;
    if (is_optional)
        (void)hf_spec_next_word(l);
    int role = hf_spec_take_word(l, role_words, HF_ROLES);
    if (role >= 0)
        return parse_read_entry(r, (enum hf_role)role, is_optional);
    return hf_spec_expected(l,
        is_optional
            ? "alloc, free, realloc, reset, delete, ctxnew, map or unmap"
            : "spec, object, detect, prefix, label, skip, chunk, optional, alloc, free, realloc, "
              "reset, delete, ctxnew, map or unmap");
}

/* Every spec says where its functions are, and which they are. */
/* What can be said when all lines are read. */
static void finish_specs(struct parse_reader *r)
{
    const struct hf_specs *specs = r->specs;
    if (specs->count == 0)
        r->line.status =
            hf_error_set(r->line.err, HF_ERR_INPUT, "expected 'spec NAME', found no line");
    for (size_t i = 0; i < specs->count && r->line.status == HF_OK; i++) {
        const struct hf_spec *spec = &specs->items[i];
        for (size_t j = 0; j < spec->entry_count; j++)
            spec->entries[j].is_in_context = spec->labels_contexts;
        if (spec->object_count == 0 || spec->entry_count == 0)
            r->line.status = hf_error_set(r->line.err, HF_ERR_INPUT,
                "expected a line of spec %.*s that says %s", (int)spec->name.size, spec->name.data,
                spec->object_count == 0 ? "in which 'object' it is" : "what a function does");
    }
    if (r->line.status != HF_OK)
        hf_error_in(r->line.err, r->line.name);
}

enum hf_status hf_specs_parse(
    struct hf_specs *specs, struct hf_text text, const char *name, struct hf_error *err)
{
    struct parse_reader r = {.specs = specs, .line = {.name = name, .err = err}};
    *specs = (struct hf_specs){0};
    bool is_sound = hf_spec_begin(&r.line, &specs->arena, text);
    while (is_sound && hf_spec_next_line(&r.line)) {
        is_sound = parse_read_line(&r);
        if (is_sound && hf_spec_next_word(&r.line))
            is_sound = hf_spec_expected(&r.line, "the end of the line");
    }
    if (is_sound)
        finish_specs(&r);
    return r.line.status;
}

void hf_specs_done(struct hf_specs *specs)
{
    hf_arena_done(&specs->arena);
    *specs = (struct hf_specs){0};
}
