/* Lines of an input: their ends, their numbers, and the one that is too long. */
#include "base/limits.h"
#include "check.h"
#include "os/input.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(says_which_line_is_too_long),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
