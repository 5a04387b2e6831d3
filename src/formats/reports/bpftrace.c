/*
 * bpftrace.c: the maps that bpftrace prints at its end or by print(), keyed by stacks.
 *
 *     text  = { other LF | entry | LF }
 *     entry = "@" name "[" key "]: " value LF
 *     json  = '{"type": "map", "data": {"@' name '": {' pair { ", " pair } "}}}" LF
 *     pair  = '"' key '": ' value
 *     key   = [ words ", " ] stack [ ", " words ]              in JSON without the blanks
 *     stack = LF { blanks frame LF }
 *     frame = name [ "+" decimal ] | "0x" hex                  kstack, ustack
 *           | TAB hex " " name [ "+" decimal ] [ " (" path ")" ]     their mode perf
 *     value = decimal | "count " decimal ", average " decimal ", total " decimal
 *
 * Source: bpftrace(8) and src/output.cpp of bpftrace 0.9 to 0.21; a memleak for bpftrace prints
 * such a map. Frames are leaf first. The words of a key (comm, pid) are the root frame. Each map is
 * a value type; of stats() the total is taken. A map that is printed again replaces what it was
 * before, so the last one counts. Maps and entries without a stack, histograms and other lines
 * are not read.
 */
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/reports/typed_values.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>

#define JSON_START "{\"type\": \""
#define JSON_MAP JSON_START "map\", \"data\": {\"@"
#define VALUE_MARK "]: "

struct bpftrace_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct hf_typed_values values;
    struct hf_text_stack stack;
    struct hf_out key, root; /* of the entry that is being read */
    bool has_entry;          /* its first line came, its last did not */
    uint32_t map;            /* string: the map of the entry before, or of this one */
    bool is_same_print;      /* the next entry of this map belongs to the same print() */
    uint64_t repeated, stackless;
    struct hf_skipped_lines skipped;
};

/* Without the commas and blanks around it. */
static struct hf_text bpftrace_trim(struct hf_text text)
{
    return hf_text_trim_end(hf_text_trim_start(text, " \t,"), " \t,");
}

/* "main+26" -> "main" */
static struct hf_text without_offset(struct hf_text name)
{
    size_t plus = hf_text_find_last(name, '+');
    uint64_t offset;
    bool has_offset =
        plus != 0 && plus != name.size && hf_num_u64(hf_text_from(name, plus + 1), &offset);
    return has_offset ? hf_text_first(name, plus) : name;
}

static enum hf_status bpftrace_add_frame(
    struct bpftrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text_frame frame = {0};
    struct hf_text text = bpftrace_trim(line), where;
    size_t blank = hf_text_find(text, ' ');
    frame.function = text;
    if (hf_text_starts(text, "0x") && hf_num_hex(text, &frame.address)) {
        frame.function.size = 0;
    } else if (hf_text_starts(line, "\t") &&
               hf_num_hex(hf_text_first(text, blank), &frame.address)) {
        frame.function = bpftrace_trim(hf_text_from(text, blank));
        if (hf_text_split_group(frame.function, &frame.function, &where) &&
            !hf_text_is(where, "[unknown]"))
            frame.module = where;
        if (hf_text_starts(frame.function, "0x") || hf_text_is(frame.function, "[unknown]"))
            frame.function.size = 0;
    }
    frame.function = without_offset(frame.function);
    /* The probe is at the first instruction of a function, and a call returns behind itself. */
    if (r->stack.depth != 0 && frame.address != 0)
        frame.address--;
    return hf_text_stack_push(&r->stack, r->profile, &frame, err);
}

static void add_words(struct bpftrace_reader *r, struct hf_text words)
{
    words = bpftrace_trim(words);
    if (words.size != 0 && r->root.size != 0)
        hf_out_string(&r->root, ", ");
    hf_out_text(&r->root, words);
}

/* Fills the stack and the root. Words are before the first line, behind the last, or after ','. */
static enum hf_status parse_key(struct bpftrace_reader *r, struct hf_text key, struct hf_error *err)
{
    r->root.size = 0;
    r->stack.depth = 0;
    for (bool is_first = true; key.size != 0; is_first = false) {
        struct hf_text line = hf_text_first(key, hf_text_find(key, '\n'));
        bool is_last = line.size == key.size;
        key = hf_text_from(key, line.size + 1);
        if (is_first || is_last || hf_text_starts(line, ","))
            add_words(r, line);
        else if (bpftrace_trim(line).size != 0) {
            enum hf_status status = bpftrace_add_frame(r, line, err);
            if (status != HF_OK)
                return status;
        }
    }
    return hf_out_finish(&r->root, err);
}

static bool parse_value(struct hf_text text, uint64_t *out_value)
{
    static const char total[] = ", total ";
    if (hf_text_starts(text, "count "))
        text = hf_text_from(text, hf_text_find_string(text, total) + strlen(total));
    return hf_num_u64(text, out_value);
}

