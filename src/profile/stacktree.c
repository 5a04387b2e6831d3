#include "profile/stacktree.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

#define CHILD_STEPS 100 /* to find one, and to find out which is wanted */
#define NEW_STEPS 300   /* to make one */
#define NODES_AHEAD 12  /* what their slots need is fetched so long before */

enum hf_status hf_stacktree_init(struct hf_stacktree *tree, struct hf_error *err)
{
    *tree = (struct hf_stacktree){0};
    if (!hf_vec_reserve(&tree->nodes, &tree->capacity, 1, sizeof *tree->nodes))
        return hf_error_memory(err);
    tree->nodes[0] = (struct hf_stack_node){.parent = HF_STACK_ROOT};
    tree->count = 1;
    return HF_OK;
}

void hf_stacktree_done(struct hf_stacktree *tree)
{
    free(tree->nodes);
    hf_index_done(&tree->children);
    *tree = (struct hf_stacktree){0};
}

void hf_stacktree_clear(struct hf_stacktree *tree)
{
    tree->count = 1;
    tree->children.room = 0;
}

/* Of two different paths by chance alone the same: who looks one up compares its nodes. */
static uint32_t path_to(uint32_t parent_path, uint32_t frame)
{
    return (uint32_t)(hf_hash_u64((uint64_t)parent_path << 32 | frame) >> 32);
}

/* For the index, which takes its place from the upper half and its tag from the lowest bits. */
static uint64_t stacktree_hash_of(uint32_t path)
{
    return (uint64_t)path << 32 | path;
}

/* Nodes that are their parent's next child are left out. */
static bool make_index(struct hf_stacktree *tree)
{
    size_t count = 0;
    for (size_t node = 1; node < tree->count; node++)
        count += tree->nodes[node].parent + 1 != node;
    if (!hf_index_reset(&tree->children, count))
        return false;
    for (uint32_t node = 1; node < tree->count; node++) {
        const struct hf_stack_node *n = &tree->nodes[node];
        if (tree->count - node > NODES_AHEAD && n[NODES_AHEAD].parent + 1 != node + NODES_AHEAD)
            hf_index_prefetch(&tree->children, stacktree_hash_of(n[NODES_AHEAD].path));
        if (n->parent + 1 != node)
            hf_index_add(&tree->children, stacktree_hash_of(n->path), node);
    }
    return true;
}

/* Adds a child of `parent`; `probe` is where its search ended; NULL: it is not to be found by it.
 */
static HF_ALWAYS_INLINE enum hf_status add_child(struct hf_stacktree *tree, uint32_t parent,
    uint32_t frame, uint32_t path, const struct hf_index_probe *probe, uint32_t *out_node,
    struct hf_error *err)
{
    (void)hf_budget_step(NEW_STEPS);
    if (tree->count > HF_LIMIT_STACK_NODES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u distinct callers and callees (HF_LIMIT_STACK_NODES)",
            HF_LIMIT_STACK_NODES);
    if (!hf_vec_reserve(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes))
        return hf_error_memory(err);
    *out_node = (uint32_t)tree->count++;
    tree->nodes[*out_node] = (struct hf_stack_node){parent, frame, path};
    if (probe != NULL)
        hf_index_put(&tree->children, probe, *out_node);
    return HF_OK;
}

/* The child of a parent, `path` being its own. */
static inline enum hf_status child_by_path(struct hf_stacktree *tree, uint32_t parent,
    uint32_t frame, uint32_t path, uint32_t *out_node, struct hf_error *err)
{
    if (!hf_budget_step(CHILD_STEPS))
        return hf_budget_refuse(err);
    if ((size_t)parent + 1 == tree->count)
        return add_child(tree, parent, frame, path, NULL, out_node, err);
    uint32_t next = hf_stacktree_next_child(tree, parent);
    if (next != HF_STACK_ROOT && tree->nodes[next].frame == frame) {
        *out_node = next;
        return HF_OK;
    }
    if (tree->children.room == 0 && !make_index(tree))
        return hf_error_memory(err);
    struct hf_index_probe probe = hf_index_start(&tree->children, stacktree_hash_of(path));
    uint32_t node;
    while (hf_index_next(&tree->children, &probe, &node)) {
        if (tree->nodes[node].parent == parent && tree->nodes[node].frame == frame) {
            *out_node = node;
            return HF_OK;
        }
    }
    return add_child(tree, parent, frame, path, &probe, out_node, err);
}

enum hf_status hf_stacktree_child(struct hf_stacktree *tree, uint32_t parent, uint32_t frame,
    uint32_t *out_node, struct hf_error *err)
{
    uint32_t path = path_to(tree->nodes[parent].path, frame);
    return child_by_path(tree, parent, frame, path, out_node, err);
}

enum hf_status hf_stacktree_go(struct hf_stacktree *tree, uint32_t node, const uint32_t *frames,
    const uint32_t *paths, size_t count, uint32_t *out_nodes, struct hf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        enum hf_status status = child_by_path(tree, node, frames[i], paths[i], &node, err);
        if (status != HF_OK)
            return status;
        out_nodes[i] = node;
    }
    return HF_OK;
}

void hf_stacktree_expect(const struct hf_stacktree *tree, uint32_t node, const uint32_t *frames,
    size_t count, uint32_t *out_paths)
{
    uint32_t path = tree->nodes[node].path;
    for (size_t i = 0; i < count; i++) {
        path = out_paths[i] = path_to(path, frames[i]);
        if (tree->children.room != 0)
            hf_index_prefetch(&tree->children, stacktree_hash_of(path));
    }
}

void hf_stacktree_expect_nodes(const struct hf_stacktree *tree, const uint32_t *paths, size_t count)
{
    uint32_t candidate;
    for (size_t i = 0; i < count && tree->children.room != 0; i++) {
        struct hf_index_probe probe = hf_index_start(&tree->children, stacktree_hash_of(paths[i]));
        if (hf_index_next(&tree->children, &probe, &candidate))
            __builtin_prefetch(&tree->nodes[candidate]);
    }
}

enum hf_status hf_stacktree_append(struct hf_stacktree *tree, uint32_t parent, uint32_t frame,
    uint32_t *out_node, struct hf_error *err)
{
    tree->children.room = 0; /* it lacks this one: made anew when needed */
    uint32_t path = path_to(tree->nodes[parent].path, frame);
    return add_child(tree, parent, frame, path, NULL, out_node, err);
}

enum hf_status hf_stacktree_add(struct hf_stacktree *tree, const uint32_t *leaf_first,
    size_t depth_frames, uint32_t *out_node, struct hf_error *err)
{
    uint32_t node = HF_STACK_ROOT;
    for (size_t i = depth_frames; i-- != 0;) {
        enum hf_status status = hf_stacktree_child(tree, node, leaf_first[i], &node, err);
        if (status != HF_OK)
            return status;
    }
    *out_node = node;
    return HF_OK;
}

size_t hf_stacktree_depth(const struct hf_stacktree *tree, uint32_t node)
{
    size_t depth = 0;
    for (; node != HF_STACK_ROOT; node = tree->nodes[node].parent)
        depth++;
    return depth;
}
