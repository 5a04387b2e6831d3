/*
 * heap_v2.c: jemalloc's heap profile (4.0 and later), as prof.dump writes it.
 *
 *     file   = "heap_v2/" R LF  "  t*: " counts LF  { "  t" uid ": " counts [ " " name ] LF }
 *              { stack }  [ LF "MAPPED_LIBRARIES:" LF { maps line } ]
 *     stack  = "@" { " 0x" hex } LF  "  t*: " counts LF  { "  t" uid ": " counts LF }
 *     counts = curobjs ": " curbytes " [" cumobjs ": " cumbytes "]"
 *
 * Source: jemalloc(3), HEAP PROFILE FORMAT; prof_data.c of 5.3. R is the sampling period in bytes,
 * 2^lg_prof_sample. Addresses are return addresses, leaf first: what is stored is address - 1, a
 * byte of the call itself. `t*` is the process, tN one thread by jemalloc's own count.
 *
 * Values are un-biased pair by pair (profile/unbias.h). The head's `t*` line stands for all stacks:
 * it is compared with what was read, so a file that lost stacks is noticed.
 * A first line that was lost (a page copied from a document) is forgiven: R is then the default.
 */
#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/heap/addresses.h"
#include "formats/skipped_lines.h"
#include "profile/unbias.h"

#include <inttypes.h>

#define MAGIC "heap_v2/"
#define DEFAULT_PERIOD_BYTES 524288

struct counts {
    uint64_t objects, bytes;         /* in use */
    uint64_t all_objects, all_bytes; /* ever allocated, 0 without prof_accum */
};

enum section { IN_HEAD, IN_STACKS, IN_MAPS };

struct heap_v2_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    enum section section;
    struct hf_addresses addresses;
    uint32_t node;           /* of the current stack */
    bool has_node;           /* false before the first '@' and after a damaged one */
    struct counts head, sum; /* of the process, as sampled: what the head says, what was read */
    bool has_head;
    uint64_t stack_count;
    bool lacks_counts; /* the current stack has no '  t*: ...' line yet */
    uint64_t stack_line;
    struct hf_skipped_lines countless; /* stacks without counts */
};

/* "12: 345 [6: 789]", and what follows it. */
static bool parse_counts(struct hf_text text, struct counts *out, struct hf_text *out_rest)
{
    uint64_t *const fields[] = {&out->objects, &out->bytes, &out->all_objects, &out->all_bytes};
    static const char *const separators[] = {": ", " [", ": ", "]"};
    for (size_t i = 0; i < HF_COUNT(fields); i++) {
        if (!hf_num_take_u64(&text, fields[i]) || !hf_text_starts(text, separators[i]))
            return false;
        text = hf_text_from(text, strlen(separators[i]));
    }
    *out_rest = text;
    return true;
}

/* Counts the stack before if its counts never came. */
static void heap_v2_end_stack(struct heap_v2_reader *r)
{
    if (r->lacks_counts)
        hf_skipped_lines_add(&r->countless, r->stack_line);
    r->lacks_counts = false;
}

static enum hf_status read_stack_line(
    struct heap_v2_reader *r, struct hf_text line, struct hf_error *err)
{
    heap_v2_end_stack(r);
    enum hf_status status =
        hf_addresses_stack(&r->addresses, hf_text_from(line, 1), &r->node, &r->has_node, err);
    if (status != HF_OK)
        return status;
    if (!r->has_node) {
        hf_skipped_line(r->input, r->profile, "a stack '@ 0x... 0x...'", line);
        return HF_OK;
    }
    hf_profile_expect_sample(r->profile, r->node, HF_THREAD_ALL);
    r->lacks_counts = true;
    r->stack_line = r->input->line;
    r->stack_count++;
    return HF_OK;
}

