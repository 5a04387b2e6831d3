#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/pprof/pprof_classes.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_frames.h"
#include "formats/pprof/pprof_types.h"
#include "formats/pprof/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>

#define KEYS_SHOWN 6

struct pprof_reader {
    const char *name;
    struct hf_profile *profile;
    struct hf_pprof_tables tables;
    struct hf_pprof_frames frames;
    size_t *columns; /* by the file's value types: ours, or HF_PPROF_LEFT_OUT */
    uint64_t *row;   /* values of one sample */
    struct hf_pprof_classes classes;
    struct hf_pprof_class class; /* of the sample that is read */
    uint64_t class_row[HF_PPROF_CLASS_VALUES];
    bool wants_classes;
    /* Of the sample that is read: */
    const struct hf_pprof_location **stack; /* leaf first */
    size_t depth, stack_capacity;
    struct hf_map name_threads; /* name of a thread without number -> thread */
    struct hf_map other_keys;   /* labels that are summed over, by string */
    struct hf_out other_names;  /* the first of them */
    /* What went wrong: */
    uint64_t unknown_locations, wrong_counts, too_deep, shared_numbers;
};

struct thread_label {
    bool has_number, has_name;
    uint64_t number;
    struct hf_text name;
};

static bool is_one_of(struct hf_text key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hf_text_is(key, names[i]))
            return true;
    }
    return false;
}

static enum hf_status keep_key(
    struct pprof_reader *r, uint64_t string, struct hf_text key, struct hf_error *err)
{
    bool is_new;
    if (hf_map_put(&r->other_keys, string, 0, &is_new) == NULL)
        return hf_error_memory(err);
    if (is_new && r->other_keys.count <= KEYS_SHOWN) {
        hf_out_string(&r->other_names, r->other_names.size != 0 ? ", " : "");
        hf_out_text(&r->other_names, key);
    }
    return HF_OK;
}

static enum hf_status pprof_read_label(struct pprof_reader *r, struct hf_text message,
    struct thread_label *thread, struct hf_error *err)
{
    static const char *const numbers[] = {"thread_id", "thread id", "tid", "thread"};
    static const char *const names[] = {"thread", "thread_name", "thread name"};
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    uint64_t key = 0, string = 0, number = 0;
    while (hf_protobuf_next(&c, &field)) {
        switch (field.number) {
        case HF_PPROF_LABEL_KEY: key = field.value; break;
        case HF_PPROF_LABEL_STR: string = field.value; break;
        case HF_PPROF_LABEL_NUM: number = field.value; break;
        default: break;
        }
    }
    r->tables.damaged += hf_cursor_failed(&c) || hf_pprof_is_missing(&r->tables, key) ||
                         hf_pprof_is_missing(&r->tables, string);
    struct hf_text key_text = hf_pprof_string(&r->tables, key);
    struct hf_text text = hf_pprof_string(&r->tables, string);
    if (is_one_of(key_text, numbers, HF_COUNT(numbers)) &&
        (text.size == 0 || hf_num_u64(text, &number))) {
        thread->has_number = true;
        thread->number = number;
    } else if (is_one_of(key_text, names, HF_COUNT(names)) && text.size != 0) {
        thread->has_name = true;
        thread->name = text;
    } else if (!r->classes.are_there || text.size != 0 ||
               !hf_pprof_class_by_label(key_text, number, &r->profile->capture, &r->class)) {
        return keep_key(r, key, key_text, err);
    }
    return HF_OK;
}

/* Threads that have only a name are numbered from 1 in the order in which they come. */
static enum hf_status thread_of_name(
    struct pprof_reader *r, struct hf_text name, uint32_t *out_thread, struct hf_error *err)
{
    uint32_t string;
    enum hf_status status = hf_profile_string(r->profile, name, &string, err);
    if (status != HF_OK)
        return status;
    const uint32_t *known = hf_map_find(&r->name_threads, string);
    if (known != NULL) {
        *out_thread = *known;
        return HF_OK;
    }
    uint64_t uid = r->name_threads.count + 1;
    r->shared_numbers += hf_map_find(&r->profile->thread_index, uid) != NULL;
    status = hf_profile_thread(r->profile, uid, name, out_thread, err);
    if (status == HF_OK && hf_map_put(&r->name_threads, string, *out_thread, NULL) == NULL)
        status = hf_error_memory(err);
    return status;
}

