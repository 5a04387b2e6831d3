#include "analysis/difference.h"

/* Leaves of each pair (B in `grew`, A in `released`) what it changed by; drops empty rows. */
static void take_net(struct hf_profile *difference)
{
    size_t types = difference->type_count;
    size_t kept = 0;
    for (size_t i = 0; i < difference->sample_count; i++) {
        uint64_t *from = hf_profile_values(difference, i);
        uint64_t *to = hf_profile_values(difference, kept);
        uint64_t any = 0;
        for (size_t t = 0; t < types; t++) {
            uint64_t current = from[t], base = from[types + t];
            to[t] = current > base ? current - base : 0;
            to[types + t] = base > current ? base - current : 0;
            any |= to[t] | to[types + t];
        }
        if (any != 0)
            difference->samples[kept++] = difference->samples[i];
    }
    difference->sample_count = kept;
    /* The rows have moved: an index into them would lie. */
    hf_index_done(&difference->sample_index);
}

static enum hf_status both_sides(struct hf_profile *difference, const struct hf_profile *base,
    const struct hf_profile *current, struct hf_error *err)
{
    enum hf_status status = hf_profile_copy_head(difference, current, err);
    if (status != HF_OK)
        return status;
    difference->is_difference = true;
    hf_notes_done(&difference->notes);
    status = hf_profile_merge(difference, current, err);
    if (status == HF_OK)
        status = hf_profile_merge_released(difference, base, err);
    return status;
}

enum hf_status hf_difference(const struct hf_profile *base, const struct hf_profile *current,
    struct hf_profile **out_difference, struct hf_error *err)
{
    if (base->is_difference || current->is_difference)
        return hf_error_set(err, HF_ERR_USAGE,
            "a difference cannot be compared again: give the two plain profiles");
    struct hf_profile *difference;
    enum hf_status status = hf_profile_new(&difference, err);
    if (status != HF_OK)
        return status;
    status = both_sides(difference, base, current, err);
    if (status != HF_OK) {
        hf_profile_free(difference);
        return status;
    }
    take_net(difference);
    *out_difference = difference;
    return HF_OK;
}

void hf_difference_drop_released(struct hf_profile *difference)
{
    if (!difference->is_difference)
        return;
    for (size_t i = 0; i < difference->sample_count; i++) {
        uint64_t *values = hf_profile_values(difference, i);
        for (size_t t = 0; t < difference->type_count; t++)
            values[difference->type_count + t] = 0;
    }
}
