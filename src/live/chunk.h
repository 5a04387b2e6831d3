/*
 * chunk.h: how many bytes a memory context uses for a requested block.
 *
 * An AllocSet of PostgreSQL puts a head before each block and gives it the next power of two, from
 * 8 bytes on; a request of more than 8,192 bytes gets its own block of malloc, with malloc's head.
 * Source: src/backend/utils/mmgr/aset.c of PostgreSQL 9.4 to 18 (ALLOC_MINBITS, ALLOC_CHUNK_LIMIT,
 * ALLOC_BLOCKHDRSZ). Rare kinds of contexts (Slab, Generation, Bump) use less. Small contexts have
 * a lower limit than 8,192, which makes a difference of a few bytes for large blocks.
 */
#ifndef HF_LIVE_CHUNK_H
#define HF_LIVE_CHUNK_H

#include <stdint.h>

/* `head_bytes`: 16, and 8 from PostgreSQL 16 on; 0: no more is used than was requested. */
static inline uint64_t hf_chunk_held(uint32_t head_bytes, uint64_t asked)
{
    const uint64_t most = 8192, malloc_head = 40;
    uint64_t room = 8;
    if (head_bytes == 0 || asked > UINT64_MAX / 2)
        return asked;
    if (asked > most)
        return (asked + 7) / 8 * 8 + head_bytes + malloc_head;
    while (room < asked)
        room *= 2;
    return room + head_bytes;
}

#endif
