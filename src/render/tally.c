#include "render/tally.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define NO_EDGE UINT32_MAX
#define NODE_STEPS 100 /* of a walk through all */

struct counter {
    const struct hf_profile *profile;
    const struct hf_tally_options *options;
    struct hf_tally *tally;
    struct hf_total *below;   /* by node: values of its stacks and of all that start with it */
    uint32_t *first_child;    /* by node, 0 none; nodes that hold nothing are left out */
    uint32_t *next_sibling;   /* by node, 0 none */
    uint32_t *edge_of_node;   /* by node, the call that it stands for */
    uint32_t *active;         /* by entry: how often it is on the path to the present node */
    uint32_t *entry_of_name;  /* by string id */
    struct hf_map edge_index; /* (caller << 32 | callee) -> edge */
    uint32_t *active_edges;
    size_t active_edges_capacity;
};

static void tally_add(struct hf_total *sum, struct hf_total value)
{
    /* The profile itself notes that a sum has reached its end; it stays there here, too. */
    bool saturated = false;
    sum->value = hf_add_saturating(sum->value, value.value, &saturated);
    sum->released = hf_add_saturating(sum->released, value.released, &saturated);
}

static bool is_zero(struct hf_total total)
{
    return total.value == 0 && total.released == 0;
}

static struct hf_total tally_value_of(const struct counter *c, size_t sample)
{
    /* HF_THREAD_ALL is the one before 0. */
    if (c->profile->samples[sample].thread != c->options->part - 1)
        return (struct hf_total){0};
    return (struct hf_total){
        .value = hf_profile_value(c->profile, sample, c->options->type),
        .released = hf_profile_released(c->profile, sample, c->options->type),
    };
}

/* Children have larger ids than their parents, so one pass from the end sums every subtree. */
static void sum_below(struct counter *c)
{
    const struct hf_stack_node *nodes = c->profile->stacks.nodes;
    for (size_t i = 0; i < c->profile->sample_count; i++)
        tally_add(&c->below[c->profile->samples[i].node], tally_value_of(c, i));
    for (size_t node = c->profile->stacks.count; --node != HF_STACK_ROOT;) {
        if (is_zero(c->below[node]))
            continue;
        uint32_t parent = nodes[node].parent;
        tally_add(&c->below[parent], c->below[node]);
        c->next_sibling[node] = c->first_child[parent];
        c->first_child[parent] = (uint32_t)node;
    }
}

/* The entry of a frame, made when it is first met. There are never more entries than frames. */
static uint32_t tally_entry_of(struct counter *c, uint32_t frame_id)
{
    uint32_t *known = &c->tally->entry_of_frame[frame_id];
    if (*known != HF_TALLY_NONE)
        return *known;
    const struct hf_frame *frame = hf_profile_frame_at(c->profile, frame_id);
    uint32_t *shared = known;
    if (c->options->by_name && frame->name != HF_NO_STRING)
        shared = &c->entry_of_name[frame->name];
    if (*shared == HF_TALLY_NONE) {
        *shared = (uint32_t)c->tally->entry_count++;
        c->tally->entries[*shared] = (struct hf_tally_entry){.frame = frame_id};
    }
    *known = *shared;
    return *known;
}

static enum hf_status enter_edge(
    struct counter *c, uint32_t node, uint32_t caller, uint32_t callee, struct hf_error *err)
{
    struct hf_tally *tally = c->tally;
    uint32_t *edge = hf_map_put(
        &c->edge_index, (uint64_t)caller << 32 | callee, (uint32_t)tally->edge_count, NULL);
    if (edge == NULL)
        return hf_error_memory(err);
    if (*edge == tally->edge_count) {
        if (!hf_vec_reserve(&tally->edges, &tally->edge_capacity, tally->edge_count + 1,
                sizeof *tally->edges) ||
            !hf_vec_reserve(&c->active_edges, &c->active_edges_capacity, tally->edge_count + 1,
                sizeof *c->active_edges))
            return hf_error_memory(err);
        c->active_edges[tally->edge_count] = 0;
        tally->edges[tally->edge_count++] =
            (struct hf_tally_edge){.caller = caller, .callee = callee};
    }
    if (c->active_edges[*edge]++ == 0)
        tally_add(&tally->edges[*edge].weight, c->below[node]);
    c->edge_of_node[node] = *edge;
    return HF_OK;
}

static enum hf_status tally_enter(struct counter *c, uint32_t node, struct hf_error *err)
{
    const struct hf_stack_node *nodes = c->profile->stacks.nodes;
    uint32_t entry = tally_entry_of(c, nodes[node].frame);
    if (c->active[entry]++ == 0)
        tally_add(&c->tally->entries[entry].cum, c->below[node]);
    uint32_t parent = nodes[node].parent;
    if (!c->options->with_edges || parent == HF_STACK_ROOT)
        return HF_OK;
    return enter_edge(c, node, tally_entry_of(c, nodes[parent].frame), entry, err);
}

