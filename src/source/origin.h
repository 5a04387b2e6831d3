/*
 * origin.h: what a variable of a script is reached from: whether what is put into it stays with the
 * function, its caller, or an object.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_origin_of(&at, 0, HF_TEXT("page")).root == HF_SOURCE_IS_STATE)
 *         hf_out_string(out, "page is of an object");
 *
 * Each counts its steps in the flow (flow.h), and knows nothing more when they are used up.
 */
#ifndef HF_SOURCE_ORIGIN_H
#define HF_SOURCE_ORIGIN_H

#include "source/flow.h"

/* Variables and functions that a question goes through. */
#define HF_SOURCE_DEPTH 12

/* A question, and the file that it is in. */
struct hf_source_at {
    struct hf_source_flow *flow;
    const struct hf_source_file *file;
    uint32_t number; /* of the file */
};

enum hf_source_root {
    HF_SOURCE_IS_NOTHING,   /* of C and C++: nobody can tell where it is declared */
    HF_SOURCE_IS_FRESH,     /* it was made there */
    HF_SOURCE_IS_PARAMETER, /* the caller gave it */
    HF_SOURCE_IS_STATE,     /* it is of an object, or known everywhere */
};

struct hf_source_origin {
    enum hf_source_root root;
    uint32_t parameter;
    bool is_mixed; /* it may also be one that was made there */
};

/* False: there is no such file. */
bool hf_source_at_file(struct hf_source_at *at, struct hf_source_flow *flow, uint32_t number);

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

/* What it puts into its object is what it makes: by its name, or because only constructors call it,
 * for the object that they make. */
bool hf_source_is_constructor(const struct hf_source_at *at, uint32_t function);

/* The name at `token` is the object itself, or is known to the whole program. */
bool hf_source_is_state(const struct hf_source_at *at, uint32_t token);

/* The function has a variable of its own of that name: "my x", "for x", "x =". */
bool hf_source_declares(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* Of a script: what the name at `token` leads to is no part of one object: "push @all, $self". */
bool hf_source_is_of_all(const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The place (sources.h) of the function that is called by the name at `callee`; HF_SOURCE_NO: none,
 * or nobody can tell which. `function` calls it. */
uint32_t hf_source_function_called(
    const struct hf_source_at *at, uint32_t callee, uint32_t function);
struct hf_source_at hf_source_at_place(
    const struct hf_source_at *at, uint32_t place, uint32_t *out_function);

/* The function returns what its object has: "return self.windows[symbol]". */
bool hf_source_gives_state(const struct hf_source_at *at, uint32_t place);

/* By all that assigns to the variable in the function. */
struct hf_source_origin hf_source_origin_of(
    const struct hf_source_at *at, uint32_t function, struct hf_text name);

#endif