static enum hf_status pprof_find_thread(struct pprof_reader *r, const struct thread_label *label,
    uint32_t *out_thread, struct hf_error *err)
{
    if (!label->has_number)
        return thread_of_name(r, label->name, out_thread, err);
    size_t before = r->profile->thread_count;
    enum hf_status status = hf_profile_thread(
        r->profile, hf_lifetimes_uid_of_thread(label->number), label->name, out_thread, err);
    bool is_new = r->profile->thread_count != before;
    r->shared_numbers += !is_new && label->number - 1 < r->name_threads.count;
    return status;
}

static enum hf_status push_locations(
    struct pprof_reader *r, const struct hf_protobuf_field *field, struct hf_error *err)
{
    struct hf_protobuf_numbers ids = hf_protobuf_numbers(field);
    uint64_t id;
    while (hf_protobuf_number(&ids, &id)) {
        const struct hf_pprof_location *location;
        enum hf_status status = hf_pprof_place(&r->frames, id, &location, err);
        if (status != HF_OK)
            return status;
        r->unknown_locations += location == NULL;
        if (location == NULL)
            continue;
        if (!hf_vec_reserve(&r->stack, &r->stack_capacity, r->depth + 1, sizeof *r->stack))
            return hf_error_memory(err);
        r->stack[r->depth++] = location;
    }
    return HF_OK;
}

/* The node of the locations, from the root; it ends where drop_frames says, but not at the root. */
static enum hf_status find_node(struct pprof_reader *r, uint32_t *out_node, struct hf_error *err)
{
    bool found_user = false;
    size_t frames = 0;
    *out_node = HF_STACK_ROOT;
    for (size_t i = r->depth; i-- != 0;) {
        const struct hf_pprof_location *location = r->stack[i];
        if (found_user && location->is_dropped)
            break;
        for (size_t f = location->count; f-- != 0;) {
            if (frames++ == HF_LIMIT_STACK_FRAMES) {
                r->too_deep++;
                return HF_OK;
            }
            enum hf_status status = hf_stacktree_child(&r->profile->stacks, *out_node,
                r->frames.items[location->first + f], out_node, err);
            if (status != HF_OK)
                return status;
        }
        if (found_user && location->ends_stack)
            break;
        found_user = found_user || !location->ends_stack;
    }
    return HF_OK;
}

static void read_values(
    struct pprof_reader *r, const struct hf_protobuf_field *field, size_t *value_count)
{
    struct hf_protobuf_numbers values = hf_protobuf_numbers(field);
    uint64_t value;
    while (hf_protobuf_number(&values, &value)) {
        size_t at = (*value_count)++;
        for (size_t v = 0; r->classes.are_there && v < HF_PPROF_CLASS_VALUES; v++)
            r->class_row[v] = r->classes.columns[v] == at ? value : r->class_row[v];
        if (at >= r->tables.type_count || r->columns[at] == HF_PPROF_LEFT_OUT)
            continue;
        bool is_negative = value > INT64_MAX;
        size_t column = r->columns[at] + (is_negative ? r->profile->type_count : 0);
        r->row[column] = is_negative ? 0 - value : value;
    }
}

static enum hf_status pprof_add_class(
    const struct pprof_reader *r, uint32_t node, struct hf_error *err)
{
    const uint64_t *row = r->class_row + hf_pprof_class_value(r->class.kind);
    bool has_second = hf_pprof_class_value_count(r->class.kind) == 2;
    const uint64_t values[2] = {row[0], has_second ? row[1] : 0};
    return hf_lifetimes_add_class(r->profile, node, r->class.kind, r->class.index, values, err);
}

