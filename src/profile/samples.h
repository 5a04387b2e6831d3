/*
 * samples.h: what is done to all samples of a profile at once.
 */
#ifndef HF_PROFILE_SAMPLES_H
#define HF_PROFILE_SAMPLES_H

#include "profile/profile.h"

/*
 * Moves every sample to new_nodes[its node], a node of the tree as it is; samples that meet are
 * added up.
 */
HF_MUST_CHECK enum hf_status hf_samples_move(
    struct hf_profile *profile, const uint32_t *new_nodes, struct hf_error *err);

#endif
