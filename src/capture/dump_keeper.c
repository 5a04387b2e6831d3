#include "capture/dump_keeper.h"

#include "base/containers/vec.h"

#include <stdlib.h>

static void dump_keeper_keep(struct hf_dump_keeper *keeper, uint64_t number, uint64_t in_use)
{
    if (!hf_vec_reserve(
            &keeper->dumps, &keeper->capacity, keeper->count + 1, sizeof *keeper->dumps))
        return; /* it stays, and is forgotten here */
    uint64_t growth = in_use > keeper->last_in_use ? in_use - keeper->last_in_use : 0;
    keeper->dumps[keeper->count++] =
        (struct hf_kept_dump){number, in_use, number != 0 ? growth : 0};
    keeper->last_in_use = in_use;
    size_t excess = hf_keep_excess(keeper->dumps, keeper->count, keeper->last);
    if (excess == keeper->count)
        return;
    keeper->sink.drop(keeper->sink.context, keeper->dumps[excess].number);
    keeper->count--;
    for (size_t i = excess; i < keeper->count; i++)
        keeper->dumps[i] = keeper->dumps[i + 1];
}

static enum hf_status dump_keeper_hand_on(struct hf_dump_keeper *keeper, enum hf_dump_reason reason,
    const struct hf_dump_source *source, uint64_t *out_number, struct hf_dump_taken *out_taken,
    struct hf_error *err)
{
    *out_number = keeper->next_number++;
    *out_taken = (struct hf_dump_taken){0};
    return keeper->sink.take(keeper->sink.context, *out_number, reason, source, out_taken, err);
}

enum hf_status hf_dump_keeper_take(struct hf_dump_keeper *keeper, enum hf_dump_reason reason,
    const struct hf_dump_source *source, bool *out_is_there, struct hf_error *err)
{
    uint64_t number;
    struct hf_dump_taken taken;
    enum hf_status status = dump_keeper_hand_on(keeper, reason, source, &number, &taken, err);
    *out_is_there = status == HF_OK && taken.is_there;
    if (*out_is_there)
        dump_keeper_keep(keeper, number, taken.in_use_bytes);
    return status;
}

enum hf_status hf_dump_keeper_take_for_good(struct hf_dump_keeper *keeper,
    enum hf_dump_reason reason, const struct hf_dump_source *source, struct hf_error *err)
{
    uint64_t number;
    struct hf_dump_taken taken;
    return dump_keeper_hand_on(keeper, reason, source, &number, &taken, err);
}

void hf_dump_keeper_done(struct hf_dump_keeper *keeper)
{
    free(keeper->dumps);
}
