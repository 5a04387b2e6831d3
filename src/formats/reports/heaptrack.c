/*
 * heaptrack.c: what heaptrack recorded, as its interpreter writes it (1.0 and later).
 *
 *     file = "v " version " " format LF { line LF } "# strings: " decimal LF "# ips: " decimal LF
 *     line = "s " size " " bytes       a string (format 1 and 2: without its size)
 *          | "i " address " " module { " " function [ " " source " " number ] }
 *                                      a place; the function comes first that was called last,
 *                                      then those it was inlined into; all but number are strings
 *          | "t " place " " parent     a stack: a place called from the stack `parent`
 *          | "a " size " " stack       a kind of block: allocations of one size by one stack
 *          | "+ " kind | "- " kind     a block is allocated, freed
 *          | "c " ms | "R " pages      the time, the memory of the process
 *          | "X " command | "I " page size " " pages | "S " leak that shall not count
 *          | "A"                       heaptrack was attached to a running process
 *
 * Numbers are hexadecimal; strings, places and stacks count from 1 (0: none), kinds from 0.
 * Source: libheaptrack.cpp, heaptrack_interpret.cpp and accumulatedtracedata.cpp of heaptrack 1.4.
 * `heaptrack --raw` writes another file, with the lines "x" and "m": it is refused with a sentence.
 *
 * Only one number of each kind is kept, so memory grows with the kinds, not with the events. At the
 * peak each kind has the blocks that were live when the sum of all live bytes was highest; of equal
 * peaks the first counts. A temporary block is one that is freed before the next allocation or
 * free. heaptrack_print calls kind 0 temporary whenever it is freed after another free; it is not
 * here. It also leaves out leaks that its suppressions name; nothing is left out here.
 */
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORMAT_MAX 3           /* that is known here */
#define FORMAT_SIZED 3         /* the first whose strings begin with their size */
#define VERSION_LIKE_1 0x10200 /* wrote no format, and meant 1 */

enum heaptrack_value {
    PEAK_OBJECTS = HF_ALLOC_SPACE + 1,
    PEAK_SPACE,
    TEMPORARY_OBJECTS,
    VALUE_COUNT
};

struct heaptrack_place {
    uint32_t first, count; /* in place_frames, leaf first */
};

struct heaptrack_stack {
    uint32_t node, depth;
};

struct heaptrack_kind {
    uint64_t size_bytes;
    uint32_t node;
    bool is_damaged;
    uint64_t live, calls, temporary;
    uint64_t live_at_peak, peak; /* and which peak that was */
};

struct heaptrack_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    uint64_t format;
    uint32_t *strings; /* of the profile */
    size_t string_count, string_capacity;
    struct heaptrack_place *places;
    size_t place_count, place_capacity;
    uint32_t *place_frames;
    size_t place_frame_count, place_frame_capacity;
    struct heaptrack_stack *stacks;
    size_t stack_count, stack_capacity;
    struct heaptrack_kind *kinds;
    size_t kind_count, kind_capacity;
    size_t last_allocated; /* kind + 1; 0: the last event was no allocation */
    uint64_t live_bytes, peak_bytes;
    uint64_t peak; /* number of the peak, from 1 */
    uint64_t lost_events, nameless;
    uint64_t said_strings, said_places; /* by the last lines */
    bool has_said_strings, has_said_places, is_saturated;
};

/* Takes "1f2e" and the blank behind it off the front. */
static bool take_hex(struct hf_text *rest, uint64_t *out_value)
{
    size_t size = hf_text_find(*rest, ' ');
    if (!hf_num_hex(hf_text_first(*rest, size), out_value))
        return false;
    *rest = hf_text_from(*rest, size + 1);
    return true;
}

/* Takes a number that is at most `max`. */
static bool take_index(struct hf_text *rest, size_t max, size_t *out_index)
{
    uint64_t value;
    if (!take_hex(rest, &value) || value > max)
        return false;
    *out_index = (size_t)value;
    return true;
}

/* The lines are numbered by their order: one that is damaged takes its number, too. */
static enum hf_status heaptrack_read_string(
    struct heaptrack_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text text = hf_text_from(line, 2);
    uint64_t size;
    uint32_t string = HF_NO_STRING;
    bool is_sound = true;
    if (r->format >= FORMAT_SIZED)
        is_sound = take_hex(&text, &size) && size == text.size;
    enum hf_status status = HF_OK;
    if (is_sound)
        status = hf_profile_string(r->profile, text, &string, err);
    else
        hf_skipped_line(r->input, r->profile, "a string 's size bytes'", line);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&r->strings, &r->string_capacity, r->string_count + 1, sizeof *r->strings))
        return hf_error_memory(err);
    r->strings[r->string_count++] = string;
    return HF_OK;
}

