/* Columns and JSON of what became of the blocks of a row, of values that are made up. */
#include "render/table/row_blocks.h"

#include "check.h"
#include "profile/lifetimes.h"

#define ALLOCATED 0 /* values of a row, behind which its classes are */
#define BYTES 1
#define IN_USE 2
#define TEMPORARY 3
#define CLASSES 4
#define COLUMNS (CLASSES + 2 * HF_CLASS_BIRTHS)

static const struct hf_rows two = {.count = 2, .shown = 2};
static uint64_t values[2][COLUMNS];

static struct hf_row_blocks blocks_of(enum hf_row_blocks_kind kind)
{
    static const size_t classes[] = {[HF_BLOCKS_BY_AGE] = HF_CLASS_AGES,
        [HF_BLOCKS_BY_SIZE] = HF_CLASS_SIZES,
        [HF_BLOCKS_BY_BIRTH] = 2 * HF_CLASS_BIRTHS};
    static uint64_t dense[2 * COLUMNS];
    size_t columns = CLASSES + classes[kind];
    for (size_t row = 0; row < 2; row++)
        memcpy(&dense[row * columns], values[row], columns * sizeof dense[0]);
    return (struct hf_row_blocks){.kind = kind, .columns = columns, .values = dense};
}

static void check_columns(
    const struct hf_row_blocks *blocks, bool is_exact, const char *const expected[3])
{
    struct hf_out out = {0};
    hf_row_blocks_titles(blocks, &two, &out);
    check_out(&out, expected[0]);
    for (size_t row = 0; row < 2; row++) {
        hf_row_blocks_columns(blocks, &two, row, is_exact, &out);
        check_out(&out, expected[1 + row]);
    }
    hf_out_done(&out);
}

