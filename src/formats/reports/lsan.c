/*
 * lsan.c: the leak report of LeakSanitizer, alone or inside AddressSanitizer, of gcc and clang.
 *
 *     report  = "==" pid "==ERROR: LeakSanitizer: detected memory leaks" LF
 *               { leak LF { frame LF } LF }  "SUMMARY: " name ": " bytes " byte(s) leaked in "
 *               objects " allocation(s)." LF
 *     leak    = ( "Direct" | "Indirect" ) " leak of " bytes " byte(s) in " objects
 *               " object(s) allocated from:"
 *     frame   = blanks "#" n ...          text_frame.h, the sanitizers'
 *
 * Source: the comments in LLVM's lsan_common.cpp; recorded from gcc 12 and clang 14. What is
 * between is the program's own, or addresses of the blocks. Several reports may follow one another:
 * they are added up. A frame without name is symbolized later by module and offset: what is printed
 * is the return address less one (checked with objdump), and the offset counts from where the
 * module is loaded. The summary leaves out what was suppressed, as the list does.
 */
#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>

#define DETECTED "LeakSanitizer: detected memory leaks"
#define SUMMARY "SUMMARY: "

struct amount {
    uint64_t bytes, objects;
};

struct lsan_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    bool is_in_report; /* its summary is still to come */
    bool is_in_leak;
    struct hf_text label; /* of the leak */
    struct amount leak, sum;
    struct hf_text_stack stack;
    uint64_t report_count;
};

static bool parse_amount(
    struct hf_text text, const char *between, const char *end, struct amount *out)
{
    return hf_num_take_u64(&text, &out->bytes) && hf_text_take(&text, between) &&
           hf_num_take_u64(&text, &out->objects) && hf_text_is(text, end);
}

/* "Direct leak of 7 byte(s) in 1 object(s) allocated from:" */
static bool is_leak(struct hf_text line, struct hf_text *out_label, struct hf_text *out_amount)
{
    bool is_direct = hf_text_take(&line, "Direct leak of ");
    if (!is_direct && !hf_text_take(&line, "Indirect leak of "))
        return false;
    *out_label = is_direct ? HF_TEXT("[direct leak]") : HF_TEXT("[indirect leak]");
    *out_amount = line;
    return true;
}

/* "SUMMARY: LeakSanitizer: 336 byte(s) leaked in 10 allocation(s)." */
static bool is_summary(struct hf_text line, struct hf_text *out_amount)
{
    if (!hf_text_take(&line, SUMMARY))
        return false;
    size_t colon = hf_text_find(line, ':');
    *out_amount = hf_text_from(line, colon + 2);
    return memmem(line.data, line.size, " byte(s) leaked ", 16) != NULL;
}

static enum hf_status lsan_end_leak(struct lsan_reader *r, struct hf_error *err)
{
    uint32_t node;
    bool ignored = false;
    if (!r->is_in_leak)
        return HF_OK;
    r->is_in_leak = false;
    r->sum.bytes = hf_add_saturating(r->sum.bytes, r->leak.bytes, &ignored);
    r->sum.objects = hf_add_saturating(r->sum.objects, r->leak.objects, &ignored);
    enum hf_status status = hf_text_stack_end(&r->stack, r->profile, r->label, &node, err);
    if (status != HF_OK)
        return status;
    uint64_t values[] = {r->leak.objects, r->leak.bytes};
    return hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err);
}

static void end_report(struct lsan_reader *r)
{
    if (r->is_in_report)
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: a report has no whole line '" SUMMARY
            "... byte(s) leaked in ...': the file is cut or damaged",
            r->input->name);
    r->is_in_report = false;
    r->sum = (struct amount){0};
}

static void lsan_begin_report(struct lsan_reader *r)
{
    if (r->is_in_report)
        return;
    r->is_in_report = true;
    r->report_count++;
}

static void lsan_compare(struct lsan_reader *r, struct hf_text text, struct hf_text line)
{
    struct amount all;
    if (!parse_amount(text, " byte(s) leaked in ", " allocation(s).", &all)) {
        hf_skipped_line(
            r->input, r->profile, "'" SUMMARY "NAME: N byte(s) leaked in N allocation(s).'", line);
        return;
    }
    if (all.bytes != r->sum.bytes || all.objects != r->sum.objects)
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: the summary says %" PRIu64 " %s in %" PRIu64 " %s, the leaks are %" PRIu64
            " in %" PRIu64 ": the list was limited (max_leaks), or the file is cut or damaged",
            r->input->name, all.bytes, hf_plural(all.bytes, "byte", "bytes"), all.objects,
            hf_plural(all.objects, "object", "objects"), r->sum.bytes, r->sum.objects);
    r->is_in_report = false;
    r->sum = (struct amount){0};
}

static enum hf_status lsan_read_frame(
    struct lsan_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text_frame frame;
    if (!hf_text_frame_sanitizer(line, &frame)) {
        hf_skipped_line(r->input, r->profile,
            "a frame '#1 0x... in name file:line' or the end of the stack", line);
        return HF_OK;
    }
    return hf_text_stack_push(&r->stack, r->profile, &frame, err);
}

static enum hf_status lsan_read_line(
    struct lsan_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text amount, label;
    if (r->is_in_leak && line.size != 0)
        return lsan_read_frame(r, line, err);
    enum hf_status status = lsan_end_leak(r, err);
    if (status != HF_OK)
        return status;
    if (is_leak(line, &label, &amount)) {
        lsan_begin_report(r);
        r->label = label;
        r->is_in_leak =
            parse_amount(amount, " byte(s) in ", " object(s) allocated from:", &r->leak);
        if (!r->is_in_leak)
            hf_skipped_line(
                r->input, r->profile, "'leak of N byte(s) in N object(s) allocated from:'", line);
    } else if (is_summary(line, &amount)) {
        lsan_begin_report(r);
        lsan_compare(r, amount, line);
    } else if (hf_text_ends(line, DETECTED)) {
        end_report(r);
        lsan_begin_report(r);
    }
    return HF_OK;
}

static enum hf_status lsan_read_all(struct lsan_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_inuse_types(r->profile, err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err))
        status = lsan_read_line(r, line, err);

    if (status == HF_OK)
        status = lsan_end_leak(r, err);
    end_report(r);
    if (r->report_count > 1)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO, "%s: %" PRIu64 " reports are added up",
            r->input->name, /* never 1 */ r->report_count);
    return status;
}

static enum hf_status read_lsan(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct lsan_reader r = {.input = input, .profile = profile};
    enum hf_status status = lsan_read_all(&r, err);
    hf_text_stack_done(&r.stack);
    return status;
}

static enum hf_bid lsan_bid(struct hf_text first_bytes)
{
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
        struct hf_text ignored;
        first_bytes = hf_text_from(first_bytes, line.size + 1);
        if (hf_text_ends(line, "\r"))
            line.size--;
        if (hf_text_ends(line, DETECTED) || is_leak(line, &ignored, &ignored))
            return HF_BID_SURE;
    }
    return HF_BID_NO;
}

const struct hf_format hf_format_lsan = {
    .name = "LeakSanitizer",
    .bid = lsan_bid,
    .read = read_lsan,
};
