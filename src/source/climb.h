/*
 * climb.h: from a value outwards, through brackets, calls and assignments, to what its statement
 * does with it; and from a variable to all that is done with it. These two call each other, until
 * somebody keeps the value (flow.h), or the steps of the question are used up.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_follow(&at, 0, HF_TEXT("slip")).fate == HF_SOURCE_KEPT)
 *         hf_out_string(out, "somebody keeps slip");
 */
#ifndef HF_SOURCE_CLIMB_H
#define HF_SOURCE_CLIMB_H

#include "source/targets.h"

/* A value is an argument of the call whose brackets open at `open`. */
struct hf_source_end hf_source_into_argument(
    const struct hf_source_at *at, uint32_t open, uint32_t number);

/* What a statement is worth to the block that it ends: in Ruby and Perl, its value. */
bool hf_source_is_value(const struct hf_source_at *at, uint32_t statement);

struct hf_source_end hf_source_climb(const struct hf_source_at *at, struct hf_source_value value);

/* What becomes of what the call of the name at `token` gives. */
struct hf_source_end hf_source_flow_call(const struct hf_source_at *at, uint32_t token);

/* What becomes of a variable of a function (HF_SOURCE_NO: of the file). */
struct hf_source_end hf_source_follow(
    const struct hf_source_at *at, uint32_t function, struct hf_text name);

#endif
