#include "symbol/names/printed_texts.h"

#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

void hf_printed_texts_done(struct hf_printed_texts *texts)
{
    hf_map_done(&texts->by_place);
    hf_arena_done(&texts->arena);
    free(texts->printed);
    *texts = (struct hf_printed_texts){0};
}

void hf_printed_texts_begin(struct hf_printed_texts *texts, uint64_t generation)
{
    if (texts->generation != generation || texts->arena.total_bytes >= HF_LIMIT_RESIDENT_BYTES / 8)
        hf_printed_texts_done(texts);
    texts->generation = generation;
}

struct hf_text hf_printed_texts_add(
    struct hf_printed_texts *texts, struct hf_text text, const struct hf_out *printed)
{
    static const struct hf_text no_memory = {NULL, 0};
    char *copy = printed->error.status == HF_OK
                     ? hf_arena_copy(&texts->arena, printed->data, printed->size)
                     : NULL;
    if (copy == NULL || texts->count == UINT32_MAX ||
        !hf_vec_reserve(
            &texts->printed, &texts->capacity, texts->count + 1, sizeof *texts->printed))
        return no_memory;
    if (hf_map_put(&texts->by_place, (uintptr_t)text.data, (uint32_t)texts->count, NULL) == NULL)
        return no_memory;
    texts->printed[texts->count] = (struct hf_text){copy, printed->size};
    return texts->printed[texts->count++];
}
