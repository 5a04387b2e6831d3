/* The way from operands to an answer, by somebody who is no command. */
#include "answer/conversion.h"
#include "answer/heaviest.h"
#include "answer/history/process_history.h"

#include "check.h"
#include "formats/folded/folded.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in the folder that the test runs in. */
static void put(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static const char *const older[] = {"older.folded"}, *const newer[] = {"newer.folded"};

static void put_both(void)
{
    put(older[0], "main;load 40\nmain;serve;conn_open 10\n");
    put(newer[0], "main;serve;conn_open 30\nmain;load 30\n");
}

static void check_view(const struct hf_request *request, const char *expected)
{
    struct hf_error err;
    struct hf_view view;
    struct hf_out out = {0};
    const struct hf_request before = *request;
    put_both();
    check_ok(hf_view_make(&view, request, newer, 1, &err), &err);
    check_ok(hf_folded_write(view.folded, view.type, &out, &err), &err);
    check_out(&out, expected);
    assert_memory_equal(request, &before, sizeof before); /* who answers changes nothing in it */
    hf_view_done(&view);
    hf_out_done(&out);
}

static void shows_what_is_asked_for(void **state)
{
    (void)state;
    check_view(&(struct hf_request){0}, "main;load 30\nmain;serve;conn_open 30\n");
    check_view(&(struct hf_request){.fold.focus = "conn"}, "main;serve;conn_open 30\n");
    check_view(&(struct hf_request){.comparison.base = {{older[0]}, 1}},
        "main;load -10\nmain;serve;conn_open 20\n");
    check_view(&(struct hf_request){.comparison = {.since = older[0], .drops_released = true}},
        "main;serve;conn_open 20\n");
}

/* What a listener heard: "reading newer.folded;" ... */
struct heard {
    char said[128];
    unsigned running;
    uint64_t bytes;
};

static void update(void *context, uint64_t done, uint64_t all)
{
    (void)all;
    struct heard *heard = context;
    assert_int_equal(heard->running, 1);
    heard->bytes = done;
}

static struct hf_watch begin(void *context, const char *verb, const char *name)
{
    struct heard *heard = context;
    size_t size = strlen(heard->said);
    assert_int_equal(heard->running++, 0); /* one piece of work at a time */
    (void)snprintf(heard->said + size, sizeof heard->said - size, "%s %s;", verb, name);
    return (struct hf_watch){update, heard};
}

static void end(void *context)
{
    struct heard *heard = context;
    assert_int_equal(heard->running--, 1);
}

static void tells_how_far_it_is(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile;
    struct heard heard = {0};
    struct hf_listener listener = {begin, end, &heard};
    struct hf_request request = {.input.listener = &listener};
    const char *const names[] = {older[0], newer[0], "./missing"};
    put_both();
    check_ok(hf_view_load(&request, names, 2, &profile, &err), &err);
    hf_profile_free(profile);
    assert_string_equal(heard.said, "reading older.folded;reading newer.folded;");
    assert_int_equal(heard.bytes, strlen("main;serve;conn_open 30\nmain;load 30\n"));
    assert_int_equal(heard.running, 0);
    put(newer[0], "\1\2\3\n"); /* work that fails has an end, too */
    assert_int_equal(hf_view_load(&request, newer, 1, &profile, &err), HF_ERR_INPUT);
    assert_int_equal(hf_view_load(&request, &names[2], 1, &profile, &err), HF_ERR_SYSTEM);
    assert_int_equal(heard.running, 0);
}

static void judges_a_history(void **state)
{
    (void)state;
    static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    struct hf_error err;
    struct hf_process_histories processes = {.keeps_last = true};
    struct hf_process_history *process;
    struct hf_request request = {.times = {.at = "60s", .skip_ns = UINT64_C(90000000000)}};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "main;leak %zu\nmain;load 500\n", 1000 * (i + 1));
        put(names[i], text);
    }
    check_ok(hf_process_histories_read(&processes, &request, names, HF_COUNT(names), &err), &err);
    assert_int_equal(processes.count, 1);
    process = processes.items[0];
    assert_int_equal(process->history.profile_count, 6); /* the first two were start-up */
    assert_int_equal(hf_profile_total(process->last, 0, HF_THREAD_ALL).value, 8500);
    for (int i = 0; i < 2; i++) { /* as often as somebody asks */
        check_ok(hf_process_history_judge(process, &request, &err), &err);
        assert_int_equal(process->growth.count, 2);
        check_text(process->growth.places[0].name, "leak");
        assert_true(process->growth.places[0].trend.slope > 0);
    }
    hf_process_histories_done(&processes);
}

