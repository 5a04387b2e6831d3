/* Marks among profiles: which files are ones, how they are called, and when they were made. */
#include "answer/history/process_events.h"

#include "check.h"

static void marks_are_known_by_their_names(void **state)
{
    static const struct {
        const char *path, *name; /* NULL: no mark */
    } cases[] = {
        {"d/4711-0123456789abcdef.deploy-17.mark", "deploy-17"},
        {"warm.mark", "warm"},
        {"d.mark/60.hfb", NULL},
        {"d/.mark", NULL},
        {"d/x.mark.hfb", NULL},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_process_events events = {0};
        struct hf_error err;
        assert_int_equal(hf_process_events_add_file(&events, cases[i].path, 5000, &err), HF_OK);
        assert_int_equal(events.count, cases[i].name != NULL);
        if (events.count != 0)
            assert_true(hf_text_is(events.items[0].name, cases[i].name));
        hf_process_events_done(&events);
    }
}

static void events_are_dated_by_the_first_profile(void **state)
{
    (void)state;
    struct hf_process_events marks = {0}, events = {0};
    struct hf_error err;
    assert_int_equal(hf_process_events_add(&marks, "mark", HF_TEXT("a"), 61000, &err), HF_OK);
    assert_int_equal(hf_process_events_add_all(&events, &marks, &err), HF_OK);
    assert_int_equal(hf_process_events_add(&events, "build", HF_TEXT("2.4.1"), 500, &err), HF_OK);
    hf_process_events_done(&marks);
    assert_int_equal(hf_process_events_date(&events, 1000, &err), HF_OK);
    assert_true(events.dated[0].time_s == 60 && hf_text_is(events.dated[0].name, "a"));
    assert_true(events.dated[1].time_s == -0.5 && strcmp(events.dated[1].kind, "build") == 0);
    hf_process_events_done(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_known_by_their_names),
        cmocka_unit_test(events_are_dated_by_the_first_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
