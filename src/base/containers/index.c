#include "base/containers/index.h"

#include "base/budget.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define LEAST_ROOM 48
#define REPUT_STEPS 30

void hf_index_done(struct hf_index *index)
{
    free(index->slots);
    hf_budget_put_back(index->capacity * sizeof *index->slots);
    *index = (struct hf_index){0};
}

bool hf_index_reset(struct hf_index *index, size_t count)
{
    if (count >= HF_INDEX_LIMIT)
        return false;
    size_t room = 2 * count + LEAST_ROOM;
    size_t capacity = room + room / 2;
    hf_index_done(index);
    if (!hf_budget_take(capacity * sizeof *index->slots))
        return false;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        hf_budget_put_back(capacity * sizeof *slots);
        return false;
    }
    (void)hf_budget_step(capacity + REPUT_STEPS * count); /* whoever asks puts its items in */
    hf_budget_prefer_large_pages(slots, capacity * sizeof *slots);
    *index = (struct hf_index){slots, capacity, room};
    return true;
}
