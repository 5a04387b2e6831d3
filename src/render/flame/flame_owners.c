#include "render/flame/flame_owners.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/strings/escape.h"

#define MARKED 1000 /* one part in so many of all */

/* Marks the owners of what is held, by what each node of `found` owns in `sums`. */
static void mark_owners(
    struct hf_flame_owners *owners, const uint32_t *found, uint64_t *sums, size_t type)
{
    const struct hf_profile *p = owners->folded;
    bool ignored = false;
    uint64_t all = 0;
    for (size_t i = 0; i < p->sample_count; i++) {
        if (p->samples[i].thread != HF_THREAD_ALL)
            continue;
        uint64_t value = hf_add_saturating(
            hf_profile_value(p, i, type), hf_profile_released(p, i, type), &ignored);
        uint64_t *sum = &sums[found[p->samples[i].node]];
        *sum = hf_add_saturating(*sum, value, &ignored);
        all = hf_add_saturating(all, value, &ignored);
    }
    for (size_t node = 1; node < p->stacks.count; node++) {
        owners->is_marked[node] = sums[node] != 0 && sums[node] >= all / MARKED;
        owners->has_any |= owners->is_marked[node];
    }
}

enum hf_status hf_flame_owners_init(struct hf_flame_owners *owners, const struct hf_profile *folded,
    size_t type, struct hf_owners *known, struct hf_error *err)
{
    *owners = (struct hf_flame_owners){.known = known, .folded = folded};
    if (known == NULL)
        return HF_OK;
    uint32_t *found = hf_budget_calloc(folded->stacks.count, sizeof *found);
    uint64_t *sums = hf_budget_calloc(folded->stacks.count, sizeof *sums);
    owners->is_marked = hf_budget_calloc(folded->stacks.count, sizeof *owners->is_marked);
    bool has_memory = found != NULL && sums != NULL && owners->is_marked != NULL;
    enum hf_status status =
        has_memory ? hf_owners_find(known, folded, type, found, err) : hf_error_memory(err);
    if (status == HF_OK && known->differ) /* else each leaf would be marked */
        mark_owners(owners, found, sums, type);
    hf_budget_free(found);
    hf_budget_free(sums);
    return status;
}

void hf_flame_owners_done(struct hf_flame_owners *owners)
{
    hf_budget_free(owners->is_marked);
    *owners = (struct hf_flame_owners){0};
}

bool hf_flame_owners_marks(const struct hf_flame_owners *owners, size_t node)
{
    return owners->is_marked != NULL && owners->is_marked[node];
}

void hf_flame_owners_put(const struct hf_flame_owners *owners, size_t node, struct hf_out *out)
{
    const struct hf_profile *p = owners->folded;
    const struct hf_frame *frame = hf_profile_frame_at(p, p->stacks.nodes[node].frame);
    struct hf_text via = hf_owners_via(owners->known, hf_profile_text(p, frame->name));
    hf_out_string(out, "; owner of memory");
    if (via.size == 0)
        return;
    hf_out_string(out, " via ");
    hf_escape_terminal(out, via); /* as names: what hides is shown */
}
