/*
 * mapped_ranges.h: what allocators look for in the mappings of a process: anonymous memory, of
 * which heaps are, and the data of modules, where what leads to them lies. Mappings that lie one
 * behind the other are one: the kernel has them apart for reasons of its own.
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_anonymous_ranges ranges = {0};
 *     status = hf_anonymous_ranges_find(&ranges, &image, err);
 *     if (status == HF_OK && hf_anonymous_ranges_have(&ranges, 0x55d000001000, 0x55d000002000))
 *         hf_out_string(out, "memory");
 *     hf_anonymous_ranges_done(&ranges);
 */
#ifndef HF_HEAP_ALLOCATORS_MAPPED_RANGES_H
#define HF_HEAP_ALLOCATORS_MAPPED_RANGES_H

#include "base/error.h"
#include "memory/process_image.h"

struct hf_anonymous_ranges {
    struct hf_process_range *items; /* sorted */
    size_t count, capacity;
};

/* Of an empty one. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_anonymous_ranges_find(
    struct hf_anonymous_ranges *ranges, const struct hf_process_image *image, struct hf_error *err);
void hf_anonymous_ranges_done(struct hf_anonymous_ranges *ranges);

/* True if all of it is anonymous memory. */
bool hf_anonymous_ranges_have(
    const struct hf_anonymous_ranges *ranges, uint64_t start, uint64_t end);

/* The data of the next module, and those behind them that are not in its file, from the mapping
 * `*index` on, which then is the one behind them. False: there are no more. */
HF_MUST_CHECK bool hf_next_module_data(
    const struct hf_process_image *image, size_t *index, struct hf_process_range *out);

#endif
