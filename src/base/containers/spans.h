/*
 * spans.h: finds which of many spans of numbers contain a number. They may overlap and repeat.
 *
 * Sorted by their starts; beside each stands how far those up to it reach, so that a search that
 * goes back from the number knows when to end. Any thread, once sorted.
 */
#ifndef HF_BASE_SPANS_H
#define HF_BASE_SPANS_H

#include "base/attr.h"
#include "base/containers/sorted.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_span {
    uint64_t low, high; /* [low, high) */
    uint64_t reach;     /* the largest `high` up to here */
    uint32_t id;
};

/* All-zero is empty. */
struct hf_spans {
    struct hf_span *items;
    size_t count, capacity;
};

void hf_spans_done(struct hf_spans *spans);

/* False if memory ran out. */
HF_MUST_CHECK bool hf_spans_add(struct hf_spans *spans, uint64_t low, uint64_t high, uint32_t id);

/* To be called between the last addition and the first search. */
void hf_spans_sort(struct hf_spans *spans);

/* Where a search for `number` begins: behind the last interval that starts at or before it. */
static inline size_t hf_spans_start(const struct hf_spans *spans, uint64_t number)
{
    return HF_FIRST_ABOVE(spans->items, spans->count, low, number);
}

/* The next one that holds `number`, from the last to the first; NULL at the end. */
static inline const struct hf_span *hf_spans_next(
    const struct hf_spans *spans, uint64_t number, size_t *at)
{
    while (*at != 0 && spans->items[*at - 1].reach > number) {
        const struct hf_span *item = &spans->items[--*at];
        if (item->high > number)
            return item;
    }
    return NULL;
}

#endif
