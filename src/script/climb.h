/*
 * climb.h: from a value outwards, through brackets, calls and assignments, to what its statement
 * does with it; and from a variable to all that is done with it. These two call each other, until
 * somebody keeps the value (flow.h), or the steps of the question are used up.
 *
 * Example:
 *
 *     struct hf_script_sources sources = {0};
 *     struct hf_script_flow flow = {.sources = &sources};
 *     struct hf_script_at at;
 *     bool is_there = hf_script_at_file(&at, &flow, 0);
 *     if (is_there && hf_script_follow(&at, 0, HF_TEXT("slip")).fate == HF_SCRIPT_KEPT)
 *         hf_out_string(out, "somebody keeps slip");
 */
#ifndef HF_SCRIPT_CLIMB_H
#define HF_SCRIPT_CLIMB_H

#include "script/origin.h"

#define HF_SCRIPT_END_UNKNOWN ((struct hf_script_end){.fate = HF_SCRIPT_UNKNOWN})
#define HF_SCRIPT_END_STAYS ((struct hf_script_end){.fate = HF_SCRIPT_STAYS})
#define HF_SCRIPT_END_RETURNED ((struct hf_script_end){.fate = HF_SCRIPT_RETURNED})

/* Of two things that are done with a value, the one that counts; the first, if they are equal. */
struct hf_script_end hf_script_stronger(struct hf_script_end a, struct hf_script_end b);

/* A value is put into the container whose chain ends with token `last`. */
struct hf_script_end hf_script_into(
    const struct hf_script_at *at, uint32_t statement, uint32_t last);

/* The same of an argument of the call whose brackets open at `open`. */
struct hf_script_end hf_script_into_argument(
    const struct hf_script_at *at, uint32_t open, uint32_t number);

/* What a statement is worth to the block that it ends: in Ruby and Perl, its value. */
bool hf_script_is_value(const struct hf_script_at *at, uint32_t statement);

struct hf_script_end hf_script_climb(const struct hf_script_at *at, struct hf_script_value value);

/* What becomes of a variable of a function (HF_SCRIPT_NO: of the file). */
struct hf_script_end hf_script_follow(
    const struct hf_script_at *at, uint32_t function, struct hf_text name);

#endif
