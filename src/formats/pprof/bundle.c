/*
 * bundle.c: a bundle (bundle.h) as a profile.
 *
 * One pass over the message, which is held whole (HF_LIMIT_BUNDLE_BYTES): each record becomes one
 * of the profile.
 */
#include "formats/pprof/bundle.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "formats/format.h"
#include "formats/pprof/protobuf.h"
#include "profile/lifetimes.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIELDS_MAX 10 /* of a record, with the unused number 0 */

/* Ids of the profile by the numbers of records, or just some of them. */
struct ids {
    uint32_t *items;
    size_t count, capacity;
};

struct bundle_reader {
    const char *name;
    struct hf_profile *profile;
    struct ids strings, modules, threads, frames;
    struct ids list; /* scratch: the frames of a stack, or the calls at an address */
    uint32_t node;   /* the stack of the sample before */
    uint64_t samples, announced_samples;
    bool is_whole; /* the last field was there */
    bool wants_classes;
    uint64_t damaged, too_deep, too_many_calls;
};

/* One record: what its fields hold, by number. */
struct record {
    uint64_t numbers[FIELDS_MAX];
    struct hf_text bytes[FIELDS_MAX];
    bool has[FIELDS_MAX];
};

static struct record record_of(struct bundle_reader *r, struct hf_text message)
{
    struct record record = {0};
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        if (field.number >= FIELDS_MAX)
            continue;
        record.numbers[field.number] = field.value;
        record.bytes[field.number] = field.bytes;
        record.has[field.number] = true;
    }
    r->damaged += hf_cursor_failed(&c);
    return record;
}

static enum hf_status bundle_push(struct ids *ids, uint32_t id, struct hf_error *err)
{
    if (ids->count == HF_LIMIT_BUNDLE_RECORDS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u strings, modules, threads or frames (HF_LIMIT_BUNDLE_RECORDS)",
            HF_LIMIT_BUNDLE_RECORDS);
    if (!hf_vec_reserve(&ids->items, &ids->capacity, ids->count + 1, sizeof *ids->items))
        return hf_error_memory(err);
    ids->items[ids->count++] = id;
    return HF_OK;
}

/* False for a record that did not come before. */
static bool bundle_find(
    struct bundle_reader *r, const struct ids *ids, uint64_t number, uint32_t *out_id)
{
    if (number >= ids->count) {
        r->damaged++;
        return false;
    }
    *out_id = ids->items[number];
    return true;
}

static uint32_t bundle_string_of(struct bundle_reader *r, uint64_t number)
{
    uint32_t id;
    return bundle_find(r, &r->strings, number, &id) ? id : HF_NO_STRING;
}

static struct hf_text text_of(struct bundle_reader *r, uint64_t number)
{
    return hf_profile_text(r->profile, bundle_string_of(r, number));
}

