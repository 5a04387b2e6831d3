#include "profile/merge.h"

#include "profile/interval.h"
#include "profile/lifetimes.h"
#include "profile/modules.h"
#include "profile/samples.h"

#include <stdlib.h>
#include <string.h>

/* Where the parts of `from` are in `into`. */
struct translation {
    uint32_t *strings, *modules, *threads, *frames, *nodes;
    uint32_t root;                    /* node below which the stacks go */
    size_t types[HF_VALUE_TYPES_MAX]; /* NO_TYPE: left out */
};
#define NO_TYPE SIZE_MAX

static void translation_done(struct translation *t)
{
    free(t->strings);
    free(t->modules);
    free(t->threads);
    free(t->frames);
    free(t->nodes);
}

static bool translation_init(struct translation *t, const struct hf_profile *from)
{
    *t = (struct translation){
        .strings = calloc((size_t)from->strings.count + 1, sizeof *t->strings),
        .modules = calloc(from->module_count + 1, sizeof *t->modules),
        .threads = calloc(from->thread_count + 1, sizeof *t->threads),
        .frames = calloc((size_t)from->frames.count + 1, sizeof *t->frames),
        .nodes = calloc(from->stacks.count + 1, sizeof *t->nodes),
    };
    return t->strings != NULL && t->modules != NULL && t->threads != NULL && t->frames != NULL &&
           t->nodes != NULL;
}

enum hf_status hf_profile_copy_module_facts(struct hf_profile *into, uint32_t into_module,
    const struct hf_profile *from, uint32_t from_module, struct hf_error *err)
{
    const struct hf_module *source = &from->modules[from_module];
    struct hf_module *module = &into->modules[into_module];
    module->is_deleted = module->is_deleted || source->is_deleted;
    if (module->why_unnamed != HF_NO_STRING || source->why_unnamed == HF_NO_STRING)
        return HF_OK;
    return hf_profile_string(
        into, hf_profile_text(from, source->why_unnamed), &module->why_unnamed, err);
}

/*
 * The module of `into` that is module `i` of `from`. Where one side does not know the build-id, as
 * in heap_v2, the path decides: two files of one path are told apart only by two build-ids.
 */
static enum hf_status place_module(struct hf_profile *into, struct hf_map *by_path,
    const struct hf_profile *from, size_t i, uint32_t *out_module, struct hf_error *err)
{
    struct hf_text path = hf_profile_text(from, from->modules[i].path);
    struct hf_text build_id = hf_profile_text(from, from->modules[i].build_id);
    uint32_t path_id;
    enum hf_status status = hf_profile_string(into, path, &path_id, err);
    if (status != HF_OK)
        return status;
    const uint32_t *known = path.size != 0 ? hf_map_find(by_path, path_id) : NULL;
    if (known != NULL && build_id.size == 0) {
        *out_module = *known;
        return HF_OK;
    }
    if (known != NULL && into->modules[*known].build_id == HF_NO_STRING) {
        *out_module = *known;
        return hf_profile_identify_module(into, *known, build_id, err);
    }
    return hf_profile_module(into, path, build_id, out_module, err);
}

static enum hf_status merge_module(struct hf_profile *into, struct hf_map *by_path,
    const struct hf_profile *from, size_t i, uint32_t *out_module, struct hf_error *err)
{
    const struct hf_module *module = &from->modules[i];
    enum hf_status status = place_module(into, by_path, from, i, out_module, err);
    if (status == HF_OK)
        status = hf_profile_copy_module_facts(into, *out_module, from, (uint32_t)i, err);
    for (size_t s = 0; status == HF_OK && s < module->segment_count; s++)
        status = hf_profile_add_segment(into, *out_module, &module->segments[s], err);
    return status;
}

static enum hf_status merge_modules(struct hf_profile *into, const struct hf_profile *from,
    struct translation *t, struct hf_error *err)
{
    struct hf_map by_path = {0}; /* of `into`: path -> the first module that has it */
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < into->module_count; i++) {
        if (hf_map_put(&by_path, into->modules[i].path, (uint32_t)i, NULL) == NULL)
            status = hf_error_memory(err);
    }
    for (size_t i = 0; status == HF_OK && i < from->module_count; i++)
        status = merge_module(into, &by_path, from, i, &t->modules[i], err);
    hf_map_done(&by_path);
    return status;
}

