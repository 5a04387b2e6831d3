#include "base/containers/spans.h"

#include "base/containers/vec.h"

#include <stdlib.h>

void hf_spans_done(struct hf_spans *spans)
{
    free(spans->items);
    *spans = (struct hf_spans){0};
}

bool hf_spans_add(struct hf_spans *spans, uint64_t low, uint64_t high, uint32_t id)
{
    if (!hf_vec_reserve(&spans->items, &spans->capacity, spans->count + 1, sizeof *spans->items))
        return false;
    spans->items[spans->count++] = (struct hf_span){.low = low, .high = high, .id = id};
    return true;
}

static int compare_spans(const void *a, const void *b)
{
    const struct hf_span *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void hf_spans_sort(struct hf_spans *spans)
{
    uint64_t reach = 0;
    if (spans->count > 1)
        qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    for (size_t i = 0; i < spans->count; i++) {
        if (spans->items[i].high > reach)
            reach = spans->items[i].high;
        spans->items[i].reach = reach;
    }
}
