/*
 * symbolized.c: profiles that bring their names along, so that no binary is needed: what
 * `jeprof --raw` and ClickHouse write.
 *
 *     file   = { "%" command LF } [ names ] [ "--- heap" LF | "--- growth" LF ] profile
 *     names  = "--- symbol" LF { "binary=" path LF | "0x" hex " " name { "--" name } LF } "---" LF
 *
 * Source: jeprof of jemalloc 5.3, PrintSymbolizedProfile, ReadSymbols, FetchSymbols; ClickHouse,
 * system.jemalloc_profile. The profile is one of heap_v2.c or gperftools.c. Of the names of one
 * address the caller comes first and what is inlined into it follows. The address is that of the
 * call's last byte (one less than the stack's), but for a leaf, which jeprof leaves as it is: both
 * are looked for. A name may end in "operator--"; "??" and the address itself are no names.
 *
 * "%warn text" is kept as a note. "binary=" is not needed: the profile's map says it. Profiles of
 * processor time and of lock contention are refused.
 */
#include "base/containers/vec.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/heap/addresses.h"

#include <inttypes.h>
#include <stdlib.h>

#define MARK "--- "
#define SYMBOLS "symbol"
#define SEPARATOR "--"
#define OPERATOR "operator"

struct symbol_line {
    uint64_t address;
    uint32_t first, count; /* of reader.names: leaf first */
};

struct symbolized_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct symbol_line *lines;
    size_t line_count, line_capacity;
    uint32_t *names;
    size_t name_count, name_capacity;
};

/* Where the next name of a list begins: after a separator that is no part of "operator--". */
static size_t name_end(struct hf_text list)
{
    for (size_t i = 0; i + 1 < list.size; i++) {
        if (list.data[i] != '-' || list.data[i + 1] != '-')
            continue;
        if (!hf_text_ends(hf_text_first(list, i), OPERATOR))
            return i;
        i++;
    }
    return list.size;
}

static bool is_name(struct hf_text name)
{
    uint64_t address;
    return name.size != 0 && !hf_text_is(name, "??") &&
           !(hf_text_starts(name, "0x") && hf_num_hex(name, &address));
}

/* Adds the names of one line, leaf first, and the address for the leaf's own. */
static enum hf_status add_names(
    struct symbolized_reader *r, struct hf_text list, uint64_t address, struct hf_error *err)
{
    size_t first = r->name_count;
    while (list.size != 0) {
        struct hf_text name = hf_text_first(list, name_end(list));
        list = hf_text_from(list, name.size + strlen(SEPARATOR));
        if (!is_name(name))
            continue;
        bool is_function = r->name_count == first;
        bool is_leaf = list.size == 0;
        struct hf_frame frame = {
            .flags = HF_FRAME_NAMED | HF_FRAME_IS_LONG | (is_function ? 0u : HF_FRAME_INLINED) |
                     (is_leaf ? HF_FRAME_HAS_OFFSET : 0u),
            .offset = is_leaf ? address : 0,
        };
        if (!hf_vec_reserve(&r->names, &r->name_capacity, r->name_count + 1, sizeof *r->names))
            return hf_error_memory(err);
        enum hf_status status = hf_profile_string(r->profile, name, &frame.name, err);
        if (status == HF_OK)
            status = hf_profile_frame(r->profile, &frame, &r->names[r->name_count++], err);
        if (status != HF_OK)
            return status;
    }
    for (size_t a = first, b = r->name_count; a + 1 < b; a++) {
        uint32_t name = r->names[a];
        r->names[a] = r->names[--b];
        r->names[b] = name;
    }
    if (r->name_count == first)
        return HF_OK;
    if (!hf_vec_reserve(&r->lines, &r->line_capacity, r->line_count + 1, sizeof *r->lines))
        return hf_error_memory(err);
    r->lines[r->line_count++] =
        (struct symbol_line){address, (uint32_t)first, (uint32_t)(r->name_count - first)};
    return HF_OK;
}

/* "0x1f2e main--inlined" */
static enum hf_status read_symbol(
    struct symbolized_reader *r, struct hf_text line, struct hf_error *err)
{
    uint64_t address;
    struct hf_text word = hf_text_first(line, hf_text_find(line, ' '));
    size_t tab = hf_text_find(word, '\t'); /* as servers answer at /pprof/symbol */
    word = hf_text_first(word, tab);
    if (!hf_text_starts(line, "0x") || !hf_num_hex(word, &address)) {
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: line %" PRIu64 ": expected '0x... name' or '---', found '%.*s'; skipped",
            r->input->name, r->input->line, (int)hf_text_first(line, 60).size, line.data);
        return HF_OK;
    }
    struct hf_text list = hf_text_from(line, word.size);
    while (list.size != 0 && (list.data[0] == ' ' || list.data[0] == '\t'))
        list = hf_text_from(list, 1);
    while (list.size != 0 && (list.data[list.size - 1] == ' ' || list.data[list.size - 1] == '\t'))
        list.size--;
    return add_names(r, list, address, err);
}

