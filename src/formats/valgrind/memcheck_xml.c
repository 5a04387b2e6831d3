/*
 * memcheck_xml.c: the leak report of Valgrind memcheck as XML (--xml=yes, protocol 4 and 5).
 *
 *     error = "<error>" ... "<kind>Leak_" ... "</kind>" "<xwhat>" "<text>" record "</text>" ...
 *             "</xwhat>" "<stack>" { frame } "</stack>" "</error>"
 *     frame = "<frame>" "<ip>" hex "</ip>" [ "<obj>" ] [ "<fn>" ] [ "<dir>" ] [ "<file>" ]
 *             [ "<line>" ] "</frame>"
 *     file  = { ... error } ... "</valgrindoutput>"
 *
 * Source: Valgrind's docs/internals/xml-output-protocol4.txt; recorded from 3.19, which writes one
 * element a line. Only that layout is read; XML that somebody formatted anew is refused, as it has
 * no such lines. The record is the one of memcheck.h. There is no summary to compare with, so an
 * element of a leak that is not known is a loss. Errors other than leaks are not read.
 */
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"
#include "formats/valgrind/memcheck.h"

#define START "<valgrindoutput>"
#define END "</valgrindoutput>"

enum memcheck_xml_place { OUTSIDE, IN_ERROR, IN_LEAK, IN_STACK, IN_FRAME };

/* Texts of one frame, kept until it ends; "&lt;" and its kin are resolved. */
enum field { IP, OBJ, FN, DIR, FILE_NAME, LINE, FIELD_COUNT };
static const char *const field_tags[FIELD_COUNT] = {"ip", "obj", "fn", "dir", "file", "line"};

struct memcheck_xml_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    enum memcheck_xml_place place;
    struct hf_leak_record record;
    bool has_record, has_stack, has_end;
    struct hf_out fields[FIELD_COUNT];
    struct hf_out source; /* <dir>/<file> */
    struct hf_text_stack stack;
    uint64_t leak_count;
};

/* "<tag>text</tag>" */
static bool element(struct hf_text line, const char *tag, struct hf_text *out_text)
{
    size_t size = strlen(tag);
    struct hf_text end = hf_text_from(line, line.size - (line.size < size + 3 ? 0 : size + 3));
    if (!hf_text_take(&line, "<") || !hf_text_take(&line, tag) || !hf_text_take(&line, ">") ||
        line.size < size + 3 || !hf_text_take(&end, "</") || !hf_text_take(&end, tag) ||
        !hf_text_is(end, ">"))
        return false;
    *out_text = hf_text_first(line, line.size - size - 3);
    return true;
}

static void unescape(struct hf_text text, struct hf_out *out)
{
    static const struct {
        const char *escape;
        char c;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    out->size = 0;
    while (text.size != 0) {
        char c = text.data[0];
        struct hf_text rest = text;
        size_t i = 0;
        while (i < HF_COUNT(known) && !hf_text_take(&rest, known[i].escape))
            i++;
        hf_out_char(out, i < HF_COUNT(known) ? known[i].c : c);
        text = i < HF_COUNT(known) ? rest : hf_text_from(text, 1);
    }
}

static bool memcheck_xml_has_failed(const struct memcheck_xml_reader *r)
{
    bool failed = r->source.error.status != HF_OK;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        failed = failed || r->fields[i].error.status != HF_OK;
    return failed;
}

static void begin_frame(struct memcheck_xml_reader *r)
{
    r->place = IN_FRAME;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        r->fields[i].size = 0;
}

static enum hf_status end_frame(
    struct memcheck_xml_reader *r, struct hf_text line, struct hf_error *err)
{
    uint64_t line_number = 0;
    struct hf_text number = hf_out_view(&r->fields[LINE]);
    struct hf_text_frame frame = {
        .function = hf_out_view(&r->fields[FN]), .module = hf_out_view(&r->fields[OBJ])};
    r->place = IN_STACK;
    r->source.size = 0;
    hf_out_text(&r->source, hf_out_view(&r->fields[DIR]));
    if (r->source.size != 0)
        hf_out_char(&r->source, '/');
    hf_out_text(&r->source, hf_out_view(&r->fields[FILE_NAME]));
    if (memcheck_xml_has_failed(r))
        return hf_error_memory(err);
    if (!hf_num_hex(hf_out_view(&r->fields[IP]), &frame.address) ||
        (number.size != 0 && !hf_num_u64(number, &line_number)) || line_number > UINT32_MAX) {
        hf_skipped_line(r->input, r->profile, "a frame with a hexadecimal <ip> and a <line>", line);
        return HF_OK;
    }
    if (r->fields[FILE_NAME].size != 0)
        frame.file = hf_out_view(&r->source);
    frame.line = (uint32_t)line_number;
    return hf_text_stack_push(&r->stack, r->profile, &frame, err);
}

static enum hf_status read_in_frame(
    struct memcheck_xml_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text text;
    if (hf_text_is(line, "</frame>"))
        return end_frame(r, line, err);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (element(line, field_tags[i], &text)) {
            unescape(text, &r->fields[i]);
            return HF_OK;
        }
    }
    hf_skipped_line(
        r->input, r->profile, "<ip>, <obj>, <fn>, <dir>, <file> or <line> of a frame", line);
    return HF_OK;
}