static uint32_t number_32(struct bundle_reader *r, uint64_t value)
{
    r->damaged += value > UINT32_MAX;
    return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static enum hf_status bundle_read_string(
    struct bundle_reader *r, struct hf_text text, struct hf_error *err)
{
    uint32_t id;
    enum hf_status status = hf_profile_string(r->profile, text, &id, err);
    return status == HF_OK ? bundle_push(&r->strings, id, err) : status;
}

/* True if their width is fixed: what comes of the kinds of values comes too late. */
static bool bundle_has_rows(const struct bundle_reader *r)
{
    return r->samples != 0 || r->profile->sample_count != 0;
}

static enum hf_status read_type(
    struct bundle_reader *r, const struct record *type, struct hf_error *err)
{
    if (bundle_has_rows(r)) {
        r->damaged++;
        return HF_OK;
    }
    return hf_profile_add_type(r->profile, text_of(r, type->numbers[HF_BUNDLE_TYPE_NAME]).data,
        text_of(r, type->numbers[HF_BUNDLE_TYPE_UNIT]).data, err);
}

static enum hf_status read_segment(
    struct bundle_reader *r, uint32_t module, const struct record *record, struct hf_error *err)
{
    struct hf_segment segment = {
        .start = record->numbers[HF_BUNDLE_SEGMENT_START],
        .file_offset = record->numbers[HF_BUNDLE_SEGMENT_FILE_OFFSET],
        .is_executable = record->numbers[HF_BUNDLE_SEGMENT_IS_EXECUTABLE] != 0,
    };
    if (!hf_add_u64(segment.start, record->numbers[HF_BUNDLE_SEGMENT_SIZE], &segment.end)) {
        r->damaged++;
        return HF_OK;
    }
    return hf_profile_add_segment(r->profile, module, &segment, err);
}

static enum hf_status read_module(
    struct bundle_reader *r, struct hf_text message, struct hf_error *err)
{
    const struct record record = record_of(r, message);
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    uint32_t id;
    enum hf_status status =
        hf_profile_module(r->profile, text_of(r, record.numbers[HF_BUNDLE_MODULE_PATH]),
            text_of(r, record.numbers[HF_BUNDLE_MODULE_BUILD_ID]), &id, err);
    if (status != HF_OK)
        return status;
    struct hf_module *module = &r->profile->modules[id];
    module->why_unnamed = bundle_string_of(r, record.numbers[HF_BUNDLE_MODULE_WHY_UNNAMED]);
    module->is_deleted = record.numbers[HF_BUNDLE_MODULE_IS_DELETED] != 0;
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        if (field.number != HF_BUNDLE_MODULE_SEGMENT)
            continue;
        const struct record segment = record_of(r, field.bytes);
        status = read_segment(r, id, &segment, err);
    }
    return status == HF_OK ? bundle_push(&r->modules, id, err) : status;
}

static enum hf_status read_thread(
    struct bundle_reader *r, const struct record *thread, struct hf_error *err)
{
    uint32_t id;
    enum hf_status status = hf_profile_thread(r->profile,
        hf_lifetimes_uid_of_thread(thread->numbers[HF_BUNDLE_THREAD_UID]),
        text_of(r, thread->numbers[HF_BUNDLE_THREAD_NAME]), &id, err);
    return status == HF_OK ? bundle_push(&r->threads, id, err) : status;
}

static enum hf_status bundle_read_frame(
    struct bundle_reader *r, const struct record *record, struct hf_error *err)
{
    struct hf_frame frame = {
        .offset = record->numbers[HF_BUNDLE_FRAME_OFFSET],
        .name = bundle_string_of(r, record->numbers[HF_BUNDLE_FRAME_NAME]),
        .file = bundle_string_of(r, record->numbers[HF_BUNDLE_FRAME_FILE]),
        .line = number_32(r, record->numbers[HF_BUNDLE_FRAME_LINE]),
        .flags = (uint32_t)record->numbers[HF_BUNDLE_FRAME_FLAGS] & HF_FRAME_ALL_FLAGS,
        .variant = number_32(r, record->numbers[HF_BUNDLE_FRAME_VARIANT]),
        .symbol = bundle_string_of(r, record->numbers[HF_BUNDLE_FRAME_SYMBOL]),
        .past_start = number_32(r, record->numbers[HF_BUNDLE_FRAME_PAST_START]),
    };
    uint32_t id;
    if (!bundle_find(r, &r->modules, record->numbers[HF_BUNDLE_FRAME_MODULE], &frame.module))
        frame.module = HF_NO_MODULE;
    enum hf_status status = hf_profile_frame(r->profile, &frame, &id, err);
    return status == HF_OK ? bundle_push(&r->frames, id, err) : status;
}

/* Fills `list` with the frames that a packed field refers to. */
static enum hf_status list_frames(
    struct bundle_reader *r, struct hf_text packed, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(packed.data, packed.size, "");
    enum hf_status status = HF_OK;
    r->list.count = 0;
    while (status == HF_OK && hf_cursor_left(&c) != 0) {
        uint32_t frame;
        uint64_t number = hf_cursor_uleb(&c);
        if (!hf_cursor_failed(&c) && bundle_find(r, &r->frames, number, &frame))
            status = bundle_push(&r->list, frame, err);
    }
    r->damaged += hf_cursor_failed(&c);
    return status;
}

