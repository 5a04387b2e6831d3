/*
 * arena.h: memory that is freed together. Things are added one by one and freed all at once.
 *
 * An arena is used by one thread at a time. Nothing in it moves, so pointers into it stay valid
 * until hf_arena_done. Never freed piecewise.
 *
 * Example:
 *
 *     struct hf_arena arena = {0};
 *     char *copy = hf_arena_copy(&arena, "main", 4);
 *     status = copy != NULL ? HF_OK : hf_error_memory(err);
 *     hf_arena_done(&arena);
 */
#ifndef HF_BASE_ARENA_H
#define HF_BASE_ARENA_H

#include "base/attr.h"

#include <stddef.h>

struct hf_arena_chunk;

struct hf_arena {
    struct hf_arena_chunk *chunks; /* newest first */
    char *at, *end;                /* free part of the newest chunk */
    size_t total_bytes;            /* asked from malloc so far */
};

/* An all-zero arena is empty and ready. */
void hf_arena_done(struct hf_arena *arena);

/* `size` bytes, zeroed, aligned to 8 (or 16 from 16 bytes on); NULL if malloc fails. */
HF_MUST_CHECK void *hf_arena_alloc(struct hf_arena *arena, size_t size);

/* A copy of `size` bytes with a NUL after them; NULL if malloc fails. */
HF_MUST_CHECK char *hf_arena_copy(struct hf_arena *arena, const void *data, size_t size);

#endif
