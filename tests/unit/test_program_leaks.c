/* What processes of several builds of a program say together, of verdicts that are given. */
#include "answer/history/program_leaks.h"

#include "check.h"

#include <stdio.h>

#define PROCESSES_MAX 4

static struct hf_process_history histories[PROCESSES_MAX];
static struct hf_process_history *items[PROCESSES_MAX];
static struct hf_process_histories processes = {.items = items};

/* Processes of builds 1, 2, 3 ... with one place, "keep"; `kinds` has a letter for each. */
static void put_processes_of(const char *kinds)
{
    processes.count = strlen(kinds);
    for (size_t i = 0; i < processes.count; i++) {
        struct hf_process_history *process = items[i] = &histories[i];
        *process = (struct hf_process_history){.history.profile_count = 8, .start = i + 1};
        (void)snprintf(process->identity.file, sizeof process->identity.file, "server");
        (void)snprintf(process->identity.version, sizeof process->identity.version, "%zu", i + 1);
        process->growth.point_count = 8;
        process->growth.count = kinds[i] != '-';
        process->growth.places[0] = (struct hf_growth_place){.name = HF_TEXT("keep"),
            .trend = {.shape = HF_TREND_GROWING, .slope = 100, .low = 90, .high = 110},
            .verdict = {.kind = kinds[i] == 'L'   ? HF_VERDICT_LEAK
                                : kinds[i] == '?' ? HF_VERDICT_UNDECIDED
                                : kinds[i] == '.' ? HF_VERDICT_TOO_LITTLE
                                                  : HF_VERDICT_STEADY}};
    }
}

/* L: leak, s: steady, ?: undecided, .: too little data, -: the place is not there. */
static void claims_no_build_that_nobody_knows(void **state)
{
    (void)state;
    static const struct {
        const char *kinds;
        size_t since;
        bool has_ended;
    } rows[] = {{"LLs", 2, true}, {"LL-", 2, true}, {"LL?", 0, false}, {"LL.", 0, false},
        {"Lss", 1, true}, {"Ls?", 0, false}, {"L?s", 0, false}, {"ssL", 2, false},
        {"s-LL", 2, false}, {"s?L", 0, false}, {"?sL", 0, false}, {"s.LL", 0, false},
        {"?LsL", 3, false}, {"?L", 0, false}, {"LL", 0, false}};
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_shared_leaks leaks;
        put_processes_of(rows[i].kinds);
        check_ok(hf_program_leaks_find(&leaks, &processes, &err), &err);
        assert_int_equal(leaks.count, 1);
        const struct hf_shared_leak *leak = &leaks.items[0];
        if (leak->since != rows[i].since || leak->has_ended != rows[i].has_ended)
            fail_msg("%s: since %zu, %d", rows[i].kinds, leak->since, leak->has_ended);
        hf_shared_leaks_done(&leaks);
    }
}

/* Two replicas, one with four times the requests and the growth: the same by the request. */
static void judges_by_requests_together(void **state)
{
    (void)state;
    const struct hf_load_clock clock = {.name = "requests"};
    struct hf_error err;
    struct hf_shared_leaks leaks;
    for (int is_counted = 0; is_counted < 2; is_counted++) {
        put_processes_of("??");
        for (size_t i = 0; i < 2; i++) {
            struct hf_growth *growth = &histories[i].growth;
            struct hf_trend *trend = &growth->places[0].trend;
            trend->slope *= i == 0 ? 1 : 4;
            trend->low *= i == 0 ? 1 : 4;
            trend->high *= i == 0 ? 1 : 4;
            trend->bend_error = 0.01;
            if (is_counted)
                growth->load = (struct hf_load_window){
                    .clock = &clock, .end_s = 1000, .total = i == 0 ? 10000 : 40000};
        }
        check_ok(hf_program_leaks_find(&leaks, &processes, &err), &err);
        assert_int_equal(leaks.count, is_counted);
        if (is_counted) {
            const struct hf_pooled_rate *rate = &leaks.items[0].all.rate;
            assert_true(leaks.items[0].is_only_together && rate->is_same && rate->count == 2);
            assert_true(rate->least == 10000 && rate->most == 10000); /* by a thousand */
        }
        hf_shared_leaks_done(&leaks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_no_build_that_nobody_knows),
        cmocka_unit_test(judges_by_requests_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
