/* Which units claim which addresses, when it is asked once and when it is asked again. */
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/unit_claims.h"

static const uint64_t asked[] = {0x1000, 0x1800, 0x1fff, 0x2000, 0x9000};

static struct hf_queries claims_queries(const uint64_t *addresses, size_t count)
{
    struct hf_error err;
    struct hf_queries queries;
    check_ok(hf_queries_init(&queries, addresses, count, &err), &err);
    return queries;
}

/* The addresses that each unit claims, by their numbers: "0 1 | 2 | ". Forgets them. */
static void check_claims(struct hf_units *units, const char *expected)
{
    struct hf_out out = {0};
    for (size_t u = 0; u < units->count; u++) {
        struct hf_unit *unit = &units->items[u];
        for (size_t i = 0; i < unit->query_count; i++)
            hf_out_printf(&out, "%u ", (unsigned)unit->queries[i]);
        hf_out_string(&out, "| ");
        unit->query_count = 0;
    }
    check_out(&out, expected);
    hf_out_done(&out);
}

/* A range may lie before, over or behind the addresses; what is in no block of them is no answer.
 */
static void queries_tell_where_none_is(void **state)
{
    static const uint64_t addresses[] = {0x1010, 0x1400};
    static const struct {
        uint64_t low, high;
        bool maybe;
    } rows[] = {{0, 0x1000, false}, {0, 0x1001, true}, {0x1000, 0x1080, true},
        {0x107f, 0x1080, true}, {0x1080, 0x1400, false}, {0x1080, 0x1401, true},
        {0x1400, 0x1401, true}, {0x1401, 0x9000, false}, {0x1010, 0x1010, false},
        {0, UINT64_MAX, true}};
    static const uint64_t far[] = {0x1000, 0x1000 + (UINT64_C(1) << 40)};
    static const uint32_t queries_of_unit[] = {0, 2, 4};
    (void)state;
    struct hf_queries queries = claims_queries(addresses, HF_COUNT(addresses));
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        if (hf_queries_maybe(&queries, rows[i].low, rows[i].high) != rows[i].maybe)
            fail_msg("row %zu", i);
    }
    for (size_t i = 0; i < queries.count; i++)
        assert_int_equal(queries.answers[i].owner, HF_NO_UNIT);
    hf_queries_done(&queries);

    queries = claims_queries(far, HF_COUNT(far)); /* no map of blocks: perhaps everywhere between */
    assert_null(queries.blocks);
    assert_true(hf_queries_maybe(&queries, 0x2000, 0x2001));
    assert_false(hf_queries_maybe(&queries, 0, 0x1000));
    hf_queries_done(&queries);

    queries = claims_queries(asked, HF_COUNT(asked));
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0), 0);
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0x1000), 0);
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0x1001), 1);
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0x1fff), 1);
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0x9000), 2);
    assert_int_equal(hf_queries_from(&queries, queries_of_unit, 3, 0x9001), 3);
    hf_queries_done(&queries);
}

static const uint64_t claims_ranges[] = {
    0x1000, 0x1801, 0x1800, 0x2000, 0x1800, 0x1801, 0x3000, 0x2000, 0, 0};

/* Units as their roots tell them; the third has a list that names 0x1800 three times. */
static const struct hf_unit claims_units[] = {
    {.has_root = true, .has_low_high = true, .low_pc = 0x1000, .high_pc = 0x2000},
    {.has_root = true, .has_low_high = true, .low_pc = 0x1fff, .high_pc = 0x2001},
    {.has_root = true, .encoding = {4, 8, 4}, .ranges_form = DW_FORM_sec_offset},
    {.has_root = false, .has_low_high = true, .low_pc = 0x1000, .high_pc = 0x9001},
    {.has_root = true, .has_low_high = true, .low_pc = 0, .high_pc = 0x9001}, /* thrown away */
    {.has_root = true, .has_low_high = false, .low_pc = 0x1000, .high_pc = 0x9001},
    {.has_root = true, .has_low_high = true, .low_pc = 0x9000, .high_pc = 0x9000},
    {.has_root = true, .has_low_high = true, .low_pc = 0x2000, .high_pc = 0x1000},
    {.has_root = true, .has_low_high = true, .low_pc = 0x9000, .high_pc = UINT64_MAX},
};

