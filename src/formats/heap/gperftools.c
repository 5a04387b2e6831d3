/*
 * gperftools.c: the heap profiles of gperftools (tcmalloc), and of Go's net/http/pprof as text.
 *
 *     file  = "heap profile: " pair " [" pair "] @ " type [ "/" period ] LF
 *             { pair " [" pair "] @" stack LF { "#" TAB "0x" hex TAB name TAB file ":" line LF } }
 *             [ LF map ]
 *     pair  = objects ": " bytes                  in use; in [] ever allocated
 *
 * Source: gperftools, heap-profile-table.cc and malloc_extension.cc; google/pprof,
 * legacy_profile.go; Go, runtime/pprof (debug=1). Stack and map are those of
 * formats/heap/addresses.h. Blank lines and other lines with '#' are remarks. Go's name the frames
 * of the stack above them, by the byte of the call; a frame that has several was inlined, innermost
 * first. They leave out the runtime's own frames at the leaf, which stay addresses, and
 * runtime.goexit at the root.
 *
 * Which correction (profile/unbias.h) the values need, the type says:
 *
 *     heap_v2/R, heapz_v2/R      a Poisson process of rate R
 *     heap/P                     Go and google/pprof: a Poisson process of rate P/2; tcmalloc until
 *                                2009: steps drawn evenly below P (input->is_tcmalloc_v1)
 *     none                       tcmalloc until 2009 if both pairs of the head are equal, else none
 *     heapprofile, growth, growthz, fragmentation, fragmentationz, others: none
 *
 * A sampling tcmalloc writes the same pair twice: then there is no "ever allocated". Numbers in use
 * may be negative: the profile is a difference then.
 */
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/heap/addresses.h"
#include "formats/skipped_lines.h"
#include "profile/unbias.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC "heap profile:"
#define DEFAULT_PERIOD_BYTES 131072 /* tcmalloc's when the head says none */

enum correction { AS_IT_IS, POISSON, TCMALLOC_V1 };

/* One of the four numbers: what is in use may be negative. */
struct number {
    uint64_t size;
    bool is_negative;
};

enum { OBJECTS, BYTES, ALL_OBJECTS, ALL_BYTES, NUMBERS };

struct gperftools_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct hf_addresses addresses;
    struct number head[NUMBERS];
    struct hf_total sum[2]; /* OBJECTS and BYTES that were read: grew and released */
    enum correction correction;
    double even_period;     /* TCMALLOC_V1: the mean step */
    uint32_t node;          /* of the stack read last */
    bool has_all;           /* the second pair says what was ever allocated */
    bool has_names;         /* some remark named a frame */
    bool is_in_record;      /* the last line belongs to a stack; a blank line ends what names it */
    uint64_t named_address; /* that the names below belong to, as the remarks write it */
    uint32_t *names;        /* of this address so far, leaf first */
    size_t name_count, name_capacity;
};

static void skip_blanks(struct hf_text *rest)
{
    while (rest->size != 0 && (rest->data[0] == ' ' || rest->data[0] == '\t'))
        *rest = hf_text_from(*rest, 1);
}

static bool gperftools_take(struct hf_text *rest, const char *word)
{
    skip_blanks(rest);
    if (!hf_text_starts(*rest, word))
        return false;
    *rest = hf_text_from(*rest, strlen(word));
    return true;
}

static bool gperftools_take_number(struct hf_text *rest, struct number *out)
{
    out->is_negative = gperftools_take(rest, "-");
    size_t digits = 0;
    while (digits < rest->size && rest->data[digits] >= '0' && rest->data[digits] <= '9')
        digits++;
    if (!hf_num_u64(hf_text_first(*rest, digits), &out->size))
        return false;
    *rest = hf_text_from(*rest, digits);
    return true;
}

/* "n: s [n: s]" */
static bool take_numbers(struct hf_text *rest, struct number out[NUMBERS])
{
    static const char *const separators[NUMBERS] = {":", "[", ":", "]"};
    for (size_t i = 0; i < NUMBERS; i++) {
        if (!gperftools_take_number(rest, &out[i]) || !gperftools_take(rest, separators[i]))
            return false;
    }
    return true;
}

static bool is_same_pair(const struct number numbers[NUMBERS])
{
    return numbers[OBJECTS].size == numbers[ALL_OBJECTS].size &&
           numbers[BYTES].size == numbers[ALL_BYTES].size;
}