static enum hf_status heap_v2_add_values(
    struct heap_v2_reader *r, uint32_t thread, const struct counts *counts, struct hf_error *err)
{
    hf_profile_expect_sample(r->profile, r->node, thread);
    uint64_t values[] = {
        [HF_INUSE_OBJECTS] = counts->objects,
        [HF_INUSE_SPACE] = counts->bytes,
        [HF_ALLOC_OBJECTS] = counts->all_objects,
        [HF_ALLOC_SPACE] = counts->all_bytes,
    };
    hf_unbias_poisson(
        r->profile->capture.period_bytes, &values[HF_INUSE_OBJECTS], &values[HF_INUSE_SPACE]);
    hf_unbias_poisson(
        r->profile->capture.period_bytes, &values[HF_ALLOC_OBJECTS], &values[HF_ALLOC_SPACE]);
    return hf_profile_add_sample(r->profile, r->node, thread, values, err);
}

/* "  t*: counts" or "  t12: counts name" */
static enum hf_status read_counts_line(
    struct heap_v2_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = line;
    while (rest.size != 0 && rest.data[0] == ' ')
        rest = hf_text_from(rest, 1);
    size_t colon = hf_text_find(rest, ':');
    struct hf_text uid = hf_text_from(hf_text_first(rest, colon), 1);
    rest = hf_text_from(rest, colon + 2);
    bool is_process = hf_text_is(uid, "*");
    uint64_t uid_number = 0;
    struct counts counts;
    if ((!is_process && !hf_num_u64(uid, &uid_number)) || !parse_counts(rest, &counts, &rest)) {
        hf_skipped_line(r->input, r->profile, "'  tN: objects: bytes [objects: bytes]'", line);
        r->lacks_counts = false; /* that is noted now */
        return HF_OK;
    }
    if (r->section == IN_HEAD && is_process) {
        r->head = counts;
        r->has_head = true;
        return HF_OK;
    }
    uint32_t thread = HF_THREAD_ALL;
    if (!is_process) {
        enum hf_status status = hf_profile_thread(r->profile, uid_number,
            hf_text_from(rest, rest.size != 0 && rest.data[0] == ' ' ? 1 : 0), &thread, err);
        if (status != HF_OK || r->section == IN_HEAD)
            return status;
    }
    if (!r->has_node)
        return HF_OK; /* its stack was damaged, and that is noted */
    if (is_process) {
        r->lacks_counts = false;
        bool saturated = false;
        r->sum.objects = hf_add_saturating(r->sum.objects, counts.objects, &saturated);
        r->sum.bytes = hf_add_saturating(r->sum.bytes, counts.bytes, &saturated);
    }
    return heap_v2_add_values(r, thread, &counts, err);
}

static enum hf_status heap_v2_read_line(
    struct heap_v2_reader *r, struct hf_text line, struct hf_error *err)
{
    if (line.size == 0)
        return HF_OK;
    if (r->section == IN_MAPS)
        return hf_addresses_map_line(&r->addresses, line, err);
    if (line.data[0] == '@') {
        r->section = IN_STACKS;
        return read_stack_line(r, line, err);
    }
    if (hf_addresses_heading(&r->addresses, line)) {
        r->section = IN_MAPS;
        return HF_OK;
    }
    if (hf_text_starts(line, "  t"))
        return read_counts_line(r, line, err);
    hf_skipped_line(
        r->input, r->profile, "a stack '@ 0x...', counts '  t*: ...' or 'MAPPED_LIBRARIES:'", line);
    return HF_OK;
}

/*
 * Up to 5.2 the head is the sum of the stacks, each rounded by itself, so they may differ by one
 * for each. From 5.3 on (prof_unbias) the head's pair stands for the estimate of the whole as a
 * stack's pair stands for its own: only the estimates can be compared. Rounding to whole objects
 * moves those of the stacks, where few were seen, by some percent in all; a quarter is missing.
 */
