/*
 * A leak that begins in a process that is weeks old, beside places that only look like one for a
 * day: a look every 18 minutes, each of a live table as it would be.
 */
#include "answer/history/leak_alarm.h"
#include "stacks.h"

#include <math.h>
#include <stdlib.h>

#define BEGAN_MS INT64_C(1790000000000)
#define LOOK_MS ((int64_t)(HF_LEAK_WINDOW_LOOK_NS / 1000000))
#define DAY 80 /* looks */
#define SAMPLE (512 << 10)
#define HOURS(n) ((n)*10 / 3) /* looks */

/* Samples in use at a look, of those that were born at another; what is older was there always. */
static uint32_t leak_from;

static uint32_t alive_of_leak(uint32_t birth, uint32_t now)
{
    (void)now;
    return leak_from != 0 && birth >= leak_from ? 9 : 0;
}

/* Full since its second day, and renewed in as much time. */
static uint32_t alive_of_cache(uint32_t birth, uint32_t now)
{
    return now - birth < DAY + DAY / 2 ? 10 : 0;
}

/* Emptied every eight days, and full again after half a day. */
static uint32_t alive_of_refilled(uint32_t birth, uint32_t now)
{
    uint32_t flushed = now / (8 * DAY) * (8 * DAY);
    return birth >= flushed && birth < flushed + DAY / 2 ? 10 : 0;
}

/* Of users, who stay for hours; there were more of them at first. */
static uint32_t alive_of_users(uint32_t birth, uint32_t now)
{
    double part_of_day = (double)birth / DAY, fewer = 1 - 0.005 * part_of_day;
    double come = 16 * (1 + 0.8 * sin(2 * M_PI * part_of_day)) * fewer;
    return now - birth < (uint32_t)HOURS(8) ? (uint32_t)come : 0;
}

static const struct law {
    const char *stack;
    uint32_t (*alive)(uint32_t birth, uint32_t now);
    uint32_t most; /* looks that a birth is in use */
} laws[] = {
    {"main;leak", alive_of_leak, UINT32_MAX},
    {"main;cache", alive_of_cache, 2 * DAY},
    {"main;refilled", alive_of_refilled, 8 * DAY},
    {"main;users", alive_of_users, DAY},
};

static uint32_t now;
static bool has_births_since; /* the reader can tell births since a moment */

static void add_born(struct hf_lifetimes *lifetimes, size_t law, uint32_t birth, double samples)
{
    struct hf_error err;
    int64_t birth_ms = BEGAN_MS + birth * LOOK_MS;
    for (uint32_t i = 0; i < (uint32_t)samples; i++)
        check_ok(
            hf_lifetimes_add(lifetimes, (uint32_t)law, birth_ms - LOOK_MS / 2, SAMPLE, &err), &err);
}

static enum hf_status read_process(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    static const char *const types[] = {
        "inuse_objects", "inuse_space", "alloc_objects", "alloc_space"};
    struct hf_profile *profile;
    (void)context;
    check_ok(hf_profile_new(&profile, err), err);
    for (size_t i = 0; i < HF_COUNT(types); i++)
        check_ok(
            hf_profile_add_type(profile, types[i], i % 2 == 0 ? "objects" : "bytes", err), err);
    profile->default_type = HF_INUSE_SPACE;
    profile->capture.period_bytes = SAMPLE;
    lifetimes->began_ms =
        has_births_since && lifetimes->born_from_ms > BEGAN_MS ? lifetimes->born_from_ms : BEGAN_MS;
    lifetimes->is_known = true;
    for (size_t law = 0; law < HF_COUNT(laws); law++) {
        uint32_t node = stacks_node(profile, laws[law].stack);
        uint64_t samples = 0;
        uint32_t oldest = now > laws[law].most ? now - laws[law].most : 1;
        for (uint32_t birth = oldest; birth <= now; birth++) {
            uint32_t alive = laws[law].alive(birth, now);
            add_born(lifetimes, law, birth, alive);
            samples += alive;
        }
        const uint64_t row[] = {samples * (SAMPLE / 1024), samples * SAMPLE, 0, 0};
        check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, row, err), err);
    }
    for (size_t i = 0; i < lifetimes->birth_count; i++) {
        struct hf_births *births = &lifetimes->births[i];
        births->node = stacks_node(profile, laws[births->stack].stack);
    }
    *out_profile = profile;
    return HF_OK;
}

