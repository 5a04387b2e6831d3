#include "analysis/difference.h"

#include "profile/merge.h"

/* Leaves what each row changed by; drops rows that did not change. */
void hf_difference_of_pair(struct hf_profile *pair)
{
    size_t types = pair->type_count;
    size_t kept = 0;
    for (size_t i = 0; i < pair->sample_count; i++) {
        uint64_t *from = hf_profile_values(pair, i);
        uint64_t *to = hf_profile_values(pair, kept);
        uint64_t any = 0;
        for (size_t t = 0; t < types; t++) {
            uint64_t current = from[t], base = from[types + t];
            to[t] = current > base ? current - base : 0;
            to[types + t] = base > current ? base - current : 0;
            any |= to[t] | to[types + t];
        }
        if (any != 0)
            pair->samples[kept++] = pair->samples[i];
    }
    pair->sample_count = kept;
    /* The rows have moved: an index into them would lie. */
    hf_index_done(&pair->sample_index);
}

static enum hf_status merge_pair(struct hf_profile *pair, const struct hf_profile *base,
    const struct hf_profile *current, struct hf_error *err)
{
    enum hf_status status = hf_profile_copy_head(pair, current, err);
    if (status != HF_OK)
        return status;
    pair->is_difference = true;
    hf_notes_done(&pair->notes);
    status = hf_profile_merge(pair, current, err);
    if (status == HF_OK)
        status = hf_profile_merge_released(pair, base, err);
    return status;
}

enum hf_status hf_difference(const struct hf_profile *base, const struct hf_profile *current,
    struct hf_profile **out_difference, struct hf_error *err)
{
    if (base->is_difference || current->is_difference)
        return hf_profile_refuse_difference(err);
    struct hf_profile *difference;
    enum hf_status status = hf_profile_new(&difference, err);
    if (status != HF_OK)
        return status;
    status = merge_pair(difference, base, current, err);
    if (status != HF_OK) {
        hf_profile_free(difference);
        return status;
    }
    hf_difference_of_pair(difference);
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
