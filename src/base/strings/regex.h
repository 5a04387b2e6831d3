/*
 * regex.h: a user's Perl regular expression, matched against names of the input (PCRE2).
 *
 * Matching has the limits of base/limits.h, so no pattern and no name can hang the tool: a match
 * that reaches one counts as "no match" and is counted. A name gets few steps for each of its
 * bytes, and where that is not enough many, until HF_LIMIT_REGEX_TOTAL of those were given.
 *
 * Example:
 *
 *     struct hf_regex *regex;
 *     status = hf_regex_new("^std::", &regex, err);
 *     if (status != HF_OK)
 *         return status;
 *     hf_out_string(out, hf_regex_matches(regex, HF_TEXT("std::string")) ? "yes" : "no");
 *     hf_regex_free(regex);
 */
#ifndef HF_BASE_REGEX_H
#define HF_BASE_REGEX_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_regex;

/* Compiles `pattern`; bytes, not UTF-8, so broken names match too. HF_ERR_USAGE with the column. */
HF_MUST_CHECK enum hf_status hf_regex_new(
    const char *pattern, struct hf_regex **out_regex, struct hf_error *err);
void hf_regex_free(struct hf_regex *regex);

/* True if the pattern matches anywhere in `text`. */
bool hf_regex_matches(struct hf_regex *regex, struct hf_text text);

/* How many calls gave up at a limit so far. */
uint64_t hf_regex_given_up(const struct hf_regex *regex);

#endif
