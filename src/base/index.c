#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 48

void hf_index_done(struct hf_index *index)
{
    free(index->slots);
    *index = (struct hf_index){0};
}

bool hf_index_reset(struct hf_index *index, size_t count)
{
    if (count >= HF_INDEX_LIMIT)
        return false;
    size_t room = count + count / 4 + LEAST_ROOM;
    size_t capacity = room + room / 2;
    uint32_t *slots = reallocarray(index->slots, capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, capacity * sizeof *slots);
    *index = (struct hf_index){slots, capacity, room};
    return true;
}
