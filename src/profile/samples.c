#include "profile/samples.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "profile/interval.h"
#include "profile/lifetimes.h"
#include "profile/unbias.h"

#include <stdlib.h>

#define MOST_FACTOR 4e6 /* that can be kept */
#define FIND_STEPS 150
#define NEW_STEPS 300

static bool reserve_sample(struct hf_profile *profile)
{
    size_t stride = hf_profile_stride(profile);
    size_t needed;
    return hf_mul_size(profile->sample_count + 1, stride, &needed) &&
           hf_vec_reserve(&profile->samples, &profile->sample_capacity, profile->sample_count + 1,
               sizeof *profile->samples) &&
           hf_vec_reserve(
               &profile->values, &profile->values_capacity, needed, sizeof *profile->values);
}

static uint64_t samples_hash_of(struct hf_sample sample)
{
    return hf_hash_u64((uint64_t)sample.node << 32 | sample.thread);
}

static bool make_sample_index(struct hf_profile *profile)
{
    if (!hf_index_reset(&profile->sample_index, profile->sample_count))
        return false;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        hf_index_add(&profile->sample_index, samples_hash_of(profile->samples[i]), i);
    return true;
}

void hf_profile_expect_sample(const struct hf_profile *profile, uint32_t node, uint32_t thread)
{
    uint64_t hash = samples_hash_of((struct hf_sample){node, thread});
    if (profile->sample_index.room != 0)
        hf_index_prefetch(&profile->sample_index, hash);
}

static void say_saturated(struct hf_profile *profile)
{
    if (!profile->is_saturated)
        hf_notes_add(&profile->notes, HF_NOTE_LOSS,
            "a sum passed 2^64-1 and is shown as 18446744073709551615");
    profile->is_saturated = true;
}

void hf_sample_add(struct hf_profile *profile, uint32_t sample, const uint64_t *values)
{
    uint64_t *sums = hf_profile_values(profile, sample);
    bool saturated = false;
    for (size_t i = 0; i < hf_profile_stride(profile); i++)
        sums[i] = hf_add_saturating(sums[i], values[i], &saturated);
    if (saturated)
        say_saturated(profile);
}

void hf_samples_check_total(struct hf_profile *profile, size_t type)
{
    bool saturated = false;
    uint64_t grew = 0, released = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].thread != HF_THREAD_ALL)
            continue;
        grew = hf_add_saturating(grew, hf_profile_value(profile, i, type), &saturated);
        released = hf_add_saturating(released, hf_profile_released(profile, i, type), &saturated);
    }
    if (saturated)
        say_saturated(profile);
}

void hf_samples_scale(struct hf_profile *profile, double factor)
{
    size_t stride = hf_profile_stride(profile);
    if (factor <= 1)
        return;
    profile->capture.weight_per_mille =
        (uint32_t)hf_unbias_round(factor < MOST_FACTOR ? factor * 1000 : MOST_FACTOR * 1000);
    for (size_t type = 0; type < stride; type++) {
        struct hf_text name =
            hf_profile_text(profile, profile->types[type % profile->type_count].name);
        if (hf_text_is(name, HF_INUSE_SAMPLES) || hf_text_is(name, HF_PEAK_SAMPLES))
            continue;
        for (size_t i = 0; i < profile->sample_count; i++) {
            uint64_t *value = &hf_profile_values(profile, i)[type];
            *value = hf_unbias_round((double)*value * factor);
        }
    }
}

static enum hf_status add_row(
    struct hf_profile *profile, struct hf_sample sample, uint32_t *out_sample, struct hf_error *err)
{
    (void)hf_budget_step(NEW_STEPS);
    if (profile->sample_count == HF_LIMIT_SAMPLES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u stacks, counted separately for each thread (HF_LIMIT_SAMPLES)",
            HF_LIMIT_SAMPLES);
    if (!reserve_sample(profile))
        return hf_error_memory(err);
    *out_sample = (uint32_t)profile->sample_count++;
    profile->samples[*out_sample] = sample;
    memset(hf_profile_values(profile, *out_sample), 0,
        hf_profile_stride(profile) * sizeof *profile->values);
    return HF_OK;
}

