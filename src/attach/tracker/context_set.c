#include "attach/tracker/context_set.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

void hf_context_set_done(struct hf_context_set *set)
{
    hf_ordered_done(&set->by_address);
    free(set->items);
    free(set->unused);
    free(set->links);
    free(set->is_short_lived);
    hf_intern_done(&set->names);
    *set = (struct hf_context_set){0};
}

uint32_t hf_context_set_find(const struct hf_context_set *set, uint64_t address)
{
    uint32_t context;
    return hf_ordered_find(&set->by_address, address, &context) ? context : HF_CONTEXT_NONE;
}

uint32_t hf_context_set_add(struct hf_context_set *set, const struct hf_tracked_context *context)
{
    /* Room for all that may become unused is made here, so that removing cannot fail. */
    if (!hf_vec_reserve(&set->items, &set->capacity, set->count + 1, sizeof *set->items) ||
        !hf_vec_reserve(&set->unused, &set->unused_capacity, set->count + 1, sizeof *set->unused))
        return HF_CONTEXT_NONE;
    uint32_t number =
        set->unused_count != 0 ? set->unused[set->unused_count - 1] : (uint32_t)set->count;
    if (!hf_ordered_add(&set->by_address, context->address, number))
        return HF_CONTEXT_NONE;
    if (set->unused_count != 0)
        set->unused_count--;
    else
        set->count++;
    set->items[number] = *context;
    return number;
}

void hf_context_set_remove(struct hf_context_set *set, uint32_t context)
{
    hf_ordered_remove(&set->by_address, set->items[context].address);
    set->unused[set->unused_count++] = context;
}

bool hf_context_set_link(struct hf_context_set *set, uint32_t context, uint32_t slot)
{
    if (!hf_vec_reserve(&set->links, &set->links_capacity, (size_t)slot + 1, sizeof *set->links))
        return false;
    struct hf_context_link link = {context, HF_LIVE_NONE, HF_LIVE_NONE};
    if (context != HF_CONTEXT_NONE) {
        uint32_t *first = &set->items[context].first_block;
        link.next = *first;
        if (*first != HF_LIVE_NONE)
            set->links[*first].previous = slot;
        *first = slot;
    }
    set->links[slot] = link;
    return true;
}

void hf_context_set_unlink(struct hf_context_set *set, uint32_t slot)
{
    const struct hf_context_link *link = &set->links[slot];
    if (link->context == HF_CONTEXT_NONE)
        return;
    if (link->previous != HF_LIVE_NONE)
        set->links[link->previous].next = link->next;
    else
        set->items[link->context].first_block = link->next;
    if (link->next != HF_LIVE_NONE)
        set->links[link->next].previous = link->previous;
}

uint32_t hf_context_set_name(struct hf_context_set *set, struct hf_text name)
{
    uint32_t number;
    return name.size != 0 && hf_intern_put(&set->names, name.data, name.size, &number)
               ? number
               : HF_CONTEXT_NONE;
}

struct hf_text hf_context_set_name_text(const struct hf_context_set *set, uint32_t name)
{
    return name != HF_CONTEXT_NONE ? hf_intern_at(&set->names, name) : (struct hf_text){0};
}

bool hf_context_set_learn_short_lived(struct hf_context_set *set, uint32_t name)
{
    if (name == HF_CONTEXT_NONE || hf_context_set_is_short_lived(set, name))
        return true;
    size_t known = set->is_short_lived_capacity;
    if (!hf_vec_reserve(&set->is_short_lived, &set->is_short_lived_capacity, (size_t)name + 1,
            sizeof *set->is_short_lived))
        return false;
    memset(&set->is_short_lived[known], 0, set->is_short_lived_capacity - known);
    set->is_short_lived[name] = true;
    return true;
}
