/*
 * Jitdump files: each answer is a name of the file, which ends there, and what has one keeps it.
 *
 * Input: first address (u16) and distance (u8) of a sweep of addresses; the rest is the file.
 */
#include "fuzz.h"
#include "input.h"
#include "symbol/lookup/jit_dump.h"

#define QUERIES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t addresses[QUERIES], start = hf_cursor_u16(&c);
    struct hf_perf_map_query queries[QUERIES] = {0};
    size_t count = fuzz_sweep(addresses, QUERIES, start, hf_cursor_u8(&c));
    struct hf_text bytes = fuzz_take_part(&c, hf_cursor_left(&c));
    for (size_t i = 0; i < count; i++)
        queries[i].address = addresses[i];
    queries[0].name = HF_TEXT("known");
    hf_jit_dump_find(bytes, queries, count);
    if (!hf_text_is(queries[0].name, "known"))
        abort();
    for (size_t i = 1; i < count; i++) {
        struct hf_text name = queries[i].name;
        bool is_inside = name.data >= bytes.data && name.data + name.size < bytes.data + bytes.size;
        if (name.size != 0 && (!is_inside || name.data[name.size] != '\0'))
            abort();
    }
    fuzz_free_part(bytes);
    return 0;
}
