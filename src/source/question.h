/*
 * question.h: a question about a source, the file that it is in, and what every part of an answer
 * looks at: texts, statements, the tokens of a function, and what was answered before.
 *
 * Each counts its steps in the flow (flow.h), and knows nothing more when they are used up.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     static const char *const waits[] = {"co_await", "co_yield", NULL};
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_has_word(&at, 0, waits))
 *         hf_out_string(out, "a coroutine");
 */
#ifndef HF_SOURCE_QUESTION_H
#define HF_SOURCE_QUESTION_H

#include "source/flow.h"

#define HF_SOURCE_TOKENS_OF_STEP 16u /* that are looked at one by one */

/* Variables and functions that a question goes through. */
#define HF_SOURCE_DEPTH 12

/* A question, and the file that it is in. */
struct hf_source_at {
    struct hf_source_flow *flow;
    const struct hf_source_file *file;
    uint32_t number; /* of the file */
};

/* False: there is no such file. */
bool hf_source_at_file(struct hf_source_at *at, struct hf_source_flow *flow, uint32_t number);

/* The same of a place (sources.h), where its function stands. */
struct hf_source_at hf_source_at_place(
    const struct hf_source_at *at, uint32_t place, uint32_t *out_function);

/* False: no steps are left. */
bool hf_source_step(struct hf_source_flow *flow);

/* What stands around a value (expression.h): that takes the more steps, the further it is from
 * where its statement begins. */
struct hf_source_level hf_source_level_at(
    const struct hf_source_at *at, struct hf_source_value value);

struct hf_text hf_source_text_of(const struct hf_source_at *at, uint32_t token);
const struct hf_source_statement *hf_source_statement_of(
    const struct hf_source_at *at, uint32_t number);

/* What was answered to the question of that number about a name, while this one is asked;
 * *out_is_new: nothing yet, and the answer is to be put there, before another one is asked. NULL:
 * no memory. */
uint32_t *hf_source_asked(
    const struct hf_source_at *at, uint32_t question, struct hf_text name, bool *out_is_new);

/* "Index", "MAX": known to the whole program. */
bool hf_source_is_capital(struct hf_text name);

/* The tokens of a function; HF_SOURCE_NO: of all of the file. */
void hf_source_range_of(
    const struct hf_source_at *at, uint32_t function, uint32_t *out_begin, uint32_t *out_end);

/* One of the words, whose list ends with NULL, is in a function. */
bool hf_source_has_word(
    const struct hf_source_at *at, uint32_t function, const char *const words[]);

#endif
