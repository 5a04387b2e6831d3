/*
 * perf_queries.h: for targets that name addresses of code made at run time.
 *
 * Input: first address (u16) and distance (u8) of a sweep of addresses; the rest is the file.
 */
#ifndef HF_FUZZ_PERF_QUERIES_H
#define HF_FUZZ_PERF_QUERIES_H

#include "input.h"
#include "symbol/lookup/perf_map.h"

struct fuzz_perf_queries {
    struct hf_perf_map_query items[64];
    size_t count;
};

/* Returns the file: free it with fuzz_free_part. */
static inline struct hf_text fuzz_take_perf_queries(
    struct fuzz_perf_queries *queries, const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t addresses[HF_COUNT(queries->items)], start = hf_cursor_u16(&c);
    *queries = (struct fuzz_perf_queries){
        .count = fuzz_sweep(addresses, HF_COUNT(addresses), start, hf_cursor_u8(&c))};
    for (size_t i = 0; i < queries->count; i++)
        queries->items[i].address = addresses[i];
    return fuzz_take_part(&c, hf_cursor_left(&c));
}

#endif
