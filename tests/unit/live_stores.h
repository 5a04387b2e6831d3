/*
 * live_stores.h: the stores of live/writer.c that a reader may see halfway, recorded by
 * test_live.c.
 */
#ifndef HF_TESTS_UNIT_LIVE_STORES_H
#define HF_TESTS_UNIT_LIVE_STORES_H

#include <stddef.h>
#include <stdint.h>

void live_store_record(const volatile void *field, size_t size, uint64_t value);

#define HF_LIVE_STORE(field, value, order)                                                         \
    (live_store_record((field), sizeof *(field), (uint64_t)(value)),                               \
        atomic_store_explicit(field, value, order))

#endif
