/*
 * Packages of split DWARF: the index, and what it says of a unit.
 *
 * Input: an id (u64) and the size of the sections (u16); the index. All sections have that size.
 */
#include "dwarf/package.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char bytes[UINT16_MAX];
    struct hf_error err;
    struct hf_package package;
    struct hf_dwarf_sections part;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t id = hf_cursor_u64(&c);
    const struct hf_text all = {bytes, hf_cursor_u16(&c)};
    const struct hf_dwarf_sections sections = {
        .name = "input", .info = all, .abbrev = all, .str_offsets = all, .rnglists = all};
    struct hf_text index = fuzz_take_part(&c, size);
    enum hf_status status = hf_package_read(&package, index, &sections, &err);
    if (status == HF_OK)
        status = hf_package_find(&package, id, &part, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        const struct hf_text parts[] = {part.info, part.abbrev, part.str_offsets, part.rnglists};
        for (size_t i = 0; i < HF_COUNT(parts); i++) {
            fuzz_tell("part %zu: %td, %zu bytes\n", i,
                parts[i].size != 0 ? parts[i].data - bytes : 0, parts[i].size);
            if (parts[i].size != 0 &&
                (parts[i].data < bytes || parts[i].data + parts[i].size > bytes + all.size))
                abort();
        }
    }
    fuzz_free_part(index);
    return 0;
}
