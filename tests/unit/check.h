/*
 * check.h: what every unit test includes: cmocka, and the few checks that it lacks.
 */
#ifndef HF_TESTS_UNIT_CHECK_H
#define HF_TESTS_UNIT_CHECK_H

#include "base/attr.h"
#include "base/error.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka.h needs the four headers above it. */
#include <cmocka.h>

/* The row of a table that is being checked, for the messages below. */
static HF_UNUSED const char *check_case = "";

/* A piece of text equals a C string; on failure both are printed. */
#define check_text(text, expected) check_text_at(text, expected, __FILE__, __LINE__)

static inline void check_text_at(
    struct hf_text text, const char *expected, const char *file, int line)
{
    if (hf_text_is(text, expected))
        return;
    print_error("%s\ngot      \"%.*s\"\nexpected \"%s\"\n", check_case, (int)text.size,
        text.size != 0 ? text.data : "", expected);
    _fail(file, line);
}

/* What a memory writer collected equals a C string. Empties the writer. */
#define check_out(out, expected) check_out_at(out, expected, __FILE__, __LINE__)

static inline void check_out_at(
    struct hf_out *out, const char *expected, const char *file, int line)
{
    check_text_at(hf_out_view(out), expected, file, line);
    out->size = 0;
}

/* An error reads so: "input: line N: sentence". */
#define check_error(err, expected) check_error_at(err, expected, __FILE__, __LINE__)

static inline void check_error_at(
    const struct hf_error *err, const char *expected, const char *file, int line)
{
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
    hf_error_format(err, text, sizeof text);
    check_text_at(hf_text_of(text), expected, file, line);
}

/* A status is HF_OK; on failure the error is printed. */
#define check_ok(status, err) check_ok_at(status, err, __FILE__, __LINE__)

static inline void check_ok_at(
    enum hf_status status, const struct hf_error *err, const char *file, int line)
{
    if (status == HF_OK)
        return;
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
    hf_error_format(err, text, sizeof text);
    print_error("%s\nfailed: %s\n", check_case, text);
    _fail(file, line);
}

/* How often: `usual`, or as an environment variable says, which a soak sets. */
static inline uint64_t check_count_of(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    uint64_t count = usual;
    assert_true(text == NULL || hf_num_u64(hf_text_of(text), &count));
    return count;
}

/* Pseudo-random numbers that are the same on every run (PCG's multiplier, high bits). */
static inline uint32_t check_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

#endif
