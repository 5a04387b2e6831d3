#include "profile/profile.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

#define SEGMENTS_COMPARED 256

enum hf_status hf_profile_new(struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return hf_error_memory(err);
    uint32_t empty, none;
    if (!hf_intern_put(&profile->strings, "", 0, &empty) ||
        hf_stacktree_init(&profile->stacks, err) != HF_OK ||
        hf_profile_module(profile, HF_TEXT(""), HF_TEXT(""), &none, err) != HF_OK) {
        hf_profile_free(profile);
        return hf_error_memory(err);
    }
    *out_profile = profile;
    return HF_OK;
}

void hf_profile_free(struct hf_profile *profile)
{
    if (profile == NULL)
        return;
    for (size_t i = 0; i < profile->module_count; i++)
        free(profile->modules[i].segments);
    free(profile->modules);
    free(profile->threads);
    free(profile->samples);
    free(profile->values);
    free(profile->names.spans);
    free(profile->names.frames);
    hf_map_done(&profile->module_index);
    hf_map_done(&profile->thread_index);
    hf_index_done(&profile->sample_index);
    hf_map_done(&profile->names.index);
    hf_stacktree_done(&profile->stacks);
    hf_intern_done(&profile->frames);
    hf_intern_done(&profile->strings);
    hf_notes_done(&profile->notes);
    free(profile);
}

enum hf_status hf_profile_add_type(
    struct hf_profile *profile, const char *name, const char *unit, struct hf_error *err)
{
    if (profile->type_count == HF_VALUE_TYPES_MAX)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %d kinds of values in one profile (HF_VALUE_TYPES_MAX)", HF_VALUE_TYPES_MAX);
    struct hf_value_type *type = &profile->types[profile->type_count];
    enum hf_status status = hf_profile_string(profile, hf_text_of(name), &type->name, err);
    if (status == HF_OK)
        status = hf_profile_string(profile, hf_text_of(unit), &type->unit, err);
    if (status == HF_OK)
        profile->type_count++;
    return status;
}

enum hf_status hf_profile_add_inuse_types(struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_type(profile, "inuse_objects", "objects", err);
    if (status == HF_OK)
        status = hf_profile_add_type(profile, "inuse_space", "bytes", err);
    profile->default_type = HF_INUSE_SPACE;
    return status;
}

enum hf_status hf_profile_add_heap_types(struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_inuse_types(profile, err);
    if (status == HF_OK)
        status = hf_profile_add_type(profile, "alloc_objects", "objects", err);
    if (status == HF_OK)
        status = hf_profile_add_type(profile, "alloc_space", "bytes", err);
    return status;
}

bool hf_profile_find_type(const struct hf_profile *profile, struct hf_text name, size_t *out_type)
{
    for (size_t i = 0; i < profile->type_count; i++) {
        if (hf_text_equal(hf_profile_text(profile, profile->types[i].name), name)) {
            *out_type = i;
            return true;
        }
    }
    return false;
}

enum hf_status hf_profile_string(
    struct hf_profile *profile, struct hf_text text, uint32_t *out_string, struct hf_error *err)
{
    if (text.size > HF_LIMIT_STRING_BYTES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "a name or path has %zu bytes, more than %u (HF_LIMIT_STRING_BYTES)",
            /* never 1 */ text.size, HF_LIMIT_STRING_BYTES);
    if (!hf_intern_put(&profile->strings, text.data, text.size, out_string))
        return hf_error_memory(err);
    return HF_OK;
}

enum hf_status hf_profile_frame(struct hf_profile *profile, const struct hf_frame *frame,
    uint32_t *out_frame, struct hf_error *err)
{
    if (!hf_intern_put(&profile->frames, frame, sizeof *frame, out_frame))
        return hf_error_memory(err);
    return HF_OK;
}

static uint64_t module_key(const struct hf_module *module)
{
    return (uint64_t)module->path << 32 | module->build_id;
}

enum hf_status hf_profile_module(struct hf_profile *profile, struct hf_text path,
    struct hf_text build_id, uint32_t *out_module, struct hf_error *err)
{
    struct hf_module module = {0};
    enum hf_status status = hf_profile_string(profile, path, &module.path, err);
    if (status == HF_OK)
        status = hf_profile_string(profile, build_id, &module.build_id, err);
    if (status != HF_OK)
        return status;
    uint64_t key = module_key(&module);
    uint32_t *known = hf_map_find(&profile->module_index, key);
    if (known != NULL) {
        *out_module = *known;
        return HF_OK;
    }
    if (profile->module_count == HF_LIMIT_MODULES)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %u mapped files (HF_LIMIT_MODULES)", HF_LIMIT_MODULES);
    if (!hf_vec_reserve(&profile->modules, &profile->module_capacity, profile->module_count + 1,
            sizeof *profile->modules) ||
        hf_map_put(&profile->module_index, key, (uint32_t)profile->module_count, NULL) == NULL)
        return hf_error_memory(err);
    *out_module = (uint32_t)profile->module_count;
    profile->modules[profile->module_count++] = module;
    return HF_OK;
}

