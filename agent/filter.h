/*
 * filter.h: may this address be that of a recorded block? Asked by every free, so that the free of
 * a block that was not sampled costs next to nothing.
 *
 * One byte for each page of 4 KiB counts the recorded blocks that start there; pages 4 GiB apart
 * share one, so a "maybe" may be wrong, and "no" never is. A counter that reached 255 stays: it no
 * longer knows. 1 MiB of bss, touched where blocks were recorded.
 *
 * An address is added before its block is given to the program, and removed before the block is
 * freed: the program's own order of the two is ours. Any thread, no lock.
 */
#ifndef HF_AGENT_FILTER_H
#define HF_AGENT_FILTER_H

#include "base/attr.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_FILTER_PAGES (1u << 20) /* the lower half of an address, less 12 bits */
#define HF_FILTER_STUCK 255

extern HF_HIDDEN _Atomic uint8_t hf_filter_counts[HF_FILTER_PAGES];

static HF_FAST uint32_t hf_filter_index(uintptr_t address)
{
    return (uint32_t)address >> 12;
}

static HF_FAST bool hf_filter_may_hold(uintptr_t address)
{
    const _Atomic uint8_t *counter = &hf_filter_counts[hf_filter_index(address)];
#ifdef __x86_64__
    /* Compared where it lies, for which compilers do not use a relaxed load. */
    bool is_counted;
    __asm__("cmpb $0, %1" : "=@ccne"(is_counted) : "m"(*counter));
    return is_counted;
#else
    return atomic_load_explicit(counter, memory_order_relaxed) != 0;
#endif
}

void hf_filter_add(uintptr_t address);
void hf_filter_remove(uintptr_t address);

/* Every address of these pages is a "maybe" for ever. */
void hf_filter_hold(uintptr_t start, size_t bytes);

/* Every address is a "maybe": every allocation is recorded. For good. */
void hf_filter_hold_all(void);

/* Knows nothing any more, but what hold and hold_all said: a child after fork. */
void hf_filter_forget(void);

#endif
