#include "render/flame/flame_tree.h"

#include "base/budget.h"
#include "render/amount.h"

#include <stdlib.h>

#define NODE_STEPS 400 /* to place, to choose, to colour and to pack one */

struct builder {
    const struct hf_profile *folded;
    size_t type;
    struct hf_flame_tree *tree;
    uint64_t *own; /* by node: its width without its children */
};

void hf_flame_tree_done(struct hf_flame_tree *tree)
{
    hf_stacktree_done(&tree->reversed);
    hf_order_done(&tree->order);
    hf_budget_free(tree->sums);
    hf_budget_free(tree->start);
    hf_budget_free(tree->depth);
    hf_budget_free(tree->sample_nodes);
    hf_budget_free(tree->changes);
    *tree = (struct hf_flame_tree){0};
}

uint64_t hf_flame_tree_own_width(const struct hf_flame_tree *tree, size_t node)
{
    const uint32_t *first = tree->order.first_children;
    uint64_t width = hf_flame_tree_width(tree, node);
    uint64_t inner = 0;
    bool ignored;
    for (size_t at = first[node]; at < first[node + 1]; at++)
        inner =
            hf_add_saturating(inner, hf_flame_tree_width(tree, tree->order.children[at]), &ignored);
    return width > inner ? width - inner : 0;
}

struct hf_total hf_flame_tree_no_stack(const struct hf_flame_tree *tree)
{
    struct hf_total rest = tree->sums[HF_STACK_ROOT];
    for (size_t at = 0; at < tree->order.first_children[1]; at++) {
        const struct hf_total *child = &tree->sums[tree->order.children[at]];
        rest.value -= child->value < rest.value ? child->value : rest.value;
        rest.released -= child->released < rest.released ? child->released : rest.released;
    }
    return rest;
}

struct hf_text hf_flame_tree_label(const struct hf_flame_tree *tree, size_t node)
{
    return node == HF_STACK_ROOT ? HF_TEXT("all")
                                 : hf_order_label(&tree->order, tree->nodes[node].frame);
}

/* The stack of one sample from its leaf on. */
static enum hf_status add_reversed(
    struct builder *b, uint32_t node, uint32_t *out_node, struct hf_error *err)
{
    const struct hf_stack_node *nodes = b->folded->stacks.nodes;
    uint32_t at = HF_STACK_ROOT;
    for (; node != HF_STACK_ROOT; node = nodes[node].parent) {
        enum hf_status status =
            hf_stacktree_child(&b->tree->reversed, at, nodes[node].frame, &at, err);
        if (status != HF_OK)
            return status;
    }
    *out_node = at;
    return HF_OK;
}

/* Finds or makes the nodes of all samples, and puts siblings in order. */
static enum hf_status make_nodes(struct builder *b, bool is_reversed, struct hf_error *err)
{
    const struct hf_profile *folded = b->folded;
    struct hf_profile shown = *folded; /* a view: the same frames, perhaps other stacks */
    enum hf_status status = is_reversed ? hf_stacktree_init(&b->tree->reversed, err) : HF_OK;
    for (size_t i = 0; i < folded->sample_count && status == HF_OK; i++) {
        if (is_reversed)
            status = add_reversed(b, folded->samples[i].node, &b->tree->sample_nodes[i], err);
        else
            b->tree->sample_nodes[i] = folded->samples[i].node;
    }
    if (status != HF_OK)
        return status;
    if (is_reversed)
        shown.stacks = b->tree->reversed;
    b->tree->nodes = shown.stacks.nodes;
    b->tree->count = shown.stacks.count;
    return hf_order_init(&b->tree->order, &shown, err);
}

static void add_total(struct hf_flame_tree *tree, size_t node, struct hf_total values)
{
    struct hf_total *sum = &tree->sums[node];
    sum->value = hf_add_saturating(sum->value, values.value, &tree->is_saturated);
    sum->released = hf_add_saturating(sum->released, values.released, &tree->is_saturated);
}

static void sum_values(struct builder *b)
{
    const struct hf_profile *folded = b->folded;
    struct hf_flame_tree *tree = b->tree;
    for (size_t i = 0; i < folded->sample_count; i++) {
        if (folded->samples[i].thread == HF_THREAD_ALL)
            add_total(tree, b->tree->sample_nodes[i],
                (struct hf_total){
                    hf_profile_value(folded, i, b->type), hf_profile_released(folded, i, b->type)});
    }
    for (size_t i = 0; i < tree->count; i++)
        b->own[i] = hf_flame_tree_width(tree, i);
    for (size_t i = tree->count; i-- > 1;)
        add_total(tree, tree->nodes[i].parent, tree->sums[i]);
    /* A width is both together: that sum, too, may be where it saturates. */
    (void)hf_add_saturating(tree->sums[0].value, tree->sums[0].released, &tree->is_saturated);
}