static enum hf_status pprof_read_sample(
    struct pprof_reader *r, struct hf_text message, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    struct thread_label label = {0};
    size_t value_count = 0;
    enum hf_status status = HF_OK;
    r->depth = 0;
    r->class.is_known = false;
    memset(r->class_row, 0, sizeof r->class_row);
    memset(r->row, 0, 2 * HF_VALUE_TYPES_MAX * sizeof *r->row);
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        if (field.number == HF_PPROF_SAMPLE_LOCATION_ID)
            status = push_locations(r, &field, err);
        else if (field.number == HF_PPROF_SAMPLE_VALUE)
            read_values(r, &field, &value_count);
        else if (field.number == HF_PPROF_SAMPLE_LABEL)
            status = pprof_read_label(r, field.bytes, &label, err);
    }
    r->tables.damaged += hf_cursor_failed(&c);
    r->wrong_counts += value_count != r->tables.type_count;
    uint32_t node, thread;
    if (r->class.is_known && !r->wants_classes)
        return status;
    if (status == HF_OK)
        status = find_node(r, &node, err);
    if (status == HF_OK && r->class.is_known)
        return pprof_add_class(r, node, err);
    if (status == HF_OK)
        status = hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, r->row, err);
    if (status != HF_OK || !(label.has_number || label.has_name))
        return status;
    status = pprof_find_thread(r, &label, &thread, err);
    return status == HF_OK ? hf_profile_add_sample(r->profile, node, thread, r->row, err) : status;
}

static void pprof_note_losses(struct pprof_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    uint64_t damaged = r->tables.damaged + r->frames.damaged;
    if (r->tables.is_cut)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: is cut or damaged at offset %" PRIu64 "; everything after that is lost", r->name,
            r->tables.end);
    if (r->unknown_locations != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: %" PRIu64 " %s not in the file", r->name,
            r->unknown_locations,
            hf_plural(r->unknown_locations, "frame is missing: its location is",
                "frames are missing: their locations are"));
    if (r->wrong_counts != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " %s not have the %zu %s that sample_type announces", r->name,
            r->wrong_counts, hf_plural(r->wrong_counts, "sample does", "samples do"),
            r->tables.type_count, hf_plural(r->tables.type_count, "value", "values"));
    if (damaged != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: %" PRIu64 " %s to something that is not in the file",
            r->name, damaged,
            hf_plural(damaged, "record is damaged or refers", "records are damaged or refer"));
    if (r->too_deep != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " %s more than %u frames (HF_LIMIT_STACK_FRAMES); %s cut", r->name,
            r->too_deep, hf_plural(r->too_deep, "stack has", "stacks have"), HF_LIMIT_STACK_FRAMES,
            hf_plural(r->too_deep, "its leaf is", "their leaves are"));
    if (r->frames.cut_lines != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " %s more than %u lines (HF_LIMIT_INLINE_DEPTH); the "
            "outer ones are cut",
            r->name, r->frames.cut_lines,
            hf_plural(r->frames.cut_lines, "location has", "locations have"),
            HF_LIMIT_INLINE_DEPTH);
}

static void note_choices(struct pprof_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    size_t keys = r->other_keys.count;
    if (keys != 0) {
        hf_out_char(&r->other_names, '\0');
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: samples that differ in these labels are added up: %s%s", r->name,
            r->other_names.data != NULL ? r->other_names.data : "",
            keys > KEYS_SHOWN ? " and others" : "");
    }
    if (r->frames.folded != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: %" PRIu64 " %s to code that several functions share (is_folded); "
            "each shows one of the functions",
            r->name, r->frames.folded,
            hf_plural(r->frames.folded, "address belongs", "addresses belong"));
    if (r->frames.tried_names == HF_LIMIT_PPROF_DROP_NAMES)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: drop_frames was tried on the first %u functions only (HF_LIMIT_PPROF_DROP_NAMES)",
            r->name, HF_LIMIT_PPROF_DROP_NAMES);
    hf_notes_given_up(notes, "drop_frames", r->frames.drop);
    hf_notes_given_up(notes, "keep_frames", r->frames.keep);
    if (r->shared_numbers != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: some threads have numbers and some only names; threads with the same number are "
            "shown together",
            r->name);
}

static enum hf_status read_samples(
    struct pprof_reader *r, struct hf_text message, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(message.data, (size_t)r->tables.end, "");
    struct hf_protobuf_field field;
    enum hf_status status = HF_OK;
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        if (field.number == HF_PPROF_SAMPLE && field.kind == HF_PROTOBUF_BYTES)
            status = pprof_read_sample(r, field.bytes, err);
    }
    return status;
}