static enum hf_status read_names(
    struct bundle_reader *r, const struct record *names, struct hf_error *err)
{
    uint32_t frame;
    enum hf_status status = list_frames(r, names->bytes[HF_BUNDLE_NAMES_CALLS], err);
    if (status != HF_OK || !bundle_find(r, &r->frames, names->numbers[HF_BUNDLE_NAMES_OF], &frame))
        return status;
    if (r->list.count == 0 || hf_profile_is_expanded(r->profile, frame))
        return HF_OK; /* two modules became one, as both have the same build-id: names are there */
    if (r->list.count > HF_LIMIT_INLINE_DEPTH + 1) {
        r->too_many_calls++;
        r->list.count = HF_LIMIT_INLINE_DEPTH + 1;
    }
    return hf_profile_expand(r->profile, frame, r->list.items, r->list.count, err);
}

static enum hf_status bundle_read_stack(
    struct bundle_reader *r, struct hf_text packed, struct hf_error *err)
{
    enum hf_status status = list_frames(r, packed, err);
    size_t cut = 0;
    if (r->list.count > HF_LIMIT_STACK_FRAMES) {
        r->too_deep++;
        cut = r->list.count - HF_LIMIT_STACK_FRAMES;
    }
    if (status != HF_OK)
        return status;
    return hf_stacktree_add(
        &r->profile->stacks, r->list.items + cut, r->list.count - cut, &r->node, err);
}

/* False unless there is one number for each column, and a type before the sample. */
static bool read_row(const struct bundle_reader *r, struct hf_text packed, uint64_t *row)
{
    struct hf_cursor c = hf_cursor_of(packed.data, packed.size, "");
    for (size_t i = 0; i < hf_profile_stride(r->profile); i++)
        row[i] = hf_cursor_uleb(&c);
    return r->profile->type_count != 0 && !hf_cursor_failed(&c) && hf_cursor_left(&c) == 0;
}

static enum hf_status bundle_read_sample(
    struct bundle_reader *r, const struct record *sample, struct hf_error *err)
{
    uint64_t row[2 * HF_VALUE_TYPES_MAX];
    uint32_t thread = HF_THREAD_ALL;
    uint64_t thread_number = sample->numbers[HF_BUNDLE_SAMPLE_THREAD];
    enum hf_status status = HF_OK;
    r->samples++;
    if (sample->has[HF_BUNDLE_SAMPLE_STACK])
        status = bundle_read_stack(r, sample->bytes[HF_BUNDLE_SAMPLE_STACK], err);
    if (status != HF_OK ||
        (thread_number != 0 && !bundle_find(r, &r->threads, thread_number - 1, &thread)))
        return status;
    if (!read_row(r, sample->bytes[HF_BUNDLE_SAMPLE_VALUES], row)) {
        r->damaged++;
        return HF_OK;
    }
    return hf_profile_add_sample(r->profile, r->node, thread, row, err);
}

/* Classes of one kind: number and two values of each. */
static enum hf_status bundle_read_classes(struct bundle_reader *r, struct hf_text packed,
    uint32_t node, enum hf_lifetimes_class kind, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(packed.data, packed.size, "");
    enum hf_status status = HF_OK;
    while (status == HF_OK && hf_cursor_left(&c) != 0) {
        uint64_t index = hf_cursor_uleb(&c), values[2];
        values[0] = hf_cursor_uleb(&c);
        values[1] = hf_cursor_uleb(&c);
        if (!hf_cursor_failed(&c) && index < hf_lifetimes_classes(kind))
            status = hf_lifetimes_add_class(r->profile, node, kind, (size_t)index, values, err);
        else
            r->damaged++;
    }
    return status;
}

