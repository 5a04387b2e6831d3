/*
 * flame_tree.h: the tree that a flame graph draws.
 *
 * One node per (parent, frame), node 0 is `all`. No two frames of a folded profile read the same
 * (profile/fold.h), so siblings differ by label and a name is one box wherever its lines stood in
 * the input. A child always has a larger id than its parent, so every pass is a loop over ids,
 * never a recursion: stacks of 50,000 frames are ordinary.
 *
 * Values are exact: each node has the sums of its subtree, what grew and what was released (0
 * unless the profile is a difference). A node is as wide as both together. Along the x axis a node
 * begins with its own value, followed by its children in the order of their labels: equal profiles
 * give equal pictures. A chart keeps the order of the samples instead.
 */
#ifndef HF_RENDER_FLAME_TREE_H
#define HF_RENDER_FLAME_TREE_H

#include "base/checked.h"
#include "base/error.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/stacktree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_flame_tree {
    struct hf_stacktree reversed;      /* the stacks, when they are not the profile's own */
    const struct hf_stack_node *nodes; /* borrowed from the profile or from `reversed` */
    size_t count;
    struct hf_order order;    /* labels by frame, children by node */
    struct hf_total *sums;    /* by node: of the subtree */
    uint64_t *start;          /* by node: left edge, in units of the value */
    uint32_t *depth;          /* by node: 0 for `all` */
    uint32_t *sample_nodes;   /* by sample of the profile */
    struct hf_total *changes; /* by node, of its own values; NULL: hf_flame_tree_compare */
    uint64_t largest_change;  /* of one node, at least 1 */
    bool is_saturated;        /* some sum reached 2^64-1 and stays there */
};

/*
 * Builds the tree of one value type of a folded profile, which has to outlive it; with
 * `is_reversed` stacks begin with their leaf. `*out_tree` needs hf_flame_tree_done in any case.
 * Cost: linear in the nodes (reversed: in the summed depth of the samples), but for sorting.
 */
HF_MUST_CHECK enum hf_status hf_flame_tree_build(const struct hf_profile *folded, size_t type,
    bool is_reversed, struct hf_flame_tree *out_tree, struct hf_error *err);
void hf_flame_tree_done(struct hf_flame_tree *tree);

/*
 * For a chart: puts siblings in the order of their nodes, and each node where its first sample
 * stands in the order of the samples. What a node holds itself then lies between its children.
 */
HF_MUST_CHECK enum hf_status hf_flame_tree_keep_order(
    struct hf_flame_tree *tree, const struct hf_profile *folded, size_t type, struct hf_error *err);

/* Fills `changes`: what the nodes' own values of `type` have more or less than those of `base`. */
HF_MUST_CHECK enum hf_status hf_flame_tree_compare(struct hf_flame_tree *tree,
    const struct hf_profile *folded, size_t type, size_t base, struct hf_error *err);

/* Width of a node in units of the value. */
static inline uint64_t hf_flame_tree_width(const struct hf_flame_tree *tree, size_t node)
{
    bool ignored;
    return hf_add_saturating(tree->sums[node].value, tree->sums[node].released, &ignored);
}

/* What a node holds itself, without its children; but in a chart it lies at its left edge. */
uint64_t hf_flame_tree_own_width(const struct hf_flame_tree *tree, size_t node);

/* What `all` holds itself: values without a stack. */
struct hf_total hf_flame_tree_no_stack(const struct hf_flame_tree *tree);

/* Raw text of a node. Borrowed from the tree. */
struct hf_text hf_flame_tree_label(const struct hf_flame_tree *tree, size_t node);

#endif
