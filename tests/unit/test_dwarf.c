/* Debug information that is hostile: what it may cost, and that it is said. */
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/resolve.h"

#include <time.h>

#define UNITS 40000

static void u16(struct hf_out *out, uint16_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void u32(struct hf_out *out, uint32_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void u64(struct hf_out *out, uint64_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

/* A unit of version 4 with a root that has nothing but DW_AT_ranges at 0. */
static void add_unit(struct hf_out *info)
{
    u32(info, 2 + 4 + 1 + 1 + 4);
    u16(info, 4);
    u32(info, 0);
    hf_out_char(info, 8);
    hf_out_char(info, 1);
    u32(info, 0);
}

/*
 * 40,000 units, all with the same list of 40,000 ranges: 600 KB for 1.6 thousand million steps.
 */
static void gives_up_lists_read_again_and_again(void **state)
{
    static const char abbrev[] = {
        1, DW_TAG_compile_unit, 0, DW_AT_ranges, DW_FORM_sec_offset, 0, 0, 0};
    static const uint64_t addresses[] = {0x1000, 0x2000};
    (void)state;
    struct hf_error err;
    struct hf_out info = {0}, ranges = {0};
    for (size_t i = 0; i < UNITS; i++) {
        add_unit(&info);
        u64(&ranges, 0x10000 + i);
        u64(&ranges, 0x10001 + i);
    }
    struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {abbrev, sizeof abbrev},
        .ranges = hf_out_view(&ranges)};
    struct hf_dwarf_result result;
    clock_t start = clock();
    check_ok(hf_dwarf_resolve(&sections, addresses, HF_COUNT(addresses), 1, &result, &err), &err);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    assert_int_not_equal(result.damaged_units, 0);
    check_error(&result.first_damage,
        "has lists that would be read again and again (HF_LIMIT_DWARF_EFFORT)");
    hf_dwarf_result_done(&result);
    hf_out_done(&info);
    hf_out_done(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_up_lists_read_again_and_again),
    };
    return cmocka_run_group_tests_name("dwarf", tests, NULL, NULL);
}
