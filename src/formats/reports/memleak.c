/*
 * memleak.c: what memleak of bcc prints, the Python program and the one of libbpf-tools.
 *
 *     file   = { other LF } { report }
 *     report = "[" time "] Top " n " stacks with outstanding allocations:" LF
 *              { stack | block | LF }
 *     stack  = bytes " bytes in " count " allocations from stack" LF { block | frame LF }
 *     block  = "addr = " hex " size = " bytes LF                             (-a; not read)
 *     frame  = [ "0x" address TAB ] name [ "+0x" hex ] [ " [" module "]" ]   bcc
 *            | index " [<" address ">]" [ " " name "+0x" hex ]               libbpf-tools
 *              [ " [" module "]" ] [ " " source ":" line ]
 *            | index " [<" address ">] <null sym>" | "stack information lost"
 *
 * Source: memleak(8), memleak_example.txt and memleak.py of bcc, memleak.c of libbpf-tools. Frames
 * are indented, leaf first. A file has a report for each interval: the last one counts. A report
 * lists the n largest stacks only, and a note says so if it has that many.
 */
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#define BLANKS " \t"
#define HEADING_START "] Top "
#define HEADING_END " stacks with outstanding allocations:"

#define VALUE_COUNT (HF_INUSE_SPACE + 1)

struct memleak_leak {
    uint32_t node;
    uint64_t values[VALUE_COUNT];
};

struct memleak_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct memleak_leak *leaks; /* of the report that is being read */
    size_t leak_count, leak_capacity;
    uint64_t report_count, top;
    struct memleak_leak leak; /* that is being read, and its frames */
    struct hf_text_stack stack;
    bool has_leak, has_blocks; /* blocks came that belong to a stack which did not */
    size_t frame_indent;       /* columns before its first frame; 0: none came */
    struct hf_skipped_lines skipped;
};

/* Takes a decimal number and the word behind it off the front. */
static bool take_count(struct hf_text *text, const char *word, uint64_t *out_count)
{
    size_t digits = hf_text_find_string(*text, word);
    if (digits == text->size || !hf_num_u64(hf_text_first(*text, digits), out_count))
        return false;
    *text = hf_text_from(*text, digits + strlen(word));
    return true;
}

/* "[11:16:33] Top 10 stacks with outstanding allocations:" */
static bool parse_heading(struct hf_text line, uint64_t *out_top)
{
    size_t time = hf_text_find_string(line, HEADING_START);
    struct hf_text rest = hf_text_from(line, time + strlen(HEADING_START));
    return hf_text_starts(line, "[") && take_count(&rest, HEADING_END, out_top);
}

/* "80 bytes in 5 allocations from stack" */
static bool parse_leak(struct hf_text text, struct memleak_leak *out)
{
    *out = (struct memleak_leak){.node = HF_STACK_ROOT};
    return take_count(&text, " bytes in ", &out->values[HF_INUSE_SPACE]) &&
           take_count(&text, " allocations from stack", &out->values[HF_INUSE_OBJECTS]) &&
           hf_text_trim_start(text, BLANKS).size == 0;
}

/* Takes " [libc.so.6]" off the end. */
static struct hf_text take_module(struct hf_text *text)
{
    size_t at = hf_text_find_last(*text, '[');
    bool is_alone = at == 0;
    if (!hf_text_ends(*text, "]") || hf_text_is(*text, "[unknown]") ||
        (!is_alone && text->data[at - 1] != ' '))
        return (struct hf_text){NULL, 0};
    struct hf_text module = hf_text_from(hf_text_first(*text, text->size - 1), at + 1);
    *text = hf_text_first(*text, is_alone ? 0 : at - 1);
    return module;
}

/* "0 [<00007f1e2a3b4c5d>] main+0x1d [service]" */
static bool parse_numbered(struct hf_text text, struct hf_text_frame *out)
{
    uint64_t index;
    size_t end = hf_text_find_string(text, ">]");
    struct hf_text address = hf_text_first(text, end);
    if (!take_count(&address, " [<", &index) || !hf_num_hex(address, &out->address))
        return false;
    text = hf_text_trim_start(hf_text_from(text, end + strlen(">]")), BLANKS);
    out->module = take_module(&text);
    size_t offset = hf_text_find_string(text, "+0x");
    size_t blank = offset + hf_text_find(hf_text_from(text, offset), ' ');
    if (hf_text_source(hf_text_from(text, blank + 1), &out->file, &out->line))
        text = hf_text_first(text, blank);
    out->function = hf_text_without_offset(text);
    if (hf_text_is(text, "<null sym>"))
        out->function.size = 0;
    return true;
}

/* "main+0x6d [allocs]", newer with the address and a tab before it */
static void parse_plain(struct hf_text text, struct hf_text_frame *out)
{
    size_t tab = hf_text_find(text, '\t');
    if (tab != text.size && hf_text_starts(text, "0x") &&
        hf_num_hex(hf_text_first(text, tab), &out->address))
        text = hf_text_from(text, tab + 1);
    out->module = take_module(&text);
    out->function = hf_text_without_offset(text);
    if (hf_text_is(text, "[unknown]"))
        out->function.size = 0;
}

