/*
 * jemalloc_caches.h: what the threads of a process have freed and jemalloc keeps for them: their
 * cache bins.
 *
 *     bins   one for each size class, of 24 bytes, side by side in the thread's own data:
 *            { head, requests, three times the low 16 bits of an address: low water, full, empty }
 *     stack  blocks from head up to where the bin is empty; the stacks of all bins lie one behind
 *            the other, in a block of jemalloc's own, between two words: 0x7a7a..., 0xa7a7...
 *
 * Source: cache_bin.h and tcache.c of jemalloc 5.3.0. They have no symbols either: what ends in
 * such words, and goes on from bin to bin, is one.
 *
 * Limits: caches that the program made itself (mallctl "tcache.create") are not found, so what
 * lies in these counts as in use; likewise where the thread's own data are more than 256 KiB.
 */
#ifndef HF_HEAP_JEMALLOC_CACHES_H
#define HF_HEAP_JEMALLOC_CACHES_H

#include "base/containers/map.h"
#include "base/error.h"
#include "memory/process_image.h"

/* All-zero is empty. */
struct hf_jemalloc_caches {
    struct hf_map blocks; /* addresses, with the size class of their bin */
    uint64_t *stacks;     /* addresses where they begin, sorted */
    size_t stack_count, stack_capacity;
};

/* Of all threads. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_jemalloc_caches_read(
    struct hf_jemalloc_caches *caches, const struct hf_process_image *image, struct hf_error *err);
void hf_jemalloc_caches_done(struct hf_jemalloc_caches *caches);

/* True if one of the stacks begins there. */
bool hf_jemalloc_caches_begin_in(
    const struct hf_jemalloc_caches *caches, uint64_t start, uint64_t end);

#endif