/* Classes of blocks that `into` does not have (any more). */
static bool merge_leaves_out(
    const struct hf_profile *into, const struct hf_profile *from, uint32_t thread)
{
    enum hf_lifetimes_class kind;
    size_t index;
    return hf_lifetimes_class_of(from, thread, &kind, &index) &&
           (!into->capture.has_classes ||
               (kind == HF_CLASS_BIRTH && !hf_lifetimes_births_agree(into, from)));
}

/* What the two do not both have in the same way, the sum has not. */
static enum hf_status merge_classes(
    struct hf_profile *into, const struct hf_profile *from, bool is_released, struct hf_error *err)
{
    if (is_released || !from->capture.has_classes)
        return hf_lifetimes_drop(into, false, err);
    into->capture.has_no_freed |= from->capture.has_no_freed;
    return hf_lifetimes_births_agree(into, from) ? HF_OK : hf_lifetimes_drop(into, true, err);
}

static enum hf_status merge_names(struct hf_profile *into, const struct hf_profile *from,
    struct translation *t, struct hf_error *err)
{
    for (uint32_t i = 0; i < from->strings.count; i++) {
        enum hf_status status =
            hf_profile_string(into, hf_profile_text(from, i), &t->strings[i], err);
        if (status != HF_OK)
            return status;
    }
    for (uint32_t i = 0; i < from->thread_count; i++) {
        if (merge_leaves_out(into, from, i)) {
            t->threads[i] = HF_THREAD_ALL;
            continue;
        }
        enum hf_status status = hf_profile_thread(into, from->threads[i].uid,
            hf_profile_text(from, from->threads[i].name), &t->threads[i], err);
        if (status != HF_OK)
            return status;
    }
    for (uint32_t i = 0; i < from->frames.count; i++) {
        struct hf_frame frame = *hf_profile_frame_at(from, i);
        frame.module = t->modules[frame.module];
        frame.name = t->strings[frame.name];
        frame.file = t->strings[frame.file];
        frame.symbol = t->strings[frame.symbol];
        enum hf_status status = hf_profile_frame(into, &frame, &t->frames[i], err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

/*
 * Gives an address frame of `into` the names that came with `from`. Where it has others already, as
 * with two builds of one path, the address of `from` becomes a frame of its own.
 */
static enum hf_status merge_expansion(struct hf_profile *into, uint32_t *frame_id,
    const uint32_t *named, size_t count, struct hf_error *err)
{
    struct hf_frame frame = *hf_profile_frame_at(into, *frame_id);
    while (hf_profile_is_expanded(into, *frame_id)) {
        if (hf_profile_is_expanded_to(into, *frame_id, named, count))
            return HF_OK;
        frame.variant++;
        enum hf_status status = hf_profile_frame(into, &frame, frame_id, err);
        if (status != HF_OK)
            return status;
    }
    return hf_profile_expand(into, *frame_id, named, count, err);
}

static enum hf_status merge_expansions(struct hf_profile *into, const struct hf_profile *from,
    struct translation *t, struct hf_error *err)
{
    uint32_t *named = calloc(from->names.frame_count + 1, sizeof *named);
    enum hf_status status = named != NULL ? HF_OK : hf_error_memory(err);
    for (uint32_t i = 0; i < from->frames.count && status == HF_OK; i++) {
        size_t count;
        const uint32_t *from_named = hf_profile_expansion(from, &i, &count);
        if (!hf_profile_is_expanded(from, i))
            continue;
        for (size_t n = 0; n < count; n++)
            named[n] = t->frames[from_named[n]];
        status = merge_expansion(into, &t->frames[i], named, count, err);
    }
    free(named);
    return status;
}

/* `first_value`: the column of `into` where the values of `from` go. */
static enum hf_status merge_stacks(struct hf_profile *into, const struct hf_profile *from,
    struct translation *t, struct hf_error *err)
{
    t->nodes[HF_STACK_ROOT] = t->root;
    for (size_t node = 1; node < from->stacks.count; node++) {
        const struct hf_stack_node *old = &from->stacks.nodes[node];
        enum hf_status status = hf_stacktree_child(
            &into->stacks, t->nodes[old->parent], t->frames[old->frame], &t->nodes[node], err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status merge_samples(struct hf_profile *into, const struct hf_profile *from,
    struct translation *t, size_t first_value, struct hf_error *err)
{
    uint64_t row[2 * HF_VALUE_TYPES_MAX] = {0};
    for (size_t i = 0; i < from->sample_count; i++) {
        struct hf_sample sample = from->samples[i];
        uint32_t thread =
            sample.thread == HF_THREAD_ALL ? HF_THREAD_ALL : t->threads[sample.thread];
        if (thread == HF_THREAD_ALL && sample.thread != HF_THREAD_ALL)
            continue;
        for (size_t type = 0; type < from->type_count; type++) {
            if (t->types[type] == NO_TYPE)
                continue;
            row[first_value + t->types[type]] = hf_profile_value(from, i, type);
            if (from->is_difference)
                row[into->type_count + t->types[type]] = hf_profile_released(from, i, type);
        }
        enum hf_status status =
            hf_profile_add_sample(into, t->nodes[sample.node], thread, row, err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

enum hf_status hf_profile_share_types(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err)
{
    bool is_shared[HF_VALUE_TYPES_MAX] = {0};
    for (size_t i = 0; i < into->type_count; i++) {
        size_t ignored;
        is_shared[i] =
            hf_profile_find_type(from, hf_profile_text(into, into->types[i].name), &ignored);
    }
    if (!is_shared[into->default_type])
        return hf_error_set(err, HF_ERR_INPUT,
            "cannot be added to or compared with the other profile: it has other kinds of values "
            "(e.g. folded stacks and a heap dump)");
    for (size_t i = 0; i < into->type_count; i++) {
        const char *name = hf_profile_text(into, into->types[i].name).data;
        if (!is_shared[i] && strcmp(name, HF_INUSE_SAMPLES) != 0 &&
            strcmp(name, HF_PEAK_SAMPLES) != 0)
            hf_notes_add(&into->notes, HF_NOTE_INFO,
                "'%s' is left out: not all of the profiles have it", name);
    }
    hf_samples_keep_types(into, is_shared);
    return HF_OK;
}

/* Finds each value type of `from` in `into`, or NO_TYPE. */
static void match_types(const struct hf_profile *into, const struct hf_profile *from, size_t *types)
{
    for (size_t i = 0; i < from->type_count; i++) {
        if (!hf_profile_find_type(into, hf_profile_text(from, from->types[i].name), &types[i]))
            types[i] = NO_TYPE;
    }
}

/* All but the values. */
static enum hf_status translate(struct hf_profile *into, const struct hf_profile *from,
    uint32_t root, struct translation *t, struct hf_error *err)
{
    enum hf_status status = translation_init(t, from) ? HF_OK : hf_error_memory(err);
    t->root = root;
    if (status == HF_OK)
        status = merge_modules(into, from, t, err);
    if (status == HF_OK)
        status = merge_names(into, from, t, err);
    if (status == HF_OK)
        status = merge_expansions(into, from, t, err);
    if (status == HF_OK)
        status = merge_stacks(into, from, t, err);
    return status;
}

/* As what grew, or as what was released. `out_nodes`: the caller's to free; NULL: not asked for. */
static enum hf_status merge(struct hf_profile *into, const struct hf_profile *from,
    bool is_released, uint32_t root, uint32_t **out_nodes, struct hf_error *err)
{
    enum hf_status status = hf_profile_share_types(into, from, err);
    if (status != HF_OK)
        return status;
    status = merge_classes(into, from, is_released, err);
    if (status != HF_OK)
        return status;
    struct translation t;
    status = translate(into, from, root, &t, err);
    match_types(into, from, t.types);
    if (status == HF_OK)
        status = merge_samples(into, from, &t, is_released ? into->type_count : 0, err);
    if (status == HF_OK && out_nodes != NULL) {
        *out_nodes = t.nodes;
        t.nodes = NULL;
    }
    translation_done(&t);
    if (status != HF_OK)
        return status;
    hf_notes_merge(&into->notes, &from->notes);
    into->given_bytes += from->given_bytes;
    into->has_addresses = into->has_addresses || from->has_addresses;
    into->capture.is_no_heap = into->capture.is_no_heap || from->capture.is_no_heap;
    if (into->capture.process_id != from->capture.process_id)
        into->capture.process_id = 0;
    if (into->capture.process_start != from->capture.process_start)
        into->capture.process_start = 0;
    if (!hf_text_equal(hf_profile_text(into, into->capture.command),
            hf_profile_text(from, from->capture.command)))
        into->capture.command = HF_NO_STRING;
    if (into->capture.period_bytes != from->capture.period_bytes)
        into->capture.period_bytes = 0;
    if (into->capture.began_ms != from->capture.began_ms)
        into->capture.began_ms = 0;
    into->capture.peak_bytes = 0; /* of each of them */
    into->capture.peak_most_bytes = 0;
    into->capture.peak_after_ms = 0;
    into->capture.start_after_ms = 0;
    into->capture.curve = (struct hf_usage_curve){0};
    return HF_OK;
}

enum hf_status hf_profile_merge(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err)
{
    if (from->is_difference && !into->is_difference)
        return hf_error_set(
            err, HF_ERR_INPUT, "is a difference, which cannot be added to a plain profile");
    return merge(into, from, false, HF_STACK_ROOT, NULL, err);
}

enum hf_status hf_profile_merge_released(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err)
{
    if (from->is_difference || !into->is_difference)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a plain profile as the released part, found a difference");
    return merge(into, from, true, HF_STACK_ROOT, NULL, err);
}

enum hf_status hf_profile_merge_below(struct hf_profile *into, const struct hf_profile *from,
    struct hf_text root, uint32_t **out_nodes, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    uint32_t id, node;
    enum hf_status status = HF_OK;
    if (into->type_count == 0) {
        struct hf_notes own = into->notes;
        into->notes = (struct hf_notes){0};
        status = hf_profile_copy_head(into, from, err);
        hf_notes_done(&into->notes); /* those and the bytes come along below */
        into->notes = own;
        into->given_bytes = 0;
    }
    if (status == HF_OK)
        status = hf_profile_string(into, root, &frame.name, err);
    if (status == HF_OK)
        status = hf_profile_frame(into, &frame, &id, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&into->stacks, HF_STACK_ROOT, id, &node, err);
    return status == HF_OK ? merge(into, from, false, node, out_nodes, err) : status;
}

enum hf_status hf_profile_refuse_difference(struct hf_error *err)
{
    return hf_error_set(
        err, HF_ERR_USAGE, "a difference cannot be compared again: give the two plain profiles");
}

enum hf_status hf_profile_merge_stacks(struct hf_profile *into, const struct hf_profile *from,
    uint32_t **out_nodes, struct hf_error *err)
{
    struct translation t;
    enum hf_status status = translate(into, from, HF_STACK_ROOT, &t, err);
    if (status == HF_OK) {
        *out_nodes = t.nodes;
        t.nodes = NULL;
        into->given_bytes += from->given_bytes;
    }
    translation_done(&t);
    return status;
}

enum hf_status hf_profile_copy_head(
    struct hf_profile *to, const struct hf_profile *from, struct hf_error *err)
{
    for (size_t i = 0; i < from->type_count; i++) {
        enum hf_status status =
            hf_profile_add_type(to, hf_profile_text(from, from->types[i].name).data,
                hf_profile_text(from, from->types[i].unit).data, err);
        if (status != HF_OK)
            return status;
    }
    to->given_bytes = from->given_bytes;
    to->default_type = from->default_type;
    to->is_difference = from->is_difference;
    to->capture.period_bytes = from->capture.period_bytes;
    to->capture.process_id = from->capture.process_id;
    to->capture.peak_bytes = from->capture.peak_bytes;
    to->capture.peak_most_bytes = from->capture.peak_most_bytes;
    to->capture.is_of_peak = from->capture.is_of_peak;
    to->capture.peak_after_ms = from->capture.peak_after_ms;
    to->capture.start_after_ms = from->capture.start_after_ms;
    to->capture.curve = from->capture.curve;
    to->capture.began_ms = from->capture.began_ms;
    to->capture.epoch_shift = from->capture.epoch_shift;
    to->is_saturated = from->is_saturated;
    hf_notes_merge(&to->notes, &from->notes);
    uint32_t program = from->capture.program;
    if (program == HF_NO_STRING)
        program = from->modules[hf_modules_program(from)].path;
    enum hf_status status =
        hf_profile_string(to, hf_profile_text(from, program), &to->capture.program, err);
    return status == HF_OK ? hf_profile_string(to, hf_profile_text(from, from->capture.command),
                                 &to->capture.command, err)
                           : status;
}