/* "heap_v2/524288": what the type means for the values. */
static void choose_correction(struct gperftools_reader *r, struct hf_text type, uint64_t period)
{
    bool is_heap = type.size >= 4 && memmem(type.data, type.size, "heap", 4) != NULL;
    bool is_v2 = hf_text_ends(type, "_v2");
    bool is_repeated = is_same_pair(r->head);
    if (type.size == 0)
        r->correction = is_repeated ? TCMALLOC_V1 : AS_IT_IS;
    else if (!is_heap || hf_text_is(type, "heapprofile"))
        r->correction = AS_IT_IS;
    else
        r->correction = r->input->is_tcmalloc_v1 && !is_v2 ? TCMALLOC_V1 : POISSON;
    bool is_go = r->correction == POISSON && !is_v2;
    r->has_all = !is_repeated || hf_text_is(type, "heapprofile") || is_go;
    if (r->correction == AS_IT_IS) {
        r->profile->capture.period_bytes = 1;
        return;
    }
    if (period == 0)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: its head has no sampling period; assumed %d bytes, the period of old versions of "
            "tcmalloc",
            r->input->name, /* never 1 */ DEFAULT_PERIOD_BYTES);
    if (period == 0)
        period = is_v2 ? DEFAULT_PERIOD_BYTES : 2 * DEFAULT_PERIOD_BYTES;
    r->even_period = (double)period / 2; /* before v2 the head says twice the mean */
    r->profile->capture.period_bytes = is_v2 ? period : period / 2;
}

static enum hf_status gperftools_read_head(struct gperftools_reader *r, struct hf_error *err)
{
    struct hf_text line, rest;
    bool has_line;
    enum hf_status status = hf_input_line(r->input, &line, &has_line, err);
    if (status != HF_OK)
        return status;
    rest = line;
    uint64_t period = 0;
    bool is_sound = gperftools_take(&rest, MAGIC) && take_numbers(&rest, r->head);
    if (is_sound && gperftools_take(&rest, "@"))
        skip_blanks(&rest);
    struct hf_text type = hf_text_first(rest, hf_text_find(rest, '/'));
    while (type.size != 0 && type.data[type.size - 1] == ' ')
        type.size--;
    if (type.size + 1 < rest.size)
        is_sound = is_sound && hf_num_u64(hf_text_from(rest, type.size + 1), &period);
    if (!is_sound) {
        hf_error_set(err, HF_ERR_INPUT,
            "expected '" MAGIC " objects: bytes [objects: bytes] @ type/period', found '%.*s'",
            (int)hf_text_first(line, 80).size, line.data);
        hf_error_at_line(err, r->input->name, r->input->line);
        return HF_ERR_INPUT;
    }
    choose_correction(r, type, period);
    return HF_OK;
}

static enum hf_status gperftools_add_types(struct gperftools_reader *r, struct hf_error *err)
{
    return r->has_all ? hf_profile_add_heap_types(r->profile, err)
                      : hf_profile_add_inuse_types(r->profile, err);
}

static void correct(const struct gperftools_reader *r, struct number *objects, struct number *bytes)
{
    if (r->correction == POISSON)
        hf_unbias_poisson(r->profile->capture.period_bytes, &objects->size, &bytes->size);
    else if (r->correction == TCMALLOC_V1)
        hf_unbias_even(r->even_period, &objects->size, &bytes->size);
}

static enum hf_status gperftools_add_values(struct gperftools_reader *r, uint32_t node,
    struct number numbers[NUMBERS], struct hf_error *err)
{
    uint64_t row[2 * NUMBERS] = {0};
    bool saturated = false;
    for (size_t i = 0; i <= BYTES; i++) {
        uint64_t *sum = numbers[i].is_negative ? &r->sum[i].released : &r->sum[i].value;
        *sum = hf_add_saturating(*sum, numbers[i].size, &saturated);
    }
    correct(r, &numbers[OBJECTS], &numbers[BYTES]);
    correct(r, &numbers[ALL_OBJECTS], &numbers[ALL_BYTES]);
    size_t types = r->profile->type_count;
    for (size_t i = 0; i < types; i++)
        row[(numbers[i].is_negative ? types : 0) + i] = numbers[i].size;
    return hf_profile_add_change(r->profile, node, HF_THREAD_ALL, row, err);
}

