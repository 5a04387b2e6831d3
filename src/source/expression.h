/*
 * expression.h: what stands around a value in a script: brackets, calls, assignments, what it is a
 * member of.
 *
 * All numbers are of tokens (tokens.h). A value is the tokens [begin, end) of one statement.
 * Nothing here goes past the ends of its statement.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     uint32_t file;
 *     status = hf_sources_add_text(
 *         &sources, HF_TEXT("a.py"), HF_TEXT("a = f(x)"), &file, err);
 *     const struct hf_source_value x = {.statement = 0, .begin = 4, .end = 5};
 *     struct hf_source_level level = hf_source_level_of(&sources.files[0], x);
 *     if (status == HF_OK && hf_source_callee(&sources.files[0], level.open) != HF_SOURCE_NO)
 *         hf_out_printf(out, "argument %u of a call", level.commas);
 *     hf_sources_done(&sources);
 */
#ifndef HF_SOURCE_EXPRESSION_H
#define HF_SOURCE_EXPRESSION_H

#include "source/sources.h"

struct hf_source_value {
    uint32_t statement, begin, end;
};

/* The innermost brackets around a value, or its statement. */
struct hf_source_level {
    uint32_t open;       /* the bracket; HF_SOURCE_NO: none, it is the statement */
    uint32_t begin, end; /* what is between them */
    uint32_t item;       /* where the part between commas begins that the value is in */
    uint32_t commas;     /* before it */
    uint32_t assignment; /* the last "=" before it in that part; HF_SOURCE_NO: none */
};

struct hf_source_level hf_source_level_of(
    const struct hf_source_file *file, struct hf_source_value value);

/* "=", "+=", "||=", ":=": it gives a value to what stands before it. */
bool hf_source_assigns(const struct hf_source_tokens *tokens, uint32_t at);

/* "-=", and "+=" of Perl, whose strings have "." for that: what stands there is a number. */
bool hf_source_counts(const struct hf_source_tokens *tokens, uint32_t at);

/* Joins a name with what it is a member of: ".", "->", "::", and in Lua ":". */
bool hf_source_is_member_sign(const struct hf_source_tokens *tokens, uint32_t at);

/* The name that is called with the brackets at `open`; HF_SOURCE_NO: they are no call's. */
uint32_t hf_source_callee(const struct hf_source_file *file, uint32_t open);

/* Whether the brackets at `open` choose from what stands before them: "rows[1]", "$seen{x}". */
bool hf_source_is_index(const struct hf_source_file *file, uint32_t open);

/* Where the chain begins that ends with token `at`: "a" of "a.b(c).d[e]". Not before `floor`. */
uint32_t hf_source_chain_begin(const struct hf_source_file *file, uint32_t at, uint32_t floor);

/* Behind the chain that begins with the name at `at`, not behind `end`. *out_call: the name of its
 * last part, if that is a call, else HF_SOURCE_NO. *out_is_path: there is more than the name. */
uint32_t hf_source_chain_end(const struct hf_source_file *file, uint32_t at, uint32_t end,
    uint32_t *out_call, bool *out_is_path);

/* "@{$message}{keys %fields}" of Perl: parts of what the name at `token` leads to. */
bool hf_source_is_slice(const struct hf_source_tokens *tokens, uint32_t token);

/* The next token of a level, over what is in brackets there. */
uint32_t hf_source_next(const struct hf_source_tokens *tokens, uint32_t at);

/* A name that is a variable, as it stands there: no member, no key, no symbol. */
bool hf_source_is_variable(const struct hf_source_tokens *tokens, uint32_t at);

/* The n-th argument of a call: the name that its chain begins with; HF_SOURCE_NO: it is none. */
uint32_t hf_source_argument_name(
    const struct hf_source_tokens *tokens, uint32_t open, uint32_t number);

#endif
