/* Lines of an input: their ends, their numbers, and the one that is too long. */
#include "base/limits.h"
#include "check.h"
#include "os/input.h"

#include <unistd.h>

static void check_next_line(struct hf_input *input, const char *expected, uint64_t number)
{
    struct hf_error err;
    struct hf_text line;
    bool has_line;
    check_ok(hf_input_line(input, &line, &has_line, &err), &err);
    assert_true(has_line);
    check_text(line, expected);
    assert_int_equal(input->line, number);
}

static void reads_lines(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_text line;
    struct hf_input input;
    bool has_line = true;
    hf_input_open_memory(&input, HF_TEXT("one\n\n\r\nfour\r\nfive\r"), "file");
    check_next_line(&input, "one", 1);
    check_next_line(&input, "", 2);
    check_next_line(&input, "", 3);
    check_next_line(&input, "four", 4);
    assert_false(input.last_line_is_cut);
    check_next_line(&input, "five", 5);
    assert_true(input.last_line_is_cut);
    check_ok(hf_input_line(&input, &line, &has_line, &err), &err);
    assert_false(has_line);
    hf_input_close(&input);
}

/* Two short lines, then letters without end. */
static enum hf_status read_endless(
    void *context, char *out, size_t room, size_t *out_got, struct hf_error *err)
{
    (void)err;
    bool *has_begun = context;
    memset(out, 'x', room);
    if (!*has_begun)
        memcpy(out, "one\ntwo\n", 8);
    *has_begun = true;
    *out_got = room;
    return HF_OK;
}

static void says_which_line_is_too_long(void **state)
{
    (void)state;
    bool has_begun = false, has_line;
    struct hf_error err;
    struct hf_text line;
    struct hf_input input;
    hf_input_open_source(&input, (struct hf_input_source){read_endless, &has_begun}, "file");
    check_next_line(&input, "one", 1);
    check_next_line(&input, "two", 2);
    assert_int_equal(hf_input_line(&input, &line, &has_line, &err), HF_ERR_LIMIT);
    check_error(&err, "file: line 3: longer than 67108864 bytes (HF_LIMIT_LINE_BYTES)");
    hf_input_close(&input);
}

/* Of a pipe: a line is ready when its end is there, when it is too long, or when nothing more
 * comes. */
static void knows_whether_a_line_is_ready(void **state)
{
    (void)state;
    int ends[2];
    struct hf_input input;
    assert_int_equal(pipe(ends), 0);
    hf_input_open_descriptor(&input, ends[0], "pipe");
    assert_false(hf_input_line_is_ready(&input));
    assert_int_equal(write(ends[1], "one\ntw", 6), 6);
    assert_true(hf_input_line_is_ready(&input));
    check_next_line(&input, "one", 1);
    assert_false(hf_input_line_is_ready(&input)); /* it would be waited for */
    assert_int_equal(write(ends[1], "o\n", 2), 2);
    assert_true(hf_input_line_is_ready(&input));
    assert_true(hf_input_line_is_ready(&input));
    check_next_line(&input, "two", 2);
    assert_false(hf_input_line_is_ready(&input));
    assert_int_equal(write(ends[1], "thr", 3), 3);
    assert_false(hf_input_line_is_ready(&input));
    close(ends[1]);
    assert_true(hf_input_line_is_ready(&input));
    check_next_line(&input, "thr", 3);
    assert_true(hf_input_line_is_ready(&input));
    hf_input_close(&input);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_whether_a_line_is_ready),
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(says_which_line_is_too_long),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