/* Up to as many as there is room for; returns how many. */
static uint32_t bundle_read_points(
    struct bundle_reader *r, struct hf_text packed, uint64_t out_points[HF_USAGE_CURVE_POINTS])
{
    struct hf_cursor c = hf_cursor_of(packed.data, packed.size, "");
    uint32_t count = 0;
    while (count < HF_USAGE_CURVE_POINTS && hf_cursor_left(&c) != 0)
        out_points[count++] = hf_cursor_uleb(&c);
    r->damaged += hf_cursor_failed(&c) || hf_cursor_left(&c) != 0;
    return hf_cursor_failed(&c) ? 0 : count;
}

static void bundle_read_curve(struct bundle_reader *r, const struct record *record)
{
    struct hf_usage_curve curve = {0};
    uint64_t shift = record->numbers[HF_BUNDLE_CURVE_SHIFT];
    curve.count = bundle_read_points(r, record->bytes[HF_BUNDLE_CURVE_IN_USE], curve.in_use_bytes);
    uint32_t allocated =
        bundle_read_points(r, record->bytes[HF_BUNDLE_CURVE_ALLOCATED], curve.allocated_bytes);
    if (shift > HF_USAGE_CURVE_SHIFT_MAX || allocated != curve.count) {
        r->damaged++;
        return;
    }
    curve.shift = (uint32_t)shift;
    r->profile->capture.curve = curve;
}

static enum hf_status bundle_read_blocks(
    struct bundle_reader *r, const struct record *blocks, struct hf_error *err)
{
    uint32_t before = r->node;
    if (!r->profile->capture.has_classes)
        return HF_OK;
    enum hf_status status = bundle_read_stack(r, blocks->bytes[HF_BUNDLE_BLOCKS_STACK], err);
    uint32_t node = r->node;
    r->node = before;
    for (size_t i = 0; status == HF_OK && i < HF_CLASS_KINDS; i++)
        status = bundle_read_classes(
            r, blocks->bytes[HF_BUNDLE_BLOCKS_CLASS0 + i], node, (enum hf_lifetimes_class)i, err);
    return status;
}

static enum hf_status read_note(
    const struct bundle_reader *r, const struct record *record, struct hf_error *err)
{
    struct hf_out text = {0};
    hf_out_text(&text, record->bytes[HF_BUNDLE_NOTE_TEXT]);
    hf_out_char(&text, '\0');
    enum hf_status status = hf_out_finish(&text, err);
    struct hf_note note = {
        .kind = record->numbers[HF_BUNDLE_NOTE_KIND] == HF_NOTE_LOSS ? HF_NOTE_LOSS : HF_NOTE_INFO,
        .times = record->numbers[HF_BUNDLE_NOTE_TIMES],
        .text = text.data,
    };
    if (status == HF_OK)
        hf_notes_merge(&r->profile->notes, &(struct hf_notes){.items = &note, .count = 1});
    hf_out_done(&text);
    return status;
}

