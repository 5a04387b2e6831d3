#include "answer/fleet/fleet_top.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/plural.h"

#include <stdlib.h>

/* The levels of the last profile of an instance. */
struct last_levels {
    int64_t until_ms;
    struct hf_level *items; /* stacks as the store numbers them */
    size_t count, capacity;
    bool is_one;
};

static enum hf_status keep_levels(void *context, int64_t ms, const struct hf_levels *levels,
    const uint32_t *stacks, struct hf_error *err)
{
    struct last_levels *last = context;
    if (ms >= last->until_ms)
        return HF_OK;
    if (!hf_vec_reserve(&last->items, &last->capacity, levels->count, sizeof *last->items))
        return hf_error_memory(err);
    for (size_t i = 0; i < levels->count; i++) {
        last->items[i] = levels->items[i];
        last->items[i].stack = stacks[levels->items[i].stack];
    }
    last->count = levels->count;
    last->is_one = true;
    return HF_OK;
}

static enum hf_status add_levels(
    struct hf_fleet_top *top, const struct last_levels *last, size_t node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool ignored = false;
    for (size_t i = 0; status == HF_OK && i < last->count; i++) {
        uint32_t stack = 0;
        status = hf_fleet_places_find(&top->places, last->items[i].stack, &stack, err);
        if (status != HF_OK || last->items[i].bytes == 0)
            continue;
        struct hf_fleet_top_row *row = &top->rows[top->places.stack_places[stack]];
        row->node_count += row->last_node != (uint32_t)node + 1;
        row->last_node = (uint32_t)node + 1;
        row->bytes = hf_add_saturating(row->bytes, last->items[i].bytes, &ignored);
        row->objects = hf_add_saturating(row->objects, last->items[i].objects, &ignored);
        top->bytes = hf_add_saturating(top->bytes, last->items[i].bytes, &ignored);
    }
    return status;
}

static int order_top_rows(const void *left, const void *right)
{
    const struct hf_fleet_top_row *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Of one node; *missing: instances without a profile. */
static enum hf_status add_node_levels(struct hf_fleet_top *top, const struct hf_fleet *fleet,
    size_t node, struct last_levels *last, size_t *missing, struct hf_error *err)
{
    const struct hf_fleet_node *is = &fleet->nodes[node];
    enum hf_status status = HF_OK;
    for (size_t i = is->first; status == HF_OK && i < is->first + is->count; i++) {
        if (!fleet->instances[i].is_current)
            continue;
        last->count = 0;
        last->is_one = false;
        status = hf_sqlite_store_read_last_profiles(
            fleet->store, fleet->instances[i].id, fleet->until_ms, keep_levels, last, err);
        *missing += status == HF_OK && !last->is_one;
        if (status == HF_OK)
            status = add_levels(top, last, node, err);
    }
    return status;
}

enum hf_status hf_fleet_top_find(
    struct hf_fleet_top *top, struct hf_fleet *fleet, struct hf_error *err)
{
    struct last_levels last = {.until_ms = fleet->until_ms};
    size_t missing = 0;
    *top = (struct hf_fleet_top){0};
    enum hf_status status = hf_fleet_places_read(&top->places, fleet, err);
    if (status != HF_OK)
        return status;
    size_t count = top->places.names.count;
    top->rows = calloc(count + 1, sizeof *top->rows);
    if (top->rows == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++)
        top->rows[i].place = (uint32_t)i;
    for (size_t i = 0; status == HF_OK && i < fleet->node_count; i++) {
        if (!fleet->nodes[i].is_silent)
            status = add_node_levels(top, fleet, i, &last, &missing, err);
    }
    qsort(top->rows, count, sizeof *top->rows, order_top_rows);
    while (top->row_count < count && top->rows[top->row_count].bytes != 0)
        top->row_count++;
    if (missing != 0)
        hf_notes_add(&fleet->notes, HF_NOTE_LOSS,
            "the store has no profiles any more of %zu %s that %s", missing,
            hf_plural(missing, "instance", "instances"), hf_plural(missing, "runs", "run"));
    free(last.items);
    return status;
}

void hf_fleet_top_done(struct hf_fleet_top *top)
{
    hf_fleet_places_done(&top->places);
    free(top->rows);
    *top = (struct hf_fleet_top){0};
}