static enum hf_status begin_map(
    struct bpftrace_reader *r, struct hf_text name, struct hf_error *err)
{
    uint32_t map;
    enum hf_status status =
        hf_profile_string(r->profile, name.size != 0 ? name : HF_TEXT("@"), &map, err);
    if (status != HF_OK || (r->is_same_print && map == r->map))
        return status;
    r->map = map;
    r->is_same_print = true;
    r->repeated += hf_typed_values_begin_again(&r->values, map);
    return HF_OK;
}

static enum hf_status add_entry(
    struct bpftrace_reader *r, struct hf_text key, struct hf_text value_text, struct hf_error *err)
{
    uint64_t value;
    uint32_t node;
    if (hf_text_find(key, '\n') == key.size) {
        r->stackless++;
        return HF_OK;
    }
    if (!parse_value(value_text, &value)) {
        hf_skipped_lines_add(&r->skipped, r->input->line);
        return HF_OK;
    }
    enum hf_status status = parse_key(r, key, err);
    if (status == HF_OK)
        status = hf_text_stack_end(&r->stack, r->profile, hf_out_view(&r->root), &node, err);
    if (status == HF_OK)
        status = hf_typed_values_add(&r->values, node, r->map, value, err);
    return status;
}

/* "@name[": false if the line begins no entry. */
static bool parse_entry_start(struct hf_text line, struct hf_text *out_name)
{
    size_t bracket = hf_text_find(line, '[');
    if (!hf_text_starts(line, "@") || bracket == line.size)
        return false;
    struct hf_text name = hf_text_from(hf_text_first(line, bracket), 1);
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    *out_name = name;
    return true;
}

/* The end of the key and the value of "]: 12" or ", comm]: 12". False if the entry goes on. */
static bool parse_entry_end(
    struct hf_text line, struct hf_text *out_key_end, struct hf_text *out_value)
{
    size_t bracket = hf_text_find_last(line, ']');
    struct hf_text rest = hf_text_from(line, bracket);
    if (bracket == line.size || (bracket != 0 && line.data[0] != ',') ||
        !hf_text_starts(rest, "]:"))
        return false;
    *out_key_end = hf_text_first(line, bracket);
    *out_value = bpftrace_trim(hf_text_from(rest, strlen("]:")));
    return true;
}

