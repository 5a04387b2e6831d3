/* What reading a file may cost, what is counted of it, and which unit of a split file is taken. */
#include "base/budget.h"
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/split.h"

#define REFERS "refers to the same lists too often (HF_LIMIT_DWARF_EFFORT)"

static int64_t left_of(struct hf_dwarf_effort *effort)
{
    return atomic_load(&effort->left);
}

static void counts_all_sections(void **state)
{
    (void)state;
    static const char bytes[256];
    const struct hf_dwarf_sections sections = {.info = {bytes, 1},
        .abbrev = {bytes, 2},
        .line = {bytes, 4},
        .str = {bytes, 8},
        .line_str = {bytes, 16},
        .ranges = {bytes, 32},
        .rnglists = {bytes, 64},
        .addr = {bytes, 128},
        .str_offsets = {bytes, 256}};
    struct hf_dwarf_effort effort;
    assert_int_equal(hf_dwarf_bytes(&sections), 511);
    hf_dwarf_effort_init(&effort, &sections);
    int64_t begun = HF_LIMIT_DWARF_EFFORT + 511 * (int64_t)HF_LIMIT_DWARF_EFFORT_RATIO;
    assert_int_equal(left_of(&effort), begun);
    hf_dwarf_grant(&effort, 10);
    assert_int_equal(left_of(&effort), begun + 10 * (int64_t)HF_LIMIT_DWARF_EFFORT_RATIO);
}

/* The last that is begun is not refused; the next is. */
static void spends_until_nothing_is_left(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_dwarf_effort effort = {.left = 1};
    struct hf_dwarf_sections sections = {.effort = &effort};
    assert_true(hf_dwarf_spend(&sections, 0, &err));
    assert_int_equal(left_of(&effort), 1);
    assert_true(hf_dwarf_spend(&sections, 100, &err));
    assert_int_equal(left_of(&effort), -99);
    assert_false(hf_dwarf_spend(&sections, 0, &err));
    check_error(&err, REFERS);
    effort.left = 0;
    assert_false(hf_dwarf_spend(&sections, 1, &err));
    effort.left = INT64_MAX;
    assert_true(hf_dwarf_spend(&sections, UINT64_MAX, &err)); /* more than there is to be read */
    assert_int_equal(left_of(&effort), INT64_MAX - (INT64_C(1) << 40));
    sections.effort = NULL;
    assert_true(hf_dwarf_spend(&sections, UINT64_MAX, &err));
}

/* Whose budget is used up is told so. */
static void spends_of_the_budget_too(void **state)
{
    (void)state;
    struct hf_error err = {0}, expected;
    struct hf_dwarf_effort effort = {.left = 1000};
    const struct hf_dwarf_sections sections = {.effort = &effort};
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    assert_true(hf_dwarf_spend(&sections, 10, &err));
    assert_false(hf_dwarf_spend(&sections, UINT64_C(1) << 40, &err));
    assert_int_equal(hf_budget_refuse(&expected), HF_ERR_LIMIT);
    hf_budget_leave(before);
    assert_int_equal(err.status, HF_ERR_LIMIT);
    assert_string_equal(err.text, expected.text);
    assert_int_equal(left_of(&effort), 990);
}

/* A unit with two attributes that are asked for, and abbreviations that it does not use. */
static const char abbrevs[] = {1, DW_TAG_compile_unit, 0, DW_AT_low_pc, DW_FORM_addr, DW_AT_name,
    DW_FORM_string, 0, 0, 2, DW_TAG_subprogram, 0, DW_AT_low_pc, DW_FORM_addr, 0, 0, 3,
    DW_TAG_namespace, 0, 0, 0, 0};

