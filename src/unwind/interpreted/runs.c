#include "unwind/interpreted/runs.h"

/* The nearest frame outward of `from`, or that itself, that is a run; counts those before it. */
static const struct hf_unwind_frame *runs_find(const struct hf_interpreted_natives *natives,
    const struct hf_unwind_frame *from, uint32_t *number)
{
    uint32_t next = *number;
    for (; from != NULL && !natives->is_run(natives->of, from); from = from->caller)
        next++;
    *number = from != NULL ? next : *number;
    return from;
}

bool hf_interpreted_has_native(const struct hf_interpreted_natives *natives)
{
    uint32_t number = 0;
    return runs_find(natives, natives->leaf, &number) != NULL;
}

uint32_t hf_interpreted_count_natives(const struct hf_interpreted_natives *natives)
{
    uint32_t count = 0;
    for (const struct hf_unwind_frame *f = natives->leaf; f != NULL; f = f->caller)
        count += natives->is_run(natives->of, f);
    return count;
}

void hf_interpreted_settle_runs(struct hf_interpreted_chain *chain, uint32_t ended,
    const struct hf_interpreted_natives *natives)
{
    uint32_t number = 0, at = 0;
    uint32_t last = chain->count != 0 ? chain->frames[chain->count - 1].native : 0;
    uint32_t runs = ended > last ? ended : last + 1; /* the outermost may have no end */
    bool is_cut = (natives->leaf->traits & HF_UNWIND_IS_CUT) != 0 || chain->is_cut;
    int64_t shift = is_cut ? 0 : (int64_t)hf_interpreted_count_natives(natives) - runs;
    const struct hf_unwind_frame *run = runs_find(natives, natives->leaf, &number);
    for (uint32_t i = 0; i < chain->count; i++) {
        for (; run != NULL && (int64_t)at < (int64_t)chain->frames[i].native + shift; at++) {
            uint32_t next = number + 1;
            run = runs_find(natives, run->caller, &next);
            number = run != NULL ? next : number;
        }
        hf_interpreted_chain_settle(chain, i, number);
    }
}