/* What is said of the profile as a whole. */
static void bundle_read_head(struct bundle_reader *r, const struct hf_protobuf_field *field)
{
    struct hf_profile *p = r->profile;
    uint64_t value = field->value;
    switch (field->number) {
    case HF_BUNDLE_DEFAULT_TYPE: p->default_type = (size_t)value; break;
    case HF_BUNDLE_IS_DIFFERENCE:
        r->damaged += bundle_has_rows(r);
        p->is_difference = bundle_has_rows(r) ? p->is_difference : value != 0;
        p->capture.has_classes = p->capture.has_classes && !p->is_difference;
        break;
    case HF_BUNDLE_PERIOD_BYTES: p->capture.period_bytes = value; break;
    case HF_BUNDLE_SAMPLED_OBJECTS: p->capture.sampled_objects = value; break;
    case HF_BUNDLE_HAS_ADDRESSES: p->has_addresses = value != 0; break;
    case HF_BUNDLE_IS_NO_HEAP: p->capture.is_no_heap = value != 0; break;
    case HF_BUNDLE_IS_SATURATED: p->is_saturated = value != 0; break;
    case HF_BUNDLE_COMMAND: p->capture.command = bundle_string_of(r, value); break;
    case HF_BUNDLE_PROCESS_ID:
        p->capture.process_id = value <= INT32_MAX ? (uint32_t)value : 0;
        break;
    case HF_BUNDLE_PROCESS_START: p->capture.process_start = value; break;
    case HF_BUNDLE_PEAK_BYTES: p->capture.peak_bytes = value; break;
    case HF_BUNDLE_PEAK_MOST_BYTES: p->capture.peak_most_bytes = value; break;
    case HF_BUNDLE_PEAK_AFTER_MS: p->capture.peak_after_ms = value; break;
    case HF_BUNDLE_START_AFTER_MS: p->capture.start_after_ms = value; break;
    case HF_BUNDLE_BEGAN_MS: p->capture.began_ms = value; break;
    case HF_BUNDLE_WEIGHT_PER_MILLE:
        p->capture.weight_per_mille = value <= UINT32_MAX ? (uint32_t)value : 0;
        break;
    case HF_BUNDLE_HAS_CLASSES:
        p->capture.has_classes = r->wants_classes && value != 0 && hf_lifetimes_have_room(p);
        p->capture.has_no_freed = value == HF_BUNDLE_CLASSES_IN_USE;
        break;
    case HF_BUNDLE_EPOCH_SHIFT:
        p->capture.epoch_shift = value <= HF_CLASS_BIRTH_SHIFT_MAX ? (uint32_t)value : 0;
        break;
    case HF_BUNDLE_NOTES_DROPPED: p->notes.dropped += value; break;
    case HF_BUNDLE_HAS_LOSS: p->notes.has_loss |= value != 0; break;
    case HF_BUNDLE_SAMPLE_COUNT:
        r->is_whole = true;
        r->announced_samples = value;
        break;
    default: break;
    }
}

static enum hf_status read_field(
    struct bundle_reader *r, const struct hf_protobuf_field *field, struct hf_error *err)
{
    if (field->kind != HF_PROTOBUF_BYTES) {
        bundle_read_head(r, field);
        return HF_OK;
    }
    if (field->number == HF_BUNDLE_STRING)
        return bundle_read_string(r, field->bytes, err);
    if (field->number == HF_BUNDLE_MODULE)
        return read_module(r, field->bytes, err);
    const struct record record = record_of(r, field->bytes);
    switch (field->number) {
    case HF_BUNDLE_TYPE: return read_type(r, &record, err);
    case HF_BUNDLE_THREAD: return read_thread(r, &record, err);
    case HF_BUNDLE_FRAME: return bundle_read_frame(r, &record, err);
    case HF_BUNDLE_NAMES: return read_names(r, &record, err);
    case HF_BUNDLE_SAMPLE: return bundle_read_sample(r, &record, err);
    case HF_BUNDLE_CURVE: bundle_read_curve(r, &record); return HF_OK;
    case HF_BUNDLE_BLOCKS: return bundle_read_blocks(r, &record, err);
    case HF_BUNDLE_NOTE: return read_note(r, &record, err);
    default: return HF_OK;
    }
}

static enum hf_status bundle_read_version(struct hf_cursor *c, struct hf_error *err)
{
    struct hf_protobuf_field magic, version;
    if (!hf_protobuf_next(c, &magic) || !hf_protobuf_next(c, &version) ||
        version.number != HF_BUNDLE_FIELD_VERSION || version.value == 0)
        return hf_error_set(
            err, HF_ERR_INPUT, "is a bundle without a version: it is cut or damaged");
    if (version.value > HF_BUNDLE_VERSION)
        return hf_error_set(err, HF_ERR_INPUT,
            "is a bundle of version %" PRIu64
            ", but this heapflame reads version %d: use a newer heapflame",
            version.value, HF_BUNDLE_VERSION);
    return HF_OK;
}