/* Takes a string in quotes, without them, off the front; what is escaped is put as it is. */
static bool take_json_string(struct hf_text *rest, struct hf_out *out)
{
    out->size = 0;
    if (!hf_text_starts(*rest, "\""))
        return false;
    for (size_t i = 1; i < rest->size; i++) {
        char c = rest->data[i];
        if (c == '"') {
            *rest = hf_text_from(*rest, i + 1);
            return true;
        }
        if (c == '\\' && ++i < rest->size) {
            c = rest->data[i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? ' ' : c;
        }
        hf_out_char(out, c);
    }
    return false;
}

/* Takes a number or an object off the front; of an object of stats() the total. */
static bool take_json_value(struct hf_text *rest, struct hf_text *out_value)
{
    static const char total[] = "\"total\": ";
    size_t end = hf_text_find(*rest, '}'), comma = hf_text_find(*rest, ',');
    struct hf_text value = hf_text_first(*rest, end < comma ? end : comma);
    if (hf_text_starts(*rest, "{")) {
        value = hf_text_first(*rest, end);
        *out_value = hf_text_from(value, hf_text_find_string(value, total) + strlen(total));
        *rest = hf_text_from(*rest, end + 1);
        return end != rest->size;
    }
    *out_value = value;
    *rest = hf_text_from(*rest, value.size);
    return rest->size != 0;
}

/* {"type": "map", "data": {"@name": {"key": 12, "key": 13}}} */
static enum hf_status read_json_map(
    struct bpftrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = hf_text_from(line, strlen(JSON_MAP));
    struct hf_text name = hf_text_first(rest, hf_text_find(rest, '"')), value;
    rest = hf_text_from(rest, name.size + 1);
    if (!hf_text_starts(rest, ": {")) {
        r->stackless++; /* a number, or a histogram without a key */
        return HF_OK;
    }
    rest = hf_text_from(rest, strlen(": {"));
    enum hf_status status = begin_map(r, name, err);
    bool is_whole = false;
    while (status == HF_OK && take_json_string(&rest, &r->key) && hf_text_starts(rest, ": ")) {
        rest = hf_text_from(rest, strlen(": "));
        bool has_end = take_json_value(&rest, &value);
        if (has_end)
            status = add_entry(r, hf_out_view(&r->key), value, err);
        is_whole = has_end && hf_text_starts(rest, "}}}");
        if (!hf_text_starts(rest, ", "))
            break;
        rest = hf_text_from(rest, strlen(", "));
    }
    if (!is_whole)
        hf_skipped_lines_add(&r->skipped, r->input->line);
    r->is_same_print = false;
    return status == HF_OK ? hf_out_finish(&r->key, err) : status;
}

static enum hf_status read_in_entry(
    struct bpftrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text key_end, value, name;
    if (parse_entry_start(line, &name)) {
        hf_skipped_lines_add(&r->skipped, r->input->line); /* the entry before has no end */
        r->has_entry = false;
        return HF_OK;
    }
    r->has_entry = !parse_entry_end(line, &key_end, &value);
    hf_out_char(&r->key, '\n');
    hf_out_text(&r->key, r->has_entry ? line : key_end);
    if (r->key.size > HF_LIMIT_LINE_BYTES) {
        hf_error_set(err, HF_ERR_LIMIT, "a key longer than %u bytes (HF_LIMIT_LINE_BYTES)",
            HF_LIMIT_LINE_BYTES);
        hf_error_at_line(err, r->input->name, r->input->line);
        return HF_ERR_LIMIT;
    }
    enum hf_status status = hf_out_finish(&r->key, err);
    if (status == HF_OK && !r->has_entry)
        status = add_entry(r, hf_out_view(&r->key), value, err);
    return status;
}

/* An entry on one line: "@[, bash]: 12" has an empty stack, others have none. */
static enum hf_status add_short_entry(
    struct bpftrace_reader *r, struct hf_text name, struct hf_text text, struct hf_error *err)
{
    size_t end = hf_text_find_string(text, VALUE_MARK);
    if (!hf_text_starts(text, ",")) {
        r->stackless++;
        return HF_OK;
    }
    r->key.size = 0;
    hf_out_char(&r->key, '\n');
    hf_out_text(&r->key, hf_text_first(text, end));
    enum hf_status status = hf_out_finish(&r->key, err);
    if (status == HF_OK)
        status = begin_map(r, name, err);
    if (status == HF_OK)
        status =
            add_entry(r, hf_out_view(&r->key), hf_text_from(text, end + strlen(VALUE_MARK)), err);
    return status;
}

static enum hf_status bpftrace_read_line(
    struct bpftrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text name;
    if (r->has_entry) {
        enum hf_status status = read_in_entry(r, line, err);
        if (status != HF_OK || !parse_entry_start(line, &name))
            return status;
    }
    if (hf_text_starts(line, JSON_MAP))
        return read_json_map(r, line, err);
    if (!parse_entry_start(line, &name)) {
        r->is_same_print = r->is_same_print && line.size != 0;
        return HF_OK;
    }
    if (hf_text_has(line, VALUE_MARK))
        return add_short_entry(r, name, hf_text_from(line, name.size + strlen("@[")), err);
    r->has_entry = true;
    r->key.size = 0;
    hf_out_text(&r->key, hf_text_from(line, name.size + strlen("@[")));
    return begin_map(r, name, err);
}

static void bpftrace_add_notes(struct bpftrace_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (r->has_entry)
        hf_notes_add(
            notes, HF_NOTE_LOSS, "%s: is cut inside the key of a map; that entry is skipped", name);
    hf_skipped_lines_note(&r->skipped, HF_NOTE_LOSS, "map entry that is cut or has no number",
        "map entries that are cut or have no number", name, notes);
    if (r->repeated != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: prints some maps again, %" PRIu64
            " %s in all; only the last print of each map is read",
            name, r->repeated, hf_plural(r->repeated, "time", "times"));
    if (r->stackless != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%s: %" PRIu64 " map %s not read", name, r->stackless,
            hf_plural(r->stackless, "entry has no stack in its key and is",
                "entries have no stack in their key and are"));
}

static enum hf_status bpftrace_read_all(struct bpftrace_reader *r, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        if (!r->input->last_line_is_cut)
            status = bpftrace_read_line(r, line, err);
        else
            hf_skipped_lines_add(&r->skipped, r->input->line);
    }
    if (status == HF_OK)
        status = hf_typed_values_end(&r->values, r->profile, r->input->name, "maps", err);
    if (status == HF_OK)
        bpftrace_add_notes(r);
    return status;
}

static enum hf_status read_bpftrace(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct bpftrace_reader r = {.input = input, .profile = profile};
    enum hf_status status = bpftrace_read_all(&r, err);
    hf_typed_values_done(&r.values);
    hf_text_stack_done(&r.stack);
    hf_out_done(&r.key);
    hf_out_done(&r.root);
    return status;
}

static enum hf_bid bpftrace_bid(struct hf_text first_bytes)
{
    bool has_start = false;
    if (hf_text_starts(first_bytes, JSON_START))
        return HF_BID_SURE;
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n')), rest;
        has_start =
            has_start || (parse_entry_start(line, &rest) && hf_text_find(line, ']') == line.size);
        if (has_start && parse_entry_end(line, &rest, &rest))
            return HF_BID_SURE;
        first_bytes = hf_text_from(first_bytes, line.size + 1);
    }
    return has_start ? HF_BID_LIKELY : HF_BID_NO;
}

const struct hf_format hf_format_bpftrace = {
    .name = "bpftrace",
    .bid = bpftrace_bid,
    .read = read_bpftrace,
};