/* Gives the address of the remarks before its names. */
static enum hf_status end_names(struct gperftools_reader *r, struct hf_error *err)
{
    uint32_t address_frame;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->name_count && status == HF_OK; i++) {
        struct hf_frame frame = *hf_profile_frame_at(r->profile, r->names[i]);
        frame.flags |= i + 1 < r->name_count ? HF_FRAME_INLINED : 0u;
        frame.flags |= i == 0 ? HF_FRAME_HAS_OFFSET : 0u;
        frame.offset = i == 0 ? r->named_address : 0;
        status = hf_profile_frame(r->profile, &frame, &r->names[i], err);
    }
    /* A remark has the byte of the call; a stack the address after it. */
    if (status == HF_OK && r->name_count != 0)
        status = hf_addresses_raw_frame(r->profile, r->named_address + 1, &address_frame, err);
    if (status == HF_OK && r->name_count != 0 && !hf_profile_is_expanded(r->profile, address_frame))
        status = hf_profile_expand(r->profile, address_frame, r->names, r->name_count, err);
    r->name_count = 0;
    return status;
}

/* "name+0x1f" and "file:12" */
static enum hf_status gperftools_add_name(
    struct gperftools_reader *r, struct hf_text name, struct hf_text place, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    size_t plus = hf_text_find_last(name, '+');
    size_t colon = hf_text_find_last(place, ':');
    uint64_t line = 0;
    if (hf_text_starts(hf_text_from(name, plus), "+0x"))
        name = hf_text_first(name, plus);
    if (hf_num_u64(hf_text_from(place, colon + 1), &line) && line <= UINT32_MAX)
        frame.line = (uint32_t)line;
    if (!hf_vec_reserve(&r->names, &r->name_capacity, r->name_count + 1, sizeof *r->names))
        return hf_error_memory(err);
    enum hf_status status = hf_profile_string(r->profile, name, &frame.name, err);
    if (status == HF_OK)
        status = hf_profile_string(
            r->profile, frame.line != 0 ? hf_text_first(place, colon) : place, &frame.file, err);
    if (status == HF_OK)
        status = hf_profile_frame(r->profile, &frame, &r->names[r->name_count], err);
    r->name_count += status == HF_OK;
    r->has_names = true;
    return status;
}

/* "#\t0x401020\tmain.leak+0x1f\t/src/main.go:12"; other remarks are passed over. */
static enum hf_status read_remark(
    struct gperftools_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = hf_text_from(line, 1);
    uint64_t address;
    if (!hf_text_starts(rest, "\t0x"))
        return HF_OK;
    rest = hf_text_from(rest, 1);
    struct hf_text word = hf_text_first(rest, hf_text_find(rest, '\t'));
    rest = hf_text_from(rest, word.size + 1);
    if (!hf_num_hex(word, &address))
        return HF_OK;
    enum hf_status status = HF_OK;
    if (address != r->named_address)
        status = end_names(r, err);
    r->named_address = address;
    struct hf_text name = hf_text_first(rest, hf_text_find(rest, '\t'));
    if (status != HF_OK || name.size == 0)
        return status;
    struct hf_text place = hf_text_from(rest, name.size + 1);
    skip_blanks(&place);
    return gperftools_add_name(r, name, place, err);
}

/* The root that Go leaves out of its remarks, once all between it and the leaf's are named. */
static enum hf_status name_goexit(struct gperftools_reader *r, struct hf_error *err)
{
    bool has_named = false;
    uint32_t root = 0, name;
    for (uint32_t node = r->node; node != HF_STACK_ROOT;) {
        const struct hf_stack_node *at = &r->profile->stacks.nodes[node];
        bool has_name = hf_profile_is_expanded(r->profile, at->frame);
        if (has_named && !has_name && at->parent != HF_STACK_ROOT)
            return HF_OK;
        has_named = has_named || has_name;
        root = at->frame;
        node = at->parent;
    }
    if (!has_named || hf_profile_is_expanded(r->profile, root))
        return HF_OK;
    struct hf_frame goexit = *hf_profile_frame_at(r->profile, root);
    goexit.flags |= HF_FRAME_NAMED;
    enum hf_status status =
        hf_profile_string(r->profile, HF_TEXT("runtime.goexit"), &goexit.name, err);
    if (status == HF_OK)
        status = hf_profile_frame(r->profile, &goexit, &name, err);
    if (status == HF_OK)
        status = hf_profile_expand(r->profile, root, &name, 1, err);
    return status;
}

