/* Perf maps: each answer is that of the last whole line that holds the address, one by one. */
#include "fuzz.h"
#include "input.h"
#include "symbol/lookup/perf_map.h"

#define QUERIES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t addresses[QUERIES], start = hf_cursor_u16(&c);
    struct hf_perf_map_query queries[QUERIES] = {0};
    size_t count = fuzz_sweep(addresses, QUERIES, start, hf_cursor_u8(&c));
    struct hf_text text = fuzz_take_part(&c, size);
    for (size_t i = 0; i < count; i++)
        queries[i].address = addresses[i];
    hf_perf_map_find(text, queries, count);
    for (size_t i = 0; i < count; i++) {
        struct hf_perf_map_query alone = {.address = addresses[i]};
        hf_perf_map_find(text, &alone, 1);
        if (!hf_text_equal(alone.name, queries[i].name))
            abort();
        bool is_inside = alone.name.data >= text.data &&
                         alone.name.data + alone.name.size <= text.data + text.size;
        if (alone.name.size != 0 && !is_inside)
            abort();
    }
    fuzz_free_part(text);
    return 0;
}
