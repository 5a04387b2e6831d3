/*
 * merge.h: one profile goes into another: sums, both sides of a comparison, or the stacks alone for
 * those who keep values of their own.
 *
 * Example:
 *
 *     struct hf_profile *sum = NULL, *next = NULL; // two that were read
 *     if (sum != NULL && next != NULL)
 *         status = hf_profile_share_types(sum, next, err);
 *     if (sum != NULL && next != NULL && status == HF_OK)
 *         status = hf_profile_merge(sum, next, err);
 */
#ifndef HF_PROFILE_MERGE_H
#define HF_PROFILE_MERGE_H

#include "profile/profile.h"

/*
 * Adds all of `from`: stacks, values of the types that both have, modules, threads
 * by uid, names, notes. Plain values go into a difference as what grew. HF_ERR_INPUT: `into`'s
 * default type is not among those of `from`, or a difference would go into a plain profile.
 */
HF_MUST_CHECK enum hf_status hf_profile_merge(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err);

/*
 * The same of a plain profile, whose stacks go below a frame called `root`; an empty profile takes
 * its value types. *out_nodes says where each of its nodes is in `into`; the caller frees it.
 */
HF_MUST_CHECK enum hf_status hf_profile_merge_below(struct hf_profile *into,
    const struct hf_profile *from, struct hf_text root, uint32_t **out_nodes, struct hf_error *err);

/* The same, the plain values of `from` going into the difference `into` as what was released. */
HF_MUST_CHECK enum hf_status hf_profile_merge_released(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err);

/*
 * Adds the stacks of `from` without values. *out_nodes says where each of its nodes is in `into`;
 * the caller frees it.
 */
HF_MUST_CHECK enum hf_status hf_profile_merge_stacks(struct hf_profile *into,
    const struct hf_profile *from, uint32_t **out_nodes, struct hf_error *err);

/* For who compares plain profiles: says that one is a difference itself; returns HF_ERR_USAGE. */
enum hf_status hf_profile_refuse_difference(struct hf_error *err);

/*
 * Leaves out of `into` the value types that `from` lacks, and notes it: only what both have can be
 * added or compared. HF_ERR_INPUT, and nothing has changed, if `into`'s default type is one.
 */
HF_MUST_CHECK enum hf_status hf_profile_share_types(
    struct hf_profile *into, const struct hf_profile *from, struct hf_error *err);

#endif
