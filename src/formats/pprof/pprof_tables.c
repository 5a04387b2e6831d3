#include "formats/pprof/pprof_tables.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/protobuf.h"

#include <stdlib.h>

void hf_pprof_tables_done(struct hf_pprof_tables *tables)
{
    free(tables->strings);
    free(tables->types);
    free(tables->mappings);
    free(tables->functions);
    free(tables->locations);
    hf_map_done(&tables->mapping_index);
    hf_map_done(&tables->function_index);
    hf_map_done(&tables->location_index);
    *tables = (struct hf_pprof_tables){0};
}

struct hf_text hf_pprof_string(const struct hf_pprof_tables *tables, uint64_t index)
{
    return index < tables->string_count ? tables->strings[index] : HF_TEXT("");
}

/* One more entry of a table, not counted yet. */
static enum hf_status pprof_tables_make_room(
    void *items, size_t *room, size_t count, size_t item_size, struct hf_error *err)
{
    if (count == HF_LIMIT_PPROF_RECORDS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u strings, functions, locations or mappings (HF_LIMIT_PPROF_RECORDS)",
            HF_LIMIT_PPROF_RECORDS);
    return hf_vec_reserve(items, room, count + 1, item_size) ? HF_OK : hf_error_memory(err);
}

/* Counts the new entry at `*count`, unless its id is missing or was there before. */
static enum hf_status add_id(struct hf_pprof_tables *t, struct hf_map *index, uint64_t id,
    size_t *count, struct hf_error *err)
{
    bool is_new;
    if (hf_map_put(index, id, (uint32_t)*count, &is_new) == NULL)
        return hf_error_memory(err);
    if (is_new)
        ++*count;
    else
        t->damaged++;
    return HF_OK;
}

static struct hf_pprof_value_type read_value_type(struct hf_pprof_tables *t, struct hf_text message)
{
    struct hf_pprof_value_type type = {0};
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        if (field.number == HF_PPROF_TYPE_TYPE)
            type.type = field.value;
        else if (field.number == HF_PPROF_TYPE_UNIT)
            type.unit = field.value;
    }
    t->damaged += hf_cursor_failed(&c);
    return type;
}

static enum hf_status add_string(
    struct hf_pprof_tables *t, struct hf_text string, struct hf_error *err)
{
    enum hf_status status = pprof_tables_make_room(
        &t->strings, &t->string_room, t->string_count, sizeof *t->strings, err);
    if (status == HF_OK)
        t->strings[t->string_count++] = string;
    return status;
}

static enum hf_status pprof_tables_add_type(
    struct hf_pprof_tables *t, struct hf_text message, struct hf_error *err)
{
    enum hf_status status =
        pprof_tables_make_room(&t->types, &t->type_room, t->type_count, sizeof *t->types, err);
    if (status == HF_OK)
        t->types[t->type_count++] = read_value_type(t, message);
    return status;
}

static enum hf_status pprof_tables_add_mapping(
    struct hf_pprof_tables *t, struct hf_text message, struct hf_error *err)
{
    enum hf_status status = pprof_tables_make_room(
        &t->mappings, &t->mapping_room, t->mapping_count, sizeof *t->mappings, err);
    if (status != HF_OK)
        return status;
    struct hf_pprof_mapping *m = &t->mappings[t->mapping_count];
    *m = (struct hf_pprof_mapping){0};
    uint64_t id = 0;
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        switch (field.number) {
        case HF_PPROF_MAPPING_ID: id = field.value; break;
        case HF_PPROF_MAPPING_START: m->start = field.value; break;
        case HF_PPROF_MAPPING_LIMIT: m->limit = field.value; break;
        case HF_PPROF_MAPPING_OFFSET: m->offset = field.value; break;
        case HF_PPROF_MAPPING_FILENAME: m->file = field.value; break;
        case HF_PPROF_MAPPING_BUILD_ID: m->build_id = field.value; break;
        default: break;
        }
    }
    t->damaged += hf_cursor_failed(&c);
    return add_id(t, &t->mapping_index, id, &t->mapping_count, err);
}

static enum hf_status pprof_tables_add_function(
    struct hf_pprof_tables *t, struct hf_text message, struct hf_error *err)
{
    enum hf_status status = pprof_tables_make_room(
        &t->functions, &t->function_room, t->function_count, sizeof *t->functions, err);
    if (status != HF_OK)
        return status;
    struct hf_pprof_function *f = &t->functions[t->function_count];
    *f = (struct hf_pprof_function){0};
    uint64_t id = 0;
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        switch (field.number) {
        case HF_PPROF_FUNCTION_ID: id = field.value; break;
        case HF_PPROF_FUNCTION_NAME: f->name = field.value; break;
        case HF_PPROF_FUNCTION_SYSTEM_NAME: f->system_name = field.value; break;
        case HF_PPROF_FUNCTION_FILENAME: f->file = field.value; break;
        default: break;
        }
    }
    t->damaged += hf_cursor_failed(&c);
    return add_id(t, &t->function_index, id, &t->function_count, err);
}

