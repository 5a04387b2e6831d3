/*
 * tell.h: what a target tells of an input: what was read, found or refused, in lines of text.
 *
 * The program that runs a target over its corpus (replay.c) prints it, and tests/run compares it
 * with fuzz/expected/NAME. While a target is fuzzed nobody listens, and nothing is made.
 */
#ifndef HF_FUZZ_TELL_H
#define HF_FUZZ_TELL_H

#include "base/attr.h"
#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Who listens: replay.c's, where it is. */
__attribute__((weak)) extern FILE *fuzz_told;

static inline bool fuzz_is_told(void)
{
    return &fuzz_told != NULL && fuzz_told != NULL;
}

HF_PRINTF(1, 2) static inline void fuzz_tell(const char *format, ...)
{
    va_list arguments;
    if (!fuzz_is_told())
        return;
    va_start(arguments, format);
    (void)vfprintf(fuzz_told, format, arguments);
    va_end(arguments);
}

/* Bytes of an input: what is no printable ASCII as \xNN. */
static inline void fuzz_tell_text(struct hf_text text)
{
    for (size_t i = 0; fuzz_is_told() && i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool is_plain = byte >= 0x20 && byte < 0x7f && byte != '\\';
        (void)fprintf(fuzz_told, is_plain ? "%c" : "\\x%02x", byte);
    }
}

/* The same, as a line with what it is. */
static inline void fuzz_tell_named(const char *what, struct hf_text text)
{
    fuzz_tell("%s: ", what);
    fuzz_tell_text(text);
    fuzz_tell("\n");
}

/* Of long texts, so much is told and the rest summed up. */
static inline void fuzz_tell_long(const char *what, struct hf_text text)
{
    uint64_t sum = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; fuzz_is_told() && i < text.size; i++)
        sum = (sum ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
    if (text.size > 400)
        fuzz_tell("%zu bytes, sum %016llx, ", text.size, (unsigned long long)sum);
    fuzz_tell_named(what, hf_text_first(text, 400));
}

/* "refused" and the sentence, of what failed. */
static inline void fuzz_tell_error(enum hf_status status, const struct hf_error *err)
{
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
    if (!fuzz_is_told() || status == HF_OK)
        return;
    hf_error_format(err, text, sizeof text);
    fuzz_tell_named("refused", hf_text_of(text));
}

#endif
