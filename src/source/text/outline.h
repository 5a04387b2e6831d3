/*
 * outline.h: the functions and statements of a script.
 *
 * A statement goes from its first token to its last; one that lies within another, as in a block
 * that is given to a function, is not of that. The header of a loop or a condition is a statement
 * of its own.
 *
 * A function without a name is no function here: what it does is of the one in which it stands,
 * whose variables it sees.
 *
 * Example:
 *
 *     struct hf_source_tokens tokens;
 *     struct hf_source_outline outline = {0};
 *     const struct hf_text text = HF_TEXT("def f(a): return a");
 *     bool is_read = hf_source_tokens_find(&tokens, text, HF_SOURCE_PYTHON) &&
 *                    hf_source_outline_find(&outline, &tokens);
 *     if (is_read && hf_source_is_word(&tokens, outline.statements[1].begin, "return"))
 *         hf_out_text(out, outline.functions[outline.statements[1].function].name);
 *     hf_source_outline_done(&outline);
 *     hf_source_tokens_done(&tokens);
 */
#ifndef HF_SOURCE_OUTLINE_H
#define HF_SOURCE_OUTLINE_H

#include "source/text/tokens.h"

struct hf_source_statement {
    uint32_t begin, end; /* tokens; `end` is the first behind it */
    uint32_t function;   /* HF_SOURCE_NO: of the file itself */
    uint32_t within;     /* the statement that it is part of; HF_SOURCE_NO: none */
    uint32_t control;    /* the header of the block that it is in, if that is no function's */
    bool is_last;        /* of its block: in some languages its value is that of the block */
    bool is_of_closure;  /* its block is a function without a name, within `within` */
    bool is_header;      /* of a block that is no function */
};

struct hf_source_function {
    struct hf_text name, class; /* "add" of "Index"; the class may be empty */
    uint32_t header;            /* its statement */
    uint32_t outer;             /* the function around it; HF_SOURCE_NO: none */
    uint32_t begin, end;        /* tokens: from its name to behind its last */
    uint32_t parameters;        /* the token behind "("; HF_SOURCE_NO: it has none there */
    bool is_cached;             /* what it returns is kept for it */
};

/* All-zero: none. */
struct hf_source_outline {
    struct hf_source_statement *statements;
    struct hf_source_function *functions; /* in the order in which they begin */
    size_t statement_count, statement_capacity;
    size_t function_count, function_capacity;
};

/* Sets the statement of each token, too; false: no memory. Free with done in either case. */
HF_MUST_CHECK bool hf_source_outline_find(
    struct hf_source_outline *outline, struct hf_source_tokens *tokens);
void hf_source_outline_done(struct hf_source_outline *outline);

#endif
