/* What processes are called, above what is said of each of them, and as JSON. */
#include "render/table/process_list.h"

#include "check.h"

static void test_names(void **state)
{
    static const struct {
        struct hf_listed_process process;
        const char *name;
    } rows[] = {
        {{.program = ""}, "a process"},
        {{.program = "server"}, "server"},
        {{.program = "server", .start = 1, .start_count = 1}, "server"},
        {{.program = "server", .pid = 7}, "server, process 7"},
        {{.program = "", .pid = 7}, "process 7"},
        {{.program = "server", .pid = 7, .start = 2, .start_count = 3},
            "server, process 7 (2 of 3)"},
        {{.program = "server", .start = 2, .start_count = 3}, "server, process 2 of 3"},
        {{.program = "", .start = 2, .start_count = 2}, "process 2 of 2"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_out out = {0};
        hf_process_list_name(&rows[i].process, &out);
        check_out(&out, rows[i].name);
        hf_out_done(&out);
    }
}

static void test_summary(void **state)
{
    static const struct hf_listed_process processes[] = {
        {.program = "server", .start = 1, .start_count = 3},
        {.program = "server", .start = 2, .start_count = 3, .is_restart = true},
        {.program = "server", .start = 3, .start_count = 3, .is_restart = true},
        {.program = "w\x1b", .start = 1, .start_count = 2},
        {.program = "w\x1b", .start = 2, .start_count = 2, .is_restart = true},
        {.program = "", .start = 1, .start_count = 2},
        {.program = "", .start = 2, .start_count = 2, .is_restart = true},
        {.program = "beside", .start = 1, .start_count = 2},
        {.program = "beside", .start = 2, .start_count = 2},
    };
    struct hf_out out = {0};
    (void)state;
    hf_process_list_summary(processes, HF_COUNT(processes), &out);
    check_out(&out, "9 processes. server was started again 2 times. w\\x1b was started again 1 "
                    "time. the program was started again 1 time\n\n");
    hf_process_list_summary(processes, 1, &out);
    check_out(&out, "1 process\n\n");
    hf_out_done(&out);
}

static void check_heading(struct hf_listed_process process, const char *expected)
{
    struct hf_out out = {0};
    process.program = "server\n";
    hf_process_list_heading(&process, &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

/* The date once, unless it changes: also to the same day of another year. */
static void test_heading(void **state)
{
    static const int64_t day_ms = INT64_C(86400000), at = INT64_C(1795402800000);
    (void)state;
    check_heading((struct hf_listed_process){.profile_count = 1}, "server\\x0a, 1 profile\n");
    check_heading(
        (struct hf_listed_process){.profile_count = 2, .first_ms = at, .last_ms = at + 1000},
        "server\\x0a, 2 profiles\n"); /* times that mean nothing */
    struct hf_listed_process timed = {
        .profile_count = 1, .has_times = true, .first_ms = at, .last_ms = at};
    check_heading(timed, "server\\x0a, 1 profile, 2026-11-23 03:00:00 UTC\n");
    timed.last_ms = at + 1140000;
    check_heading(timed, "server\\x0a, 1 profile, 2026-11-23 03:00:00 to 03:19:00 UTC\n");
    timed.first_ms = 0;
    timed.last_ms = day_ms - 1;
    check_heading(timed, "server\\x0a, 1 profile, 1970-01-01 00:00:00 to 23:59:59 UTC\n");
    timed.last_ms = day_ms;
    check_heading(
        timed, "server\\x0a, 1 profile, 1970-01-01 00:00:00 to 1970-01-02 00:00:00 UTC\n");
    timed.last_ms = 365 * day_ms;
    check_heading(
        timed, "server\\x0a, 1 profile, 1970-01-01 00:00:00 to 1971-01-01 00:00:00 UTC\n");
}

static void test_json(void **state)
{
    static const struct hf_listed_process first = {.program = "a\"b",
                                              .pid = 7,
                                              .start = 1,
                                              .start_count = 2,
                                              .profile_count = 3,
                                              .first_ms = 1005,
                                              .last_ms = 20300},
                                          second = {.program = "",
                                              .start = 2,
                                              .start_count = 2,
                                              .is_restart = true};
    static const struct hf_shared_leaks none;
    struct hf_out out = {0};
    (void)state;
    hf_process_list_json_begin(&first, true, "trend", &out);
    hf_out_string(&out, "1");
    hf_process_list_json_end(false, &none, &out);
    hf_process_list_json_begin(&second, false, "trend", &out);
    hf_out_string(&out, "2");
    hf_process_list_json_end(true, &none, &out);
    check_out(&out,
        "{\n  \"schema\": \"heapflame.processes/1\",\n  \"processes\": [\n"
        "{\"program\": \"a\\\"b\", \"id\": 7, \"start\": 1, \"starts\": 2, \"restart\": false, "
        "\"profiles\": 3, \"from\": 1.005, \"to\": 20.300, \"trend\": 1},\n"
        "{\"program\": \"\", \"id\": null, \"start\": 2, \"starts\": 2, \"restart\": true, "
        "\"profiles\": 0, \"from\": 0.000, \"to\": 0.000, \"trend\": 2}], \"together\": []}\n");
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_heading),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests_name("process_list", tests, NULL, NULL);
}
