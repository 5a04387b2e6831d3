/*
 * intern.h: maps byte strings to dense ids and back. Equal bytes, equal id; ids count from 0.
 *
 * The bytes are copied, stay where they are until hf_intern_done, are aligned to 8 and have a NUL
 * after them, so that small padding-free structs can be interned as well as text.
 * One thread at a time.
 *
 * Example:
 *
 *     struct hf_intern names = {0};
 *     uint32_t id;
 *     if (!hf_intern_put(&names, "main", 4, &id))
 *         return hf_error_memory(err);
 *     hf_out_text(out, hf_intern_at(&names, id));
 *     hf_intern_done(&names);
 */
#ifndef HF_BASE_INTERN_H
#define HF_BASE_INTERN_H

#include "base/attr.h"
#include "base/containers/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_intern_slot {
    uint32_t hash;
    uint32_t id_plus_one; /* 0: empty */
};

struct hf_intern {
    struct hf_arena arena;
    struct hf_text *entries; /* by id */
    uint32_t count;
    size_t entries_capacity;
    struct hf_intern_slot *slots;
    size_t slots_capacity; /* 0 or a power of two */
};

/* An all-zero table is empty and ready. */
void hf_intern_done(struct hf_intern *table);

/* The id of these bytes, new or known. False if memory (or the 32-bit ids) ran out. */
HF_MUST_CHECK bool hf_intern_put(
    struct hf_intern *table, const void *data, size_t size, uint32_t *out_id);

/* The bytes of an id that hf_intern_put gave out. Borrowed until hf_intern_done. */
static inline struct hf_text hf_intern_at(const struct hf_intern *table, uint32_t id)
{
    return table->entries[id];
}

#endif
