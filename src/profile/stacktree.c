#include "profile/stacktree.h"

#include "base/limits.h"
#include "base/vec.h"

#include <stdlib.h>

enum hf_status hf_stacktree_init(struct hf_stacktree *tree, struct hf_error *err)
{
    *tree = (struct hf_stacktree){0};
    if (!hf_vec_reserve(&tree->nodes, &tree->capacity, 1, sizeof *tree->nodes))
        return hf_error_memory(err);
    tree->nodes[0] = (struct hf_stack_node){HF_STACK_ROOT, 0};
    tree->count = 1;
    return HF_OK;
}

void hf_stacktree_done(struct hf_stacktree *tree)
{
    free(tree->nodes);
    hf_map_done(&tree->children);
    *tree = (struct hf_stacktree){0};
}

enum hf_status hf_stacktree_child(struct hf_stacktree *tree, uint32_t parent, uint32_t frame,
    uint32_t *out_node, struct hf_error *err)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t *known = hf_map_find(&tree->children, key);
    if (known != NULL) {
        *out_node = *known;
        return HF_OK;
    }
    if (tree->count > HF_LIMIT_STACK_NODES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u distinct callers and callees (HF_LIMIT_STACK_NODES)",
            HF_LIMIT_STACK_NODES);
    if (!hf_vec_reserve(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes))
        return hf_error_memory(err);
    uint32_t node = (uint32_t)tree->count;
    if (hf_map_put(&tree->children, key, node, NULL) == NULL)
        return hf_error_memory(err);
    tree->nodes[node] = (struct hf_stack_node){parent, frame};
    tree->count++;
    *out_node = node;
    return HF_OK;
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
