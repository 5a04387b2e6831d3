/* How long a leak that was told must be none, until it may be told again. */
#include "answer/history/leak_alarm.h"

#include "check.h"

static struct hf_process_history process;
static struct hf_leak_alarm alarm;

/* Windows learn nothing. */
static enum hf_status read_nothing(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    (void)context;
    (void)lifetimes;
    return hf_profile_new(out_profile, err);
}

/* Looks without a leak after which it is forgotten that one was told. */
static size_t looks_until_forgotten(uint64_t look_ns, bool is_of_window)
{
    struct hf_leak_told told;
    struct hf_error err;
    const struct hf_request request = {.times = {.at = NULL}};
    const struct hf_leak_look look = {.dated = {"a process", 1000}, .read = read_nothing};
    size_t looks = 0;
    alarm = (struct hf_leak_alarm){.rules = {.look_ns = look_ns},
        .told = {{.hash = 1, .is_of_window = is_of_window}},
        .told_count = 1};
    for (; alarm.told_count != 0 && looks < 10000; looks++) {
        check_ok(hf_leak_alarm_choose(&alarm, &process, &request, &look, &told, &err), &err);
        assert_int_equal(told.what[0], '\0');
    }
    return looks;
}

/* Half an hour, and 30 looks. */
static void is_quiet_for_a_time(void **state)
{
    (void)state;
    static const struct {
        uint64_t look_ns;
        size_t looks;
    } rows[] = {{2, 900}, {59, 31}, {60, 30}, {300, 30}, {0, 30}, {7, 258}};
    process.history.count = HF_SURVIVAL_LOOKS_MIN;
    process.history.epoch_shift = 1;
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        assert_int_equal(looks_until_forgotten(rows[i].look_ns * 1000000000, false), rows[i].looks);
    /* 30 of the window's: there is one in 18 minutes, or less */
    assert_int_equal(looks_until_forgotten(UINT64_C(60000000000), true), 30 * 18);
    assert_int_equal(looks_until_forgotten(UINT64_C(3600000000000), true), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_quiet_for_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
