#include "profile/order.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "profile/fold.h"

#include <stdlib.h>

#define NODE_STEPS 150  /* to put one among its siblings */
#define FRAME_STEPS 800 /* to write its label, and to put it among the others */

static int compare_labels(const void *a, const void *b, void *context)
{
    const struct hf_order *order = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return hf_text_compare(hf_order_label(order, x), hf_order_label(order, y));
}

static enum hf_status write_labels(
    struct hf_order *order, const struct hf_profile *folded, struct hf_error *err)
{
    uint32_t count = folded->frames.count;
    order->label_starts = hf_budget_calloc((size_t)count + 1, sizeof *order->label_starts);
    if (order->label_starts == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        order->label_starts[i] = order->labels.size;
        hf_frame_label(folded, hf_profile_frame_at(folded, i), &order->labels);
    }
    order->label_starts[count] = order->labels.size;
    return hf_out_finish(&order->labels, err);
}

/* ranks[frame]: place of its label among all labels. */
static enum hf_status rank_frames(
    struct hf_order *order, uint32_t count, uint32_t *ranks, struct hf_error *err)
{
    order->frames = hf_budget_calloc((size_t)count + 1, sizeof *order->frames);
    if (order->frames == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < count; i++)
        order->frames[i] = i;
    qsort_r(order->frames, count, sizeof *order->frames, compare_labels, order);
    for (uint32_t i = 0; i < count; i++)
        ranks[order->frames[i]] = i;
    return HF_OK;
}

/* Groups nodes by parent by counting, then sorts each group by rank: (rank, node) as one number. */
static void group_children(struct hf_order *order, const struct hf_stacktree *stacks,
    const uint32_t *ranks, uint64_t *keys)
{
    uint32_t *starts = order->first_children;
    for (size_t i = 1; i < stacks->count; i++)
        starts[stacks->nodes[i].parent + 1]++;
    for (size_t i = 0; i < stacks->count; i++)
        starts[i + 1] += starts[i];
    for (size_t i = stacks->count; i-- > 1;) {
        uint32_t at = --starts[stacks->nodes[i].parent + 1];
        keys[at] = (uint64_t)ranks[stacks->nodes[i].frame] << 32 | (uint32_t)i;
    }
    /* Filling moved the end of each group to its start; shift them back into place. */
    for (size_t i = 0; i < stacks->count; i++)
        starts[i] = starts[i + 1];
    starts[stacks->count] = (uint32_t)stacks->count - 1;
    for (size_t i = 0; i < stacks->count; i++) {
        size_t count = starts[i + 1] - starts[i];
        if (count > 1)
            hf_sort_u64(keys + starts[i], count);
    }
    for (size_t i = 0; i + 1 < stacks->count; i++)
        order->children[i] = (uint32_t)keys[i];
}

enum hf_status hf_order_init(
    struct hf_order *order, const struct hf_profile *folded, struct hf_error *err)
{
    *order = (struct hf_order){0};
    const struct hf_stacktree *stacks = &folded->stacks;
    if (!hf_budget_step(NODE_STEPS * stacks->count + FRAME_STEPS * (uint64_t)folded->frames.count))
        return hf_budget_refuse(err);
    uint32_t *ranks = hf_budget_calloc((size_t)folded->frames.count + 1, sizeof *ranks);
    uint64_t *keys = hf_budget_calloc(stacks->count, sizeof *keys);
    order->children = hf_budget_calloc(stacks->count, sizeof *order->children);
    order->first_children = hf_budget_calloc(stacks->count + 1, sizeof *order->first_children);
    enum hf_status status = HF_OK;
    if (ranks == NULL || keys == NULL || order->children == NULL || order->first_children == NULL)
        status = hf_error_memory(err);
    if (status == HF_OK)
        status = write_labels(order, folded, err);
    if (status == HF_OK)
        status = rank_frames(order, folded->frames.count, ranks, err);
    if (status == HF_OK)
        group_children(order, stacks, ranks, keys);
    hf_budget_free(ranks);
    hf_budget_free(keys);
    return status;
}

void hf_order_done(struct hf_order *order)
{
    hf_out_done(&order->labels);
    hf_budget_free(order->label_starts);
    hf_budget_free(order->frames);
    hf_budget_free(order->children);
    hf_budget_free(order->first_children);
    *order = (struct hf_order){0};
}

struct hf_text hf_order_label(const struct hf_order *order, uint32_t frame)
{
    size_t start = order->label_starts[frame];
    size_t size = order->label_starts[frame + 1] - start;
    return size != 0 ? (struct hf_text){order->labels.data + start, size} : HF_TEXT("");
}
