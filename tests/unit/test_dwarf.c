/* Debug information that no compiler can be asked for: hostile, or claimed by several units. */
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/resolver.h"
#include "inlined_unit.h"

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

/* A unit of version 4 for `size` bytes from 0x1000 on, with a function in half of them if named. */
static void add_claimant(struct hf_out *info, uint32_t size, const char *function)
{
    struct hf_out body = {0};
    put_u16(&body, 4);
    put_u32(&body, 0);
    put_u8(&body, 8);
    put_u8(&body, 1);
    put_u64(&body, 0x1000);
    put_u32(&body, size);
    if (function != NULL) {
        put_u8(&body, 2);
        put_string(&body, function);
        put_u64(&body, 0x1000);
        put_u32(&body, size / 2);
    }
    put_u8(&body, 0);
    put_u32(info, (uint32_t)body.size);
    hf_out_bytes(info, body.data, body.size);
    hf_out_done(&body);
}

static const char abbrev[] = {1, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
    DW_FORM_data4, 0, 0, 2, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
    DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0};

/* A comdat function is kept once, and described by many units: the first answers, on any thread. */
static void takes_the_first_unit_that_describes(void **state)
{
    static const uint64_t addresses[] = {0x1000, 0x17ff, 0x1800};
    (void)state;
    struct hf_out info = {0};
    add_claimant(&info, 0x1000, NULL);
    add_claimant(&info, 0x1000, "first");
    add_claimant(&info, 0x1000, "second");
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

/* GNU C has functions in functions, whose code need not lie in that of the one around them. */
static void finds_a_function_outside_of_the_one_it_is_nested_in(void **state)
{
    static const char nested_abbrevs[] = {1, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr,
        DW_AT_high_pc, DW_FORM_data4, 0, 0, 2, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string,
        DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0};
    static const uint64_t addresses[] = {0x1000, 0x1800};
    static const char *const names[] = {"outer", "inner"};
    (void)state;
    struct hf_error err;
    struct hf_out info = {0}, body = {0};
    put_u16(&body, 4);
    put_u32(&body, 0);
    put_u8(&body, 8);
    put_u8(&body, 1);
    put_u64(&body, 0x1000);
    put_u32(&body, 0x1000);
    for (size_t i = 0; i < 2; i++) {
        put_u8(&body, 2);
        put_string(&body, names[i]);
        put_u64(&body, addresses[i]);
        put_u32(&body, 0x100);
    }
    hf_out_bytes(&body, "\0\0\0", 3); /* nothing more in each of the three */
    put_u32(&info, (uint32_t)body.size);
    hf_out_bytes(&info, body.data, body.size);
    const struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {nested_abbrevs, sizeof nested_abbrevs}};
    struct hf_dwarf_result result;
    struct hf_resolver *resolver;
    check_ok(hf_resolver_new(&sections, &resolver, &err), &err);
    check_ok(hf_resolver_run(
                 resolver, addresses, 2, &(struct hf_resolver_run){.threads = 1}, &result, &err),
        &err);
    assert_int_equal(result.damage.units, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(result.places[i].count, 1);
        check_text(result.places[i].frames[0].name, names[i]);
    }
    hf_dwarf_result_done(&result);
    hf_resolver_free(resolver);
    hf_out_done(&info);
    hf_out_done(&body);
}

/* Units that claim ever more: what one does not describe is the next one's, round by round. */
static void decodes_a_unit_a_few_times_however_often_it_is_asked(void **state)
{
    (void)state;
    enum { CLAIMANTS = 8, STEP = 0x200 };
    uint64_t addresses[CLAIMANTS];
    struct hf_error err;
    struct hf_dwarf_result result;
    struct hf_resolver *resolver;
    struct hf_out info = {0};
    for (uint32_t i = 0; i < CLAIMANTS; i++) {
        addresses[i] = 0x1000 + i * STEP;
        add_claimant(&info, (i + 1) * STEP, i + 1 == CLAIMANTS ? "last" : NULL);
    }
    const struct hf_dwarf_sections sections = {
        .name = "file", .info = hf_out_view(&info), .abbrev = {abbrev, sizeof abbrev}};
    const struct hf_resolver_run run = {.threads = 1};
    check_ok(hf_resolver_new(&sections, &resolver, &err), &err);
    check_ok(hf_resolver_run(resolver, addresses, CLAIMANTS, &run, &result, &err), &err);
    for (size_t i = 0; i < CLAIMANTS; i++) {
        assert_int_equal(result.places[i].count, i < CLAIMANTS / 2);
        if (result.places[i].count != 0)
            check_text(result.places[i].frames[0].name, "last");
    }
    /* Walked, indexed, and indexed with what is in types: the last one is asked eight times. */
    assert_in_range(hf_resolver_units_decoded(resolver), CLAIMANTS, 3 * CLAIMANTS);
    hf_dwarf_result_done(&result);
    hf_resolver_free(resolver);
    hf_out_done(&info);
}

/* By a walk through the unit, and by its index when more is asked for; again and again the same. */
static void finds_inlined_calls(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out info = make_inlined_unit(), lines = make_inlined_lines(), text = {0};
    const struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {inlined_abbrevs, sizeof inlined_abbrevs},
        .line = hf_out_view(&lines)};
    uint64_t addresses[HF_COUNT(inlined_places)];
    for (size_t i = 0; i < HF_COUNT(addresses); i++)
        addresses[i] = inlined_places[i].address;
    for (unsigned how = 0; how < 4; how++) {
        const struct hf_resolver_run run = {.threads = 1 + how / 2, .expects_more = how % 2 != 0};
        struct hf_resolver *resolver;
        check_ok(hf_resolver_new(&sections, &resolver, &err), &err);
        for (int again = 0; again < 3; again++) {
            struct hf_dwarf_result result;
            check_ok(hf_resolver_run(resolver, addresses, HF_COUNT(addresses), &run, &result, &err),
                &err);
            assert_int_equal(result.damage.units, 0);
            for (size_t i = 0; i < HF_COUNT(addresses); i++) {
                const struct hf_dwarf_place *place = &result.places[i];
                char name[64];
                (void)snprintf(name, sizeof name, "0x%llx, how %u, time %d",
                    (unsigned long long)addresses[i], how, again);
                check_case = name;
                for (size_t f = 0; f < place->count; f++) {
                    hf_out_text(&text, place->frames[f].name);
                    hf_out_printf(&text, ":%u ", place->frames[f].line);
                }
                check_out(&text, inlined_places[i].frames);
            }
            hf_dwarf_result_done(&result);
        }
        hf_resolver_free(resolver);
    }
    hf_out_done(&text);
    hf_out_done(&lines);
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
        cmocka_unit_test(finds_a_function_outside_of_the_one_it_is_nested_in),
        cmocka_unit_test(decodes_a_unit_a_few_times_however_often_it_is_asked),
        cmocka_unit_test(finds_inlined_calls),
        cmocka_unit_test(refuses_large_abbreviations),
    };
    return cmocka_run_group_tests_name("dwarf", tests, NULL, NULL);
}