static struct hf_text heaptrack_string_at(const struct heaptrack_reader *r, size_t index)
{
    return hf_profile_text(r->profile, index != 0 ? r->strings[index - 1] : HF_NO_STRING);
}

static enum hf_status heaptrack_add_frame(
    struct heaptrack_reader *r, const struct hf_text_frame *frame, struct hf_error *err)
{
    if (!hf_vec_reserve(&r->place_frames, &r->place_frame_capacity, r->place_frame_count + 1,
            sizeof *r->place_frames))
        return hf_error_memory(err);
    r->nameless += frame->function.size == 0;
    return hf_text_frame_add(r->profile, frame, &r->place_frames[r->place_frame_count++], err);
}

/* The functions of a place. *out_is_sound is false, and some may be added, if it is damaged. */
static enum hf_status read_functions(struct heaptrack_reader *r, struct hf_text rest,
    struct hf_text_frame *frame, bool *out_is_sound, struct hf_error *err)
{
    size_t function = 0, source = 0;
    uint64_t number = 0;
    do {
        *out_is_sound = rest.size == 0 || take_index(&rest, r->string_count, &function);
        if (*out_is_sound && rest.size != 0)
            *out_is_sound = take_index(&rest, r->string_count, &source) && take_hex(&rest, &number);
        if (!*out_is_sound)
            return HF_OK;
        frame->function = heaptrack_string_at(r, function);
        frame->file = heaptrack_string_at(r, source);
        frame->line = number <= UINT32_MAX ? (uint32_t)number : 0;
        frame->is_inlined = rest.size != 0;
        enum hf_status status = heaptrack_add_frame(r, frame, err);
        if (status != HF_OK)
            return status;
    } while (rest.size != 0);
    return HF_OK;
}

static enum hf_status read_place(
    struct heaptrack_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = hf_text_from(line, 2);
    struct hf_text_frame frame = {0};
    size_t module = 0, first = r->place_frame_count;
    bool is_sound = take_hex(&rest, &frame.address) && take_index(&rest, r->string_count, &module);
    if (is_sound) {
        frame.module = heaptrack_string_at(r, module);
        enum hf_status status = read_functions(r, rest, &frame, &is_sound, err);
        if (status != HF_OK)
            return status;
    }
    if (!is_sound) {
        hf_skipped_line(
            r->input, r->profile, "a place 'i address module function source line'", line);
        r->place_frame_count = first;
    }
    if (!hf_vec_reserve(&r->places, &r->place_capacity, r->place_count + 1, sizeof *r->places))
        return hf_error_memory(err);
    r->places[r->place_count++] =
        (struct heaptrack_place){(uint32_t)first, (uint32_t)(r->place_frame_count - first)};
    return HF_OK;
}

static enum hf_status heaptrack_read_stack(
    struct heaptrack_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = hf_text_from(line, 2);
    size_t place = 0, parent = 0;
    struct heaptrack_stack stack = {HF_STACK_ROOT, 0};
    struct heaptrack_place frames = {0, 0};
    if (!take_index(&rest, r->place_count, &place) || !take_index(&rest, r->stack_count, &parent) ||
        rest.size != 0)
        hf_skipped_line(r->input, r->profile, "a stack 't place parent'", line);
    else if (place != 0)
        frames = r->places[place - 1];
    if (parent != 0)
        stack = r->stacks[parent - 1];
    if (stack.depth + frames.count > HF_LIMIT_TRACE_FRAMES) {
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: a stack has more than %u frames (HF_LIMIT_TRACE_FRAMES); its leaf is cut",
            r->input->name, HF_LIMIT_TRACE_FRAMES);
        frames.count = 0;
    }
    for (uint32_t i = frames.count; i-- > 0; stack.depth++) {
        enum hf_status status = hf_stacktree_child(
            &r->profile->stacks, stack.node, r->place_frames[frames.first + i], &stack.node, err);
        if (status != HF_OK)
            return status;
    }
    if (!hf_vec_reserve(&r->stacks, &r->stack_capacity, r->stack_count + 1, sizeof *r->stacks))
        return hf_error_memory(err);
    r->stacks[r->stack_count++] = stack;
    return HF_OK;
}

static enum hf_status read_kind(
    struct heaptrack_reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text rest = hf_text_from(line, 2);
    struct heaptrack_kind kind = {.node = HF_STACK_ROOT};
    size_t stack = 0;
    if (!take_hex(&rest, &kind.size_bytes) || !take_index(&rest, r->stack_count, &stack) ||
        rest.size != 0) {
        hf_skipped_line(r->input, r->profile, "blocks 'a size stack'", line);
        kind.is_damaged = true;
    } else if (stack != 0) {
        kind.node = r->stacks[stack - 1].node;
    }
    if (!hf_vec_reserve(&r->kinds, &r->kind_capacity, r->kind_count + 1, sizeof *r->kinds))
        return hf_error_memory(err);
    r->kinds[r->kind_count++] = kind;
    return HF_OK;
}

