/*
 * dhat.c: what Valgrind's DHAT writes, dhat.out.PID, and dhat-rs.
 *
 *     {"dhatFileVersion": 2, "mode": "heap", "bklt": true, ...,
 *      "pps": [{"tb": n, "tbk": n, "gb": n, "gbk": n, "eb": n, "ebk": n, ..., "fs": [n, ...]},
 * ...], "ftbl": ["[root]", "0x48417B4: malloc (in ...)", "0x109364: lose (leaks.c:10)", ...]}
 *
 * Source: the comment on the file format in Valgrind's dhat/dh_main.c; recorded from 3.19. A
 * program point `pps` has bytes and blocks in total (tb, tbk), at the moment of the global maximum
 * (gb, gbk) and at the end (eb, ebk); `fs` is its stack, leaf first, as places in `ftbl`, whose
 * entries are read by text_frame.h. Without lifetimes ("bklt": false: modes copy and ad-hoc) there
 * are only totals. Other fields are not read.
 *
 * JSON that is cut has lost its end, where the frames are: it is refused as a whole.
 */
#include "base/budget.h"
#include "base/limits.h"
#include "base/plural.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#define STEPS_A_BYTE 60 /* of JSON: to make the tree, and to free it */
#define VERSION_KEY "\"dhatFileVersion\""

struct dhat_value {
    const char *field, *name, *unit;
};

static const struct dhat_value heap_values[] = {
    {"ebk", "inuse_objects", "objects"},
    {"eb", "inuse_space", "bytes"},
    {"tbk", "alloc_objects", "objects"},
    {"tb", "alloc_space", "bytes"},
    {"gbk", "peak_objects", "objects"},
    {"gb", "peak_space", "bytes"},
};
static const struct dhat_value copy_values[] = {
    {"tbk", "copies", "count"}, {"tb", "copied_space", "bytes"}};
static const struct dhat_value adhoc_values[] = {
    {"tbk", "events", "count"}, {"tb", "units", "count"}};

#define VALUES_MAX HF_COUNT(heap_values)
#define DEFAULT_VALUE 1 /* inuse_space, copied_space, units */
#define PEAK_SPACE 5

struct dhat_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    uint64_t size;         /* bytes read so far */
    struct hf_text line;   /* what is left of it */
    bool has_line;         /* its rest, or at least its end, is still to be given */
    enum hf_status status; /* of the input */
    struct hf_error *err;
    const struct dhat_value *values;
    size_t value_count;
    uint32_t *frames; /* by place in ftbl */
    size_t frame_count;
};

/* For json_load_callback: the next bytes of the input; 0 at its end, -1 if it cannot be read. */
static size_t give_bytes(void *buffer, size_t size, void *context)
{
    struct dhat_reader *r = context;
    if (!r->has_line) {
        r->status = hf_input_line(r->input, &r->line, &r->has_line, r->err);
        if (r->status == HF_OK && r->size > HF_LIMIT_JSON_BYTES)
            r->status = hf_error_set(r->err, HF_ERR_LIMIT,
                "more than %u bytes of JSON (HF_LIMIT_JSON_BYTES)", HF_LIMIT_JSON_BYTES);
        if (r->status != HF_OK)
            return (size_t)-1;
        if (!r->has_line)
            return 0;
    }
    if (r->line.size == 0) {
        r->has_line = false;
        *(char *)buffer = '\n';
        return 1;
    }
    struct hf_text part = hf_text_first(r->line, size);
    memcpy(buffer, part.data, part.size);
    if (!hf_budget_step(part.size * STEPS_A_BYTE)) {
        r->status = hf_budget_refuse(r->err);
        return (size_t)-1;
    }
    r->line = hf_text_from(r->line, part.size);
    r->size += part.size;
    return part.size;
}

static enum hf_status dhat_load(struct dhat_reader *r, json_t **out_root)
{
    json_error_t error;
    uint64_t failed_count = hf_budget_scope.failed_count;
    json_set_alloc_funcs(hf_budget_malloc, hf_budget_free);
    json_t *root = json_load_callback(give_bytes, r, 0, &error);
    if (r->status != HF_OK) {
        json_decref(root);
        return r->status;
    }
    /* Of most allocations that fail Jansson says nothing: keys are cut, and values left out. */
    if (hf_budget_scope.failed_count != failed_count) {
        json_decref(root);
        return hf_error_memory(r->err);
    }
    if (root == NULL) {
        hf_error_set(r->err, HF_ERR_INPUT, "is not complete JSON: %s; the file is cut or damaged",
            error.text);
        hf_error_at_line(r->err, r->input->name, error.line > 0 ? (uint64_t)error.line : 1);
        return HF_ERR_INPUT;
    }
    *out_root = root;
    return HF_OK;
}

/* A field that is a number from 0 on. False if it is missing or anything else. */
static bool dhat_number_of(const json_t *object, const char *field, uint64_t *out_number)
{
    const json_t *value = json_object_get(object, field);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out_number = (uint64_t)json_integer_value(value);
    return true;
}

static enum hf_status dhat_add_types(struct dhat_reader *r, const json_t *root)
{
    uint64_t version = 0;
    bool is_known = dhat_number_of(root, "dhatFileVersion", &version) && version == 2;
    const char *mode = json_string_value(json_object_get(root, "mode"));
    if (!is_known || mode == NULL)
        return hf_error_set(r->err, HF_ERR_INPUT,
            "expected \"dhatFileVersion\": 2 and a \"mode\", found version %" PRIu64 ", mode '%s'",
            version, mode != NULL ? mode : "");
    r->values = heap_values;
    r->value_count = HF_COUNT(heap_values);
    if (!json_is_true(json_object_get(root, "bklt"))) {
        r->values = strcmp(mode, "copy") == 0 ? copy_values : adhoc_values;
        r->value_count = HF_COUNT(copy_values);
    }
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->value_count && status == HF_OK; i++)
        status = hf_profile_add_type(r->profile, r->values[i].name, r->values[i].unit, r->err);
    r->profile->default_type = DEFAULT_VALUE;
    return status;
}

