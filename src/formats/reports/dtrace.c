/*
 * dtrace.c: aggregations by stacks, as DTrace prints them at its end.
 *
 *     text   = { head | drops | entry | LF }
 *     head   = "CPU" blanks "ID" blanks "FUNCTION:NAME" LF { blanks cpu blanks id blanks probe LF }
 *     drops  = "dtrace: " sentence LF
 *     entry  = { key LF } { frame LF | LF } [ key ] blanks count LF
 *     frame  = blanks module "`" name [ "+0x" hex ] | blanks "0x" hex | blanks name    of a
 * jstack() key    = blanks words                      another key of the aggregation, as execname
 *
 * Source: dtrace(1) and its output on illumos, FreeBSD and macOS: @[stack()], @[ustack()],
 * @[jstack()], alone, both, or beside other keys. Frames are leaf first and keep their module, as
 * stackcollapse.pl has them; distances are left out. Other keys are the root frame: words before
 * the stack that stand further left than frames do, and words before the count. Stacks that two
 * keys print, the kernel's and the user's, are one. Distributions (quantize) are not read, nor are
 * numbers without a stack. Names of Java: java_frame.h.
 */
#include "base/plural.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "formats/format.h"
#include "formats/reports/java_frame.h"
#include "formats/reports/text_frame.h"
#include "formats/reports/typed_values.h"
#include "formats/skipped_lines.h"

#define BLANKS " \t"
#define SPEAKER "dtrace: "
#define HEAD_START "CPU"
#define HEAD_END "FUNCTION:NAME"
#define DISTRIBUTION "- Distribution -"
#define FRAME_COLUMNS 8 /* frames stand at 14 and more, or behind a TAB; other keys at 2 */

struct dtrace_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct hf_typed_values values;
    struct hf_text_stack stack;
    struct hf_out root, name; /* the entry's other keys; scratch */
    uint32_t type;            /* string: the one kind of value */
    bool is_distribution;     /* the lines of one, to the next that is blank */
    uint64_t distributions;
    struct hf_skipped_lines skipped;
};

static struct hf_text dtrace_trim(struct hf_text text)
{
    return hf_text_trim_end(hf_text_trim_start(text, BLANKS), BLANKS "\r");
}

/* "CPU     ID                    FUNCTION:NAME" */
static bool is_dtrace_head(struct hf_text line)
{
    line = hf_text_trim_start(line, BLANKS);
    return hf_text_starts(line, HEAD_START) && hf_text_ends(dtrace_trim(line), HEAD_END);
}

/* "  0  64091                        :tick-60s" */
static bool is_firing(struct hf_text line)
{
    uint64_t number;
    for (int i = 0; i < 2; i++) {
        line = hf_text_trim_start(line, BLANKS);
        struct hf_text word = hf_text_first(line, hf_text_find(line, ' '));
        if (!hf_num_u64(word, &number))
            return false;
        line = hf_text_from(line, word.size);
    }
    return hf_text_find(line, ':') != line.size;
}

/* Splits "  bash      12" or "      12"; false if the line does not end in a number of its own. */
static bool split_number(struct hf_text line, struct hf_text *out_words, uint64_t *out_number)
{
    struct hf_text text = dtrace_trim(line);
    size_t blank = hf_text_find_last(text, ' ');
    struct hf_text word = blank == text.size ? text : hf_text_from(text, blank + 1);
    *out_words = dtrace_trim(hf_text_first(text, text.size - word.size));
    return hf_num_u64(word, out_number) && hf_text_find(*out_words, '`') == out_words->size;
}

static bool is_key(struct hf_text line)
{
    struct hf_text text = hf_text_trim_start(line, " ");
    return line.size - text.size < FRAME_COLUMNS && !hf_text_starts(text, "\t") &&
           !hf_text_starts(text, "0x") && hf_text_find(text, '`') == text.size;
}

static void add_key(struct dtrace_reader *r, struct hf_text words)
{
    if (words.size != 0 && r->root.size != 0)
        hf_out_string(&r->root, ", ");
    hf_out_text(&r->root, words);
}

static enum hf_status dtrace_add_frame(
    struct dtrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text_frame frame = {.function = hf_text_without_offset(dtrace_trim(line))};
    return hf_java_frame_push(&r->stack, r->profile, &frame, &r->name, err);
}

static void dtrace_begin_entry(struct dtrace_reader *r)
{
    r->stack.depth = 0;
    r->root.size = 0;
}