static void check_json(const struct hf_row_blocks *blocks, size_t row, const char *expected)
{
    struct hf_out out = {0};
    hf_row_blocks_json(blocks, row, &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

static void test_not_shown(void **state)
{
    static const char *const none[] = {"", "", ""};
    (void)state;
    struct hf_row_blocks blocks = blocks_of(HF_BLOCKS_NOT_SHOWN);
    check_columns(&blocks, false, none);
    check_json(&blocks, 0, "");
}

static void test_temporary(void **state)
{
    static const char *const human[] = {"of allocated  bytes allocated  ",
        "      75.0 %          2.0 KiB  ", "                               "};
    static const char *const exact[] = {"of allocated  bytes allocated  ",
        "      75.0 %           2048 B  ", "                               "};
    (void)state;
    memset(values, 0, sizeof values);
    values[0][ALLOCATED] = 4;
    values[0][BYTES] = 2048;
    values[0][IN_USE] = 1;
    values[0][TEMPORARY] = 3;
    struct hf_row_blocks blocks = blocks_of(HF_BLOCKS_TEMPORARY);
    check_columns(&blocks, false, human);
    check_columns(&blocks, true, exact);
    check_json(
        &blocks, 0, ", \"allocated_objects\": 4, \"allocated_bytes\": 2048, \"inuse_objects\": 1");
    check_json(
        &blocks, 1, ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 0");
}

/* A column is of several classes: their first and their last ones, and what is in use. */
static void test_ages(void **state)
{
    static const char *const expected[] = {
        " <1 ms   <8 ms  <134 ms    <1 s    <9 s   <69 s  longer  in use  ",
        "  10 %    20 %      5 %    15 %    12 %     8 %    28 %     2 %  ",
        " >99 %    <1 %                                             <1 %  "};
    static const struct {
        size_t age;
        uint64_t objects;
    } ages[] = {{0, 100}, {1, 150}, {3, 50}, {4, 25}, {7, 25}, {8, 75}, {10, 75}, {11, 60},
        {13, 60}, {14, 40}, {16, 40}, {17, 140}, {23, 140}};
    (void)state;
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < HF_COUNT(ages); i++)
        values[0][CLASSES + ages[i].age] = ages[i].objects;
    values[0][IN_USE] = 20;
    values[1][CLASSES] = 9999;
    values[1][CLASSES + 1] = 1;
    values[1][IN_USE] = 1;
    struct hf_row_blocks blocks = blocks_of(HF_BLOCKS_BY_AGE);
    check_columns(&blocks, false, expected);
    check_json(&blocks, 1,
        ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 1, "
        "\"lifetimes\": [{\"below_ns\": 1048576, \"objects\": 9999}, {\"below_ns\": 2097152, "
        "\"objects\": 1}]");
    values[1][CLASSES] = values[1][CLASSES + 1] = 0;
    values[1][CLASSES + HF_CLASS_AGES - 1] = 5;
    blocks = blocks_of(HF_BLOCKS_BY_AGE);
    check_json(&blocks, 1,
        ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 1, "
        "\"lifetimes\": [{\"below_ns\": null, \"objects\": 5}]");
}

/* Only those that a row has. */
static void test_sizes(void **state)
{
    static const char *const expected[] = {
        "  ≤8 B   ≤16 B  ≤512 B  ≤1 KiB  ≤512 KiB  ≤1 MiB  ≤2 MiB  >2 MiB  ",
        " 100 %                                                            ",
        "           1 %     1 %     1 %       1 %     1 %     1 %    94 %  "};
    (void)state;
    memset(values, 0, sizeof values);
    values[0][CLASSES] = 7;
    static const size_t sizes[] = {1, 6, 7, 16, 17, 18};
    for (size_t i = 0; i < HF_COUNT(sizes); i++)
        values[1][CLASSES + sizes[i]] = 10;
    values[1][CLASSES + 19] = 940;
    struct hf_row_blocks blocks = blocks_of(HF_BLOCKS_BY_SIZE);
    check_columns(&blocks, false, expected);
    check_json(&blocks, 0,
        ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 0, \"sizes\": "
        "[{\"up_to_bytes\": 8, \"objects\": 7}]");
    check_json(&blocks, 1,
        ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 0, \"sizes\": "
        "[{\"up_to_bytes\": 16, \"objects\": 10}, {\"up_to_bytes\": 512, \"objects\": 10}, "
        "{\"up_to_bytes\": 1024, \"objects\": 10}, {\"up_to_bytes\": 524288, \"objects\": 10}, "
        "{\"up_to_bytes\": 1048576, \"objects\": 10}, {\"up_to_bytes\": 2097152, \"objects\": "
        "10}, {\"up_to_bytes\": null, \"objects\": 940}]");
}

/* Eight parts of the time up to the last birth of any row, and what is left of each part. */
static void test_births(void **state)
{
    static const char *const nine[] = {
        "<2.1 s  <4.3 s  <6.4 s  <8.6 s  <9.7 s  ", /* two epochs each, and the last one */
        "  50 %     0 %   100 %                  ", "                                 >99 %  "};
    (void)state;
    memset(values, 0, sizeof values);
    uint64_t *births = &values[0][CLASSES], *kept = births + HF_CLASS_BIRTHS;
    births[0] = 30;
    births[1] = 10;
    kept[1] = 20;
    births[2] = 5;
    births[5] = kept[5] = 6;
    values[1][CLASSES + 8] = 1000;
    values[1][CLASSES + HF_CLASS_BIRTHS + 8] = 999;
    struct hf_row_blocks blocks = blocks_of(HF_BLOCKS_BY_BIRTH);
    blocks.epoch_shift = 30;
    check_columns(&blocks, false, nine);
    check_json(&blocks, 0,
        ", \"allocated_objects\": 0, \"allocated_bytes\": 0, \"inuse_objects\": 0, \"births\": "
        "[{\"before_ns\": 1073741824, \"allocated_bytes\": 30, \"inuse_bytes\": 0}, "
        "{\"before_ns\": 2147483648, \"allocated_bytes\": 10, \"inuse_bytes\": 20}, "
        "{\"before_ns\": 3221225472, \"allocated_bytes\": 5, \"inuse_bytes\": 0}, "
        "{\"before_ns\": 6442450944, \"allocated_bytes\": 6, \"inuse_bytes\": 6}]");
    static const char *const none[] = {"", "", ""};
    memset(values, 0, sizeof values);
    blocks = blocks_of(HF_BLOCKS_BY_BIRTH);
    check_columns(&blocks, false, none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_shown),
        cmocka_unit_test(test_temporary),
        cmocka_unit_test(test_ages),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_births),
    };
    return cmocka_run_group_tests_name("row_blocks", tests, NULL, NULL);
}
