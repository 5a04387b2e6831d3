#include "profile/lifetimes.h"

#include "base/containers/vec.h"

#include <stdlib.h>

void hf_lifetimes_done(struct hf_lifetimes *lifetimes)
{
    free(lifetimes->births);
    free(lifetimes->freed);
    hf_map_done(&lifetimes->by_stack);
    *lifetimes = (struct hf_lifetimes){0};
}

/* Beyond the numbers of threads. */
static uint64_t class_uid(enum hf_lifetimes_class kind, size_t index)
{
    return UINT64_C(1) << 63 | (uint64_t)kind << 8 | index;
}

enum hf_status hf_lifetimes_add_class(struct hf_profile *profile, enum hf_lifetimes_class kind,
    size_t index, uint32_t *out_thread, struct hf_error *err)
{
    return hf_profile_thread(
        profile, class_uid(kind, index), (struct hf_text){NULL, 0}, out_thread, err);
}

bool hf_lifetimes_find_class(const struct hf_profile *profile, enum hf_lifetimes_class kind,
    size_t index, uint32_t *out_thread)
{
    const uint32_t *known = hf_map_find(&profile->thread_index, class_uid(kind, index));
    if (known != NULL)
        *out_thread = *known;
    return known != NULL;
}

/* The part of the time from from_ms to to_ms, from 1; what is later is in the last. */
static size_t bin_of(const struct hf_lifetimes *lifetimes, int64_t birth_ms)
{
    double span = (double)(lifetimes->to_ms - lifetimes->from_ms);
    double part = (double)(birth_ms - lifetimes->from_ms) / (span > 0 ? span : 1);
    if (part < 0)
        return 0;
    size_t bin = part < 1 ? (size_t)(part * HF_LIFETIMES_BINS) + 1 : HF_LIFETIMES_BINS;
    return bin < HF_LIFETIMES_BINS ? bin : HF_LIFETIMES_BINS;
}

enum hf_status hf_lifetimes_add(struct hf_lifetimes *lifetimes, uint32_t stack, int64_t birth_ms,
    double bytes, struct hf_error *err)
{
    bool is_new;
    uint32_t *number =
        hf_map_put(&lifetimes->by_stack, stack, (uint32_t)lifetimes->birth_count, &is_new);
    if (number == NULL)
        return hf_error_memory(err);
    if (is_new) {
        if (!hf_vec_reserve(&lifetimes->births, &lifetimes->birth_capacity,
                lifetimes->birth_count + 1, sizeof *lifetimes->births))
            return hf_error_memory(err);
        lifetimes->births[lifetimes->birth_count++] = (struct hf_births){.stack = stack};
    }
    struct hf_births *births = &lifetimes->births[*number];
    births->bytes[bin_of(lifetimes, birth_ms)] += bytes;
    if (birth_ms < lifetimes->old_ms)
        births->old_bytes += bytes;
    return HF_OK;
}

enum hf_status hf_lifetimes_add_freed(struct hf_lifetimes *lifetimes, uint32_t node, uint32_t at,
    uint64_t count, struct hf_error *err)
{
    if (!hf_vec_reserve(&lifetimes->freed, &lifetimes->freed_capacity, lifetimes->freed_count + 1,
            sizeof *lifetimes->freed))
        return hf_error_memory(err);
    lifetimes->freed[lifetimes->freed_count++] = (struct hf_freed){node, at, count};
    return HF_OK;
}