/* Parents come before children, so a node's own start is known when its children are placed. */
static void flame_tree_place(struct builder *b)
{
    struct hf_flame_tree *tree = b->tree;
    const uint32_t *first = tree->order.first_children;
    bool were_saturated = tree->is_saturated;
    for (size_t i = 0; i < tree->count; i++) {
        uint64_t own = were_saturated ? hf_flame_tree_own_width(tree, i) : b->own[i];
        uint64_t cursor = hf_add_saturating(tree->start[i], own, &tree->is_saturated);
        for (size_t at = first[i]; at < first[i + 1]; at++) {
            uint32_t child = tree->order.children[at];
            tree->start[child] = cursor;
            tree->depth[child] = tree->depth[i] + 1;
            cursor =
                hf_add_saturating(cursor, hf_flame_tree_width(tree, child), &tree->is_saturated);
        }
    }
}

enum hf_status hf_flame_tree_build(const struct hf_profile *folded, size_t type, bool is_reversed,
    struct hf_flame_tree *out_tree, struct hf_error *err)
{
    struct hf_flame_tree *tree = out_tree;
    struct builder b = {.folded = folded, .type = type, .tree = tree};
    *tree = (struct hf_flame_tree){0};
    if (!hf_budget_step(NODE_STEPS * folded->stacks.count))
        return hf_budget_refuse(err);
    tree->sample_nodes = hf_budget_calloc(folded->sample_count + 1, sizeof *tree->sample_nodes);
    if (tree->sample_nodes == NULL)
        return hf_error_memory(err);
    enum hf_status status = make_nodes(&b, is_reversed, err);
    if (status == HF_OK) {
        tree->sums = hf_budget_calloc(tree->count, sizeof *tree->sums);
        tree->start = hf_budget_calloc(tree->count, sizeof *tree->start);
        tree->depth = hf_budget_calloc(tree->count, sizeof *tree->depth);
        b.own = hf_budget_calloc(tree->count, sizeof *b.own);
        if (tree->sums == NULL || tree->start == NULL || tree->depth == NULL || b.own == NULL)
            status = hf_error_memory(err);
    }
    if (status == HF_OK) {
        sum_values(&b);
        flame_tree_place(&b);
    }
    hf_budget_free(b.own);
    return status;
}

static int flame_tree_compare_nodes(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* A node begins with the first sample in it: samples follow each other as the lines did. */
static void place_in_time(
    struct hf_flame_tree *tree, const struct hf_profile *folded, size_t type, bool *is_placed)
{
    uint64_t now = 0;
    for (size_t i = 0; i < folded->sample_count; i++) {
        for (uint32_t node = tree->sample_nodes[i]; !is_placed[node];
             node = tree->nodes[node].parent) {
            is_placed[node] = true;
            tree->start[node] = now;
        }
        now = hf_add_saturating(now, hf_profile_value(folded, i, type), &tree->is_saturated);
        now = hf_add_saturating(now, hf_profile_released(folded, i, type), &tree->is_saturated);
    }
}

enum hf_status hf_flame_tree_keep_order(
    struct hf_flame_tree *tree, const struct hf_profile *folded, size_t type, struct hf_error *err)
{
    bool *is_placed = calloc(tree->count, sizeof *is_placed);
    if (is_placed == NULL)
        return hf_error_memory(err);
    const uint32_t *first = tree->order.first_children;
    for (size_t i = 0; i < tree->count; i++)
        qsort(tree->order.children + first[i], first[i + 1] - first[i],
            sizeof *tree->order.children, flame_tree_compare_nodes);
    is_placed[HF_STACK_ROOT] = true;
    place_in_time(tree, folded, type, is_placed);
    free(is_placed);
    return HF_OK;
}

enum hf_status hf_flame_tree_compare(struct hf_flame_tree *tree, const struct hf_profile *folded,
    size_t type, size_t base, struct hf_error *err)
{
    tree->changes = hf_budget_calloc(tree->count, sizeof *tree->changes);
    if (tree->changes == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < folded->sample_count; i++) {
        struct hf_total *change = &tree->changes[tree->sample_nodes[i]];
        uint64_t after = hf_profile_value(folded, i, type);
        uint64_t before = hf_profile_value(folded, i, base);
        change->value = hf_add_saturating(change->value, after, &tree->is_saturated);
        change->released = hf_add_saturating(change->released, before, &tree->is_saturated);
    }
    tree->largest_change = 1;
    for (size_t i = 0; i < tree->count; i++) {
        uint64_t size = hf_total_distance(tree->changes[i]);
        if (size > tree->largest_change)
            tree->largest_change = size;
    }
    return HF_OK;
}
