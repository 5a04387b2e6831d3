/*
 * stored_profiles.h: the profiles of a row of a store: those of a batch, and of the later ones of
 * the same hour, put behind them.
 *
 * A batch begins with a keyframe (batch.h), and who ships often ships small ones. As changes of the
 * profile before, those of an hour take a fraction of that, however they came. Stacks are numbers
 * in a list of those in the store.
 *
 * Example:
 *
 *     static const uint32_t stacks[] = {7, 9}; // in the store, of a batch with two
 *     struct hf_text sent = {NULL, 0};
 *     struct hf_stored_profiles stored = {0};
 *     status = hf_stored_profiles_add(&stored, stacks, 2, sent, err);
 *     hf_out_u64(out, stored.stack_count);
 *     hf_stored_profiles_done(&stored);
 */
#ifndef HF_STORE_STORED_PROFILES_H
#define HF_STORE_STORED_PROFILES_H

#include "store/batch.h"

/* All-zero: none. */
struct hf_stored_profiles {
    uint32_t *stacks; /* each once */
    size_t stack_count, stack_capacity;
    struct hf_out profiles; /* as in a batch */
};
void hf_stored_profiles_done(struct hf_stored_profiles *stored);

/* Of the columns of a row: how many stacks, their list, the size of the profiles, and these, both
 * zlib. Call done in any case. HF_ERR_INPUT: damaged. HF_ERR_LIMIT: HF_LIMIT_LEVELS,
 * HF_LIMIT_INFLATED. */
HF_MUST_CHECK enum hf_status hf_stored_profiles_unpack(struct hf_stored_profiles *stored,
    int64_t stack_count, struct hf_text stacks, int64_t size, struct hf_text profiles,
    struct hf_error *err);

/*
 * Puts profiles behind those that are there, which they are later than; each stack of a batch is
 * stacks[number] in the store. HF_ERR_INPUT: either is damaged. HF_ERR_LIMIT: HF_LIMIT_LEVELS.
 */
HF_MUST_CHECK enum hf_status hf_stored_profiles_add(struct hf_stored_profiles *stored,
    const uint32_t *stacks, size_t stack_count, struct hf_text profiles, struct hf_error *err);

#endif