static void check_conversion(
    const char *format, const struct hf_request *request, const char *expected)
{
    struct hf_error err;
    struct hf_conversion conversion;
    struct hf_out out = {0};
    put_both();
    check_ok(
        hf_conversion_read(&conversion, hf_writer_named(format), request, newer, 1, &err), &err);
    check_ok(hf_conversion_write(&conversion, &out, &err), &err);
    if (expected != NULL)
        check_out(&out, expected);
    assert_true(expected != NULL || out.size != 0);
    assert_non_null(hf_conversion_notes(&conversion));
    hf_conversion_done(&conversion);
    hf_out_done(&out);
}

static void converts(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_conversion conversion;
    static const char *const missing[] = {"./missing"};
    const struct hf_request all = {0}, change = {.comparison.base = {{older[0]}, 1}};
    check_conversion("folded", &all, "main;load 30\nmain;serve;conn_open 30\n");
    check_conversion("folded", &change, "main;load -10\nmain;serve;conn_open 20\n");
    check_conversion("bundle", &all, NULL);
    check_ok(hf_conversion_read(&conversion, &hf_writer_bundle, &change, newer, 1, &err), &err);
    assert_true(conversion.profile->is_difference); /* also where the format would take all */
    hf_conversion_done(&conversion);
    assert_int_equal(
        hf_conversion_read(&conversion, &hf_writer_bundle, &all, missing, 1, &err), HF_ERR_SYSTEM);
    assert_null(hf_conversion_notes(&conversion));
    hf_conversion_done(&conversion);
}

/* A profile that is there stays the caller's, who may want it written twice. */
static void converts_what_is_there(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_request request = {0};
    put(newer[0], "main;serve;malloc 30\n");
    check_ok(hf_view_load(&request, newer, 1, &profile, &err), &err);
    static const char *const formats[] = {"bundle", "folded", "stap", "pprof"};
    for (size_t i = 0; i < HF_COUNT(formats); i++) {
        struct hf_conversion conversion;
        struct hf_out out = {0};
        check_ok(
            hf_conversion_of(&conversion, hf_writer_named(formats[i]), &request, profile, &err),
            &err);
        check_ok(hf_conversion_write(&conversion, &out, &err), &err);
        assert_false(request.names.linkage_names); /* as a bundle has them; the next has its own */
        if (i == 1)
            check_out(&out, "main;serve 30\n");
        hf_conversion_done(&conversion);
        hf_out_done(&out);
    }
    hf_profile_free(profile);
}

static void names_the_heaviest(void **state)
{
    (void)state;
    static const struct {
        const char *folded, *said;
    } cases[] = {{"main;load 30\nmain;serve;conn_open 40\nmain 5\nmain;load 1\n",
                     "conn_open holds 40 B of 76 B in use"},
        {"main;l\033oad 2048\n", "l\\x1boad holds 2.0 KiB of 2.0 KiB in use"},
        {"main;load 0\n", ""}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_profile *profile;
        char text[HF_HEAVIEST_MAX];
        put(newer[0], cases[i].folded);
        check_ok(hf_view_load(&(struct hf_request){0}, newer, 1, &profile, &err), &err);
        hf_heaviest_describe(profile, &(struct hf_request_fold){0}, text);
        assert_string_equal(text, cases[i].said);
        hf_profile_free(profile);
    }
}

static void polls_only_who_has_a_table(void **state)
{
    (void)state;
    char name[16];
    struct hf_error err;
    struct hf_loop loop = {0};
    struct hf_process_history process = {0};
    struct hf_poller poller = {.pid = (uint32_t)getpid()};
    (void)snprintf(name, sizeof name, "%d", (int)getpid());
    assert_int_equal(
        hf_process_history_poll(&process, &(struct hf_request){0}, name, &poller, &loop, &err),
        HF_ERR_SYSTEM);
    assert_null(loop.first); /* and leaves nothing in the loop */
    hf_process_history_done(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_what_is_asked_for),
        cmocka_unit_test(tells_how_far_it_is),
        cmocka_unit_test(judges_a_history),
        cmocka_unit_test(converts),
        cmocka_unit_test(converts_what_is_there),
        cmocka_unit_test(names_the_heaviest),
        cmocka_unit_test(polls_only_who_has_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
