/*
 * suppressions.h: known leaks, in the syntax of LeakSanitizer's suppressions.
 *
 *     # a remark
 *     leak:PATTERN
 *
 * A stack is suppressed if PATTERN is found in the name of a function of it, in its source file, or
 * in the path of its module. `*` stands for anything, `^` and `$` bind PATTERN to the beginning and
 * the end. Source: LLVM, "AddressSanitizer: LeakSanitizer suppressions"; lines of other kinds
 * (`called_from_lib:` ...) are another sanitizer's, and refused. Hits are counted.
 *
 * Example:
 *
 *     struct hf_input input;
 *     struct hf_suppressions known = {0};
 *     hf_input_open_memory(&input, HF_TEXT("leak:init_tables\n"), "known.supp");
 *     status = hf_suppressions_read(&known, &input, err);
 *     hf_input_close(&input);
 *     hf_suppressions_done(&known);
 */
#ifndef HF_ANALYSIS_SUPPRESSIONS_H
#define HF_ANALYSIS_SUPPRESSIONS_H

#include "os/input.h"
#include "profile/profile.h"

struct hf_suppression {
    char *pattern;
    uint64_t hits;
};

/* All-zero: none. */
struct hf_suppressions {
    struct hf_suppression *items;
    size_t count, capacity;
};

/* Adds those of a file. HF_ERR_INPUT, with the line: it is none, or has no pattern. */
HF_MUST_CHECK enum hf_status hf_suppressions_read(
    struct hf_suppressions *suppressions, struct hf_input *input, struct hf_error *err);
void hf_suppressions_done(struct hf_suppressions *suppressions);

/* The first that fits one of these frames, its hit counted; NULL: none. */
const struct hf_suppression *hf_suppressions_find(struct hf_suppressions *suppressions,
    const struct hf_profile *profile, const uint32_t *frames, size_t count);

/* True if the pattern fits the text. */
bool hf_suppression_fits(struct hf_text pattern, struct hf_text text);

#endif
