#include "store/stored_profiles.h"

#include "base/checked.h"
#include "base/containers/map.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "compress/inflate.h"

#include <stdlib.h>

void hf_stored_profiles_done(struct hf_stored_profiles *stored)
{
    free(stored->stacks);
    hf_out_done(&stored->profiles);
    *stored = (struct hf_stored_profiles){0};
}

enum hf_status hf_stored_profiles_unpack(struct hf_stored_profiles *stored, int64_t stack_count,
    struct hf_text stacks, int64_t size, struct hf_text profiles, struct hf_error *err)
{
    char *list, *unpacked;
    if (stack_count < 0 || stack_count > (int64_t)HF_LIMIT_LEVELS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "profiles in the store have more than %u stacks (HF_LIMIT_LEVELS)",
            (unsigned)HF_LIMIT_LEVELS);
    enum hf_status status = hf_inflate(
        HF_COMPRESSION_ZLIB, stacks, (uint64_t)stack_count * sizeof *stored->stacks, &list, err);
    if (status != HF_OK)
        return status;
    stored->stacks = (uint32_t *)(void *)list;
    stored->stack_count = stored->stack_capacity = (size_t)stack_count;
    status = hf_inflate(HF_COMPRESSION_ZLIB, profiles, (uint64_t)size, &unpacked, err);
    if (status != HF_OK)
        return status;
    hf_out_bytes(&stored->profiles, unpacked, (size_t)size);
    free(unpacked);
    return hf_out_finish(&stored->profiles, err);
}

/* What is put behind what is there. */
struct appended {
    struct hf_stored_profiles *stored;
    struct hf_map index;     /* of its stacks */
    uint32_t *places;        /* by number in the batch: number in the list */
    struct hf_levels before; /* the last that was written, by the list */
    bool has_before;
};

static enum hf_status place_stacks(
    struct appended *a, const uint32_t *stacks, size_t count, struct hf_error *err)
{
    struct hf_stored_profiles *stored = a->stored;
    bool is_new;
    a->places = calloc(count + 1, sizeof *a->places);
    if (a->places == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < stored->stack_count; i++) {
        if (hf_map_put(&a->index, stored->stacks[i], (uint32_t)i, &is_new) == NULL)
            return hf_error_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t next = (uint32_t)stored->stack_count;
        const uint32_t *place = hf_map_put(&a->index, stacks[i], next, &is_new);
        if (place == NULL || !hf_vec_reserve(&stored->stacks, &stored->stack_capacity,
                                 stored->stack_count + 1, sizeof *stored->stacks))
            return hf_error_memory(err);
        a->places[i] = *place;
        if (is_new)
            stored->stacks[stored->stack_count++] = stacks[i];
    }
    if (stored->stack_count > HF_LIMIT_LEVELS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the profiles of an hour have more than %u stacks (HF_LIMIT_LEVELS)",
            (unsigned)HF_LIMIT_LEVELS);
    return HF_OK;
}

/* The levels of the last profile that is there. */
static enum hf_status read_before(struct appended *a, struct hf_error *err)
{
    struct hf_batch_reader reader = {
        .cursor = hf_batch_cursor_of(hf_out_view(&a->stored->profiles))};
    bool is_one = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && is_one)
        status = hf_batch_next_profile(&reader, a->stored->stack_count, &is_one, err);
    a->before = reader.levels;
    a->has_before = reader.has_levels;
    return status;
}

static int compare_placed(const void *a, const void *b)
{
    const struct hf_level *x = a, *y = b;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* A batch may list a stack twice; here it is one. */
static void add_up_placed(struct hf_levels *levels)
{
    size_t kept = 0;
    bool ignored = false;
    for (size_t i = 0; i < levels->count; i++) {
        struct hf_level level = levels->items[i];
        if (kept == 0 || levels->items[kept - 1].stack != level.stack) {
            levels->items[kept++] = level;
            continue;
        }
        struct hf_level *same = &levels->items[kept - 1];
        same->bytes = hf_add_saturating(same->bytes, level.bytes, &ignored);
        same->objects = hf_add_saturating(same->objects, level.objects, &ignored);
    }
    levels->count = kept;
}

/* Takes the place of the levels before. */
static enum hf_status write_next(
    struct appended *a, int64_t ms, const struct hf_levels *levels, struct hf_error *err)
{
    struct hf_levels now = {0};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < levels->count; i++) {
        struct hf_level level = levels->items[i];
        level.stack = a->places[level.stack];
        status = hf_levels_add(&now, level, err);
    }
    if (now.count != 0)
        qsort(now.items, now.count, sizeof *now.items, compare_placed);
    add_up_placed(&now);
    if (status == HF_OK)
        status = hf_batch_put_profile(
            &a->stored->profiles, ms, a->has_before ? &a->before : NULL, &now, err);
    hf_levels_done(&a->before);
    a->before = now;
    a->has_before = true;
    return status;
}

static enum hf_status append_profiles(
    struct appended *a, size_t stack_count, struct hf_text profiles, struct hf_error *err)
{
    struct hf_batch_reader reader = {.cursor = hf_batch_cursor_of(profiles)};
    bool is_one = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && is_one) {
        status = hf_batch_next_profile(&reader, stack_count, &is_one, err);
        if (status == HF_OK && is_one)
            status = write_next(a, reader.ms, &reader.levels, err);
    }
    hf_levels_done(&reader.levels);
    return status == HF_OK ? hf_out_finish(&a->stored->profiles, err) : status;
}

enum hf_status hf_stored_profiles_add(struct hf_stored_profiles *stored, const uint32_t *stacks,
    size_t stack_count, struct hf_text profiles, struct hf_error *err)
{
    struct appended a = {.stored = stored};
    enum hf_status status = read_before(&a, err);
    if (status == HF_OK)
        status = place_stacks(&a, stacks, stack_count, err);
    if (status == HF_OK)
        status = append_profiles(&a, stack_count, profiles, err);
    hf_levels_done(&a.before);
    hf_map_done(&a.index);
    free(a.places);
    return status;
}
