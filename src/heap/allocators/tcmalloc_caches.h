/*
 * tcmalloc_caches.h: free blocks of a tcmalloc that no list of a span has: what its threads keep
 * for themselves, and chains that they gave to the central free lists and may take again.
 *
 *     thread's   128 lists of 32 bytes, one for each class: { first block, blocks (32 bits), three
 *                numbers (32), bytes of a block (32) }; behind them, within 128 bytes, the next and
 *                the one before
 *     block      its first word is the address of the next, or 0
 *
 * Words of the module's data lead to some of the threads' caches, and each of them to its
 * neighbours. One counts as such if the sizes of its lists are those of the size map.
 *
 * Source: src/thread_cache.h and central_freelist.cc of gperftools 2.10 and 2.16.
 */
#ifndef HF_HEAP_ALLOCATORS_TCMALLOC_CACHES_H
#define HF_HEAP_ALLOCATORS_TCMALLOC_CACHES_H

#include "heap/allocators/tcmalloc_spans.h"

#define HF_TCMALLOC_CACHE_BYTES 4224u

/* All-zero is empty. */
struct hf_tcmalloc_caches {
    uint64_t *blocks; /* addresses, sorted */
    size_t count, capacity;
    uint64_t *threads; /* where caches of threads begin */
    size_t thread_count, thread_capacity;
};

/* Of an empty one. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_tcmalloc_caches_read(struct hf_tcmalloc_caches *caches,
    const struct hf_process_image *image, const struct hf_tcmalloc_spans *spans,
    const struct hf_tcmalloc_tables *tables, struct hf_error *err);
void hf_tcmalloc_caches_done(struct hf_tcmalloc_caches *caches);

/* True if one of them has a block that begins there. */
bool hf_tcmalloc_caches_have(const struct hf_tcmalloc_caches *caches, uint64_t block);

#endif