/* What is kept of abbreviations costs as much as what is read. */
static void abbreviations_cost_what_they_keep(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_dwarf_effort effort = {.left = 1000000};
    const struct hf_dwarf_sections sections = {
        .abbrev = {abbrevs, sizeof abbrevs}, .effort = &effort};
    struct hf_unit unit = {.encoding = {.version = 5, .address_size = 8, .offset_size = 4}};
    check_ok(hf_unit_need_abbrevs(&unit, &sections, &err), &err);
    assert_int_equal(unit.abbrevs.count, 4); /* by code, from 0 on */
    assert_int_equal(unit.abbrevs.attribute_count, 3);
    int64_t cost = 4 * (int64_t)sizeof *unit.abbrevs.items +
                   3 * (int64_t)sizeof *unit.abbrevs.attributes + (int64_t)sizeof abbrevs;
    assert_int_equal(left_of(&effort), 1000000 - cost);
    check_ok(hf_unit_need_abbrevs(&unit, &sections, &err), &err);
    assert_int_equal(left_of(&effort), 1000000 - cost); /* they are read once */
    hf_abbrev_table_done(&unit.abbrevs);

    effort.left = 0;
    unit.has_abbrevs = false;
    assert_int_equal(hf_unit_need_abbrevs(&unit, &sections, &err), HF_ERR_LIMIT);
    check_error(&err, REFERS);
    assert_true(unit.abbrevs.items == NULL && unit.abbrevs.count == 0);
}

struct split_row {
    uint8_t type;    /* 0: there is no unit */
    uint64_t dwo_id; /* of it, if it is of split_compile */
    uint64_t asked;
    const char *error;
};

#define OTHER(own, asked) "belongs to another build: the id of its unit is " own ", not " asked

static const struct split_row split_rows[] = {
    {DW_UT_split_compile, 7, 7, NULL},
    {DW_UT_split_compile, 1, 1, NULL},
    {DW_UT_split_compile, UINT64_MAX, UINT64_MAX, NULL},
    {DW_UT_split_compile, 7, 8, OTHER("0000000000000007", "0000000000000008")},
    {DW_UT_split_compile, 7, 0, OTHER("0000000000000007", "0000000000000000")},
    /* Units without an id are not the ones that a skeleton without an id means. */
    {DW_UT_split_compile, 0, 0, OTHER("0000000000000000", "0000000000000000")},
    {DW_UT_compile, 0, 0, OTHER("0000000000000000", "0000000000000000")},
    {DW_UT_split_type, 7, 7, "has no units of split DWARF"},
    {DW_UT_type, 0, 0, "has no units of split DWARF"},
    {0, 0, 7, "has no units of split DWARF"},
};

static void effort_put_unit(struct hf_out *info, const struct split_row *row)
{
    struct hf_out body = {0};
    put_u16(&body, 5);
    put_u8(&body, row->type);
    put_u8(&body, 8);
    put_u32(&body, 0);
    if (row->type != DW_UT_compile)
        put_u64(&body, row->dwo_id); /* or the signature of a type */
    if (row->type == DW_UT_split_type || row->type == DW_UT_type)
        put_u32(&body, 0);
    put_u8(&body, 1);
    put_u64(&body, 0x1000);
    put_string(&body, "unit.c");
    put_u32(info, (uint32_t)body.size);
    hf_out_text(info, hf_out_view(&body));
    hf_out_done(&body);
}

static void takes_the_unit_of_an_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(split_rows); i++) {
        const struct split_row *row = &split_rows[i];
        struct hf_error err = {0};
        struct hf_out info = {0};
        struct hf_split_file file = {.units = {0}};
        if (row->type != 0)
            effort_put_unit(&info, row);
        const struct hf_dwarf_sections sections = {
            .name = "unit.dwo", .info = hf_out_view(&info), .abbrev = {abbrevs, sizeof abbrevs}};
        enum hf_status status = hf_split_file_open(&file, &sections, row->asked, NULL, &err);
        check_case = row->error != NULL ? row->error : "it is taken";
        assert_int_equal(status, row->error != NULL ? HF_ERR_INPUT : HF_OK);
        if (row->error != NULL)
            check_error(&err, row->error);
        else
            assert_ptr_equal(hf_split_file_unit(&file, row->asked), file.units.items);
        hf_split_file_close(&file);

        struct hf_dwarf_effort effort = {.left = 0};
        status = hf_split_file_open(&file, &sections, row->asked, &effort, &err);
        assert_int_equal(status, HF_ERR_LIMIT);
        check_error(&err, REFERS);
        hf_split_file_close(&file);
        hf_out_done(&info);
    }
    check_case = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_all_sections),
        cmocka_unit_test(spends_until_nothing_is_left),
        cmocka_unit_test(spends_of_the_budget_too),
        cmocka_unit_test(abbreviations_cost_what_they_keep),
        cmocka_unit_test(takes_the_unit_of_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
