/* Packages of split DWARF: the index, by DWARF 5, 7.3.5.3, and the wiki of GCC, put together here.
 */
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/package.h"

/* Of 4 slots both hash to the first; from there it is 3 on to the next. */
#define ID UINT64_C(0x1111222333334444)
#define OTHER UINT64_C(0x5555222333334444)
#define COLUMNS 4
#define PART 4 /* bytes of each section that belong to a unit */

static const struct hf_dwarf_sections whole = {.name = "package",
    .info = {"info0info1", 10},
    .abbrev = {"abbrabbR", 8},
    .str_offsets = {"str0str1", 8},
    .rnglists = {"rng0rng1", 8},
    .str = {"shared", 6}};

/* An index of two units; the first is in the slot where the other belongs. */
static struct hf_out make_index(uint32_t version)
{
    static const uint32_t columns[COLUMNS] = {
        DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS, DW_SECT_RNGLISTS};
    struct hf_out out = {0};
    put_u32(&out, version);
    put_u32(&out, COLUMNS);
    put_u32(&out, 2);
    put_u32(&out, 4);
    const uint64_t ids[] = {OTHER, 0, 0, ID};
    const uint32_t rows[] = {1, 0, 0, 2};
    for (size_t slot = 0; slot < HF_COUNT(ids); slot++)
        put_u64(&out, ids[slot]);
    for (size_t slot = 0; slot < HF_COUNT(rows); slot++)
        put_u32(&out, rows[slot]);
    for (size_t i = 0; i < COLUMNS; i++)
        put_u32(&out, columns[i]);
    for (uint32_t unit = 0; unit < 2; unit++) {
        for (size_t i = 0; i < COLUMNS; i++)
            put_u32(&out, unit * (columns[i] == DW_SECT_INFO ? 5 : PART));
    }
    for (uint32_t unit = 0; unit < 2; unit++) {
        for (size_t i = 0; i < COLUMNS; i++)
            put_u32(&out, columns[i] == DW_SECT_INFO ? 5 : PART);
    }
    return out;
}

static void finds_the_parts_of_a_unit(void **state)
{
    (void)state;
    for (uint32_t version = 2; version <= 5; version += 3) {
        struct hf_error err;
        struct hf_package package;
        struct hf_dwarf_sections part;
        struct hf_out index = make_index(version);
        check_ok(hf_package_read(&package, hf_out_view(&index), &whole, &err), &err);
        check_ok(hf_package_find(&package, ID, &part, &err), &err);
        assert_true(hf_text_is(part.info, "info1") && hf_text_is(part.abbrev, "abbR"));
        assert_true(hf_text_is(part.str_offsets, "str1") && hf_text_is(part.str, "shared"));
        /* 8 was another section in version 2. */
        assert_true(hf_text_is(part.rnglists, version == 5 ? "rng1" : ""));
        check_ok(hf_package_find(&package, OTHER, &part, &err), &err);
        assert_true(hf_text_is(part.info, "info0"));
        assert_int_equal(hf_package_find(&package, 7, &part, &err), HF_ERR_INPUT);
        check_error(&err, "has no unit with the id 0000000000000007");
        hf_out_done(&index);
    }
}

static void refuses_what_is_damaged(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *sentence;
    } cases[] = {
        {0, 3, ".debug_cu_index is of version 3: expected 2 or 5"},
        {4, 9,
            ".debug_cu_index is damaged: it has 9 columns and 4 slots, expected up to 8 and a "
            "power of 2"},
        {12, 3,
            ".debug_cu_index is damaged: it has 4 columns and 3 slots, expected up to 8 and a "
            "power of 2"},
        {8, 1000,
            ".debug_cu_index: offset 0x10: ends or is damaged in the middle of the index of a "
            "package"},
        {16 + 4 * 8 + 3 * 4, 3, ".debug_cu_index is damaged: it has no row 3"},
        {16 + 4 * 12 + 16 + 16, 8,
            ".debug_cu_index: offset 0x8: ends or is damaged in the middle of the rows of a "
            "package's index"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_package package;
        struct hf_dwarf_sections part;
        struct hf_out index = make_index(5);
        memcpy(index.data + cases[i].at, &cases[i].value, sizeof cases[i].value);
        enum hf_status status = hf_package_read(&package, hf_out_view(&index), &whole, &err);
        if (status == HF_OK)
            status = hf_package_find(&package, ID, &part, &err);
        assert_int_equal(status, HF_ERR_INPUT);
        check_error(&err, cases[i].sentence);
        hf_out_done(&index);
    }
}

