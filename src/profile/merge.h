/*
 * merge.h: where the stacks of one profile are in another: for those who keep values of their own;
 * and what cannot be compared. What adds up two profiles is in profile.h.
 */
#ifndef HF_PROFILE_MERGE_H
#define HF_PROFILE_MERGE_H

#include "profile/profile.h"

/*
 * Adds the stacks of `from` without values. *out_nodes says where each of its nodes is in `into`;
 * the caller frees it.
 */
HF_MUST_CHECK enum hf_status hf_profile_merge_stacks(struct hf_profile *into,
    const struct hf_profile *from, uint32_t **out_nodes, struct hf_error *err);

/* For who compares plain profiles: says that one is a difference itself; returns HF_ERR_USAGE. */
enum hf_status hf_profile_refuse_difference(struct hf_error *err);

#endif