static enum hf_status memleak_read_frame(
    struct memleak_reader *r, struct hf_text text, size_t indent, struct hf_error *err)
{
    struct hf_text_frame frame = {0};
    if (hf_text_is(text, "stack information lost"))
        return HF_OK;
    if (!parse_numbered(text, &frame)) {
        /* Further out than the frames before, and no leak: something is damaged. */
        if (indent < r->frame_indent) {
            hf_skipped_lines_add(&r->skipped, r->input->line);
            return HF_OK;
        }
        frame = (struct hf_text_frame){0};
        parse_plain(text, &frame);
    }
    r->frame_indent = r->frame_indent != 0 ? r->frame_indent : indent;
    if (frame.address != 0)
        frame.address--; /* a byte of the call */
    return hf_text_stack_push(&r->stack, r->profile, &frame, err);
}

static enum hf_status memleak_end_leak(struct memleak_reader *r, struct hf_error *err)
{
    if (!r->has_leak)
        return HF_OK;
    enum hf_status status =
        hf_text_stack_end(&r->stack, r->profile, (struct hf_text){NULL, 0}, &r->leak.node, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&r->leaks, &r->leak_capacity, r->leak_count + 1, sizeof *r->leaks))
        return hf_error_memory(err);
    r->leaks[r->leak_count++] = r->leak;
    r->has_leak = false;
    return HF_OK;
}

static enum hf_status memleak_read_line(
    struct memleak_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text text = hf_text_trim_start(line, BLANKS);
    struct memleak_leak leak;
    uint64_t top;
    if (text.size == 0)
        return memleak_end_leak(r, err);
    if (parse_heading(line, &top)) {
        enum hf_status status = memleak_end_leak(r, err);
        r->leak_count = 0;
        r->report_count++;
        r->top = top;
        return status;
    }
    if (parse_leak(text, &leak)) {
        enum hf_status status = memleak_end_leak(r, err);
        r->leak = leak;
        r->has_leak = true;
        r->has_blocks = false;
        r->frame_indent = 0;
        return status;
    }
    size_t indent = line.size - text.size;
    if (hf_text_starts(text, "addr = ") && indent != 0) {
        r->has_blocks = !r->has_leak;
        return HF_OK;
    }
    if (r->has_leak && indent != 0)
        return memleak_read_frame(r, text, indent, err);
    if (r->report_count != 0 || r->leak_count != 0)
        hf_skipped_lines_add(&r->skipped, r->input->line);
    return HF_OK;
}

static void memleak_add_notes(struct memleak_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (r->report_count > 1)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: has %" PRIu64 " reports of memleak; the last one is read", name,
            /* never 1 */ r->report_count);
    if (r->report_count != 0 && r->leak_count >= r->top)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: memleak listed only the %" PRIu64 " largest %s (its option -T)", name, r->top,
            hf_plural(r->top, "stack", "stacks"));
    hf_skipped_lines_note(&r->skipped, HF_NOTE_LOSS, "line that is not memleak output",
        "lines that are not memleak output", name, notes);
}

/* There is no mark at the end; a stack that did not begin is all that can be seen. */
static enum hf_status memleak_end_file(struct memleak_reader *r, struct hf_error *err)
{
    if (r->has_blocks || (r->has_leak && r->stack.depth == 0))
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: ends before the frames of its last stack: the file is cut", r->input->name);
    enum hf_status status = memleak_end_leak(r, err);
    for (size_t i = 0; i < r->leak_count && status == HF_OK; i++)
        status = hf_profile_add_sample(
            r->profile, r->leaks[i].node, HF_THREAD_ALL, r->leaks[i].values, err);
    if (status == HF_OK)
        memleak_add_notes(r);
    return status;
}

static enum hf_status memleak_read_all(struct memleak_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_inuse_types(r->profile, err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        if (!r->input->last_line_is_cut)
            status = memleak_read_line(r, line, err);
        else
            hf_skipped_lines_add(&r->skipped, r->input->line);
    }
    return status == HF_OK ? memleak_end_file(r, err) : status;
}

static enum hf_status read_memleak(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct memleak_reader r = {.input = input, .profile = profile};
    enum hf_status status = memleak_read_all(&r, err);
    hf_text_stack_done(&r.stack);
    free(r.leaks);
    return status;
}

static enum hf_bid memleak_bid(struct hf_text first_bytes)
{
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
        struct memleak_leak leak;
        uint64_t top;
        if (hf_text_ends(line, "\r"))
            line.size--;
        if (parse_heading(line, &top) || parse_leak(hf_text_trim_start(line, BLANKS), &leak))
            return HF_BID_SURE;
        first_bytes = hf_text_from(first_bytes, line.size + 1);
    }
    return HF_BID_NO;
}

const struct hf_format hf_format_memleak = {
    .name = "memleak",
    .bid = memleak_bid,
    .read = read_memleak,
};