static enum hf_status pprof_read_message(
    struct pprof_reader *r, struct hf_text message, struct hf_error *err)
{
    uint64_t row[2 * HF_VALUE_TYPES_MAX];
    r->row = row;
    enum hf_status status = hf_pprof_index(&r->tables, message, err);
    if (status == HF_OK && r->tables.type_count == 0)
        status = hf_error_set(err, HF_ERR_INPUT,
            "is not a pprof profile: it has no sample_type, or is cut before it");
    if (status == HF_OK)
        status = hf_pprof_add_types(r->profile, &r->tables, r->name, &r->columns, err);
    if (status != HF_OK)
        return status;
    r->profile->is_difference = r->tables.has_negative;
    r->classes = hf_pprof_classes_of(&r->tables);
    hf_pprof_classes_take_comment(&r->tables, &r->profile->capture);
    r->wants_classes =
        r->wants_classes && r->classes.are_there && hf_lifetimes_have_room(r->profile);
    r->profile->capture.has_classes = r->wants_classes;
    struct hf_text period_unit = hf_pprof_string(&r->tables, r->tables.period_type.unit);
    if (hf_text_is(period_unit, "bytes") && r->tables.period <= INT64_MAX)
        r->profile->capture.period_bytes = r->tables.period;
    status = hf_pprof_frames_init(&r->frames, r->profile, &r->tables, r->name, err);
    if (status == HF_OK)
        status = read_samples(r, message, err);
    if (status == HF_OK) {
        pprof_note_losses(r);
        note_choices(r);
    }
    return status;
}

static enum hf_status read_pprof(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    const struct hf_lifetimes *lifetimes = input->lifetimes;
    struct pprof_reader r = {.name = input->name,
        .profile = profile,
        .wants_classes = hf_lifetimes_need_classes(lifetimes)};
    struct hf_text message;
    enum hf_status status = hf_input_peek(input, (size_t)HF_LIMIT_PPROF_BYTES + 1, &message, err);
    if (status == HF_OK && message.size > HF_LIMIT_PPROF_BYTES)
        status = hf_error_set(err, HF_ERR_LIMIT,
            "has more than %u bytes after decompression (HF_LIMIT_PPROF_BYTES)",
            HF_LIMIT_PPROF_BYTES);
    if (status == HF_OK)
        status = pprof_read_message(&r, message, err);
    hf_pprof_frames_done(&r.frames);
    hf_pprof_tables_done(&r.tables);
    hf_map_done(&r.name_threads);
    hf_map_done(&r.other_keys);
    hf_out_done(&r.other_names);
    free(r.columns);
    free(r.stack);
    return status;
}

/* Of which kind the fields of a Profile are; HF_PROTOBUF_BYTES for messages and strings. */
static bool is_profile_field(const struct hf_protobuf_field *field)
{
    bool is_bytes = field->kind == HF_PROTOBUF_BYTES;
    bool may_be_packed = field->number == 13; /* comment */
    bool wants_bytes =
        field->number <= HF_PPROF_STRING_TABLE || field->number == HF_PPROF_PERIOD_TYPE;
    return field->number <= HF_PPROF_LAST_FIELD &&
           (wants_bytes ? is_bytes : field->kind == HF_PROTOBUF_VARINT || may_be_packed);
}

/* A ValueType has two numbers and nothing else. */
static bool is_value_type(struct hf_text message)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        if (field.kind != HF_PROTOBUF_VARINT || field.number > HF_PPROF_TYPE_UNIT)
            return false;
    }
    return !hf_cursor_failed(&c) && message.size != 0;
}

static enum hf_bid pprof_bid(struct hf_text first_bytes)
{
    struct hf_cursor c = hf_cursor_of(first_bytes.data, first_bytes.size, "");
    struct hf_protobuf_field field;
    bool has_type = false;
    while (hf_protobuf_next(&c, &field)) {
        if (!is_profile_field(&field) ||
            (field.number == HF_PPROF_SAMPLE_TYPE && !is_value_type(field.bytes)))
            return HF_BID_NO;
        has_type = has_type || field.number == HF_PPROF_SAMPLE_TYPE;
    }
    return has_type ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_pprof = {
    .name = "pprof",
    .bid = pprof_bid,
    .read = read_pprof,
};
