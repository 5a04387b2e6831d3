/*
 * shipped_stacks.h: the stacks of a batch: each has a number, its fingerprint, and, when all are
 * known, its names.
 *
 * They are collected as a profile whose threads are the stacks, so that folding, which makes one of
 * those that read the same, keeps them apart. A stack is named when its batch is made, once for all
 * profiles in that.
 *
 * Its *frames* are the named ones, the leaf first, one a line: the function, then, if they are
 * known, a tab and FILE:LINE. The allocator's own are left out. Its *place* is the function that
 * owns its memory (analysis/owner.h).
 */
#ifndef HF_ANSWER_SHIPPED_STACKS_H
#define HF_ANSWER_SHIPPED_STACKS_H

#include "answer/request.h"
#include "base/containers/arena.h"
#include "base/containers/print_map.h"
#include "store/batch.h"
#include "store/stack_fingerprint.h"

/* All-zero: none. */
struct hf_shipped_stacks {
    struct hf_profile *profile;   /* NULL: there are none */
    struct hf_print_map numbers;  /* of each stack by its fingerprint */
    struct hf_batch_stack *items; /* by number; names: once they were named */
    size_t count, capacity;
    struct hf_arena texts;
};
void hf_shipped_stacks_done(struct hf_shipped_stacks *stacks);

/*
 * Adds the stacks of a profile that hold anything of `types`: bytes, objects (the same for none).
 * *out_levels, which the caller frees, is what they hold, by their numbers.
 */
HF_MUST_CHECK enum hf_status hf_shipped_stacks_add(struct hf_shipped_stacks *stacks,
    struct hf_stack_printer *printer, const struct hf_profile *profile, const size_t types[2],
    struct hf_levels *out_levels, struct hf_error *err);

/* Names all. `notes`: what there is to say about it; NULL: nobody wants to know. */
HF_MUST_CHECK enum hf_status hf_shipped_stacks_name(struct hf_shipped_stacks *stacks,
    const struct hf_request *request, struct hf_notes *notes, struct hf_error *err);

#endif
