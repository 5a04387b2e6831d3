/*
 * DWARF as a whole: addresses to functions, inlined calls, files and lines.
 *
 * Input: first address (u64) and distance (u16) of a sweep of addresses, number of threads (u8, and
 * its bit 7: with a supplementary file, bit 6: with a .dwo file); the sizes of nine sections (u16
 * each) in the order of struct hf_dwarf_sections; the sections; the same of .debug_info,
 * .debug_abbrev and .debug_str of the supplementary file; and of these and .debug_str_offsets and
 * .debug_rnglists of the .dwo file.
 */
#include "dwarf/resolve.h"
#include "dwarf/split.h"
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

/* The one .dwo file, opened when it is asked for. */
struct dwo {
    struct hf_dwarf_sections sections;
    struct hf_split_file file;
};

static enum hf_status find_dwo(void *context, const struct hf_unit *skeleton,
    struct hf_dwarf_effort *effort, struct hf_split_file **out_file, struct hf_error *err)
{
    struct dwo *dwo = context;
    *out_file = &dwo->file;
    if (hf_split_file_unit(&dwo->file, skeleton->dwo_id) != NULL)
        return HF_OK;
    if (dwo->file.units.count != 0)
        return hf_error_set(err, HF_ERR_INPUT, "it has no such unit");
    enum hf_status status =
        hf_split_file_open(&dwo->file, &dwo->sections, skeleton->dwo_id, effort, err);
    if (status != HF_OK)
        hf_split_file_done(&dwo->file);
    return status;
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
    struct dwo dwo = {.sections = {.name = "dwo"}};
    struct hf_text *const split[] = {&dwo.sections.info, &dwo.sections.abbrev, &dwo.sections.str,
        &dwo.sections.str_offsets, &dwo.sections.rnglists};
    struct hf_split_source source = {.find = find_dwo, .context = &dwo};
    take_parts(&c, parts, HF_COUNT(parts));
    take_parts(&c, shared, HF_COUNT(shared));
    take_parts(&c, split, HF_COUNT(split));
    if ((flags & 0x80) != 0)
        sections.supplement = &supplement;
    if ((flags & 0x40) != 0)
        sections.split = &source;

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
    hf_split_file_done(&dwo.file);
    for (size_t i = 0; i < HF_COUNT(split); i++)
        fuzz_free_part(*split[i]);
    return 0;
}