/* One entry of the frame table; what is no place is a name. */
static enum hf_status dhat_add_frame(
    struct dhat_reader *r, const json_t *entry, uint32_t *out_frame)
{
    struct hf_text text = {json_string_value(entry), json_string_length(entry)};
    struct hf_text_frame frame;
    if (text.data != NULL && hf_text_frame_valgrind(text, &frame))
        return hf_text_frame_add(r->profile, &frame, out_frame, r->err);
    return hf_text_frame_label(
        r->profile, text.size != 0 ? text : HF_TEXT("[unknown]"), out_frame, r->err);
}

static enum hf_status read_frames(struct dhat_reader *r, const json_t *table)
{
    r->frame_count = json_array_size(table);
    r->frames = calloc(r->frame_count + 1, sizeof *r->frames);
    if (r->frames == NULL)
        return hf_error_memory(r->err);
    for (size_t i = 0; i < r->frame_count; i++) {
        enum hf_status status = dhat_add_frame(r, json_array_get(table, i), &r->frames[i]);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

/* The node of a stack; *out_is_sound is false if it names a frame that does not exist. */
static enum hf_status dhat_read_stack(
    struct dhat_reader *r, const json_t *places, uint32_t *out_node, bool *out_is_sound)
{
    size_t depth = json_array_size(places);
    *out_is_sound = json_is_array(places) && depth <= HF_LIMIT_STACK_FRAMES;
    if (!*out_is_sound)
        return HF_OK;
    *out_node = HF_STACK_ROOT;
    for (size_t i = depth; i-- != 0;) {
        const json_t *place = json_array_get(places, i);
        json_int_t at = json_is_integer(place) ? json_integer_value(place) : -1;
        *out_is_sound = at >= 0 && (uint64_t)at < r->frame_count;
        if (!*out_is_sound)
            return HF_OK;
        enum hf_status status =
            hf_stacktree_child(&r->profile->stacks, *out_node, r->frames[at], out_node, r->err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status read_point(struct dhat_reader *r, const json_t *point, bool *out_is_sound)
{
    uint64_t values[VALUES_MAX] = {0};
    uint32_t node;
    *out_is_sound = true;
    for (size_t i = 0; i < r->value_count; i++)
        *out_is_sound = *out_is_sound && dhat_number_of(point, r->values[i].field, &values[i]);
    if (!*out_is_sound)
        return HF_OK;
    enum hf_status status = dhat_read_stack(r, json_object_get(point, "fs"), &node, out_is_sound);
    if (status != HF_OK || !*out_is_sound)
        return status;
    return hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, r->err);
}

static enum hf_status read_points(struct dhat_reader *r, const json_t *points)
{
    size_t damaged = 0, first_damaged = 0;
    for (size_t i = 0; i < json_array_size(points); i++) {
        bool is_sound;
        enum hf_status status = read_point(r, json_array_get(points, i), &is_sound);
        if (status != HF_OK)
            return status;
        if (!is_sound && damaged++ == 0)
            first_damaged = i;
    }
    size_t all = json_array_size(points);
    if (damaged != 0)
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: left out %zu of %zu program %s in \"pps\", without a value, with a frame that "
            "does not "
            "exist or with more than %u frames (HF_LIMIT_STACK_FRAMES); the first is point %zu",
            r->input->name, damaged, all, hf_plural(all, "point", "points"), HF_LIMIT_STACK_FRAMES,
            first_damaged);
    return HF_OK;
}

/* Of a program that freed everything, the peak says more. */
static void dhat_choose_default(struct dhat_reader *r)
{
    struct hf_profile *profile = r->profile;
    if (r->values != heap_values ||
        hf_profile_total(profile, DEFAULT_VALUE, HF_THREAD_ALL).value != 0)
        return;
    profile->default_type = PEAK_SPACE;
    hf_notes_add(&profile->notes, HF_NOTE_INFO,
        "%s: nothing was in use at the end; peak_space is shown", r->input->name);
}

static enum hf_status read_root(struct dhat_reader *r, const json_t *root)
{
    enum hf_status status = dhat_add_types(r, root);
    const json_t *points = json_object_get(root, "pps"), *table = json_object_get(root, "ftbl");
    if (status == HF_OK && (!json_is_array(points) || !json_is_array(table)))
        status = hf_error_set(
            r->err, HF_ERR_INPUT, "expected the arrays \"pps\" and \"ftbl\" of DHAT's JSON");
    if (status == HF_OK)
        status = read_frames(r, table);
    if (status == HF_OK)
        status = read_points(r, points);
    if (status == HF_OK)
        dhat_choose_default(r);
    return status;
}

static enum hf_status read_dhat(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct dhat_reader r = {.input = input, .profile = profile, .err = err};
    json_t *root = NULL;
    enum hf_status status = dhat_load(&r, &root);
    if (status == HF_OK)
        status = read_root(&r, root);
    json_decref(root);
    free(r.frames);
    return status;
}

static enum hf_bid dhat_bid(struct hf_text first_bytes)
{
    while (first_bytes.size != 0 && memchr(" \t\r\n{", first_bytes.data[0], 5) != NULL)
        first_bytes = hf_text_from(first_bytes, 1);
    return hf_text_starts(first_bytes, VERSION_KEY) ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_dhat = {
    .name = "Valgrind DHAT",
    .bid = dhat_bid,
    .read = read_dhat,
};
