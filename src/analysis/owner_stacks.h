/*
 * owner_stacks.h: which frames of each stack of a folded profile could own its memory. owner.h says
 * by which rules; what a frame is, owner_frames.h.
 */
#ifndef HF_ANALYSIS_OWNER_STACKS_H
#define HF_ANALYSIS_OWNER_STACKS_H

#include "analysis/owner_frames.h"
#include "profile/fold.h"

/* What is found of a node on its way from the root. 0: no such node. */
struct hf_owner_node {
    uint32_t own, own_via;     /* the innermost own frame, and what it called */
    uint32_t caller;           /* the innermost own one outside of it, of another function */
    uint32_t other, other_via; /* the innermost named one of a library */
    uint32_t bare;             /* the innermost without a name */
    uint32_t depth;            /* own frames from where the program begins, with `own` */
    bool is_entry;             /* `own` is where the program begins */
    bool is_driver;            /* `own` says nothing of what is made below it */
    bool is_followed;          /* by sources: what is returned to here is stored */
    bool is_pooled;            /* a pool lies between `own` and here */
};

/* The stacks of one folded profile. Free with done. */
struct hf_owner_stacks {
    struct hf_owner_frames *frames;
    const struct hf_profile *folded;
    uint32_t *labels;            /* by frame: its label in `frames` */
    struct hf_owner_node *nodes; /* by node */
    uint32_t *likes; /* by node: that whose owner has it, too; 0: its own; may be NULL */
};

/*
 * Judges the frames of `folded` and walks its stacks. `from`: the named profile that it was made of
 * with this granularity, which says where code comes from; NULL: that is known already.
 */
HF_MUST_CHECK enum hf_status hf_owner_stacks_init(struct hf_owner_stacks *stacks,
    struct hf_owner_frames *frames, const struct hf_profile *folded, const struct hf_profile *from,
    enum hf_granularity granularity, struct hf_error *err);
void hf_owner_stacks_done(struct hf_owner_stacks *stacks);

/* Walks again: wrappers were learned. */
void hf_owner_stacks_walk(struct hf_owner_stacks *stacks);

/*
 * Who has what a pool made room for. Who called a pool was the one for whom nothing was left, e.g.
 * a function that needs many values for a moment, over and over, while another one keeps some of
 * them each time. So if the source of a script does not say that its caller keeps what it made
 * there, it belongs to the owner that keeps most, of those nearest in the tree: below the innermost
 * frame that any is below.
 */
HF_MUST_CHECK enum hf_status hf_owner_stacks_share_pools(
    struct hf_owner_stacks *stacks, size_t type, struct hf_error *err);

/* What the frame of a node is. */
const struct hf_owner_frame *hf_owner_stacks_at(
    const struct hf_owner_stacks *stacks, uint32_t node);

/* The node that owns what is allocated at `node`, and what it called for that; 0: nothing. */
uint32_t hf_owner_stacks_owner(
    const struct hf_owner_stacks *stacks, uint32_t node, uint32_t *out_via);

#endif