enum hf_status hf_sample_find(struct hf_profile *profile, uint32_t node, uint32_t thread,
    uint32_t *out_sample, struct hf_error *err)
{
    struct hf_sample sample = {node, thread};
    (void)hf_budget_step(FIND_STEPS);
    uint64_t hash = samples_hash_of(sample);
    if (profile->sample_index.room == 0 && !make_sample_index(profile))
        return hf_error_memory(err);
    struct hf_index_probe probe = hf_index_start(&profile->sample_index, hash);
    uint32_t index;
    while (hf_index_next(&profile->sample_index, &probe, &index)) {
        if (profile->samples[index].node == node && profile->samples[index].thread == thread) {
            *out_sample = index;
            return HF_OK;
        }
    }
    enum hf_status status = add_row(profile, sample, out_sample, err);
    if (status == HF_OK)
        hf_index_put(&profile->sample_index, &probe, *out_sample);
    return status;
}

enum hf_status hf_sample_append(struct hf_profile *profile, uint32_t node, uint32_t thread,
    uint32_t *out_sample, struct hf_error *err)
{
    profile->sample_index.room = 0; /* it lacks this one: made anew when needed */
    return add_row(profile, (struct hf_sample){node, thread}, out_sample, err);
}

enum hf_status hf_profile_add_sample(struct hf_profile *profile, uint32_t node, uint32_t thread,
    const uint64_t *values, struct hf_error *err)
{
    uint32_t sample;
    enum hf_status status = hf_sample_find(profile, node, thread, &sample, err);
    if (status == HF_OK)
        hf_sample_add(profile, sample, values);
    return status;
}

/* Widens every row; the last one first, so that none is written over before it has moved. */
enum hf_status hf_samples_become_difference(struct hf_profile *profile, struct hf_error *err)
{
    size_t types = profile->type_count, row_bytes = types * sizeof *profile->values;
    if (profile->is_difference)
        return HF_OK;
    if (!hf_vec_reserve(&profile->values, &profile->values_capacity,
            profile->sample_count * 2 * types, sizeof *profile->values))
        return hf_error_memory(err);
    for (size_t i = profile->sample_count; i-- != 0;) {
        memmove(&profile->values[i * 2 * types], &profile->values[i * types], row_bytes);
        memset(&profile->values[(i * 2 + 1) * types], 0, row_bytes);
    }
    profile->is_difference = true;
    return HF_OK;
}

enum hf_status hf_profile_add_change(struct hf_profile *profile, uint32_t node, uint32_t thread,
    const uint64_t *grew_then_released, struct hf_error *err)
{
    uint64_t released = 0;
    for (size_t i = 0; i < profile->type_count; i++)
        released |= grew_then_released[profile->type_count + i];
    enum hf_status status = released != 0 ? hf_samples_become_difference(profile, err) : HF_OK;
    return status == HF_OK ? hf_profile_add_sample(profile, node, thread, grew_then_released, err)
                           : status;
}

void hf_samples_keep_types(struct hf_profile *profile, const bool is_kept[HF_VALUE_TYPES_MAX])
{
    size_t types = profile->type_count, values = profile->sample_count * hf_profile_stride(profile);
    size_t kept = 0;
    for (size_t i = 0; i < values; i++) {
        if (is_kept[i % types])
            profile->values[kept++] = profile->values[i];
    }
    profile->type_count = 0;
    for (size_t type = 0; type < types; type++) {
        if (type == profile->default_type)
            profile->default_type = profile->type_count;
        if (is_kept[type])
            profile->types[profile->type_count++] = profile->types[type];
    }
}

/* Keeps a type of values under a name that it may have had before; "not there" is no error. */
static enum hf_status keep_as(struct hf_profile *profile, const char *type, const char *name,
    bool is_kept[HF_VALUE_TYPES_MAX], struct hf_error *err)
{
    size_t at;
    if (!hf_profile_find_type(profile, hf_text_of(type), &at))
        return HF_OK;
    is_kept[at] = true;
    return hf_profile_string(profile, hf_text_of(name), &profile->types[at].name, err);
}

/* The values of a moment. */
struct moment_types {
    const char *name, *space, *objects, *samples;
    const char *why; /* they may be missing */
};

static const struct moment_types *find_moment(struct hf_text name)
{
    static const struct moment_types moments[] = {
        {"start", HF_START_SPACE, HF_START_OBJECTS, NULL,
            ": heapflame run and watch keep it of processes that they watch for longer than a "
            "second"},
        {"peak", HF_PEAK_SPACE, HF_PEAK_OBJECTS, HF_PEAK_SAMPLES, ""},
        {"end", "inuse_space", "inuse_objects", HF_INUSE_SAMPLES, ""},
    };
    size_t i = 0;
    while (i + 1 < HF_COUNT(moments) && !hf_text_is(name, moments[i].name))
        i++;
    return &moments[i];
}

