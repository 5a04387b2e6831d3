/* What was in use at the start: when it is taken, of which table, and of how many stacks. */
#include "check.h"

#include "live/start_moment.h"

#define SECOND UINT64_C(1000000000)

static struct hf_live_start start;
static struct hf_live_stack stacks[2];
static struct hf_live_snapshot table;

static void begin(void)
{
    memset(&start, 0, sizeof start);
    table = (struct hf_live_snapshot){.head = {.minor = 6, .monotonic_ns = 50, .realtime_ns = 60}};
    stacks[0].objects = 3;
    stacks[0].bytes = 30;
    stacks[0].freed_objects = 1;
    stacks[0].freed_bytes = 10;
    stacks[1].bytes = 7;
    table.records[HF_LIVE_STACKS] = (uint8_t *)stacks;
    table.counts[HF_LIVE_STACKS] = HF_COUNT(stacks);
}

static void test_when(void **state)
{
    (void)state;
    static const struct {
        uint64_t now_ns;
        uint16_t minor;
        bool is_taken;
    } cases[] = {{0, 6, false}, {SECOND + 49, 6, false}, {SECOND + 50, 6, true},
        {9 * SECOND, 6, true}, {9 * SECOND, 3, false}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        begin();
        table.head.minor = cases[i].minor;
        hf_live_start_take(&start, &table, cases[i].now_ns);
        assert_int_equal(hf_live_start_is_of(&start, &table.head), cases[i].is_taken);
    }
}

static void test_once_a_table(void **state)
{
    (void)state;
    begin();
    hf_live_start_take(&start, &table, 2 * SECOND);
    stacks[1].bytes = 70;
    hf_live_start_take(&start, &table, 3 * SECOND);
    assert_int_equal(start.after_ns, 2 * SECOND - 50);
    assert_int_equal(start.stacks[0].objects, 2);
    assert_int_equal(start.stacks[0].bytes, 20);
    assert_int_equal(start.stacks[1].bytes, 7);
    table.head.monotonic_ns = 51; /* it became another program */
    assert_false(hf_live_start_is_of(&start, &table.head));
    hf_live_start_take(&start, &table, 4 * SECOND);
    assert_true(hf_live_start_is_of(&start, &table.head));
    assert_int_equal(start.stacks[1].bytes, 70);
}

static void test_too_many(void **state)
{
    (void)state;
    struct hf_live_stack *many = calloc(HF_LIVE_START_STACKS, sizeof *many);
    assert_non_null(many);
    begin();
    table.records[HF_LIVE_STACKS] = (uint8_t *)many;
    table.counts[HF_LIVE_STACKS] = HF_LIVE_START_STACKS;
    hf_live_start_take(&start, &table, 2 * SECOND);
    assert_true(hf_live_start_is_of(&start, &table.head));
    begin();
    table.records[HF_LIVE_STACKS] = (uint8_t *)many;
    table.counts[HF_LIVE_STACKS] = HF_LIVE_START_STACKS + 1; /* the last one is not read */
    hf_live_start_take(&start, &table, 2 * SECOND);
    assert_false(hf_live_start_is_of(&start, &table.head));
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_once_a_table),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
