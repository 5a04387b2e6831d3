/* Debug information that no compiler can be asked for: hostile, or claimed by several units. */
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/resolver.h"

#include <time.h>

#define UNITS 40000

/* A unit of version 4 with a root that has nothing but DW_AT_ranges at 0. */
static void add_unit(struct hf_out *info)
{
    put_u32(info, 2 + 4 + 1 + 1 + 4);
    put_u16(info, 4);
    put_u32(info, 0);
    hf_out_char(info, 8);
    hf_out_char(info, 1);
    put_u32(info, 0);
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
        put_u64(&ranges, 0x10000 + i);
        put_u64(&ranges, 0x10001 + i);
    }
    struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {abbrev, sizeof abbrev},
        .ranges = hf_out_view(&ranges)};
    struct hf_dwarf_result result;
    clock_t start = clock();
    struct hf_resolver *resolver;
    check_ok(hf_resolver_new(&sections, &resolver, &err), &err);
    check_ok(hf_resolver_run(resolver, addresses, HF_COUNT(addresses),
                 &(struct hf_resolver_run){.threads = 1}, &result, &err),
        &err);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    assert_int_not_equal(result.damage.units, 0);
    check_error(&result.damage.first, "refers to the same lists too often (HF_LIMIT_DWARF_EFFORT)");
    hf_dwarf_result_done(&result);
    hf_resolver_free(resolver);
    hf_out_done(&info);
    hf_out_done(&ranges);
}

/* A unit of version 4 for [0x1000, 0x2000), with one function there if it has a name. */
static void add_claimant(struct hf_out *info, const char *function)
{
    struct hf_out body = {0};
    put_u16(&body, 4);
    put_u32(&body, 0);
    put_u8(&body, 8);
    put_u8(&body, 1);
    put_u64(&body, 0x1000);
    put_u32(&body, 0x1000);
    if (function != NULL) {
        put_u8(&body, 2);
        put_string(&body, function);
        put_u64(&body, 0x1000);
        put_u32(&body, 0x800);
    }
    put_u8(&body, 0);
    put_u32(info, (uint32_t)body.size);
    hf_out_bytes(info, body.data, body.size);
    hf_out_done(&body);
}

/* A comdat function is kept once, and described by many units: the first answers, on any thread. */
static void takes_the_first_unit_that_describes(void **state)
{
    static const char abbrev[] = {1, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr,
        DW_AT_high_pc, DW_FORM_data4, 0, 0, 2, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
        DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0};
    static const uint64_t addresses[] = {0x1000, 0x17ff, 0x1800};
    (void)state;
    struct hf_out info = {0};
    add_claimant(&info, NULL);
    add_claimant(&info, "first");
    add_claimant(&info, "second");
    const struct hf_dwarf_sections sections = {
        .name = "file", .info = hf_out_view(&info), .abbrev = {abbrev, sizeof abbrev}};
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct hf_error err;
        struct hf_dwarf_result result;
        struct hf_resolver *resolver;
        check_ok(hf_resolver_new(&sections, &resolver, &err), &err);
        check_ok(hf_resolver_run(resolver, addresses, 3,
                     &(struct hf_resolver_run){.threads = threads}, &result, &err),
            &err);
        assert_int_equal(result.damage.units, 0);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(result.places[i].count, 1);
            check_text(result.places[i].frames[0].name, "first");
        }
        assert_int_equal(result.places[2].count, 0);
        hf_dwarf_result_done(&result);
        hf_resolver_free(resolver);
    }
    hf_out_done(&info);
}

/* Tables of abbreviations beyond their limits are refused with a sentence. */
static void refuses_large_abbreviations(void **state)
{
    (void)state;
    static const struct hf_dwarf_encoding encoding = {.version = 5, .address_size = 8};
    struct hf_error err;
    struct hf_abbrev_table table;
    struct hf_out section = {0};
    hf_out_bytes(&section, "\x01\x2e\x00", 3); /* code 1, a function, no children */
    for (unsigned i = 0; i <= HF_LIMIT_DIE_ATTRS; i++)
        hf_out_bytes(&section, "\x03\x0b", 2); /* a name, of one byte */
    hf_out_bytes(&section, "\0\0\0", 3);
    assert_int_equal(
        hf_abbrev_table_read(&table, hf_out_view(&section), 0, &encoding, 0, &err), HF_ERR_LIMIT);
    check_error(&err, "an abbreviation has more than 512 attributes (HF_LIMIT_DIE_ATTRS)");
    hf_abbrev_table_done(&table);

    section.size = 0;
    hf_out_bytes(&section, "\xc1\x84\x3d\x2e\x00\0\0\0", 8); /* code 1,000,001 */
    while (section.size <= HF_LIMIT_ABBREVS + 1) /* a code is at most the size of the section */
        hf_out_char(&section, '\0');
    assert_int_equal(
        hf_abbrev_table_read(&table, hf_out_view(&section), 0, &encoding, 0, &err), HF_ERR_LIMIT);
    check_error(&err, "abbreviation code 1000001 (HF_LIMIT_ABBREVS)");
    hf_abbrev_table_done(&table);
    hf_out_done(&section);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_up_lists_read_again_and_again),
        cmocka_unit_test(takes_the_first_unit_that_describes),
        cmocka_unit_test(refuses_large_abbreviations),
    };
    return cmocka_run_group_tests_name("dwarf", tests, NULL, NULL);
}