/* The kind of "+ kind" or "- kind"; NULL, which is noted, if there is none. */
static struct heaptrack_kind *heaptrack_kind_of(struct heaptrack_reader *r, struct hf_text line)
{
    struct hf_text rest = hf_text_from(line, 2);
    size_t index;
    if (!take_index(&rest, SIZE_MAX, &index) || rest.size != 0 || index >= r->kind_count) {
        hf_skipped_line(r->input, r->profile,
            "an allocation '+ number' or a free '- number' of blocks that came before", line);
        return NULL;
    }
    struct heaptrack_kind *kind = &r->kinds[index];
    if (kind->is_damaged) {
        r->lost_events++;
        return NULL;
    }
    /* It changes now for the first time since the last peak: it still is as it was then. */
    if (kind->peak != r->peak) {
        kind->peak = r->peak;
        kind->live_at_peak = kind->live;
    }
    return kind;
}

static void read_allocation(struct heaptrack_reader *r, struct hf_text line)
{
    struct heaptrack_kind *kind = heaptrack_kind_of(r, line);
    r->last_allocated = 0;
    if (kind == NULL)
        return;
    kind->live++;
    kind->calls++;
    r->last_allocated = (size_t)(kind - r->kinds) + 1;
    r->live_bytes = hf_add_saturating(r->live_bytes, kind->size_bytes, &r->is_saturated);
    if (r->live_bytes > r->peak_bytes) {
        r->peak_bytes = r->live_bytes;
        r->peak++;
    }
}

static void read_free(struct heaptrack_reader *r, struct hf_text line)
{
    struct heaptrack_kind *kind = heaptrack_kind_of(r, line);
    if (kind != NULL && kind->live == 0) {
        hf_skipped_line(r->input, r->profile, "a free of a block in use", line);
        kind = NULL;
    }
    if (kind != NULL) {
        kind->live--;
        kind->temporary += r->last_allocated == (size_t)(kind - r->kinds) + 1;
        r->live_bytes -= kind->size_bytes < r->live_bytes ? kind->size_bytes : r->live_bytes;
    }
    r->last_allocated = 0;
}

static void read_comment(struct heaptrack_reader *r, struct hf_text line)
{
    static const char strings[] = "# strings: ", places[] = "# ips: ";
    if (hf_text_starts(line, strings))
        r->has_said_strings = hf_num_u64(hf_text_from(line, strlen(strings)), &r->said_strings);
    else if (hf_text_starts(line, places))
        r->has_said_places = hf_num_u64(hf_text_from(line, strlen(places)), &r->said_places);
}

static enum hf_status refuse_raw(const struct heaptrack_reader *r, struct hf_error *err)
{
    hf_error_set(err, HF_ERR_INPUT,
        "is raw data of heaptrack, which has no names yet: interpret it first, with 'zstdcat FILE "
        "| /usr/lib/heaptrack/libexec/heaptrack_interpret'");
    hf_error_at_line(err, r->input->name, r->input->line);
    return HF_ERR_INPUT;
}

static enum hf_status heaptrack_read_line(
    struct heaptrack_reader *r, struct hf_text line, struct hf_error *err)
{
    switch (line.size != 0 ? line.data[0] : '#') {
    case '+': read_allocation(r, line); return HF_OK;
    case '-': read_free(r, line); return HF_OK;
    case 'a': return read_kind(r, line, err);
    case 't': return heaptrack_read_stack(r, line, err);
    case 'i': return read_place(r, line, err);
    case 's': return heaptrack_read_string(r, line, err);
    case '#': read_comment(r, line); return HF_OK;
    case 'c':
    case 'I':
    case 'R': return HF_OK;
    case 'X':
        return hf_profile_string(
            r->profile, hf_text_from(line, 2), &r->profile->capture.command, err);
    case 'A':
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: heaptrack was attached to a running process: earlier allocations are not in it",
            r->input->name);
        return HF_OK;
    case 'S':
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: has suppressions, which heaptrack_print applies and heapflame does not",
            r->input->name);
        return HF_OK;
    case 'm':
    case 'x': return refuse_raw(r, err);
    default: hf_skipped_line(r->input, r->profile, "a line of heaptrack", line); return HF_OK;
    }
}

/* "v 10400 3" */
static bool parse_version(struct hf_text line, uint64_t *out_format)
{
    struct hf_text rest = hf_text_from(line, 2);
    uint64_t version;
    if (!hf_text_starts(line, "v ") || !take_hex(&rest, &version))
        return false;
    *out_format = version == VERSION_LIKE_1;
    return rest.size == 0 || (take_hex(&rest, out_format) && rest.size == 0);
}

