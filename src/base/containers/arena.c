#include "base/containers/arena.h"

#include "base/budget.h"
#include "base/checked.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK_BYTES ((size_t)8 << 10)
#define LARGEST_CHUNK_BYTES ((size_t)1 << 20)

struct hf_arena_chunk {
    struct hf_arena_chunk *next;
    size_t size; /* of data */
    alignas(16) char data[];
};

void hf_arena_done(struct hf_arena *arena)
{
    struct hf_arena_chunk *chunk = arena->chunks;
    hf_budget_put_back(arena->total_bytes);
    while (chunk != NULL) {
        struct hf_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct hf_arena){0};
}

/* Chunks grow with the arena, so that small arenas stay small and large ones call malloc rarely. */
static bool add_chunk(struct hf_arena *arena, size_t least_bytes)
{
    size_t size = arena->chunks != NULL ? arena->chunks->size * 2 : FIRST_CHUNK_BYTES;
    if (size > LARGEST_CHUNK_BYTES)
        size = LARGEST_CHUNK_BYTES;
    if (size < least_bytes)
        size = least_bytes;
    size_t whole;
    if (!hf_add_size(size, sizeof(struct hf_arena_chunk), &whole))
        return false;
    if (!hf_budget_take(whole))
        return false;
    struct hf_arena_chunk *chunk = malloc(whole);
    if (chunk == NULL) {
        hf_budget_put_back(whole);
        return false;
    }
    chunk->next = arena->chunks;
    chunk->size = size;
    arena->chunks = chunk;
    arena->at = chunk->data;
    arena->end = chunk->data + size;
    arena->total_bytes += whole;
    return true;
}

static void *arena_take(struct hf_arena *arena, size_t size)
{
    size_t alignment = size >= 16 ? 16 : 8;
    size_t padding =
        (alignment - ((size_t)(uintptr_t)arena->at & (alignment - 1))) & (alignment - 1);
    if (arena->at == NULL || (size_t)(arena->end - arena->at) < padding ||
        (size_t)(arena->end - arena->at) - padding < size) {
        size_t least;
        if (!hf_add_size(size, 16, &least) || !add_chunk(arena, least))
            return NULL;
        padding = 0;
    }
    void *memory = arena->at + padding;
    arena->at += padding + size;
    return memory;
}

void *hf_arena_alloc(struct hf_arena *arena, size_t size)
{
    void *memory = arena_take(arena, size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

char *hf_arena_copy(struct hf_arena *arena, const void *data, size_t size)
{
    size_t with_nul;
    if (!hf_add_size(size, 1, &with_nul))
        return NULL;
    char *copy = arena_take(arena, with_nul);
    if (copy == NULL)
        return NULL;
    if (size != 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}
