/* Perf maps: each answer is that of the last whole line that holds the address, one by one. */
#include "fuzz.h"
#include "perf_queries.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_perf_queries queries;
    struct hf_text text = fuzz_take_perf_queries(&queries, data, size);
    hf_perf_map_find(text, queries.items, queries.count);
    for (size_t i = 0; i < queries.count; i++) {
        struct hf_perf_map_query alone = {.address = queries.items[i].address};
        hf_perf_map_find(text, &alone, 1);
        if (alone.name.size != 0) {
            fuzz_tell("0x%llx ", (unsigned long long)alone.address);
            fuzz_tell_named("name", alone.name);
        }
        if (!hf_text_equal(alone.name, queries.items[i].name))
            abort();
        bool is_inside = alone.name.data >= text.data &&
                         alone.name.data + alone.name.size <= text.data + text.size;
        if (alone.name.size != 0 && !is_inside)
            abort();
    }
    fuzz_free_part(text);
    return 0;
}
