/*
 * Range lists. Input: DWARF version, 1 for rnglistx, base address (u64), value of DW_AT_ranges
 * (u16); size (u16) and bytes of the section; the rest is .debug_addr.
 */
#include "dwarf/constants.h"
#include "dwarf/ranges.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

static bool visit(void *context, uint64_t low, uint64_t high)
{
    uint64_t *left = context;
    if (low == 0 || low >= high)
        abort();
    fuzz_tell("0x%llx to 0x%llx\n", (unsigned long long)low, (unsigned long long)high);
    return --*left != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_unit unit = {.addr_base = 8, .rnglists_base = 12};
    unit.encoding = (struct hf_dwarf_encoding){(uint8_t)(2 + hf_cursor_u8(&c) % 4), 8, 4};
    uint16_t form = hf_cursor_u8(&c) == 1 ? DW_FORM_rnglistx : DW_FORM_sec_offset;
    unit.low_pc = hf_cursor_u64(&c);
    uint64_t value = hf_cursor_u16(&c);
    uint16_t lists_size = hf_cursor_u16(&c);
    struct hf_dwarf_sections sections = {.name = "input"};
    sections.rnglists = fuzz_take_part(&c, lists_size);
    sections.ranges = sections.rnglists;
    sections.addr = fuzz_take_part(&c, hf_cursor_left(&c));
    uint64_t left = 1000;
    hf_ranges_walk(&unit, &sections, form, value, visit, &left);
    fuzz_free_part(sections.rnglists);
    fuzz_free_part(sections.addr);
    return 0;
}
