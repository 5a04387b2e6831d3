/* Times in names, and the order of profiles. */
#include "answer/timeline.h"

#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define TIME INT64_C(1700648430000) /* 2023-11-22 10:20:30 */
#define NONE INT64_MIN

static void reads_times_in_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t time_ms;
    } cases[] = {{"20231122-102030.heap", TIME}, {"20231122_102030", TIME},
        {"20231122T102030", TIME}, {"20231122.102030", TIME}, {"20231122102030", TIME},
        {"2023-11-22T10:20:30Z.pb", TIME}, {"server-2023-11-22-10-20-30.heap", TIME},
        {"2023-11-22 10:20:30", NONE}, {"20231122-10203", NONE}, {"120231122-102030", NONE},
        {"x20231122-102030", TIME}, {"19791231-235959", NONE},
        {"19800101-000000", INT64_C(315532800000)}, {"22001231-235959", INT64_C(7289654399000)},
        {"22010101-000000", NONE}, {"20230022-102030", NONE}, {"20231322-102030", NONE},
        {"20231222-102030", TIME + INT64_C(30) * 86400000},
        {"20230122-102030", TIME - INT64_C(304) * 86400000}, {"20231100-102030", NONE},
        {"20231132-102030", NONE}, {"20231031-102030", TIME - INT64_C(22) * 86400000},
        {"20231101-102030", TIME - INT64_C(21) * 86400000}, {"20231122-242030", NONE},
        {"20231122-232030", TIME + INT64_C(13) * 3600000}, {"20231122-106030", NONE},
        {"20231122-105930", TIME + INT64_C(39) * 60000}, {"20231122-102061", NONE},
        {"20231122-102060", TIME + 30000}, {"heap.1700648430.pb", TIME}, {"1700648430", TIME},
        {"0999999999", NONE}, {"1000000000", INT64_C(1000000000000)}, {"17006484301", NONE},
        {"170064843", NONE}, {"live-1700648430-1", TIME},
        /* Sixteen random digits are no time; those of one without a letter may be one, or fewer. */
        {"1700648430-a", TIME}, {"1700648430abcdef", NONE}, {"1700648430abcde", TIME},
        {"abcde1700648430", TIME}, {"abcdef1700648430", NONE}, {"0123456789012345", NONE},
        {"pid12-20231122-102030", TIME}, {"20231122", NONE}, {"", NONE}, {"heap", NONE}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        int64_t time_ms = NONE;
        bool is_found = hf_timeline_time_in(hf_text_of(cases[i].name), &time_ms);
        if (is_found != (cases[i].time_ms != NONE) || time_ms != cases[i].time_ms)
            fail_msg("%s: %lld", cases[i].name, (long long)time_ms);
    }
}

static void check_items(const struct hf_timeline *timeline, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < timeline->count; i++)
        hf_out_printf(&out, "%s:%lld ", timeline->items[i].name,
            (long long)(timeline->items[i].time_ms -
                        (timeline->items[i].time_ms > TIME ? TIME : 0)));
    check_out(&out, expected);
    hf_out_done(&out);
}

static enum hf_status find_times(
    struct hf_timeline *timeline, const struct hf_timeline_options *how, struct hf_error *err)
{
    static const char *const operands[] = {"b.1700648440", "c.1700648450", "a.1700648440"};
    return hf_timeline_find(timeline, operands, HF_COUNT(operands), how, err);
}

/* By time, then by name; or as given. */
static void orders_profiles(void **state)
{
    (void)state;
    static const struct {
        struct hf_timeline_options how;
        const char *expected;
    } cases[] = {{{0}, "a.1700648440:10000 b.1700648440:10000 c.1700648450:20000 "},
        {{.keeps_order = true}, "b.1700648440:10000 c.1700648450:20000 a.1700648440:10000 "},
        {{.skip_ns = UINT64_C(10000000000)}, "c.1700648450:20000 "},
        {{.skip_ns = UINT64_C(10001000000)}, ""},
        {{.skip_ns = 999999}, "a.1700648440:10000 b.1700648440:10000 c.1700648450:20000 "},
        {{.at = "5s"}, "b.1700648440:0 c.1700648450:5000 a.1700648440:10000 "},
        {{.at = "5s,4s,0"}, "a.1700648440:0 c.1700648450:4000 b.1700648440:5000 "},
        {{.at = "5s", .skip_ns = 1000000}, "c.1700648450:5000 a.1700648440:10000 "}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_timeline timeline;
        check_ok(find_times(&timeline, &cases[i].how, &err), &err);
        check_items(&timeline, cases[i].expected);
        hf_timeline_done(&timeline);
    }
}

static void refuses_other_times(void **state)
{
    (void)state;
    static const char *const wrong[] = {"5s,6s", "5s,6s,7s,8s", "5x", "5s,,6s", ""};
    for (size_t i = 0; i < HF_COUNT(wrong); i++) {
        struct hf_error err;
        struct hf_timeline timeline;
        check_case = wrong[i];
        assert_int_equal(find_times(&timeline, &(struct hf_timeline_options){.at = wrong[i]}, &err),
            HF_ERR_USAGE);
        hf_timeline_done(&timeline);
    }
}

/* The files of a folder, not its folders, nor what begins with a dot. */
static void lists_folders(void **state)
{
    (void)state;
    char folder[] = "/tmp/heapflame-test-XXXXXX";
    static const char *const names[] = {"z.1700648431", "y.1700648432", ".x.1700648433"};
    struct hf_error err;
    struct hf_timeline timeline;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("w.1700648434", 0700), 0);
    for (size_t i = 0; i < HF_COUNT(names); i++)
        fclose(fopen(names[i], "w"));
    static const char *const operands[] = {"a.1700648435", "."};
    check_ok(hf_timeline_find(
                 &timeline, operands, 2, &(struct hf_timeline_options){.keeps_order = true}, &err),
        &err);
    check_items(&timeline, "a.1700648435:5000 ./z.1700648431:1000 ./y.1700648432:2000 ");
    hf_timeline_done(&timeline);
    for (size_t i = 0; i < HF_COUNT(names); i++)
        assert_int_equal(unlink(names[i]), 0);
    assert_int_equal(rmdir("w.1700648434"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_times_in_names),
        cmocka_unit_test(orders_profiles),
        cmocka_unit_test(refuses_other_times),
        cmocka_unit_test(lists_folders),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
