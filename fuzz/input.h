/*
 * input.h: fuzz inputs made of several parts.
 *
 * A part is copied into a block of exactly its size, so that a sanitizer sees a read past its end
 * and not only past the end of the whole input.
 */
#ifndef HF_FUZZ_INPUT_H
#define HF_FUZZ_INPUT_H

#include "base/cursor.h"

#include <stdlib.h>
#include <string.h>

/* Takes `size` bytes, or what is left. Free it with free((void *)(uintptr_t)part.data). */
static inline struct hf_text fuzz_take_part(struct hf_cursor *c, size_t size)
{
    size_t left = hf_cursor_left(c);
    struct hf_text bytes = hf_cursor_bytes(c, size < left ? size : left);
    char *copy = malloc(bytes.size != 0 ? bytes.size : 1);
    if (copy == NULL)
        abort();
    if (bytes.size != 0)
        memcpy(copy, bytes.data, bytes.size);
    return (struct hf_text){copy, bytes.size};
}

/* What an input says is in the memory of a process, from `base` on. */
struct fuzz_memory {
    uint64_t base;
    struct hf_text bytes;
};

/* Copies from a struct fuzz_memory; false: not all of it is there. */
static inline bool fuzz_copy(void *memory, uint64_t address, void *out, size_t size)
{
    const struct fuzz_memory *m = memory;
    uint64_t at = address - m->base;
    if (address < m->base || at > m->bytes.size || size > m->bytes.size - at)
        return false;
    memcpy(out, m->bytes.data + at, size);
    return true;
}

static inline void fuzz_free_part(struct hf_text part)
{
    free((void *)(uintptr_t)part.data);
}

/* Sorted, distinct addresses: `count` of them from `start` on, `step` apart, without wrapping. */
static inline size_t fuzz_sweep(
    uint64_t *out_addresses, size_t count, uint64_t start, uint64_t step)
{
    size_t made = 0;
    for (; made < count && step <= UINT64_MAX - start; made++, start += step)
        out_addresses[made] = start;
    return made;
}

#endif