static void read_in_stack(struct memcheck_xml_reader *r, struct hf_text line)
{
    if (hf_text_is(line, "<frame>")) {
        begin_frame(r);
    } else if (hf_text_is(line, "</stack>")) {
        r->place = IN_LEAK;
        r->has_stack = true;
    } else {
        hf_skipped_line(r->input, r->profile, "<frame> or </stack>", line);
    }
}

static enum hf_status memcheck_xml_end_leak(
    struct memcheck_xml_reader *r, struct hf_text line, struct hf_error *err)
{
    uint32_t node;
    r->place = OUTSIDE;
    if (!r->has_record || !r->has_stack) {
        hf_skipped_line(r->input, r->profile,
            "a leak with a <text> 'N bytes in N blocks are ...' and a <stack>", line);
        return HF_OK;
    }
    enum hf_status status =
        hf_text_stack_end(&r->stack, r->profile, hf_leak_label(r->record.kind), &node, err);
    if (status != HF_OK)
        return status;
    r->leak_count++;
    uint64_t values[] = {r->record.amount.blocks, r->record.amount.bytes};
    return hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err);
}

static enum hf_status read_in_leak(
    struct memcheck_xml_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text text;
    if (hf_text_is(line, "</error>"))
        return memcheck_xml_end_leak(r, line, err);
    if (hf_text_is(line, "<stack>"))
        r->place = IN_STACK;
    else if (element(line, "text", &text))
        r->has_record = hf_leak_parse_record(text, &r->record);
    return HF_OK;
}

static void begin_error(struct memcheck_xml_reader *r, struct hf_text line)
{
    if (r->place != OUTSIDE && r->place != IN_ERROR)
        hf_skipped_line(r->input, r->profile, "the end of the leak before", line);
    r->place = IN_ERROR;
    r->has_record = false;
    r->has_stack = false;
    r->stack.depth = 0;
}

static enum hf_status memcheck_xml_read_line(
    struct memcheck_xml_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text text;
    if (hf_text_is(line, "<error>")) {
        begin_error(r, line);
        return HF_OK;
    }
    switch (r->place) {
    case IN_ERROR:
        if (element(line, "kind", &text))
            r->place = hf_text_starts(text, "Leak_") ? IN_LEAK : OUTSIDE;
        return HF_OK;
    case IN_LEAK: return read_in_leak(r, line, err);
    case IN_STACK: read_in_stack(r, line); return HF_OK;
    case IN_FRAME: return read_in_frame(r, line, err);
    default:
        if (element(line, "leakedbytes", &text))
            hf_skipped_line(r->input, r->profile, "<error> and the <kind> of a leak before", line);
        r->has_end = r->has_end || hf_text_is(line, END);
        return HF_OK;
    }
}

static void memcheck_xml_add_notes(struct memcheck_xml_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    if (!r->has_end)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends without '" END "': the process was killed, or the file is cut",
            r->input->name);
    else if (r->leak_count == 0 && !notes->has_loss)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: has no leaks; valgrind lists all of them only with --leak-check=full "
            "--show-leak-kinds=all",
            r->input->name);
}

static enum hf_status memcheck_xml_read_all(struct memcheck_xml_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_inuse_types(r->profile, err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err))
        status = memcheck_xml_read_line(r, hf_text_trim_start(line, " "), err);

    memcheck_xml_add_notes(r);
    return status;
}

static enum hf_status read_memcheck_xml(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct memcheck_xml_reader r = {.input = input, .profile = profile};
    enum hf_status status = memcheck_xml_read_all(&r, err);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        hf_out_done(&r.fields[i]);
    hf_out_done(&r.source);
    hf_text_stack_done(&r.stack);
    return status;
}

static enum hf_bid memcheck_xml_bid(struct hf_text first_bytes)
{
    bool has_start = first_bytes.size != 0 &&
                     memmem(first_bytes.data, first_bytes.size, START, strlen(START)) != NULL;
    return has_start ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_memcheck_xml = {
    .name = "Valgrind memcheck (XML)",
    .bid = memcheck_xml_bid,
    .read = read_memcheck_xml,
};