static struct hf_units units_of(const struct hf_unit *items, size_t count)
{
    struct hf_units units = {.items = calloc(count, sizeof *items), .count = count};
    assert_non_null(units.items);
    memcpy(units.items, items, count * sizeof *items);
    return units;
}

static void gives_each_unit_what_it_claims(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_dwarf_effort effort = {.left = 100000};
    const struct hf_dwarf_sections sections = {.name = "file",
        .ranges = {(const char *)claims_ranges, sizeof claims_ranges},
        .effort = &effort};
    struct hf_queries queries = claims_queries(asked, HF_COUNT(asked));
    struct hf_units units = units_of(claims_units, HF_COUNT(claims_units));
    struct hf_claims claims = {0};
    check_ok(hf_claims_list(&claims, &units, &sections, &err), &err);
    assert_true(claims.is_listed);
    assert_int_equal(claims.ranges.count, 6);
    assert_int_equal(atomic_load(&effort.left), 100000 - 6 * (int64_t)sizeof(struct hf_span));
    for (int again = 0; again < 2; again++) {
        check_ok(hf_claims_give(&claims, &units, &sections, &queries, &err), &err);
        check_claims(&units, "0 1 2 | 2 3 | 0 1 2 | | | | | | 4 | ");
    }
    /* The few that claim an address cost nothing. */
    assert_int_equal(atomic_load(&effort.left), 100000 - 6 * (int64_t)sizeof(struct hf_span));
    hf_claims_done(&claims);
    assert_false(claims.is_listed);
    assert_int_equal(claims.ranges.count, 0);

    atomic_store(&effort.left, 0);
    assert_int_equal(hf_claims_list(&claims, &units, &sections, &err), HF_ERR_LIMIT);
    assert_false(claims.is_listed);
    hf_claims_done(&claims);
    hf_queries_done(&queries);
    hf_units_done(&units);
}

/* Units that all claim one address: up to 64 are free, more cost what is read of them. */
static void many_claims_cost_effort(void **state)
{
    static const uint64_t address[] = {0x1000};
    static const int64_t size = sizeof(struct hf_span);
    struct hf_unit same[66];
    (void)state;
    for (size_t i = 0; i < HF_COUNT(same); i++)
        same[i] = claims_units[0];
    for (size_t count = 63; count <= 66; count++) {
        struct hf_error err = {0};
        struct hf_dwarf_effort effort = {.left = 100000};
        const struct hf_dwarf_sections sections = {.name = "file", .effort = &effort};
        struct hf_queries queries = claims_queries(address, 1);
        struct hf_units units = units_of(same, count);
        struct hf_claims claims = {0};
        check_ok(hf_claims_list(&claims, &units, &sections, &err), &err);
        int64_t listed = atomic_load(&effort.left);
        check_ok(hf_claims_give(&claims, &units, &sections, &queries, &err), &err);
        int64_t cost = count > 64 ? (int64_t)count * size : 0;
        assert_int_equal(atomic_load(&effort.left), listed - cost);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(units.items[i].query_count, 1);
            units.items[i].query_count = 0;
        }
        atomic_store(&effort.left, 0);
        assert_int_equal(hf_claims_give(&claims, &units, &sections, &queries, &err),
            cost != 0 ? HF_ERR_LIMIT : HF_OK);
        hf_claims_done(&claims);
        hf_queries_done(&queries);
        hf_units_done(&units);
    }
}

static size_t next_of(const struct hf_units *units, struct hf_queries *queries)
{
    struct hf_error err;
    size_t given;
    check_ok(hf_unit_claims_next(units, queries, &given, &err), &err);
    return given;
}