static enum hf_status gperftools_read_record(
    struct gperftools_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = line;
    struct number numbers[NUMBERS];
    uint32_t node = HF_STACK_ROOT;
    bool is_sound = take_numbers(&rest, numbers) && gperftools_take(&rest, "@");
    enum hf_status status = HF_OK;
    if (is_sound)
        status = hf_addresses_stack(&r->addresses, rest, &node, &is_sound, err);
    if (status != HF_OK)
        return status;
    if (!is_sound) {
        hf_skipped_line(
            r->input, r->profile, "'objects: bytes [objects: bytes] @ 0x...' or a map", line);
        return HF_OK;
    }
    r->node = node;
    return gperftools_add_values(r, node, numbers, err);
}

static enum hf_status gperftools_read_line(
    struct gperftools_reader *r, struct hf_text line, struct hf_error *err)
{
    if (r->addresses.has_heading)
        return hf_addresses_map_line(&r->addresses, line, err);
    skip_blanks(&line);
    bool is_remark = hf_text_starts(line, "#");
    if (is_remark) {
        r->is_in_record = r->is_in_record && !hf_text_starts(line, "# ");
        return read_remark(r, line, err);
    }
    bool ends_names = r->name_count != 0;
    enum hf_status status = end_names(r, err);
    if (status == HF_OK && ends_names && line.size == 0)
        status = name_goexit(r, err);
    bool is_record = line.size != 0 && !hf_addresses_heading(&r->addresses, line);
    r->is_in_record = is_record;
    if (status != HF_OK || !is_record)
        return status;
    return gperftools_read_record(r, line, err);
}

/* grew - released < head */
static bool is_less(struct hf_total read, struct number head)
{
    bool saturated = false;
    uint64_t *behind = head.is_negative ? &read.value : &read.released;
    *behind = hf_add_saturating(*behind, head.size, &saturated);
    return read.value < read.released;
}

static void gperftools_note_losses(struct gperftools_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (is_less(r->sum[OBJECTS], r->head[OBJECTS]) || is_less(r->sum[BYTES], r->head[BYTES]))
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: its head announces %s%" PRIu64 " %s in %s%" PRIu64
            " %s, but its stacks hold less: the file is cut or damaged, or the profiler had no "
            "room for all stacks",
            name, r->head[OBJECTS].is_negative ? "-" : "", r->head[OBJECTS].size,
            hf_plural(r->head[OBJECTS].size, "object", "objects"),
            r->head[BYTES].is_negative ? "-" : "", r->head[BYTES].size,
            hf_plural(r->head[BYTES].size, "byte", "bytes"));
    if (r->has_names && r->is_in_record)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends inside the names of a stack, without a blank line: the file is cut", name);
}

static enum hf_status gperftools_read_all(struct gperftools_reader *r, struct hf_error *err)
{
    enum hf_status status = gperftools_read_head(r, err);
    if (status == HF_OK)
        status = gperftools_add_types(r, err);
    struct hf_text line;
    while (hf_addresses_next(&r->addresses, &line, &status, err))
        status = gperftools_read_line(r, line, err);
    if (status == HF_OK)
        status = end_names(r, err);
    if (status != HF_OK)
        return status;
    gperftools_note_losses(r);
    r->profile->capture.sampled_objects = r->correction == AS_IT_IS ? 0 : r->sum[OBJECTS].value;
    r->profile->has_addresses = true;
    r->addresses.has_no_map = r->has_names;
    return hf_addresses_place(&r->addresses, err);
}

static enum hf_status read_gperftools(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct gperftools_reader r = {
        .input = input,
        .profile = profile,
        .addresses = {.input = input, .profile = profile},
    };
    enum hf_status status = gperftools_read_all(&r, err);
    hf_addresses_done(&r.addresses);
    free(r.names);
    return status;
}

static enum hf_bid gperftools_bid(struct hf_text first_bytes)
{
    return hf_text_starts(first_bytes, MAGIC) ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_gperftools = {
    .name = "gperftools, tcmalloc, Go",
    .bid = gperftools_bid,
    .read = read_gperftools,
};
