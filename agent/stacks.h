/*
 * stacks.h: from the hash of a stack to its number in the live table.
 *
 * Hash (63 bits) and depth together stand for the stack: the chance that two of a million are
 * confused is below one in ten million. Open addressing with linear probing, 16 bytes an entry, at
 * most half full as long as there is memory. Finding takes no lock: an entry is whole before its
 * hash is stored, entries are never taken out, and a table that was outgrown stays where it is for
 * those who still look into it (as much memory again, at most). Adding is for one thread at a time:
 * under hf_live_lock.
 */
#ifndef HF_AGENT_STACKS_H
#define HF_AGENT_STACKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_stacks_entry {
    _Atomic uint64_t hash; /* odd; 0: empty */
    _Atomic uint32_t depth, number;
};

struct hf_stacks_table {
    uint64_t mask; /* entries - 1 */
    struct hf_stacks_table *outgrown;
    struct hf_stacks_entry entries[];
};

/* All-zero is empty. */
struct hf_stacks {
    struct hf_stacks_table *_Atomic table;
    uint64_t count;
};

#define HF_STACKS_NONE UINT32_MAX

/* The number of the stack, or HF_STACKS_NONE. */
static inline uint32_t hf_stacks_find(const struct hf_stacks *stacks, uint64_t hash, uint32_t depth)
{
    const struct hf_stacks_table *table =
        atomic_load_explicit(&stacks->table, memory_order_acquire);
    if (table == NULL)
        return HF_STACKS_NONE;
    hash |= 1;
    for (uint64_t i = hash >> 1;; i++) {
        const struct hf_stacks_entry *entry = &table->entries[i & table->mask];
        uint64_t found = atomic_load_explicit(&entry->hash, memory_order_acquire);
        if (found == 0)
            return HF_STACKS_NONE;
        if (found == hash && atomic_load_explicit(&entry->depth, memory_order_relaxed) == depth)
            return atomic_load_explicit(&entry->number, memory_order_relaxed);
    }
}

/* Adds a stack that is not there. False without memory: then it still is not. */
bool hf_stacks_add(struct hf_stacks *stacks, uint64_t hash, uint32_t depth, uint32_t number);

/* Room for so many, whenever they are added. False without memory. */
bool hf_stacks_reserve(struct hf_stacks *stacks, uint64_t count);

/* Empty again for those who look from now on. As adding, for one thread at a time. */
void hf_stacks_clear(struct hf_stacks *stacks);

/* Empty again, memory given back: a child after fork. */
void hf_stacks_forget(struct hf_stacks *stacks);

#endif