static struct hf_leak_alarm alarm;

static void begin(double learn_days)
{
    alarm = (struct hf_leak_alarm){.rules = {.false_a_month = 0.05,
                                       .learn_ns = (uint64_t)(learn_days * 24 * 3600) * 1000000000,
                                       .look_ns = HF_LEAK_WINDOW_LOOK_NS}};
    has_births_since = true;
    leak_from = 0;
}

static struct hf_leak_told look_at(uint32_t look)
{
    struct hf_error err;
    struct hf_leak_told told;
    const struct hf_request request = {.names = {.linkage_names = true}};
    const struct hf_leak_look how = {
        .dated = {"a process", BEGAN_MS + look * LOOK_MS}, .read = read_process};
    now = look;
    check_ok(hf_leak_alarm_look(&alarm, &request, &how, &told, &err), &err);
    return told;
}

static void a_late_leak_rings_within_a_day(void **state)
{
    (void)state;
    begin(7);
    uint32_t told_at = 0;
    leak_from = 17 * DAY + 13;
    for (uint32_t look = 1; look < 19 * DAY && told_at == 0; look++) {
        struct hf_leak_told told = look_at(look);
        if (told.what[0] == '\0')
            continue;
        assert_int_equal(strncmp(told.what, "leak keeps ", strlen("leak keeps ")), 0);
        told_at = look;
        assert_true(alarm.told[0].is_of_window);
        double off = (double)(told.since_ms - BEGAN_MS) / (double)LOOK_MS - leak_from;
        assert_true(fabs(off) <= HOURS(2));
    }
    assert_in_range(told_at, leak_from + 1, leak_from + DAY);
    for (uint32_t look = told_at + 1; look < told_at + DAY / 2; look++)
        assert_int_equal(look_at(look).what[0], '\0'); /* once */
    hf_leak_alarm_done(&alarm);
}

/* Each window begins when the one before is half as long as it becomes; the older one is judged. */
static void windows_take_turns(void **state)
{
    (void)state;
    begin(100);
    struct hf_leak_windows *windows = &alarm.windows;
    for (uint32_t look = 1; look <= 32; look++) {
        (void)look_at(look);
        assert_null(hf_leak_windows_judged(windows));
    }
    int64_t first_ms = windows->items[windows->newest].from_ms;
    assert_int_equal(first_ms, BEGAN_MS + LOOK_MS - 1);
    for (uint32_t look = 33; look <= 64; look++) {
        (void)look_at(look);
        const struct hf_process_history *judged = hf_leak_windows_judged(windows);
        assert_int_equal(judged->history.began_ms, first_ms);
        assert_int_equal(judged->history.profile_count, look);
    }
    int64_t second_ms = windows->items[windows->newest].from_ms;
    assert_int_equal(second_ms, BEGAN_MS + 33 * LOOK_MS - 1);
    (void)look_at(65);
    assert_int_equal(hf_leak_windows_judged(windows)->history.began_ms, second_ms);
    assert_int_equal(hf_leak_windows_judged(windows)->history.profile_count, 33);
    assert_int_equal(hf_leak_windows_judged(windows)->history.profiles_per_point, 1);
    assert_int_equal(windows->items[windows->newest].process.history.profile_count, 1);
    hf_leak_alarm_done(&alarm);
}

/* Of births since the recording began, which are hours wide by then, a window would learn nothing.
 */
static void other_births_are_no_window(void **state)
{
    (void)state;
    begin(100);
    has_births_since = false;
    for (uint32_t look = 1; look <= 40; look++)
        (void)look_at(look);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(alarm.windows.items[i].process.history.profile_count, 0);
    assert_int_equal(alarm.process.history.profile_count, 40);
    hf_leak_alarm_done(&alarm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_leak_rings_within_a_day),
        cmocka_unit_test(windows_take_turns),
        cmocka_unit_test(other_births_are_no_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
