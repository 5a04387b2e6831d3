#include "render/page/page_owners.h"

#include "base/budget.h"
#include "base/checked.h"

struct page_owners_count {
    const struct hf_profile *folded;
    const struct hf_trie_data *trie;
    size_t type;
    const uint32_t *nodes; /* by node: its owner's */
    uint32_t *owners;      /* by name: who may own more than half of it */
    struct page_owners_sum {
        uint64_t all, owned; /* what it holds; what counts for that owner */
        size_t last_sample;  /* plus one: a function counts once in a stack */
    } * sums;
};

static uint64_t page_owners_add(uint64_t a, uint64_t b)
{
    bool ignored = false;
    return hf_add_saturating(a, b, &ignored);
}

/*
 * Boyer and Moore's vote, with weights: whoever has more than half of all remains. (R. S. Boyer,
 * J S. Moore: MJRTY, 1981.)
 */
static void vote(struct page_owners_sum *sum, uint32_t *elected, uint32_t owner, uint64_t value)
{
    sum->all = page_owners_add(sum->all, value);
    if (*elected == owner) {
        sum->owned = page_owners_add(sum->owned, value);
    } else if (sum->owned >= value) {
        sum->owned -= value;
    } else {
        *elected = owner;
        sum->owned = value - sum->owned;
    }
}

/* Each function of each stack: votes, or, of the elected, counts what they own. */
static void page_owners_pass(struct page_owners_count *c, bool is_vote)
{
    const struct hf_profile *p = c->folded;
    for (size_t i = 0; i < p->sample_count; i++) {
        uint32_t node = p->samples[i].node, owner_node = c->nodes[node];
        uint64_t value =
            page_owners_add(hf_profile_value(p, i, c->type), hf_profile_released(p, i, c->type));
        if (p->samples[i].thread != HF_THREAD_ALL || value == 0 || owner_node == HF_STACK_ROOT)
            continue;
        uint32_t owner = c->trie->name_of_frame[p->stacks.nodes[owner_node].frame];
        for (; node != HF_STACK_ROOT; node = p->stacks.nodes[node].parent) {
            uint32_t name = c->trie->name_of_frame[p->stacks.nodes[node].frame];
            struct page_owners_sum *sum = &c->sums[name];
            if (sum->last_sample == i + 1)
                continue;
            sum->last_sample = i + 1;
            if (is_vote)
                vote(sum, &c->owners[name], owner, value);
            else if (c->owners[name] == owner)
                sum->owned = page_owners_add(sum->owned, value);
        }
    }
}

static void page_owners_count(struct page_owners_count *c)
{
    page_owners_pass(c, true);
    for (uint32_t name = 0; name < c->trie->name_count; name++)
        c->sums[name].owned = c->sums[name].last_sample = 0;
    page_owners_pass(c, false);
    for (uint32_t name = 0; name < c->trie->name_count; name++) {
        if (c->sums[name].owned <= c->sums[name].all / 2)
            c->owners[name] = 0;
    }
}

enum hf_status hf_page_owners_find(struct hf_owners *owners, const struct hf_profile *folded,
    const struct hf_trie_data *trie, size_t type, uint32_t **out_owners, struct hf_error *err)
{
    *out_owners = NULL;
    if (owners == NULL)
        return HF_OK;
    uint32_t *nodes = hf_budget_calloc(folded->stacks.count, sizeof *nodes);
    struct page_owners_count c = {.folded = folded, .trie = trie, .type = type, .nodes = nodes};
    c.sums = hf_budget_calloc(trie->name_count, sizeof *c.sums);
    c.owners = hf_budget_calloc(trie->name_count, sizeof *c.owners);
    enum hf_status status = nodes != NULL && c.sums != NULL && c.owners != NULL
                                ? hf_owners_find(owners, folded, type, nodes, err)
                                : hf_error_memory(err);
    if (status == HF_OK && owners->differ) {
        page_owners_count(&c);
        *out_owners = c.owners;
        c.owners = NULL;
    }
    hf_budget_free(c.owners);
    hf_budget_free(c.sums);
    hf_budget_free(nodes);
    return status;
}
