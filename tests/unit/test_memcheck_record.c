/* Lines of Memcheck about leaks: which are records, and what is read of one. */
#include "check.h"
#include "formats/valgrind/memcheck.h"

struct is_row {
    const char *line;
    bool is_record;
};

#define RECORD " bytes in 1 blocks are definitely lost in loss record 1 of 2"

static const struct is_row is_rows[] = {
    {"0" RECORD, true},
    {"9" RECORD, true},
    {"1,024" RECORD, true},
    {"/" RECORD, false}, /* before the digits */
    {":" RECORD, false}, /* behind them */
    {RECORD, false},
    {"", false},
    {"9 bytes in 1 blocks", false},
};

static void tells_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(is_rows); i++) {
        check_case = is_rows[i].line;
        assert_int_equal(hf_leak_is_record(hf_text_of(is_rows[i].line)), is_rows[i].is_record);
    }
    check_case = "";
}

struct amount_row {
    const char *text;
    bool is_read;
    uint64_t bytes, blocks;
};

static const struct amount_row amount_rows[] = {
    {"0 bytes in 0 blocks", true, 0, 0},
    {"1,234 bytes in 5 blocks", true, 1234, 5},
    {"72 (24 direct, 48 indirect) bytes in 1 blocks", true, 24,
        1}, /* those that it leads to are others */
    {"72 (24 direct, 48 indirect bytes in 1 blocks", false, 0, 0},
    {"72 (24 direct) bytes in 1 blocks", false, 0, 0},
    {"72 bytes in 1 blocks and more", false, 0, 0},
    {"72 bytes in 1 block", false, 0, 0},
    {"72 bytes", false, 0, 0},
    {"bytes in 1 blocks", false, 0, 0},
    {"", false, 0, 0},
};

static void reads_amounts(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(amount_rows); i++) {
        const struct amount_row *row = &amount_rows[i];
        struct hf_leak_amount amount = {.bytes = 0};
        check_case = row->text;
        assert_int_equal(hf_leak_parse_amount(hf_text_of(row->text), &amount), row->is_read);
        assert_int_equal(amount.bytes, row->bytes);
        assert_int_equal(amount.blocks, row->blocks);
    }
    check_case = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_records),
        cmocka_unit_test(reads_amounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
