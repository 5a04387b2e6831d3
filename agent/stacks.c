#include "stacks.h"

#include "pages.h"

#define FIRST_ENTRIES 1024 /* 16 KiB */

static size_t stacks_bytes_of(uint64_t entries)
{
    return sizeof(struct hf_stacks_table) + entries * sizeof(struct hf_stacks_entry);
}

static void stacks_put(
    struct hf_stacks_table *table, uint64_t hash, uint32_t depth, uint32_t number)
{
    hash |= 1;
    uint64_t i = hash >> 1;
    while (atomic_load_explicit(&table->entries[i & table->mask].hash, memory_order_relaxed) != 0)
        i++;
    struct hf_stacks_entry *entry = &table->entries[i & table->mask];
    atomic_store_explicit(&entry->depth, depth, memory_order_relaxed);
    atomic_store_explicit(&entry->number, number, memory_order_relaxed);
    atomic_store_explicit(&entry->hash, hash, memory_order_release);
}

static struct hf_stacks_table *stacks_grow(
    struct hf_stacks *stacks, struct hf_stacks_table *old, uint64_t entries)
{
    struct hf_stacks_table *table = hf_pages_map(stacks_bytes_of(entries));
    if (table == NULL)
        return NULL;
    table->mask = entries - 1;
    table->outgrown = old;
    for (uint64_t i = 0; old != NULL && i <= old->mask; i++) {
        const struct hf_stacks_entry *entry = &old->entries[i];
        uint64_t hash = atomic_load_explicit(&entry->hash, memory_order_relaxed);
        if (hash != 0)
            stacks_put(table, hash, atomic_load_explicit(&entry->depth, memory_order_relaxed),
                atomic_load_explicit(&entry->number, memory_order_relaxed));
    }
    atomic_store_explicit(&stacks->table, table, memory_order_release);
    return table;
}

bool hf_stacks_add(struct hf_stacks *stacks, uint64_t hash, uint32_t depth, uint32_t number)
{
    struct hf_stacks_table *table = atomic_load_explicit(&stacks->table, memory_order_relaxed);
    if (table == NULL || stacks->count > table->mask / 2) {
        struct hf_stacks_table *grown =
            stacks_grow(stacks, table, table != NULL ? (table->mask + 1) * 2 : FIRST_ENTRIES);
        if (grown == NULL && (table == NULL || stacks->count == table->mask))
            return false;
        table = grown != NULL ? grown : table;
    }
    stacks_put(table, hash, depth, number);
    stacks->count++;
    return true;
}

bool hf_stacks_reserve(struct hf_stacks *stacks, uint64_t count)
{
    struct hf_stacks_table *table = atomic_load_explicit(&stacks->table, memory_order_relaxed);
    uint64_t entries = table != NULL ? table->mask + 1 : FIRST_ENTRIES;
    while (entries < count * 2)
        entries *= 2;
    return (table != NULL && entries == table->mask + 1) ||
           stacks_grow(stacks, table, entries) != NULL;
}

void hf_stacks_clear(struct hf_stacks *stacks)
{
    struct hf_stacks_table *table = atomic_load_explicit(&stacks->table, memory_order_relaxed);
    for (uint64_t i = 0; table != NULL && i <= table->mask; i++)
        atomic_store_explicit(&table->entries[i].hash, 0, memory_order_relaxed);
    stacks->count = 0;
}

void hf_stacks_forget(struct hf_stacks *stacks)
{
    struct hf_stacks_table *table = atomic_load_explicit(&stacks->table, memory_order_relaxed);
    while (table != NULL) {
        struct hf_stacks_table *outgrown = table->outgrown;
        hf_pages_unmap(table, stacks_bytes_of(table->mask + 1));
        table = outgrown;
    }
    *stacks = (struct hf_stacks){.count = 0};
}
