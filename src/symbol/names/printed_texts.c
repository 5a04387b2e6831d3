#include "symbol/names/printed_texts.h"

#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

#define HALF_BYTES (HF_LIMIT_RESIDENT_BYTES / 8)

static void printed_half_done(struct hf_printed_half *half)
{
    hf_map_done(&half->by_place);
    hf_arena_done(&half->arena);
    free(half->printed);
    *half = (struct hf_printed_half){0};
}

void hf_printed_texts_done(struct hf_printed_texts *texts)
{
    printed_half_done(&texts->newer);
    printed_half_done(&texts->older);
    *texts = (struct hf_printed_texts){0};
}

void hf_printed_texts_begin(struct hf_printed_texts *texts, uint64_t generation)
{
    if (texts->generation != generation)
        hf_printed_texts_done(texts);
    texts->generation = generation;
    if (texts->newer.arena.total_bytes < HALF_BYTES)
        return;
    printed_half_done(&texts->older);
    texts->older = texts->newer;
    texts->newer = (struct hf_printed_half){0};
}

static struct hf_text printed_half_add(
    struct hf_printed_half *half, struct hf_text text, struct hf_text printed)
{
    static const struct hf_text no_memory = {NULL, 0};
    char *copy = hf_arena_copy(&half->arena, printed.data, printed.size);
    if (copy == NULL || half->count == UINT32_MAX ||
        !hf_vec_reserve(&half->printed, &half->capacity, half->count + 1, sizeof *half->printed))
        return no_memory;
    if (hf_map_put(&half->by_place, (uintptr_t)text.data, (uint32_t)half->count, NULL) == NULL)
        return no_memory;
    half->printed[half->count] = (struct hf_text){copy, printed.size};
    return half->printed[half->count++];
}

struct hf_text hf_printed_texts_find_older(struct hf_printed_texts *texts, struct hf_text text)
{
    const uint32_t *known = hf_map_find(&texts->older.by_place, (uintptr_t)text.data);
    if (known == NULL)
        return (struct hf_text){NULL, 0};
    return printed_half_add(&texts->newer, text, texts->older.printed[*known]);
}

struct hf_text hf_printed_texts_add(
    struct hf_printed_texts *texts, struct hf_text text, const struct hf_out *printed)
{
    if (printed->error.status != HF_OK)
        return (struct hf_text){NULL, 0};
    return printed_half_add(&texts->newer, text, hf_out_view(printed));
}

size_t hf_printed_texts_bytes(const struct hf_printed_texts *texts)
{
    return texts->newer.arena.total_bytes + texts->older.arena.total_bytes;
}
