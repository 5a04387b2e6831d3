/*
 * The leak: what this service is for.
 */
#ifndef LEAKY_SERVICE_LEAK_H
#define LEAKY_SERVICE_LEAK_H

#include <stdbool.h>
#include <stddef.h>

/* What one call of process_leak() costs for ever. 1 MiB is a jemalloc size class, so that not one
 * byte is added by rounding, and a profile taken at lg_prof_sample:0 shows exactly this number. */
#define LEAK_BLOCK_BYTES ((size_t)1 << 20)

/* Allocates LEAK_BLOCK_BYTES, writes to every page, and forgets the block at the next call.
 * Returns false when the allocator has no memory left. One thread at a time. */
bool process_leak(void);

#endif