static void bundle_note_losses(struct bundle_reader *r, uint64_t end, bool is_cut)
{
    struct hf_notes *notes = &r->profile->notes;
    if (is_cut || !r->is_whole)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: is cut or damaged at offset %" PRIu64 "; everything after that is lost", r->name,
            end);
    else if (r->samples != r->announced_samples)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: is damaged: it should have %" PRIu64 " %s, but has %" PRIu64, r->name,
            r->announced_samples, hf_plural(r->announced_samples, "sample", "samples"), r->samples);
    if (r->damaged != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: %" PRIu64 " %s to something that is not in the file",
            r->name, r->damaged,
            hf_plural(r->damaged, "record is damaged or refers", "records are damaged or refer"));
    if (r->too_deep != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " %s more than %u frames (HF_LIMIT_STACK_FRAMES); %s cut", r->name,
            r->too_deep, hf_plural(r->too_deep, "stack has", "stacks have"), HF_LIMIT_STACK_FRAMES,
            hf_plural(r->too_deep, "its leaf is", "their leaves are"));
    if (r->too_many_calls != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " %s more than %u inlined calls (HF_LIMIT_INLINE_DEPTH); "
            "the outer ones are cut",
            r->name, r->too_many_calls,
            hf_plural(r->too_many_calls, "address has", "addresses have"), HF_LIMIT_INLINE_DEPTH);
}

static enum hf_status bundle_read_message(
    struct bundle_reader *r, struct hf_text message, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    uint64_t end = 0;
    enum hf_status status = bundle_read_version(&c, err);
    if (status == HF_OK)
        status = bundle_push(&r->strings, HF_NO_STRING, err);
    if (status == HF_OK)
        status = bundle_push(&r->modules, HF_NO_MODULE, err);
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        status = read_field(r, &field, err);
        end = hf_cursor_offset(&c);
    }
    if (status == HF_OK && r->profile->type_count == 0)
        status = hf_error_set(
            err, HF_ERR_INPUT, "is a bundle without values: it is cut or damaged before them");
    if (status != HF_OK)
        return status;
    if (r->profile->default_type >= r->profile->type_count) {
        r->profile->default_type = 0;
        r->damaged++;
    }
    bundle_note_losses(r, end, hf_cursor_failed(&c));
    return HF_OK;
}

static enum hf_status read_bundle(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    const struct hf_lifetimes *lifetimes = input->lifetimes;
    struct bundle_reader r = {.name = input->name,
        .profile = profile,
        .wants_classes = hf_lifetimes_need_classes(lifetimes)};
    struct hf_text message;
    enum hf_status status = hf_input_peek(input, (size_t)HF_LIMIT_BUNDLE_BYTES + 1, &message, err);
    if (status == HF_OK && message.size > HF_LIMIT_BUNDLE_BYTES)
        status = hf_error_set(err, HF_ERR_LIMIT,
            "has more than %u bytes after decompression (HF_LIMIT_BUNDLE_BYTES)",
            HF_LIMIT_BUNDLE_BYTES);
    if (status == HF_OK)
        status = bundle_read_message(&r, message, err);
    struct ids *const all[] = {&r.strings, &r.modules, &r.threads, &r.frames, &r.list};
    for (size_t i = 0; i < HF_COUNT(all); i++)
        free(all[i]->items);
    return status;
}

static enum hf_bid bundle_bid(struct hf_text first_bytes)
{
    struct hf_cursor c = hf_cursor_of(first_bytes.data, first_bytes.size, "");
    struct hf_protobuf_field field;
    bool is_bundle = hf_protobuf_next(&c, &field) && field.number == HF_BUNDLE_FIELD_MAGIC &&
                     hf_text_is(field.bytes, HF_BUNDLE_MAGIC);
    return is_bundle ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_bundle = {
    .name = "bundle",
    .bid = bundle_bid,
    .read = read_bundle,
};
