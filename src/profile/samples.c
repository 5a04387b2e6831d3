#include "profile/samples.h"

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