static enum hf_status dtrace_end_entry(
    struct dtrace_reader *r, struct hf_text words, uint64_t value, struct hf_error *err)
{
    uint32_t node;
    add_key(r, words);
    enum hf_status status = hf_out_finish(&r->root, err);
    if (status == HF_OK && r->stack.depth != 0) {
        status = hf_text_stack_end(&r->stack, r->profile, hf_out_view(&r->root), &node, err);
        if (status == HF_OK)
            status = hf_typed_values_add(&r->values, node, r->type, value, err);
    }
    dtrace_begin_entry(r);
    return status;
}

static enum hf_status dtrace_read_line(
    struct dtrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text words;
    uint64_t value;
    bool is_blank = dtrace_trim(line).size == 0;
    if (hf_text_has(line, DISTRIBUTION)) {
        r->is_distribution = true;
        r->distributions++;
        dtrace_begin_entry(r);
    }
    if (is_blank || r->is_distribution) {
        r->is_distribution = r->is_distribution && !is_blank;
        return HF_OK;
    }
    if (hf_text_starts(line, SPEAKER) || is_dtrace_head(line) ||
        (r->stack.depth == 0 && is_firing(line)))
        return HF_OK;
    if (split_number(line, &words, &value))
        return dtrace_end_entry(r, words, value, err);
    if (r->stack.depth == 0 && is_key(line)) {
        add_key(r, dtrace_trim(line));
        return HF_OK;
    }
    return dtrace_add_frame(r, line, err);
}

static void dtrace_add_notes(struct dtrace_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    if (r->stack.depth != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends inside a stack, which is skipped: the file is cut", r->input->name);
    hf_skipped_lines_note(
        &r->skipped, HF_NOTE_LOSS, "line that is cut", "lines that are cut", r->input->name, notes);
    if (r->distributions != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%s: %llu %s not read: aggregate with count() or sum()",
            r->input->name, (unsigned long long)r->distributions,
            hf_plural(
                r->distributions, "distribution of stacks is", "distributions of stacks are"));
}

/* The last line, without its newline: a number may have lost its end, anything else is skipped. */
static enum hf_status dtrace_read_cut(
    struct dtrace_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text words;
    uint64_t value;
    if (r->is_distribution || r->stack.depth == 0 || !split_number(line, &words, &value)) {
        hf_skipped_lines_add(&r->skipped, r->input->line);
        return HF_OK;
    }
    hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
        "%s: line %llu ends without a newline: if the file was cut there, its number is too low",
        r->input->name, (unsigned long long)r->input->line);
    return dtrace_read_line(r, line, err);
}

static enum hf_status dtrace_read_all(struct dtrace_reader *r, struct hf_error *err)
{
    struct hf_text line;
    r->profile->capture.is_no_heap = true;
    enum hf_status status = hf_profile_string(r->profile, HF_TEXT("samples"), &r->type, err);
    while (status == HF_OK && hf_input_next(r->input, &line, &status, err)) {
        status = r->input->last_line_is_cut ? dtrace_read_cut(r, line, err)
                                            : dtrace_read_line(r, line, err);
    }
    if (status == HF_OK)
        status = hf_typed_values_end(&r->values, r->profile, r->input->name, "kinds", err);
    if (status == HF_OK)
        dtrace_add_notes(r);
    return status;
}

static enum hf_status read_dtrace(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct dtrace_reader r = {.input = input, .profile = profile};
    enum hf_status status = dtrace_read_all(&r, err);
    hf_typed_values_done(&r.values);
    hf_text_stack_done(&r.stack);
    hf_out_done(&r.root);
    hf_out_done(&r.name);
    return status;
}

/* "              unix`idle+0x114": no other tool prints a module so. */
static bool is_dtrace_frame(struct hf_text line)
{
    if (!hf_text_starts(line, "\t") &&
        line.size - hf_text_trim_start(line, " ").size < FRAME_COLUMNS)
        return false;
    struct hf_text text = dtrace_trim(line);
    struct hf_text module = hf_text_first(text, hf_text_find(text, '`'));
    return module.size != 0 && module.size != text.size &&
           hf_text_find(module, ' ') == module.size && hf_text_find(module, ':') == module.size;
}

/* Its head, or a frame and in the next line that is none a number. */
static enum hf_bid dtrace_bid(struct hf_text first_bytes)
{
    bool has_frame = false;
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n')), words;
        uint64_t value;
        if (is_dtrace_head(line) || (has_frame && split_number(line, &words, &value)))
            return HF_BID_SURE;
        has_frame = is_dtrace_frame(line) || (has_frame && line.size > FRAME_COLUMNS);
        first_bytes = hf_text_from(first_bytes, line.size + 1);
    }
    return HF_BID_NO;
}

const struct hf_format hf_format_dtrace = {
    .name = "DTrace",
    .bid = dtrace_bid,
    .read = read_dtrace,
};
