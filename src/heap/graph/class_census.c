#include "heap/graph/class_census.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define NOT_YET (HF_BLOCK_NONE - 1)
/* How many objects of other classes are looked at on the way from dominator to dominator. */
#define ABOVE_MAX 1000

struct class_counter {
    const struct hf_class_census_of *of;
    struct hf_class_census *census;
    uint32_t *class_of; /* by block */
    uint32_t *above; /* by block: the nearest dominator that is an object; HF_BLOCK_NONE: there is
                        none; NOT_YET */
};

/* ---- What they retain ---- */

/* The nearest object that dominates a block. */
static uint32_t find_above(struct class_counter *c, uint32_t block)
{
    uint32_t at = block, found = HF_BLOCK_NONE;
    while (c->above[at] == NOT_YET) {
        uint32_t next = c->of->tree->immediate[at];
        if (next == HF_BLOCK_NONE)
            break;
        if (c->class_of[next] != HF_CLASS_NONE) {
            found = next;
            break;
        }
        at = next;
    }
    if (c->above[at] != NOT_YET)
        found = c->above[at];
    for (uint32_t to = at, i = block;; i = c->of->tree->immediate[i]) {
        c->above[i] = found;
        if (i == to)
            return found;
    }
}

/* Whether another object of its class retains it. */
static bool is_within_class(struct class_counter *c, uint32_t block)
{
    uint32_t at = find_above(c, block);
    for (int i = 0; i < ABOVE_MAX && at != HF_BLOCK_NONE; i++) {
        if (c->class_of[at] == c->class_of[block])
            return true;
        at = find_above(c, at);
    }
    return false;
}

/* ---- Rows ---- */

static enum hf_status reserve_row(
    struct hf_class_census *census, uint32_t class, struct hf_error *err)
{
    if (class < census->count)
        return HF_OK;
    size_t count = (size_t) class + 1;
    if (!hf_vec_reserve(&census->rows, &census->capacity, count, sizeof *census->rows))
        return hf_error_memory(err);
    while (census->count < count) {
        census->rows[census->count] = (struct hf_class_row){.class = (uint32_t)census->count};
        census->count++;
    }
    return HF_OK;
}

static enum hf_status find_classes(struct class_counter *c, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_heap *heap = c->of->heap;
    for (size_t i = 0; i < heap->count && status == HF_OK; i++) {
        c->above[i] = NOT_YET;
        c->class_of[i] = hf_object_class_find(&c->census->classes, &heap->blocks[i]);
        if (c->class_of[i] != HF_CLASS_NONE)
            status = reserve_row(c->census, c->class_of[i], err);
    }
    return status;
}

static void count_objects(struct class_counter *c)
{
    const struct hf_heap *heap = c->of->heap;
    for (uint32_t i = 0; i < heap->count; i++) {
        if (c->class_of[i] == HF_CLASS_NONE)
            continue;
        struct hf_class_row *row = &c->census->rows[c->class_of[i]];
        bool is_lost = c->of->graph->states[i] < HF_BLOCK_HELD;
        row->all.bytes += heap->blocks[i].bytes;
        row->all.count++;
        row->lost.bytes += is_lost ? heap->blocks[i].bytes : 0;
        row->lost.count += is_lost;
        if (!is_lost && !is_within_class(c, i))
            row->retained_bytes += c->of->tree->retained[i];
    }
}

static int more_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_retained(const void *a, const void *b)
{
    const struct hf_class_row *left = a, *right = b;
    int order = more_first(left->retained_bytes, right->retained_bytes);
    order = order != 0 ? order : more_first(left->all.bytes, right->all.bytes);
    return order != 0 ? order : more_first(right->class, left->class);
}

static int by_lost_bytes(const void *a, const void *b)
{
    const struct hf_class_row *left = a, *right = b;
    int order = more_first(left->lost.bytes, right->lost.bytes);
    return order != 0 ? order : more_first(right->class, left->class);
}

enum hf_status hf_class_census_make(
    struct hf_class_census *census, const struct hf_class_census_of *of, struct hf_error *err)
{
    *census = (struct hf_class_census){0};
    size_t count = of->heap->count + 1;
    struct class_counter c = {.of = of,
        .census = census,
        .class_of = malloc(count * sizeof *c.class_of),
        .above = malloc(count * sizeof *c.above)};
    bool has_memory = c.class_of != NULL && c.above != NULL;
    enum hf_status status = hf_object_classes_init(&census->classes, of->heap, of->image, err);
    if (status == HF_OK)
        status = has_memory ? find_classes(&c, err) : hf_error_memory(err);
    if (status == HF_OK && census->count != 0) {
        count_objects(&c);
        qsort(census->rows, census->count, sizeof *census->rows, by_retained);
    }
    free(c.class_of);
    free(c.above);
    return status;
}

void hf_class_census_keep_lost(struct hf_class_census *census)
{
    size_t kept = 0;
    for (size_t i = 0; i < census->count; i++) {
        if (census->rows[i].lost.count != 0)
            census->rows[kept++] = census->rows[i];
    }
    census->count = kept;
    if (kept != 0)
        qsort(census->rows, kept, sizeof *census->rows, by_lost_bytes);
}

void hf_class_census_done(struct hf_class_census *census)
{
    free(census->rows);
    hf_object_classes_done(&census->classes);
    *census = (struct hf_class_census){0};
}
