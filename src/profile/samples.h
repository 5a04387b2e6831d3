/*
 * samples.h: the samples of a profile, for who adds millions of values to few of them, and what is
 * done to all at once.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL; // with one type of values
 *     uint32_t sample = 0;
 *     for (uint64_t bytes = 16; profile != NULL && bytes < 1048576; bytes *= 2) {
 *         status = hf_sample_find(profile, HF_STACK_ROOT, HF_THREAD_ALL, &sample, err);
 *         if (status != HF_OK)
 *             return status;
 *         hf_sample_add(profile, sample, &bytes);
 *     }
 */
#ifndef HF_PROFILE_SAMPLES_H
#define HF_PROFILE_SAMPLES_H

#include "profile/profile.h"

/* The sample of (node, thread), made without values if it is new. HF_ERR_LIMIT: HF_LIMIT_SAMPLES.
 */
HF_MUST_CHECK enum hf_status hf_sample_find(struct hf_profile *profile, uint32_t node,
    uint32_t thread, uint32_t *out_sample, struct hf_error *err);

/* Makes that of (node, thread), which has none: quicker, for who knows that. */
HF_MUST_CHECK enum hf_status hf_sample_append(struct hf_profile *profile, uint32_t node,
    uint32_t thread, uint32_t *out_sample, struct hf_error *err);

/* Adds hf_profile_stride() values to a sample. */
void hf_sample_add(struct hf_profile *profile, uint32_t sample, const uint64_t *values);

/*
 * Notes a loss, once, if the samples of the process together pass 2^64-1: for who shows their sum.
 */
void hf_samples_check_total(struct hf_profile *profile, size_t type);

/* Multiplies all values, but for counts of samples, by what is more than 1: a part of the time was
 * recorded (capture.weight_per_mille). */
void hf_samples_scale(struct hf_profile *profile, double factor);

/* Makes a plain profile a difference, in which all that there was grew. */
HF_MUST_CHECK enum hf_status hf_samples_become_difference(
    struct hf_profile *profile, struct hf_error *err);

/* Value types of what was in use when most was. */
#define HF_PEAK_OBJECTS "peak_objects"
#define HF_PEAK_SPACE "peak_space"
/* Likewise at the start: a second after the recording began (live/start_moment.h). */
#define HF_START_OBJECTS "start_objects"
#define HF_START_SPACE "start_space"
/* And of blocks that were freed before anything else happened. */
#define HF_TEMPORARY_OBJECTS "temporary_objects"

/* And of what was resident, by who mapped it or by cause. */
#define HF_RESIDENT_SPACE "resident_space"

/* Leaves out the value types that are not kept; the default type is. */
void hf_samples_keep_types(struct hf_profile *profile, const bool is_kept[HF_VALUE_TYPES_MAX]);

/*
 * Leaves what was in use at one moment, "start", "peak" or "end", as objects and bytes in use.
 * HF_ERR_USAGE: the profile does not know it.
 */
HF_MUST_CHECK enum hf_status hf_samples_keep_moment(
    struct hf_profile *profile, struct hf_text moment, struct hf_error *err);

/*
 * Moves every sample to new_nodes[its node], a node of the tree as it is; samples that meet are
 * added up.
 */
HF_MUST_CHECK enum hf_status hf_samples_move(
    struct hf_profile *profile, const uint32_t *new_nodes, struct hf_error *err);

/*
 * Replaces every frame by new_frames[frame] (ids of this profile; one entry per frame that existed
 * at the call). Stacks that become equal are added up.
 */
HF_MUST_CHECK enum hf_status hf_samples_map_frames(
    struct hf_profile *profile, const uint32_t *new_frames, struct hf_error *err);

#endif
