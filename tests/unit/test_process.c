/* Running another program: what goes in, what comes out, and each way to fail. */
#include "os/process/process.h"

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

static enum hf_status run(
    const char *const *argv, struct hf_text input, struct hf_out *out, struct hf_error *err)
{
    int before = dup(STDIN_FILENO), after;
    close(before);
    enum hf_status status = hf_process_run(argv, input, out, err);
    after = dup(STDIN_FILENO);
    close(after);
    assert_int_equal(after, before); /* nothing stays open */
    return status;
}

static void output_is_all_that_it_wrote(void **state)
{
    static const char *const cat[] = {"cat", NULL}, *const words[] = {"echo", "two", "words", NULL};
    (void)state;
    struct hf_error err;
    struct hf_out out = {0};
    check_ok(run(cat, HF_TEXT("line\n"), &out, &err), &err);
    check_out(&out, "line\n");
    check_ok(run(cat, HF_TEXT(""), &out, &err), &err);
    check_out(&out, "");
    hf_out_string(&out, "before ");
    check_ok(run(words, HF_TEXT("not read"), &out, &err), &err);
    check_out(&out, "before two words\n");
    /* more than a pipe holds, and no multiple of a block */
    struct hf_text large = {malloc(300001), 300001};
    for (size_t i = 0; i < large.size; i++)
        ((char *)(uintptr_t)large.data)[i] = (char)('a' + i % 23);
    check_ok(run(cat, large, &out, &err), &err);
    assert_true(hf_text_equal(hf_out_view(&out), large));
    free((char *)(uintptr_t)large.data);
    hf_out_done(&out);
}

static void each_failure_has_its_words(void **state)
{
    static const struct {
        const char *argv[4], *error;
    } rows[] = {
        {{"sh", "-c", "echo lost; exit 3"}, "sh failed with status 3"},
        {{"sh", "-c", "kill -9 $$"}, "sh failed with signal 9"},
        {{"./no-such-program"}, "cannot run ./no-such-program: No such file or directory"},
        {{"/"}, "cannot run /: Permission denied"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_out out = {0};
        check_case = rows[i].error;
        assert_int_equal(run(rows[i].argv, HF_TEXT("in"), &out, &err), HF_ERR_SYSTEM);
        check_error(&err, rows[i].error);
        check_out(&out, ""); /* of a program that failed nothing is taken */
        hf_out_done(&out);
    }
}

/* The input is read from its start, wherever it stands. */
static void files_are_read_from_their_start(void **state)
{
    static const char *const cat[] = {"cat", NULL};
    (void)state;
    struct hf_error err;
    char text[8] = "";
    int output = -1, input = memfd_create("input", MFD_CLOEXEC);
    assert_int_equal(write(input, "all", 3), 3);
    check_ok(hf_process_run_files(cat, false, input, &output, &err), &err);
    assert_int_equal(pread(output, text, sizeof text, 0), 3);
    assert_string_equal(text, "all");
    close(output);
    close(input);
}

/* Nobody's rights: no program of root's, if a root runs this. */
static void rights_are_dropped_when_asked(void **state)
{
    static const char *const user[] = {"id", "-u", NULL};
    (void)state;
    struct hf_error err;
    for (int drops = 0; drops < 2; drops++) {
        char text[16] = "", expected[16];
        int output = -1, input = memfd_create("input", MFD_CLOEXEC);
        check_ok(hf_process_run_files(user, drops != 0, input, &output, &err), &err);
        ssize_t size = pread(output, text, sizeof text - 1, 0);
        (void)snprintf(expected, sizeof expected, "%u\n", (unsigned)geteuid());
        assert_true(size > 0);
        if (drops != 0 && geteuid() == 0)
            assert_string_not_equal(text, expected);
        else
            assert_string_equal(text, expected);
        close(output);
        close(input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_is_all_that_it_wrote),
        cmocka_unit_test(each_failure_has_its_words),
        cmocka_unit_test(files_are_read_from_their_start),
        cmocka_unit_test(rights_are_dropped_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
