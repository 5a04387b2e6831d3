/* What perf is told of a wish, and which wishes are refused: they come from who has no rights. */
#include "attach/keeper/perf_wish.h"

#include "spec/system_call.h"

#include "check.h"

#include <time.h>

static const struct {
    const char *what;
    struct hf_perf_wish wish;
    bool is_sound;
} wishes[] = {
    {"the least", {.period = 1}, true},
    {"the most",
        {HF_PERF_TASK, 1, UINT32_MAX, HF_PERF_STACK_BYTES_MOST, 6, 1, HF_PERF_REGISTERS,
            UINT64_MAX},
        true},
    {"a system call", {.what = HF_PERF_CALL, .period = 1, .offset = HF_SYSTEM_CALLS - 1}, true},
    {"its return", {.what = HF_PERF_CALL_RETURN, .period = 1}, true},
    {"no such system call", {.what = HF_PERF_CALL, .period = 1, .offset = HF_SYSTEM_CALLS}, false},
    {"nor its return", {.what = HF_PERF_CALL_RETURN, .period = 1, .offset = HF_SYSTEM_CALLS},
        false},
    {"no such kind", {.what = HF_PERF_CALL_RETURN + 1, .period = 1}, false},
    {"recorded twice", {.is_recorded = 2, .period = 1}, false},
    {"no period", {.period = 0}, false},
    {"a stack beyond the most", {.period = 1, .stack_bytes = HF_PERF_STACK_BYTES_MOST + 8}, false},
    {"a part of a word", {.period = 1, .stack_bytes = 12}, false},
    {"an argument on the stack", {.period = 1, .filtered_argument = 7}, false},
    {"two chains", {.period = 1, .has_chain = 2}, false},
    {"rbx", {.period = 1, .registers = 2}, false},
    {"r10", {.period = 1, .registers = UINT64_C(1) << 18}, false},
};

static void test_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(wishes); i++) {
        struct hf_error err = {0};
        check_case = wishes[i].what;
        enum hf_status status = hf_perf_wish_check(&wishes[i].wish, &err);
        if (wishes[i].is_sound) {
            check_ok(status, &err);
            continue;
        }
        assert_int_equal(status, HF_ERR_INPUT);
        check_error(&err, "attach does not watch events of this kind");
    }
    check_case = "";
}

static void test_counted(void **state)
{
    (void)state;
    const struct hf_perf_wish wish = {.what = HF_PERF_RETURN, .period = 5, .stack_bytes = 64};
    struct perf_event_attr a = hf_perf_wish_attributes(&wish, 1234, 99);
    assert_int_equal(a.size, sizeof a);
    assert_int_equal(a.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(a.config, 1234);
    assert_true(a.inherit == 1 && a.disabled == 1);
    assert_int_equal(a.sample_period, 0);
    assert_int_equal(a.sample_type, 0);
    assert_true(a.use_clockid == 0 && a.watermark == 0);
    assert_int_equal(a.sample_stack_user, 0);
}

#define ALWAYS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static void test_recorded(void **state)
{
    (void)state;
    struct hf_perf_wish wish = {.what = HF_PERF_ENTRY, .is_recorded = 1, .period = 5};
    struct perf_event_attr a = hf_perf_wish_attributes(&wish, 77, 4096);
    assert_int_equal(a.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(a.config, 77);
    assert_int_equal(a.sample_period, 5);
    assert_int_equal(a.sample_type, ALWAYS);
    assert_true(a.sample_id_all == 1 && a.use_clockid == 1 && a.watermark == 1);
    assert_int_equal(a.clockid, CLOCK_MONOTONIC);
    assert_int_equal(a.wakeup_watermark, 4096);
    assert_true(a.task == 0 && a.comm == 0 && a.mmap == 0 && a.mmap2 == 0);
    assert_int_equal(a.exclude_callchain_kernel, 0);
    wish = (struct hf_perf_wish){.what = HF_PERF_FAULT,
        .is_recorded = 1,
        .period = 1,
        .stack_bytes = 2048,
        .has_chain = 1,
        .registers = 0x180};
    a = hf_perf_wish_attributes(&wish, 77, 4096);
    assert_int_equal(a.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(a.config, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(a.sample_type, ALWAYS | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN |
                                        PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
    assert_int_equal(a.exclude_callchain_kernel, 1);
    assert_int_equal(a.sample_regs_user, 0x180);
    assert_int_equal(a.sample_stack_user, 2048);
    wish = (struct hf_perf_wish){.what = HF_PERF_TASK, .is_recorded = 1, .period = 1};
    a = hf_perf_wish_attributes(&wish, 77, 4096);
    assert_int_equal(a.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(a.config, PERF_COUNT_SW_DUMMY);
    assert_int_equal(a.sample_type, ALWAYS);
    assert_true(a.task == 1 && a.comm == 1 && a.comm_exec == 1 && a.mmap == 1 && a.mmap2 == 1);
}

static void test_fields(void **state)
{
    static const char *const registers[] = {"di", "si", "dx", "cx", "r8", "r9"};
    (void)state;
    struct hf_perf_wish wish = {.what = HF_PERF_ENTRY};
    assert_string_equal(hf_perf_wish_fields(&wish), "");
    for (uint32_t i = 0; i < HF_COUNT(registers); i++) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "context=%%%s:u64", registers[i]);
        wish.filtered_argument = i + 1;
        assert_string_equal(hf_perf_wish_fields(&wish), expected);
    }
    wish.what = HF_PERF_RETURN;
    assert_string_equal(hf_perf_wish_fields(&wish), "");
}

static void test_filter(void **state)
{
    static const char *const sound[] = {"context==0x0", "context==0x55d0c1a2||context==0x55d0c0f4",
        "context==0x1||context==0x2||context==0xffffffffffffffff"};
    static const char *const wrong[] = {"", "context==0x", "context==55", "context==0x1|",
        "context==0x1||", "context==0x1|context==0x2", "context==0x1||context==0x2 ",
        "context==0x1&&context==0x2", "context==0x1ffffffffffffffff", "context==0x1||size==0x2",
        "context!=0x1", "context==0xg"};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(sound); i++)
        assert_true(hf_perf_filter_is_sound(sound[i]));
    for (size_t i = 0; i < HF_COUNT(wrong); i++)
        assert_false(hf_perf_filter_is_sound(wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