static bool is_short(const struct heap_v2_reader *r)
{
    const struct counts *head = &r->head, *sum = &r->sum;
    if ((sum->bytes >= head->bytes || head->bytes - sum->bytes <= r->stack_count) &&
        (sum->objects >= head->objects || head->objects - sum->objects <= r->stack_count))
        return false;
    uint64_t objects = head->objects, bytes = head->bytes;
    hf_unbias_poisson(r->profile->capture.period_bytes, &objects, &bytes);
    uint64_t read = hf_profile_total(r->profile, HF_INUSE_SPACE, HF_THREAD_ALL).value;
    return r->profile->capture.period_bytes <= 1 || read < bytes - bytes / 4;
}

static void heap_v2_note_losses(struct heap_v2_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    heap_v2_end_stack(r);
    hf_skipped_lines_note(&r->countless, HF_NOTE_LOSS, "stack without counts '  t*: ...'",
        "stacks without counts '  t*: ...'", name, notes);
    if (!r->has_head)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: ends before the line '  t*: ...' of its head", name);
    else if (is_short(r))
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: its head announces %" PRIu64 " sampled %s in %" PRIu64
            " %s, but its stacks hold %" PRIu64 " in %" PRIu64 ": the file is cut or damaged",
            name, r->head.objects, hf_plural(r->head.objects, "object", "objects"), r->head.bytes,
            hf_plural(r->head.bytes, "byte", "bytes"), r->sum.objects, r->sum.bytes);
}

static enum hf_status heap_v2_read_first_line(struct heap_v2_reader *r, struct hf_error *err)
{
    struct hf_text first;
    enum hf_status status = hf_input_peek(r->input, strlen(MAGIC), &first, err);
    if (status != HF_OK)
        return status;
    r->profile->capture.period_bytes = DEFAULT_PERIOD_BYTES;
    if (!hf_text_is(first, MAGIC)) {
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: the first line '" MAGIC "period' is missing; assumed jemalloc's default, " MAGIC
            "%d",
            r->input->name, DEFAULT_PERIOD_BYTES);
        return HF_OK;
    }
    struct hf_text line;
    bool has_line;
    status = hf_input_line(r->input, &line, &has_line, err);
    if (status != HF_OK)
        return status;
    if (!hf_num_u64(hf_text_from(line, strlen(MAGIC)), &r->profile->capture.period_bytes)) {
        hf_error_set(err, HF_ERR_INPUT,
            "expected '" MAGIC "' and the sampling period in bytes, found '%.*s'",
            (int)hf_text_first(line, 60).size, line.data);
        hf_error_at_line(err, r->input->name, r->input->line);
        return HF_ERR_INPUT;
    }
    return HF_OK;
}

static enum hf_status heap_v2_read_all(struct heap_v2_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_heap_types(r->profile, err);
    if (status == HF_OK)
        status = heap_v2_read_first_line(r, err);
    struct hf_text line;
    while (hf_addresses_next(&r->addresses, &line, &status, err))
        status = heap_v2_read_line(r, line, err);
    if (status != HF_OK)
        return status;
    heap_v2_note_losses(r);
    r->profile->capture.sampled_objects = r->sum.objects;
    r->profile->has_addresses = true;
    return hf_addresses_place(&r->addresses, err);
}

static enum hf_status read_heap_v2(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct heap_v2_reader r = {
        .input = input,
        .profile = profile,
        .addresses = {.input = input, .profile = profile},
    };
    enum hf_status status = heap_v2_read_all(&r, err);
    hf_addresses_done(&r.addresses);
    return status;
}

static enum hf_bid heap_v2_bid(struct hf_text first_bytes)
{
    if (hf_text_starts(first_bytes, MAGIC))
        return HF_BID_SURE;
    return hf_text_starts(first_bytes, "  t*: ") ? HF_BID_LIKELY : HF_BID_NO;
}

const struct hf_format hf_format_heap_v2 = {
    .name = "jemalloc heap_v2",
    .bid = heap_v2_bid,
    .read = read_heap_v2,
};