/* What remains of it is never read past its end, and parts never leave their section. */
static void reads_any_bytes(void **state)
{
    (void)state;
    struct hf_out good = make_index(5);
    for (size_t i = 0; i < 9 * good.size; i++) {
        size_t size = i < good.size ? i : good.size;
        char *bytes = malloc(size + 1);
        struct hf_error err;
        struct hf_package package;
        struct hf_dwarf_sections part;
        assert_non_null(bytes);
        memcpy(bytes, good.data, size);
        if (i >= good.size)
            bytes[(i - good.size) / 8] ^= (char)(1 << i % 8);
        bytes = realloc(bytes, size + (size == 0)); /* a sanitizer sees what is behind */
        assert_non_null(bytes);
        if (hf_package_read(&package, (struct hf_text){bytes, size}, &whole, &err) == HF_OK &&
            hf_package_find(&package, ID, &part, &err) == HF_OK)
            assert_true(part.info.size <= whole.info.size && part.str.data == whole.str.data);
        free(bytes);
    }
    hf_out_done(&good);
}

/* A table without an empty slot, none of which has the unit. */
static void gives_up_full_tables(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_package package;
    struct hf_dwarf_sections part;
    struct hf_out index = {0};
    const uint32_t slots = 2 * HF_LIMIT_PACKAGE_STEPS;
    const uint32_t head[] = {5, 0, 1, slots};
    hf_out_bytes(&index, (const char *)head, sizeof head);
    for (uint32_t i = 0; i < slots; i++)
        put_u64(&index, 7);
    for (uint32_t i = 0; i < slots; i++)
        put_u32(&index, 1);
    check_ok(hf_package_read(&package, hf_out_view(&index), &whole, &err), &err);
    assert_int_equal(hf_package_find(&package, ID, &part, &err), HF_ERR_LIMIT);
    check_error(
        &err, ".debug_cu_index needs more than 1024 steps to find a unit (HF_LIMIT_PACKAGE_STEPS)");
    hf_out_done(&index);
}

/* Of a full table in which the unit is where the search comes after so many others. */
static void searches_full_tables(void **state)
{
    static const struct {
        uint32_t slots, before;
        enum hf_status status;
    } cases[] = {
        {1, 0, HF_OK},
        {2, 0, HF_OK},
        {2, 1, HF_OK},
        {8, 7, HF_OK},
        {HF_LIMIT_PACKAGE_STEPS, HF_LIMIT_PACKAGE_STEPS - 1, HF_OK},
        {HF_LIMIT_PACKAGE_STEPS, UINT32_MAX, HF_ERR_INPUT},
        {2 * HF_LIMIT_PACKAGE_STEPS, HF_LIMIT_PACKAGE_STEPS - 1, HF_OK},
        {2 * HF_LIMIT_PACKAGE_STEPS, HF_LIMIT_PACKAGE_STEPS, HF_ERR_LIMIT},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_package package;
        struct hf_dwarf_sections part;
        struct hf_out index = {0};
        const uint32_t head[] = {5, 0, 1, cases[i].slots}, mask = cases[i].slots - 1;
        uint64_t slot = (ID + cases[i].before * ((ID >> 32) | 1)) & mask;
        hf_out_bytes(&index, (const char *)head, sizeof head);
        for (uint32_t at = 0; at < cases[i].slots; at++)
            put_u64(&index, at == slot && cases[i].before != UINT32_MAX ? ID : 7);
        for (uint32_t at = 0; at < cases[i].slots; at++)
            put_u32(&index, 1);
        check_ok(hf_package_read(&package, hf_out_view(&index), &whole, &err), &err);
        assert_int_equal(hf_package_find(&package, ID, &part, &err), cases[i].status);
        hf_out_done(&index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_parts_of_a_unit),
        cmocka_unit_test(refuses_what_is_damaged),
        cmocka_unit_test(reads_any_bytes),
        cmocka_unit_test(gives_up_full_tables),
        cmocka_unit_test(searches_full_tables),
    };
    return cmocka_run_group_tests_name("package", tests, NULL, NULL);
}