enum hf_status hf_samples_keep_moment(
    struct hf_profile *profile, struct hf_text moment, struct hf_error *err)
{
    bool is_kept[HF_VALUE_TYPES_MAX] = {0};
    const struct moment_types *types = find_moment(moment);
    if (!hf_profile_find_type(profile, hf_text_of(types->space), &profile->default_type))
        return hf_error_set(err, HF_ERR_USAGE,
            "'@%s' needs values of type '%s', which the profile does not have%s", types->name,
            types->space, types->why);
    enum hf_status status = keep_as(profile, types->objects, "inuse_objects", is_kept, err);
    if (status == HF_OK && types->samples != NULL)
        status = keep_as(profile, types->samples, HF_INUSE_SAMPLES, is_kept, err);
    if (status == HF_OK)
        status = keep_as(profile, types->space, "inuse_space", is_kept, err);
    profile->capture.is_of_peak = strcmp(types->space, HF_PEAK_SPACE) == 0;
    if (status == HF_OK) /* they are of all moments */
        status = hf_lifetimes_drop(profile, false, err);
    if (status == HF_OK)
        hf_samples_keep_types(profile, is_kept);
    return status;
}

enum hf_status hf_samples_move(
    struct hf_profile *profile, const uint32_t *new_nodes, struct hf_error *err)
{
    /* The list only gets shorter, so a row is read before its place can be written. */
    size_t old_count = profile->sample_count;
    profile->sample_count = 0;
    profile->sample_index.room = 0;
    for (size_t i = 0; i < old_count; i++) {
        struct hf_sample sample = profile->samples[i];
        uint64_t row[2 * HF_VALUE_TYPES_MAX];
        memcpy(row, hf_profile_values(profile, i), hf_profile_stride(profile) * sizeof row[0]);
        enum hf_status status =
            hf_profile_add_sample(profile, new_nodes[sample.node], sample.thread, row, err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

/* True if frames that differ stay so: then no stacks become equal. */
static bool keeps_apart(
    const struct hf_profile *profile, const uint32_t *new_frames, uint32_t *old_plus_one)
{
    const struct hf_stacktree *tree = &profile->stacks;
    for (size_t node = 1; node < tree->count; node++) {
        uint32_t old = tree->nodes[node].frame;
        uint32_t *known = &old_plus_one[new_frames[old]];
        if (*known != 0 && *known != old + 1)
            return false;
        *known = old + 1;
    }
    return true;
}

/* Adds all nodes and samples again; nodes only get fewer, so each is read before it is written. */
static enum hf_status samples_add_again(struct hf_profile *profile, const uint32_t *new_frames,
    uint32_t *new_nodes, struct hf_error *err)
{
    struct hf_stacktree *tree = &profile->stacks;
    size_t old_count = tree->count;
    hf_stacktree_clear(tree);
    new_nodes[HF_STACK_ROOT] = HF_STACK_ROOT;
    for (size_t node = 1; node < old_count; node++) {
        struct hf_stack_node old = tree->nodes[node];
        enum hf_status status = hf_stacktree_child(
            tree, new_nodes[old.parent], new_frames[old.frame], &new_nodes[node], err);
        if (status != HF_OK)
            return status;
    }
    return hf_samples_move(profile, new_nodes, err);
}

enum hf_status hf_samples_map_frames(
    struct hf_profile *profile, const uint32_t *new_frames, struct hf_error *err)
{
    struct hf_stacktree *tree = &profile->stacks;
    uint32_t *old_plus_one = calloc((size_t)profile->frames.count + 1, sizeof *old_plus_one);
    if (old_plus_one == NULL)
        return hf_error_memory(err);
    bool is_simple = keeps_apart(profile, new_frames, old_plus_one);
    free(old_plus_one);
    hf_index_done(&tree->children);
    if (is_simple) {
        for (size_t node = 1; node < tree->count; node++)
            tree->nodes[node].frame = new_frames[tree->nodes[node].frame];
        return HF_OK;
    }
    uint32_t *new_nodes = reallocarray(NULL, tree->count, sizeof *new_nodes);
    enum hf_status status = new_nodes != NULL
                                ? samples_add_again(profile, new_frames, new_nodes, err)
                                : hf_error_memory(err);
    free(new_nodes);
    return status;
}
