/*
 * stacktree.h: distinct call stacks as a tree that shares their common roots.
 *
 * A node is (parent, frame); the path from a node to the root is a stack. Node 0 is the root: it
 * is no frame and stands for the empty stack. A child always has a larger id than its parent, so a
 * loop from the last node down to 1 meets children before parents: sums over subtrees need no
 * recursion, however deep a stack is. Stacks are added as chains, so the node after a parent is
 * often a child of it: such a *next* child needs no index to be found. The others are found by a
 * hash of their whole path, so that where a stack goes is known before any of it has been looked
 * at. Ids depend on the order of insertion: whatever is printed must be put in an order of its own.
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
    uint32_t path;  /* a hash of the frames from the root to here, by which the index finds it */
};

#define HF_STACKTREE_EXPECTED_MAX 16

struct hf_stacktree {
    struct hf_stack_node *nodes;
    size_t count; /* at least 1 after init: the root */
    size_t capacity;
    struct hf_index children; /* all others, by their paths; made when needed */
};

HF_MUST_CHECK enum hf_status hf_stacktree_init(struct hf_stacktree *tree, struct hf_error *err);
void hf_stacktree_done(struct hf_stacktree *tree);

/* The child of `parent` for `frame`, made if it is new. HF_ERR_LIMIT: HF_LIMIT_STACK_NODES. */
HF_MUST_CHECK enum hf_status hf_stacktree_child(struct hf_stacktree *tree, uint32_t parent,
    uint32_t frame, uint32_t *out_node, struct hf_error *err);

/*
 * Begins to fetch what it takes to go down from `node` by some frames, one below the other: each
 * alone would be waited for. First what the index needs; then, when that has come, the nodes.
 * out_paths[i] is for the steps after it. `count` is at most HF_STACKTREE_EXPECTED_MAX.
 */
void hf_stacktree_expect(const struct hf_stacktree *tree, uint32_t node, const uint32_t *frames,
    size_t count, uint32_t *out_paths);
void hf_stacktree_expect_nodes(
    const struct hf_stacktree *tree, const uint32_t *paths, size_t count);

/* The nodes of those frames, as hf_stacktree_child finds or makes them one after the other. */
HF_MUST_CHECK enum hf_status hf_stacktree_go(struct hf_stacktree *tree, uint32_t node,
    const uint32_t *frames, const uint32_t *paths, size_t count, uint32_t *out_nodes,
    struct hf_error *err);

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