static void tally_leave(struct counter *c, uint32_t node)
{
    c->active[tally_entry_of(c, c->profile->stacks.nodes[node].frame)]--;
    if (c->options->with_edges && c->edge_of_node[node] != NO_EDGE)
        c->active_edges[c->edge_of_node[node]]--;
}

/* Visits every node that holds something, parents around their children. */
static enum hf_status tally_walk(struct counter *c, struct hf_error *err)
{
    uint32_t node = c->first_child[HF_STACK_ROOT];
    while (node != HF_STACK_ROOT) {
        enum hf_status status = tally_enter(c, node, err);
        if (status != HF_OK)
            return status;
        if (c->first_child[node] != 0) {
            node = c->first_child[node];
            continue;
        }
        tally_leave(c, node);
        while (node != HF_STACK_ROOT && c->next_sibling[node] == 0) {
            node = c->profile->stacks.nodes[node].parent;
            if (node != HF_STACK_ROOT)
                tally_leave(c, node);
        }
        if (node != HF_STACK_ROOT)
            node = c->next_sibling[node];
    }
    return HF_OK;
}

static void sum_flat(struct counter *c)
{
    struct hf_total no_stack = {0};
    for (size_t i = 0; i < c->profile->sample_count; i++) {
        struct hf_total value = tally_value_of(c, i);
        uint32_t node = c->profile->samples[i].node;
        tally_add(&c->tally->total, value);
        if (is_zero(value))
            continue;
        if (node == HF_STACK_ROOT)
            tally_add(&no_stack, value);
        else
            tally_add(
                &c->tally->entries[tally_entry_of(c, c->profile->stacks.nodes[node].frame)].flat,
                value);
    }
    if (!is_zero(no_stack))
        c->tally->entries[c->tally->entry_count++] =
            (struct hf_tally_entry){.frame = HF_TALLY_NONE, .flat = no_stack, .cum = no_stack};
}

/* An array of `count` ids, all HF_TALLY_NONE; NULL without memory. */
static uint32_t *new_ids(size_t count)
{
    uint32_t *ids = hf_budget_calloc(count, sizeof *ids);
    for (size_t i = 0; ids != NULL && i < count; i++)
        ids[i] = HF_TALLY_NONE;
    return ids;
}

static bool allocate(struct counter *c)
{
    size_t nodes = c->profile->stacks.count;
    size_t frames = (size_t)c->profile->frames.count + 1;
    c->tally->entries = hf_budget_calloc(frames, sizeof *c->tally->entries);
    c->tally->entry_of_frame = new_ids(frames);
    c->entry_of_name = new_ids((size_t)c->profile->strings.count + 1);
    c->active = hf_budget_calloc(frames, sizeof *c->active);
    c->below = hf_budget_calloc(nodes, sizeof *c->below);
    c->first_child = hf_budget_calloc(nodes, sizeof *c->first_child);
    c->next_sibling = hf_budget_calloc(nodes, sizeof *c->next_sibling);
    if (c->options->with_edges)
        c->edge_of_node = new_ids(nodes);
    return c->tally->entries != NULL && c->tally->entry_of_frame != NULL &&
           c->entry_of_name != NULL && c->active != NULL && c->below != NULL &&
           c->first_child != NULL && c->next_sibling != NULL &&
           (!c->options->with_edges || c->edge_of_node != NULL);
}

enum hf_status hf_tally_init(struct hf_tally *tally, const struct hf_profile *folded,
    const struct hf_tally_options *options, struct hf_error *err)
{
    *tally = (struct hf_tally){0};
    struct counter c = {.profile = folded, .options = options, .tally = tally};
    enum hf_status status = HF_OK;
    if (!hf_budget_step(NODE_STEPS * folded->stacks.count))
        status = hf_budget_refuse(err);
    else if (!allocate(&c))
        status = hf_error_memory(err);
    if (status == HF_OK) {
        sum_below(&c);
        status = tally_walk(&c, err);
    }
    if (status == HF_OK)
        sum_flat(&c);
    hf_budget_free(c.below);
    hf_budget_free(c.first_child);
    hf_budget_free(c.next_sibling);
    hf_budget_free(c.edge_of_node);
    hf_budget_free(c.active);
    hf_budget_free(c.entry_of_name);
    hf_budget_free(c.active_edges);
    hf_map_done(&c.edge_index);
    return status;
}

const struct hf_tally_entry *hf_tally_find(const struct hf_tally *tally, uint32_t frame)
{
    size_t entry = tally->entry_count - 1; /* stacks without frames are the last one */
    if (frame != HF_TALLY_NONE)
        entry = tally->entry_of_frame[frame];
    bool is_found = entry < tally->entry_count &&
                    (frame != HF_TALLY_NONE || tally->entries[entry].frame == HF_TALLY_NONE);
    return is_found ? &tally->entries[entry] : NULL;
}

void hf_tally_done(struct hf_tally *tally)
{
    hf_budget_free(tally->entries);
    hf_budget_free(tally->edges);
    hf_budget_free(tally->entry_of_frame);
    *tally = (struct hf_tally){0};
}
