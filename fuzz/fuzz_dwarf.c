/*
 * DWARF as a whole: addresses to functions, inlined calls, files and lines.
 *
 * Input: first address (u64) and distance (u16) of a sweep of addresses, number of threads (u8, and
 * its bit 7: with a supplementary file); the sizes of nine sections (u16 each) in the order of
 * struct hf_dwarf_sections; the sections; the same of .debug_info, .debug_abbrev and .debug_str of
 * the supplementary file.
 */
#include "dwarf/resolve.h"
#include "fuzz.h"
#include "input.h"

#define ADDRESSES 256

static void take_parts(struct hf_cursor *c, struct hf_text *const *parts, size_t count)
{
    uint16_t sizes[9];
    for (size_t i = 0; i < count; i++)
        sizes[i] = hf_cursor_u16(c);
    for (size_t i = 0; i < count; i++)
        *parts[i] = fuzz_take_part(c, sizes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t start = hf_cursor_u64(&c);
    uint64_t step = (uint64_t)hf_cursor_u16(&c) + 1;
    uint8_t flags = hf_cursor_u8(&c);
    unsigned threads = flags % 64 == 63 ? 2 : 1; /* threads are slow to start */
    struct hf_dwarf_sections sections = {.name = "input"}, supplement = {.name = "supplement"};
    struct hf_text *const parts[] = {&sections.info, &sections.abbrev, &sections.line,
        &sections.str, &sections.line_str, &sections.ranges, &sections.rnglists, &sections.addr,
        &sections.str_offsets};
    struct hf_text *const shared[] = {&supplement.info, &supplement.abbrev, &supplement.str};
    take_parts(&c, parts, HF_COUNT(parts));
    take_parts(&c, shared, HF_COUNT(shared));
    if ((flags & 0x80) != 0)
        sections.supplement = &supplement;

    uint64_t addresses[ADDRESSES];
    size_t count = fuzz_sweep(addresses, ADDRESSES, start, step);
    struct hf_dwarf_result result;
    if (hf_dwarf_resolve(&sections, addresses, count, threads, &result, &err) != HF_OK)
        abort();
    uint64_t sum = 0; /* every byte that was handed out is read */
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < result.places[i].count; f++) {
            const struct hf_dwarf_frame *frame = &result.places[i].frames[f];
            const struct hf_text texts[] = {frame->name, frame->linkage, frame->file};
            for (size_t t = 0; t < HF_COUNT(texts); t++)
                sum += texts[t].size != 0 ? (uint8_t)texts[t].data[texts[t].size - 1] : 0;
        }
    }
    if (sum == UINT64_MAX)
        abort();
    hf_dwarf_result_done(&result);
    for (size_t i = 0; i < HF_COUNT(parts); i++)
        fuzz_free_part(*parts[i]);
    for (size_t i = 0; i < HF_COUNT(shared); i++)
        fuzz_free_part(*shared[i]);
    return 0;
}
