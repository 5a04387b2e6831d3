#include "capture/dump_keeper.h"

#include "base/containers/vec.h"

#include <stdlib.h>

static void dump_keeper_keep(struct hf_dump_keeper *keeping, uint64_t number, uint64_t in_use)
{
    if (!hf_vec_reserve(
            &keeping->dumps, &keeping->capacity, keeping->count + 1, sizeof *keeping->dumps))
        return; /* it stays, and is forgotten here */
    uint64_t growth = in_use > keeping->last_in_use ? in_use - keeping->last_in_use : 0;
    keeping->dumps[keeping->count++] =
        (struct hf_kept_dump){number, in_use, number != 0 ? growth : 0};
    keeping->last_in_use = in_use;
    size_t excess = hf_keep_excess(keeping->dumps, keeping->count, keeping->last);
    if (excess == keeping->count)
        return;
    keeping->sink.drop(keeping->sink.context, keeping->dumps[excess].number);
    keeping->count--;
    for (size_t i = excess; i < keeping->count; i++)
        keeping->dumps[i] = keeping->dumps[i + 1];
}

enum hf_status hf_dump_keeper_take(struct hf_dump_keeper *keeping, enum hf_dump_reason reason,
    const struct hf_dump_source *source, bool *out_is_there, struct hf_error *err)
{
    uint64_t number = keeping->next_number++;
    struct hf_dump_taken taken = {0};
    enum hf_status status =
        keeping->sink.take(keeping->sink.context, number, reason, source, &taken, err);
    *out_is_there = status == HF_OK && taken.is_there;
    if (*out_is_there)
        dump_keeper_keep(keeping, number, taken.in_use_bytes);
    return status;
}

void hf_dump_keeper_done(struct hf_dump_keeper *keeping)
{
    free(keeping->dumps);
}
