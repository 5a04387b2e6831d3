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

enum { UNIT = 1, NAMED, FUNCTION, INLINED, LEAF };

static const char inlined_abbrevs[] = {UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr,
    DW_AT_high_pc, DW_FORM_data4, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0, NAMED,
    DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0, FUNCTION, DW_TAG_subprogram, 1,
    DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
    INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
    DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line, DW_FORM_data1, 0, 0, 0};

static void put_range(struct hf_out *out, uint64_t low, uint32_t size)
{
    put_u64(out, low);
    put_u32(out, size);
}

static void begin_unit(struct hf_out *out, uint64_t low, uint32_t size)
{
    put_u16(out, 4);
    put_u32(out, 0);
    put_u8(out, 8);
    put_u8(out, UNIT);
    put_range(out, low, size);
    put_u32(out, 0);
}

/* The children of what this begins end with a 0. */
static void begin_function(struct hf_out *out, const char *name, uint64_t low, uint32_t size)
{
    put_u8(out, FUNCTION);
    put_string(out, name);
    put_range(out, low, size);
}

static void begin_inlined(
    struct hf_out *out, uint32_t origin, uint64_t low, uint32_t size, uint8_t line)
{
    put_u8(out, INLINED);
    put_u32(out, origin);
    put_range(out, low, size);
    put_u8(out, line);
}

/*
 * outer [0x1000, 0x1100) has mid inlined at [0x1020, 0x1060), which has leaf at [0x1030, 0x1040)
 * and again at [0x1040, 0x1048); behind a gap follows next [0x1200, 0x1210), with leaf in all of
 * it.
 */
static struct hf_out make_inlined_unit(void)
{
    struct hf_out info = {0}, body = {0};
    begin_unit(&body, 0x9000, 0x10); /* another one, from which references do not count */
    put_u8(&body, 0);
    put_u32(&info, (uint32_t)body.size);
    hf_out_bytes(&info, body.data, body.size);
    body.size = 0;
    begin_unit(&body, 0x1000, 0x210);
    uint32_t mid = (uint32_t)body.size + 4;
    put_u8(&body, NAMED);
    put_string(&body, "mid");
    uint32_t leaf = (uint32_t)body.size + 4;
    put_u8(&body, NAMED);
    put_string(&body, "leaf");
    begin_function(&body, "outer", 0x1000, 0x100);
    begin_inlined(&body, mid, 0x1020, 0x40, 11);
    begin_inlined(&body, leaf, 0x1030, 0x10, 12);
    put_u8(&body, 0);
    begin_inlined(&body, leaf, 0x1040, 8, 13);
    hf_out_bytes(&body, "\0\0\0", 3);
    begin_function(&body, "next", 0x1200, 0x10);
    begin_inlined(&body, leaf, 0x1200, 0x10, 14);
    hf_out_bytes(&body, "\0\0\0", 3);
    put_u32(&info, (uint32_t)body.size);
    hf_out_bytes(&info, body.data, body.size);
    hf_out_done(&body);
    return info;
}

/* A line of each 16 bytes: 20 at 0x1000, 21 at 0x1010 ... up to 0x1100, and 50 at 0x1200. */
static struct hf_out make_inlined_lines(void)
{
    struct hf_out program = {0};
    hf_out_bytes(&program, "\0\x09\x02", 3); /* DW_LNE_set_address */
    put_u64(&program, 0x1000);
    hf_out_bytes(&program, "\x03\x13\x01", 3); /* to line 20, a row */
    for (size_t i = 0; i < 15; i++)
        hf_out_bytes(&program, "\x03\x01\x02\x10\x01", 5); /* a line, 16 bytes, a row */
    hf_out_bytes(&program, "\x02\x10\0\x01\x01", 5);       /* 16 bytes, the end */
    hf_out_bytes(&program, "\0\x09\x02", 3);
    put_u64(&program, 0x1200);
    hf_out_bytes(&program, "\x03\x31\x01\x02\x10\0\x01\x01", 8); /* line 50, 16 bytes, the end */
    return make_line_table(&program);
}

static const struct {
    uint64_t address;
    const char *frames; /* innermost first, with their lines */
} inlined_places[] = {{0xfff, ""}, {0x1000, "outer:20 "}, {0x100f, "outer:20 "},
    {0x1010, "outer:21 "}, {0x101f, "outer:21 "}, {0x1020, "mid:22 outer:11 "},
    {0x102f, "mid:22 outer:11 "}, {0x1030, "leaf:23 mid:12 outer:11 "},
    {0x103f, "leaf:23 mid:12 outer:11 "}, {0x1040, "leaf:24 mid:13 outer:11 "},
    {0x1047, "leaf:24 mid:13 outer:11 "}, {0x1048, "mid:24 outer:11 "},
    {0x105f, "mid:25 outer:11 "}, {0x1060, "outer:26 "}, {0x10ff, "outer:35 "}, {0x1100, ""},
    {0x11ff, ""}, {0x1200, "leaf:50 next:14 "}, {0x120f, "leaf:50 next:14 "}, {0x1210, ""}};

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
