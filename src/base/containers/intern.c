#include "base/containers/intern.h"

#include "base/budget.h"
#include "base/containers/hash.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64
#define FIND_STEPS 100 /* one look-up, without its bytes */
#define NEW_STEPS 300

void hf_intern_done(struct hf_intern *table)
{
    hf_arena_done(&table->arena);
    free(table->entries);
    free(table->slots);
    hf_budget_put_back(table->entries_capacity * sizeof *table->entries);
    hf_budget_put_back(table->slots_capacity * sizeof *table->slots);
    *table = (struct hf_intern){0};
}

static HF_APART bool grow_slots(struct hf_intern *table)
{
    size_t capacity = table->slots_capacity != 0 ? table->slots_capacity * 2 : FIRST_CAPACITY;
    if (!hf_budget_take(capacity * sizeof *table->slots))
        return false;
    struct hf_intern_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        hf_budget_put_back(capacity * sizeof *slots);
        return false;
    }
    for (size_t i = 0; i < table->slots_capacity; i++) {
        if (table->slots[i].id_plus_one == 0)
            continue;
        size_t at = table->slots[i].hash & (capacity - 1);
        while (slots[at].id_plus_one != 0)
            at = (at + 1) & (capacity - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    hf_budget_put_back(table->slots_capacity * sizeof *slots);
    table->slots = slots;
    table->slots_capacity = capacity;
    return true;
}

static bool grow_entries(struct hf_intern *table)
{
    size_t capacity = table->entries_capacity != 0 ? table->entries_capacity * 2 : FIRST_CAPACITY;
    size_t more_bytes = (capacity - table->entries_capacity) * sizeof *table->entries;
    if (!hf_budget_take(more_bytes))
        return false;
    struct hf_text *entries = reallocarray(table->entries, capacity, sizeof *entries);
    if (entries == NULL) {
        hf_budget_put_back(more_bytes);
        return false;
    }
    table->entries = entries;
    table->entries_capacity = capacity;
    return true;
}

/* As memcmp, without a call: most texts are names. */
static inline bool are_equal(struct hf_text text, const char *data, size_t size)
{
    uint64_t a, b, differing = 0;
    if (text.size != size)
        return false;
    if (size < sizeof a)
        return size == 0 || memcmp(text.data, data, size) == 0; /* an empty one may be NULL */
    for (size_t at = 0; at + sizeof a < size; at += sizeof a) {
        memcpy(&a, text.data + at, sizeof a);
        memcpy(&b, data + at, sizeof b);
        differing |= a ^ b;
    }
    memcpy(&a, text.data + size - sizeof a, sizeof a);
    memcpy(&b, data + size - sizeof b, sizeof b);
    return (differing | (a ^ b)) == 0;
}

/* Adds a new text, whose slot is `at`. */
static HF_APART bool add_text(struct hf_intern *table, const void *data, size_t size, uint32_t hash,
    size_t at, uint32_t *out_id)
{
    if (table->count == UINT32_MAX - 1)
        return false;
    if (table->count == table->entries_capacity && !grow_entries(table))
        return false;
    (void)hf_budget_step(NEW_STEPS);
    char *copy = hf_arena_copy(&table->arena, data, size);
    if (copy == NULL)
        return false;
    *out_id = table->count++;
    table->entries[*out_id] = (struct hf_text){copy, size};
    table->slots[at] = (struct hf_intern_slot){hash, *out_id + 1};
    return true;
}

bool hf_intern_put(struct hf_intern *table, const void *data, size_t size, uint32_t *out_id)
{
    (void)hf_budget_step(FIND_STEPS + size);
    if (table->count >= table->slots_capacity - table->slots_capacity / 4 && !grow_slots(table))
        return false;
    uint32_t hash = (uint32_t)hf_hash_bytes(data, size);
    size_t mask = table->slots_capacity - 1;
    size_t at = hash & mask;
    for (; table->slots[at].id_plus_one != 0; at = (at + 1) & mask) {
        if (table->slots[at].hash != hash)
            continue;
        uint32_t id = table->slots[at].id_plus_one - 1;
        if (are_equal(table->entries[id], data, size)) {
            *out_id = id;
            return true;
        }
    }
    return add_text(table, data, size, hash, at, out_id);
}
