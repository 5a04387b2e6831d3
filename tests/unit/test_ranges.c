/* Lists of ranges by DWARF 5, section 7.25, and DWARF 4, 2.17.3, put together here. */
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/ranges.h"

static bool add_range(void *context, uint64_t low, uint64_t high)
{
    hf_out_printf(context, "%llx-%llx ", (unsigned long long)low, (unsigned long long)high);
    return true;
}

static void check_list(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value, const char *expected)
{
    struct hf_out ranges = {0};
    hf_ranges_walk(unit, sections, form, value, add_range, &ranges);
    check_out(&ranges, expected);
    hf_out_done(&ranges);
}

static void reads_lists_of_version_4(void **state)
{
    static const uint64_t pairs[] = {
        0x10, 0x20,                         /* from the unit's low_pc */
        0x30, 0x30,                         /* empty */
        UINT64_MAX, 0x5000, 0x10, 0x20,     /* from another base */
        UINT64_MAX - 1, UINT64_MAX - 1,     /* lld: thrown away */
        UINT64_MAX, UINT64_MAX - 1, 1, 0x9, /* a dead base: this would wrap */
        UINT64_MAX, 0, 0x40, 0x50,          /* none */
        0, 0x70,                            /* binutils: thrown away */
        0, 0, 0x100, 0x200,                 /* the end; behind it */
    };
    (void)state;
    const struct hf_dwarf_sections sections = {
        .name = "file", .ranges = {(const char *)pairs, sizeof pairs}};
    struct hf_unit unit = {.encoding = {4, 8, 4}, .low_pc = 0x1000};
    check_list(&unit, &sections, DW_FORM_sec_offset, 0, "1010-1020 5010-5020 40-50 ");
    check_list(&unit, &sections, DW_FORM_sec_offset, 16 * 11, "1100-1200 ");
    unit.ranges_base = 16 * 11; /* of a unit of split DWARF */
    check_list(&unit, &sections, DW_FORM_sec_offset, 0, "1100-1200 ");
    check_list(&unit, &sections, DW_FORM_sec_offset, UINT64_MAX, "");
}

/* Every kind of entry; and lists by number, in 32-bit and 64-bit DWARF. */
static void reads_lists_of_version_5(void **state)
{
    static const char lists[] = "\4\x10\x20"           /* offset_pair, from low_pc */
                                "\1\1\4\x01\x02"       /* base_addressx, offset_pair */
                                "\2\0\1"               /* startx_endx */
                                "\3\1\x08"             /* startx_length */
                                "\5\0\x70\0\0\0\0\0\0" /* base_address */
                                "\4\x03\x04"           /* offset_pair */
                                "\6\0\x80\0\0\0\0\0\0\x10\x80\0\0\0\0\0\0" /* start_end */
                                "\7\0\x90\0\0\0\0\0\0\x10"                 /* start_length */
                                "\0";
    static const uint64_t addresses[] = {0, 0x5000, 0x6000};
    static const char expected[] =
        "1010-1020 6001-6002 5000-6000 6000-6008 7003-7004 8000-8010 9000-9010 ";
    (void)state;
    for (uint8_t offset_size = 4; offset_size <= 8; offset_size += 4) {
        struct hf_out section = {0};
        const uint64_t base = offset_size == 8 ? 20 : 12; /* behind the head, which is not read */
        while (section.size < base)
            put_u8(&section, 0xff);
        for (unsigned i = 0; i < 2; i++) { /* two offsets: the second list follows them */
            uint64_t offset = i == 0 ? 0 : 2 * offset_size;
            hf_out_bytes(&section, (const char *)&offset, offset_size);
        }
        hf_out_bytes(&section, lists, sizeof lists - 1);
        const struct hf_dwarf_sections sections = {.name = "file",
            .rnglists = hf_out_view(&section),
            .addr = {(const char *)addresses, sizeof addresses}};
        const struct hf_unit unit = {.encoding = {5, 8, offset_size},
            .low_pc = 0x1000,
            .rnglists_base = base,
            .addr_base = 8};
        check_list(&unit, &sections, DW_FORM_rnglistx, 1, expected);
        check_list(&unit, &sections, DW_FORM_sec_offset, base + 2 * offset_size, expected);
        check_list(&unit, &sections, DW_FORM_rnglistx, UINT64_MAX, "");
        hf_out_done(&section);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lists_of_version_4),
        cmocka_unit_test(reads_lists_of_version_5),
    };
    return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