/* The next unit behind the one that was asked, until a function is known. */
static void asks_one_unit_after_the_other(void **state)
{
    static const uint64_t addresses[] = {0x10, 0x20, 0x30};
    (void)state;
    uint32_t first[] = {0, 1}, second[] = {0, 2}, third[] = {0, 1};
    struct hf_unit items[] = {{.queries = first, .query_count = 2},
        {.queries = second, .query_count = 2}, {.queries = third, .query_count = 2}};
    const struct hf_units units = {.items = items, .count = HF_COUNT(items)};
    struct hf_queries queries = claims_queries(addresses, HF_COUNT(addresses));
    struct hf_answer *answers = queries.answers;
    assert_int_equal(next_of(&units, &queries), 3);
    assert_int_equal(answers[0].owner, 0);
    assert_int_equal(answers[1].owner, 0);
    assert_int_equal(answers[2].owner, 1);
    struct hf_inlined_call function = {0};
    answers[1].innermost = &function;
    answers[0].has_line = answers[1].has_line = answers[2].has_line = true;
    assert_int_equal(next_of(&units, &queries), 1);
    assert_int_equal(answers[0].owner, 1);
    assert_false(answers[0].has_line); /* that was the other unit's */
    assert_int_equal(answers[1].owner, 0);
    assert_true(answers[1].has_line);
    assert_int_equal(answers[2].owner, 1);
    assert_true(answers[2].has_line);
    assert_int_equal(next_of(&units, &queries), 1);
    assert_int_equal(answers[0].owner, 2);
    assert_int_equal(next_of(&units, &queries), 0);
    assert_int_equal(answers[0].owner, 2);
    hf_queries_done(&queries);
}

/* A unit of version 4 whose root has this list of ranges, and its abbreviation. */
static struct hf_out info_with_ranges(uint32_t ranges)
{
    struct hf_out info = {0};
    put_u32(&info, 2 + 4 + 1 + 1 + 4);
    put_u16(&info, 4);
    put_u32(&info, 0);
    put_u8(&info, 8);
    put_u8(&info, 1);
    put_u32(&info, ranges);
    return info;
}

static const char claims_abbrevs[] = {
    1, DW_TAG_compile_unit, 0, DW_AT_ranges, DW_FORM_sec_offset, 0, 0, 0};

/* What reading a unit's root finds is the same; a list that goes on and on is left. */
static void claims_what_the_root_says(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_out info = info_with_ranges(0), hostile = {0};
    struct hf_dwarf_sections sections = {.name = "file",
        .info = hf_out_view(&info),
        .abbrev = {claims_abbrevs, sizeof claims_abbrevs},
        .ranges = {(const char *)claims_ranges, sizeof claims_ranges}};
    struct hf_queries queries = claims_queries(asked, HF_COUNT(asked));
    struct hf_units units = {0};
    check_ok(hf_units_scan(&units, &sections, &err), &err);
    assert_int_equal(units.count, 1);
    check_ok(hf_unit_claim(&units.items[0], &sections, &queries, &err), &err);
    assert_true(units.items[0].has_root);
    check_claims(&units, "0 1 2 | "); /* each once, in order */

    for (unsigned i = 0; i < 1000; i++) {
        put_u64(&hostile, 0x1800);
        put_u64(&hostile, 0x1801);
    }
    sections.ranges = hf_out_view(&hostile);
    check_ok(hf_unit_claim(&units.items[0], &sections, &queries, &err), &err);
    assert_true(units.items[0].query_capacity < 100);
    check_claims(&units, "1 | ");

    struct hf_dwarf_effort effort = {.left = 1};
    sections.effort = &effort;
    assert_int_equal(hf_unit_claim(&units.items[0], &sections, &queries, &err), HF_ERR_LIMIT);
    hf_queries_done(&queries);
    hf_units_done(&units);
    hf_out_done(&hostile);
    hf_out_done(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_tell_where_none_is),
        cmocka_unit_test(gives_each_unit_what_it_claims),
        cmocka_unit_test(many_claims_cost_effort),
        cmocka_unit_test(asks_one_unit_after_the_other),
        cmocka_unit_test(claims_what_the_root_says),
    };
    return cmocka_run_group_tests_name("unit_claims", tests, NULL, NULL);
}
