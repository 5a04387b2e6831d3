/*
 * block_stacks.h: the blocks of a process's heaps as a profile, so that everything that shows
 * profiles shows what holds them: its stacks begin with what keeps a block (keeper_name.h), and go
 * on from container to content, by class and size.
 *
 *     global sessions (server);blocks of 48 B;Session 40 B;blocks of up to 2,048 B 2032000
 *
 * A frame's value is what the blocks below it retain together (heap/graph/dominators.h). Blocks of
 * one class and size are one frame; so are those without a class from one power of two to the next,
 * from SIZES_APART bytes on. A class is not repeated on the way, so a list or a tree of its objects
 * is one frame, however long it is; nor is, without classes, a sequence of up to PERIOD_MAX frames.
 *
 * Example:
 *
 *     struct hf_block_stacks_of of = {0};
 *     struct hf_profile *profile;
 *     status = hf_block_stacks_make(&of, &profile, err);
 *     if (status == HF_OK)
 *         hf_profile_free(profile);
 */
#ifndef HF_ANSWER_BLOCK_STACKS_H
#define HF_ANSWER_BLOCK_STACKS_H

#include "heap/graph/dominators.h"
#include "heap/graph/keepers.h"
#include "heap/object_classes.h"
#include "profile/profile.h"

/* All of one heap, and borrowed; classes are added. */
struct hf_block_stacks_of {
    const struct hf_heap *heap;
    const struct hf_dominators *tree;
    const struct hf_keepers *keepers;
    struct hf_object_classes *classes;
};

/* HF_ERR_MEMORY, HF_ERR_LIMIT. The caller frees the profile. */
HF_MUST_CHECK enum hf_status hf_block_stacks_make(
    const struct hf_block_stacks_of *of, struct hf_profile **out_profile, struct hf_error *err);

#endif