static enum hf_status read_symbols(struct symbolized_reader *r, struct hf_error *err)
{
    for (;;) {
        struct hf_text line;
        bool has_line;
        enum hf_status status = hf_input_line(r->input, &line, &has_line, err);
        if (status != HF_OK)
            return status;
        if (!has_line) {
            hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
                "%s: ends inside its names, before '---' and the profile: the file is cut",
                r->input->name);
            return HF_OK;
        }
        if (hf_text_starts(line, "---"))
            return HF_OK;
        if (line.size != 0 && !hf_text_starts(line, "binary="))
            status = read_symbol(r, line, err);
        if (status != HF_OK)
            return status;
    }
}

/* Gives an address its names before any stack has it (addresses.h takes them along). */
static enum hf_status symbolized_name_address(struct symbolized_reader *r,
    const struct symbol_line *line, uint64_t byte, struct hf_error *err)
{
    uint32_t frame;
    enum hf_status status = hf_addresses_raw_frame(r->profile, byte + 1, &frame, err);
    if (status == HF_OK && !hf_profile_is_expanded(r->profile, frame))
        status = hf_profile_expand(r->profile, frame, r->names + line->first, line->count, err);
    return status;
}

/* The byte of a call first, then leaves. */
static enum hf_status name_addresses(struct symbolized_reader *r, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->line_count && status == HF_OK; i++)
        status = symbolized_name_address(r, &r->lines[i], r->lines[i].address, err);
    for (size_t i = 0; i < r->line_count && status == HF_OK; i++) {
        if (r->lines[i].address != 0)
            status = symbolized_name_address(r, &r->lines[i], r->lines[i].address - 1, err);
    }
    return status;
}

static enum hf_status peek_line(
    struct hf_input *input, struct hf_text *out_line, struct hf_error *err)
{
    enum hf_status status = hf_input_peek(input, HF_FORMAT_PEEK_BYTES, out_line, err);
    if (status == HF_OK)
        *out_line = hf_text_first(*out_line, hf_text_find(*out_line, '\n'));
    return status;
}

/* Reads the lines before the profile: commands, names, the mark of what follows. */
static enum hf_status symbolized_read_head(struct symbolized_reader *r, struct hf_error *err)
{
    for (;;) {
        struct hf_text line;
        bool has_line;
        enum hf_status status = peek_line(r->input, &line, err);
        if (status != HF_OK || (!hf_text_starts(line, "%") && !hf_text_starts(line, MARK)))
            return status;
        status = hf_input_line(r->input, &line, &has_line, err);
        if (status != HF_OK)
            return status;
        if (hf_text_starts(line, "%")) {
            if (hf_text_starts(line, "%warn"))
                hf_notes_add(&r->profile->notes, HF_NOTE_INFO, "%s: the profiler warns:%.*s",
                    r->input->name, (int)(line.size - strlen("%warn")),
                    line.data + strlen("%warn"));
            continue;
        }
        struct hf_text what = hf_text_from(line, strlen(MARK));
        if (hf_text_starts(what, SYMBOLS)) {
            status = read_symbols(r, err);
            if (status != HF_OK)
                return status;
        } else if (!hf_text_starts(what, "heap") && !hf_text_starts(what, "growth")) {
            return hf_error_set(err, HF_ERR_INPUT,
                "expected '--- heap' or '--- growth' before the profile, found '%.*s': heapflame "
                "reads only profiles of memory",
                (int)hf_text_first(line, 60).size, line.data);
        }
    }
}

static enum hf_status symbolized_read_profile(struct symbolized_reader *r, struct hf_error *err)
{
    static const struct hf_format *const formats[] = {&hf_format_heap_v2, &hf_format_gperftools};
    struct hf_text first_bytes;
    enum hf_status status = hf_input_peek(r->input, HF_FORMAT_PEEK_BYTES, &first_bytes, err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < HF_COUNT(formats); i++) {
        if (formats[i]->bid(first_bytes) != HF_BID_NO)
            return formats[i]->read(r->input, r->profile, err);
    }
    hf_error_set(err, HF_ERR_INPUT,
        "expected a profile, 'heap_v2/...' or 'heap profile: ...', after the names");
    hf_error_at_line(err, r->input->name, r->input->line + 1);
    return HF_ERR_INPUT;
}

static enum hf_status read_symbolized(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct symbolized_reader r = {.input = input, .profile = profile};
    enum hf_status status = symbolized_read_head(&r, err);
    if (status == HF_OK)
        status = name_addresses(&r, err);
    free(r.lines);
    free(r.names);
    return status == HF_OK ? symbolized_read_profile(&r, err) : status;
}

static enum hf_bid symbolized_bid(struct hf_text first_bytes)
{
    static const char *const starts[] = {MARK SYMBOLS, MARK "heap", MARK "growth"};
    while (hf_text_starts(first_bytes, "%"))
        first_bytes = hf_text_from(first_bytes, hf_text_find(first_bytes, '\n') + 1);
    for (size_t i = 0; i < HF_COUNT(starts); i++) {
        if (hf_text_starts(first_bytes, starts[i]))
            return HF_BID_SURE;
    }
    return HF_BID_NO;
}

const struct hf_format hf_format_symbolized = {
    .name = "profile with names",
    .bid = symbolized_bid,
    .read = read_symbolized,
};