static enum hf_status heaptrack_read_first_line(struct heaptrack_reader *r, struct hf_error *err)
{
    struct hf_text line;
    bool has_line;
    enum hf_status status = hf_input_line(r->input, &line, &has_line, err);
    if (status != HF_OK)
        return status;
    if (!parse_version(line, &r->format) || r->format == 0 || r->format > FORMAT_MAX) {
        hf_error_set(err, HF_ERR_INPUT,
            "expected 'v' and the versions of heaptrack (1.0 or later) and of its format, 1 to %d, "
            "found '%.*s'",
            FORMAT_MAX, (int)hf_text_first(line, 60).size, line.data);
        hf_error_at_line(err, r->input->name, r->input->line);
        return HF_ERR_INPUT;
    }
    return HF_OK;
}

static uint64_t product(struct heaptrack_reader *r, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    if (hf_mul_u64(count, size, &bytes))
        return bytes;
    r->is_saturated = true;
    return UINT64_MAX;
}

static enum hf_status add_samples(struct heaptrack_reader *r, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->kind_count && status == HF_OK; i++) {
        const struct heaptrack_kind *kind = &r->kinds[i];
        uint64_t at_peak = kind->peak == r->peak ? kind->live_at_peak : kind->live;
        uint64_t values[VALUE_COUNT] = {
            [HF_INUSE_OBJECTS] = kind->live,
            [HF_INUSE_SPACE] = product(r, kind->live, kind->size_bytes),
            [HF_ALLOC_OBJECTS] = kind->calls,
            [HF_ALLOC_SPACE] = product(r, kind->calls, kind->size_bytes),
            [PEAK_OBJECTS] = at_peak,
            [PEAK_SPACE] = product(r, at_peak, kind->size_bytes),
            [TEMPORARY_OBJECTS] = kind->temporary,
        };
        if (kind->calls != 0)
            status = hf_profile_add_sample(r->profile, kind->node, HF_THREAD_ALL, values, err);
    }
    if (hf_profile_total(r->profile, HF_INUSE_SPACE, HF_THREAD_ALL).value == 0)
        r->profile->default_type = PEAK_SPACE;
    return status;
}

static void heaptrack_note_losses(struct heaptrack_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (!r->has_said_strings || !r->has_said_places)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends without '# strings: ...' and '# ips: ...': the file is cut", name);
    else if (r->said_strings != r->string_count || r->said_places != r->place_count)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: announces %" PRIu64 " %s and %" PRIu64 " %s, but has %zu and %zu: lines "
            "are missing",
            name, r->said_strings, hf_plural(r->said_strings, "string", "strings"), r->said_places,
            hf_plural(r->said_places, "place", "places"), r->string_count, r->place_count);
    if (r->lost_events != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: %" PRIu64 " %s left out", name, r->lost_events,
            hf_plural(r->lost_events, "allocation or free belongs to a damaged line and is",
                "allocations and frees belong to damaged lines and are"));
    if (r->is_saturated)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: sums above 2^64-1 are taken as 2^64-1", name);
    if (r->nameless != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: heaptrack found no name for %" PRIu64 " of %zu %s; %s library", name, r->nameless,
            r->place_count, hf_plural(r->place_count, "place", "places"),
            hf_plural(r->nameless, "it is shown as its", "they are shown as their"));
}

static enum hf_status heaptrack_read_all(struct heaptrack_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_heap_types(r->profile, err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "peak_objects", "objects", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "peak_space", "bytes", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "temporary_objects", "objects", err);
    if (status == HF_OK)
        status = heaptrack_read_first_line(r, err);
    r->profile->capture.period_bytes = 1;
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        if (!r->input->last_line_is_cut)
            status = heaptrack_read_line(r, line, err);
        else
            hf_skipped_line(r->input, r->profile, "a line that ends", line);
    }
    if (status == HF_OK)
        status = add_samples(r, err);
    if (status == HF_OK)
        heaptrack_note_losses(r);
    return status;
}

static enum hf_status read_heaptrack(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct heaptrack_reader r = {.input = input, .profile = profile};
    enum hf_status status = heaptrack_read_all(&r, err);
    free(r.strings);
    free(r.places);
    free(r.place_frames);
    free(r.stacks);
    free(r.kinds);
    return status;
}

/* The line after the first is the command "X", or in raw data the program "x". */
static enum hf_bid heaptrack_bid(struct hf_text first_bytes)
{
    struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
    struct hf_text next = hf_text_from(first_bytes, line.size + 1);
    uint64_t format;
    if (!parse_version(line, &format))
        return HF_BID_NO;
    return hf_text_starts(next, "X") || hf_text_starts(next, "x") ? HF_BID_SURE : HF_BID_MAYBE;
}

const struct hf_format hf_format_heaptrack = {
    .name = "heaptrack",
    .bid = heaptrack_bid,
    .read = read_heaptrack,
};
