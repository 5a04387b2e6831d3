/*
 * stacktree.h: distinct call stacks as a tree that shares their common roots.
 *
 * A node is (parent, frame); the path from a node to the root is a stack. Node 0 is the root: it
 * is no frame and stands for the empty stack. A child always has a larger id than its parent, so a
 * loop from the last node down to 1 meets children before parents: sums over subtrees need no
 * recursion, however deep a stack is. Stacks are added as chains, so the node after a parent is
 * often a child of it: such a *next* child needs no index to be found. Ids depend on the order of
 * insertion: whatever is printed must be put in an order of its own.
 */
#ifndef HF_PROFILE_STACKTREE_H
#define HF_PROFILE_STACKTREE_H

#include "base/containers/index.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define HF_STACK_ROOT 0u

struct hf_stack_node {
    uint32_t parent;
    uint32_t frame; /* frame id of the profile; meaningless for the root */
};

struct hf_stacktree {
    struct hf_stack_node *nodes;
    size_t count; /* at least 1 after init: the root */
    size_t capacity;
    struct hf_index children; /* all others, by (parent, frame); made when needed */
};

HF_MUST_CHECK enum hf_status hf_stacktree_init(struct hf_stacktree *tree, struct hf_error *err);
void hf_stacktree_done(struct hf_stacktree *tree);

/* The child of `parent` for `frame`, made if it is new. HF_ERR_LIMIT: HF_LIMIT_STACK_NODES. */
HF_MUST_CHECK enum hf_status hf_stacktree_child(struct hf_stacktree *tree, uint32_t parent,
    uint32_t frame, uint32_t *out_node, struct hf_error *err);

/* Adds a child that `parent` is known to lack: quicker, for who knows that. */
HF_MUST_CHECK enum hf_status hf_stacktree_append(struct hf_stacktree *tree, uint32_t parent,
    uint32_t frame, uint32_t *out_node, struct hf_error *err);

/* The node of a whole stack given leaf first, as profiles list them. */
HF_MUST_CHECK enum hf_status hf_stacktree_add(struct hf_stacktree *tree, const uint32_t *leaf_first,
    size_t depth_frames, uint32_t *out_node, struct hf_error *err);

/* The next child of a node; the root if it has none. Try it first: it is likely the one. */
static inline uint32_t hf_stacktree_next_child(const struct hf_stacktree *tree, uint32_t node)
{
    size_t next = (size_t)node + 1;
    return next < tree->count && tree->nodes[next].parent == node ? (uint32_t)next : HF_STACK_ROOT;
}

/* Forgets all nodes but the root, and keeps their memory. */
void hf_stacktree_clear(struct hf_stacktree *tree);

/* Number of frames from the node to the root. */
size_t hf_stacktree_depth(const struct hf_stacktree *tree, uint32_t node);

#endif
