/*
 * context_set.h: the memory contexts that are known, which blocks are whose, and which of their
 * names are a class of *short-lived* contexts.
 *
 * Blocks are told by their slots in the live table. Each context has a list of its blocks, so that
 * a reset finds them without looking at any other. One thread at a time.
 */
#ifndef HF_ATTACH_CONTEXT_SET_H
#define HF_ATTACH_CONTEXT_SET_H

#include "base/containers/intern.h"
#include "base/containers/ordered.h"
#include "live/writer.h"

#define HF_CONTEXT_NONE UINT32_MAX

struct hf_tracked_context {
    uint64_t address;
    uint32_t name;        /* its own; HF_CONTEXT_NONE: not known */
    uint32_t label;       /* of labelled_stacks.h */
    uint32_t own_slot;    /* of the context as a block; HF_LIVE_NONE */
    uint32_t first_block; /* slot; HF_LIVE_NONE */
    bool was_there;       /* from the start, and never reset */
};

struct hf_context_link {
    uint32_t context, next, previous; /* HF_LIVE_NONE: the last, the first */
};

/* All-zero is empty and ready. */
struct hf_context_set {
    struct hf_ordered by_address;
    struct hf_tracked_context *items;
    size_t count, capacity;
    uint32_t *unused; /* items that may be used again */
    size_t unused_count, unused_capacity;
    struct hf_context_link *links; /* by slot */
    size_t links_capacity;
    struct hf_intern names;
    bool *is_short_lived; /* by name */
    size_t is_short_lived_capacity;
};

void hf_context_set_done(struct hf_context_set *set);

/* The context at an address; HF_CONTEXT_NONE if it is not known. */
uint32_t hf_context_set_find(const struct hf_context_set *set, uint64_t address);

/* Adds a context that is not known. HF_CONTEXT_NONE without memory. */
uint32_t hf_context_set_add(struct hf_context_set *set, const struct hf_tracked_context *context);

/* Forgets a context that has no blocks. */
void hf_context_set_remove(struct hf_context_set *set, uint32_t context);

/* The block in `slot` is of this context, HF_CONTEXT_NONE: of none. False without memory. */
HF_MUST_CHECK bool hf_context_set_link(struct hf_context_set *set, uint32_t context, uint32_t slot);
void hf_context_set_unlink(struct hf_context_set *set, uint32_t slot);

/* The number of a name. HF_CONTEXT_NONE if it is empty, or without memory. */
uint32_t hf_context_set_name(struct hf_context_set *set, struct hf_text name);

/* Empty for HF_CONTEXT_NONE. Borrowed until the next name is added. */
struct hf_text hf_context_set_name_text(const struct hf_context_set *set, uint32_t name);

/* Contexts of this name are short-lived. False without memory. */
HF_MUST_CHECK bool hf_context_set_learn_short_lived(struct hf_context_set *set, uint32_t name);

/* False for HF_CONTEXT_NONE. */
static inline bool hf_context_set_is_short_lived(const struct hf_context_set *set, uint32_t name)
{
    return name < set->is_short_lived_capacity && set->is_short_lived[name];
}

/* Whose block is in a slot that was linked. */
static inline uint32_t hf_context_set_owner(const struct hf_context_set *set, uint32_t slot)
{
    return set->links[slot].context;
}

#endif
