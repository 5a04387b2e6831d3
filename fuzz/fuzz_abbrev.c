/*
 * Abbreviation tables. Input: DWARF version, offset size, the only code that is read (0: all); the
 * rest is .debug_abbrev.
 */
#include "dwarf/abbrev.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_abbrev_table table;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_dwarf_encoding encoding = {.address_size = 8};
    encoding.version = (uint8_t)(2 + hf_cursor_u8(&c) % 4);
    encoding.offset_size = hf_cursor_u8(&c) % 2 != 0 ? 8 : 4;
    uint64_t only_code = hf_cursor_u8(&c) % 4;
    struct hf_text section = fuzz_take_part(&c, hf_cursor_left(&c));
    enum hf_status status = hf_abbrev_table_read(&table, section, 0, &encoding, only_code, &err);
    fuzz_tell_error(status, &err);
    for (uint64_t code = 0; code < table.count && status == HF_OK; code++) {
        const struct hf_abbrev *abbrev = hf_abbrev_find(&table, code);
        if (abbrev != NULL &&
            (size_t)abbrev->first_attribute + abbrev->attribute_count > table.attribute_count)
            abort();
        if (abbrev == NULL)
            continue;
        fuzz_tell("code %d, tag 0x%x, kind %d, size %d, sibling %d%s:", (int)code, abbrev->tag,
            abbrev->kind, abbrev->fixed_size, abbrev->sibling_offset,
            abbrev->has_children ? ", children" : "");
        for (size_t i = 0; i < abbrev->attribute_count; i++)
            fuzz_tell(" 0x%x in 0x%x", table.attributes[abbrev->first_attribute + i].name,
                table.attributes[abbrev->first_attribute + i].form);
        fuzz_tell("\n");
    }
    hf_abbrev_table_done(&table);
    fuzz_free_part(section);
    return 0;
}