enum hf_status hf_profile_identify_module(
    struct hf_profile *profile, uint32_t module, struct hf_text build_id, struct hf_error *err)
{
    struct hf_module *known = &profile->modules[module];
    enum hf_status status = hf_profile_string(profile, build_id, &known->build_id, err);
    if (status == HF_OK &&
        hf_map_put(&profile->module_index, module_key(known), module, NULL) == NULL)
        status = hf_error_memory(err);
    return status;
}

enum hf_status hf_profile_add_segment(struct hf_profile *profile, uint32_t module,
    const struct hf_segment *segment, struct hf_error *err)
{
    struct hf_module *owner = &profile->modules[module];
    /* Of a file mapped in thousands of parts only the last are compared: twice does no harm. */
    size_t first =
        owner->segment_count > SEGMENTS_COMPARED ? owner->segment_count - SEGMENTS_COMPARED : 0;
    for (size_t i = first; i < owner->segment_count; i++) {
        const struct hf_segment *known = &owner->segments[i];
        if (known->file_offset == segment->file_offset &&
            known->end - known->start == segment->end - segment->start)
            return HF_OK;
    }
    if (!hf_vec_reserve(&owner->segments, &owner->segment_capacity, owner->segment_count + 1,
            sizeof *owner->segments))
        return hf_error_memory(err);
    owner->segments[owner->segment_count++] = *segment;
    return HF_OK;
}

static enum hf_status add_thread(struct hf_profile *profile, uint64_t uid, struct hf_error *err)
{
    if (profile->thread_count == HF_LIMIT_THREADS)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %u threads (HF_LIMIT_THREADS)", HF_LIMIT_THREADS);
    if (!hf_vec_reserve(&profile->threads, &profile->thread_capacity, profile->thread_count + 1,
            sizeof *profile->threads) ||
        hf_map_put(&profile->thread_index, uid, (uint32_t)profile->thread_count, NULL) == NULL)
        return hf_error_memory(err);
    profile->threads[profile->thread_count++] = (struct hf_thread){.uid = uid};
    return HF_OK;
}

enum hf_status hf_profile_thread(struct hf_profile *profile, uint64_t uid, struct hf_text name,
    uint32_t *out_thread, struct hf_error *err)
{
    const uint32_t *known = hf_map_find(&profile->thread_index, uid);
    uint32_t index = known != NULL ? *known : (uint32_t)profile->thread_count;
    if (known == NULL) {
        enum hf_status status = add_thread(profile, uid, err);
        if (status != HF_OK)
            return status;
    }
    struct hf_thread *thread = &profile->threads[index];
    if (thread->name == HF_NO_STRING && name.size != 0) {
        enum hf_status status = hf_profile_string(profile, name, &thread->name, err);
        if (status != HF_OK)
            return status;
    }
    *out_thread = index;
    return HF_OK;
}

struct hf_total hf_profile_total(const struct hf_profile *profile, size_t type, uint32_t thread)
{
    struct hf_total total = {0};
    bool saturated = false;
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].thread != thread)
            continue;
        total.value =
            hf_add_saturating(total.value, hf_profile_value(profile, i, type), &saturated);
        total.released =
            hf_add_saturating(total.released, hf_profile_released(profile, i, type), &saturated);
    }
    return total;
}

void hf_profile_trim(struct hf_profile *profile)
{
    hf_index_done(&profile->stacks.children);
    hf_index_done(&profile->sample_index);
}

enum hf_status hf_profile_expand(struct hf_profile *profile, uint32_t frame,
    const uint32_t *named_leaf_first, size_t count, struct hf_error *err)
{
    if (!hf_vec_reserve(&profile->names.spans, &profile->names.span_capacity,
            profile->names.span_count + 1, sizeof *profile->names.spans) ||
        !hf_vec_reserve(&profile->names.frames, &profile->names.frame_capacity,
            profile->names.frame_count + count, sizeof *profile->names.frames) ||
        hf_map_put(&profile->names.index, frame, (uint32_t)profile->names.span_count, NULL) == NULL)
        return hf_error_memory(err);
    profile->names.spans[profile->names.span_count++] =
        (struct hf_frame_span){(uint32_t)profile->names.frame_count, (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        profile->names.frames[profile->names.frame_count++] = named_leaf_first[i];
    return HF_OK;
}

bool hf_profile_is_expanded(const struct hf_profile *profile, uint32_t frame)
{
    return hf_map_find(&profile->names.index, frame) != NULL;
}

const uint32_t *hf_profile_expansion(
    const struct hf_profile *profile, const uint32_t *frame, size_t *out_count)
{
    const uint32_t *span = hf_map_find(&profile->names.index, *frame);
    if (span == NULL) {
        *out_count = 1;
        return frame;
    }
    *out_count = profile->names.spans[*span].count;
    return profile->names.frames + profile->names.spans[*span].first;
}

bool hf_profile_is_expanded_to(const struct hf_profile *profile, uint32_t frame,
    const uint32_t *named_leaf_first, size_t count)
{
    size_t known_count;
    const uint32_t *known = hf_profile_expansion(profile, &frame, &known_count);
    return known_count == count && memcmp(known, named_leaf_first, count * sizeof *known) == 0;
}