static enum hf_status pprof_tables_add_location(
    struct hf_pprof_tables *t, struct hf_text message, struct hf_error *err)
{
    enum hf_status status = pprof_tables_make_room(
        &t->locations, &t->location_room, t->location_count, sizeof *t->locations, err);
    if (status != HF_OK)
        return status;
    struct hf_pprof_location *l = &t->locations[t->location_count];
    *l = (struct hf_pprof_location){.message = message};
    uint64_t id = 0;
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    while (hf_protobuf_next(&c, &field)) {
        switch (field.number) {
        case HF_PPROF_LOCATION_ID: id = field.value; break;
        case HF_PPROF_LOCATION_MAPPING_ID: l->mapping_id = field.value; break;
        case HF_PPROF_LOCATION_ADDRESS: l->address = field.value; break;
        case HF_PPROF_LOCATION_IS_FOLDED: l->is_folded = field.value != 0; break;
        default: break;
        }
    }
    t->damaged += hf_cursor_failed(&c);
    return add_id(t, &t->location_index, id, &t->location_count, err);
}

/* Only whether a value is negative: rows have more columns then, so it must be known before. */
static void look_at_sample(struct hf_pprof_tables *t, struct hf_text message)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    uint64_t value;
    while (!t->has_negative && hf_protobuf_next(&c, &field)) {
        if (field.number != HF_PPROF_SAMPLE_VALUE)
            continue;
        struct hf_protobuf_numbers numbers = hf_protobuf_numbers(&field);
        while (hf_protobuf_number(&numbers, &value))
            t->has_negative = t->has_negative || value > INT64_MAX;
    }
}

static void pprof_tables_add_comments(
    struct hf_pprof_tables *t, const struct hf_protobuf_field *field)
{
    struct hf_protobuf_numbers numbers = hf_protobuf_numbers(field);
    uint64_t value;
    while (t->comment_count < HF_PPROF_COMMENTS && hf_protobuf_number(&numbers, &value))
        t->comments[t->comment_count++] = value;
}

/* The strings of comments come after them. */
static void pprof_tables_find_own_comment(struct hf_pprof_tables *t)
{
    for (size_t i = 0; i < t->comment_count; i++) {
        if (hf_text_starts(hf_pprof_string(t, t->comments[i]), HF_PPROF_CLASS_COMMENT))
            t->own_comment = t->comments[i];
    }
}

static enum hf_status add_field(
    struct hf_pprof_tables *t, const struct hf_protobuf_field *field, struct hf_error *err)
{
    bool is_message = field->kind == HF_PROTOBUF_BYTES;
    switch (field->number) {
    case HF_PPROF_DROP_FRAMES: t->drop_frames = field->value; return HF_OK;
    case HF_PPROF_KEEP_FRAMES: t->keep_frames = field->value; return HF_OK;
    case HF_PPROF_PERIOD: t->period = field->value; return HF_OK;
    case HF_PPROF_DEFAULT_SAMPLE_TYPE: t->default_type = field->value; return HF_OK;
    case HF_PPROF_COMMENT: pprof_tables_add_comments(t, field); return HF_OK;
    default: break;
    }
    if (!is_message) {
        t->damaged += field->number <= HF_PPROF_STRING_TABLE;
        return HF_OK;
    }
    switch (field->number) {
    case HF_PPROF_SAMPLE_TYPE: return pprof_tables_add_type(t, field->bytes, err);
    case HF_PPROF_SAMPLE: look_at_sample(t, field->bytes); return HF_OK;
    case HF_PPROF_MAPPING: return pprof_tables_add_mapping(t, field->bytes, err);
    case HF_PPROF_LOCATION: return pprof_tables_add_location(t, field->bytes, err);
    case HF_PPROF_FUNCTION: return pprof_tables_add_function(t, field->bytes, err);
    case HF_PPROF_STRING_TABLE: return add_string(t, field->bytes, err);
    case HF_PPROF_PERIOD_TYPE: t->period_type = read_value_type(t, field->bytes); return HF_OK;
    default: return HF_OK;
    }
}

/* A file that is cut between two strings can be known by what refers to the rest. */
static uint64_t count_missing_strings(const struct hf_pprof_tables *t)
{
    const uint64_t others[] = {
        t->period_type.type, t->period_type.unit, t->default_type, t->drop_frames, t->keep_frames};
    uint64_t missing = 0;
    for (size_t i = 0; i < HF_COUNT(others); i++)
        missing += hf_pprof_is_missing(t, others[i]);
    for (size_t i = 0; i < t->type_count; i++)
        missing += hf_pprof_is_missing(t, t->types[i].unit);
    for (size_t i = 0; i < t->mapping_count; i++)
        missing += hf_pprof_is_missing(t, t->mappings[i].file) ||
                   hf_pprof_is_missing(t, t->mappings[i].build_id);
    for (size_t i = 0; i < t->function_count; i++)
        missing += hf_pprof_is_missing(t, t->functions[i].name) ||
                   hf_pprof_is_missing(t, t->functions[i].system_name) ||
                   hf_pprof_is_missing(t, t->functions[i].file);
    return missing;
}

enum hf_status hf_pprof_index(
    struct hf_pprof_tables *tables, struct hf_text message, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    enum hf_status status = HF_OK;
    *tables = (struct hf_pprof_tables){0};
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        tables->end = hf_cursor_offset(&c);
        status = add_field(tables, &field, err);
    }
    tables->is_cut = hf_cursor_failed(&c);
    tables->damaged += count_missing_strings(tables);
    pprof_tables_find_own_comment(tables);
    return status;
}
