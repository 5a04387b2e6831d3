/*
 * tokens.h: the words and signs of a script, in the order in which they stand there.
 *
 * One reader for Python, Ruby, Perl, PHP, JavaScript and Lua, and for C, C++ and Rust, which knows
 * what they have in common and where they differ: comments, strings, here documents, patterns
 * between slashes, and the signs before variables. It is no compiler's: what it takes for a string
 * may be none in a strange file; then less is known of that file, and nothing else happens.
 *
 * Of C, C++ and Rust, lines of the preprocessor, attributes, lifetimes, "?" of Rust, and the
 * arguments of templates and generic types are no tokens: "make_shared<Order>(x)" is
 * "make_shared(x)".
 *
 * Example:
 *
 *     struct hf_source_tokens tokens;
 *     if (!hf_source_tokens_find(&tokens, HF_TEXT("out[key] = f(x) # kept"), HF_SOURCE_PYTHON))
 *         return hf_error_memory(err);
 *     bool assigns = hf_source_is_sign(&tokens, 4, "=");
 *     if (assigns)
 *         hf_out_text(out, hf_source_token_text(&tokens, 0));
 *     hf_source_tokens_done(&tokens);
 */
#ifndef HF_SOURCE_TOKENS_H
#define HF_SOURCE_TOKENS_H

#include "base/attr.h"
#include "base/text.h"

#include <stdint.h>

enum hf_source_language {
    HF_SOURCE_NONE,
    HF_SOURCE_PYTHON,
    HF_SOURCE_RUBY,
    HF_SOURCE_PERL,
    HF_SOURCE_PHP,
    HF_SOURCE_JAVASCRIPT,
    HF_SOURCE_LUA,
    HF_SOURCE_C,
    HF_SOURCE_CPP, /* and headers */
    HF_SOURCE_RUST,
};

enum hf_source_kind { HF_SOURCE_NAME, HF_SOURCE_NUMBER, HF_SOURCE_STRING, HF_SOURCE_SIGN };

#define HF_SOURCE_NO UINT32_MAX

struct hf_source_token {
    uint32_t at, size;     /* in bytes; of a name without the signs before it */
    uint32_t line, column; /* from 1; from 0 */
    uint32_t pair;         /* of a bracket: its other one; HF_SOURCE_NO: it has none */
    uint32_t statement;    /* the innermost that it is of (outline.h); HF_SOURCE_NO: none */
    uint8_t kind;
    char sigil;     /* '$', '@' or '%' stands before a name; 0: none */
    bool is_first;  /* of its line */
    bool is_filled; /* a string that something is put into: "<b>$title</b>" */
};

/* All-zero: none. */
struct hf_source_tokens {
    struct hf_text text; /* borrowed */
    enum hf_source_language language;
    struct hf_source_token *items;
    size_t count, capacity;
};

/* By the ending of its path: "feed.py". */
enum hf_source_language hf_source_language_of(struct hf_text path);

/* C, C++, Rust: a value is a thing, which is copied, moved or pointed to. */
bool hf_source_is_compiled(enum hf_source_language language);

/* Reads a text of less than 4 GiB; false: no memory. Free with done in either case. */
HF_MUST_CHECK bool hf_source_tokens_find(
    struct hf_source_tokens *tokens, struct hf_text text, enum hf_source_language language);
void hf_source_tokens_done(struct hf_source_tokens *tokens);

/* What stands there; empty behind the last. */
struct hf_text hf_source_token_text(const struct hf_source_tokens *tokens, uint32_t at);

/* Whether this word, or this sign, stands there; false behind the last. */
bool hf_source_is_word(const struct hf_source_tokens *tokens, uint32_t at, const char *word);
bool hf_source_is_sign(const struct hf_source_tokens *tokens, uint32_t at, const char *sign);
bool hf_source_is_kind(
    const struct hf_source_tokens *tokens, uint32_t at, enum hf_source_kind kind);

/* One of several, which end with NULL. */
bool hf_source_is_any_word(
    const struct hf_source_tokens *tokens, uint32_t at, const char *const *words);
bool hf_source_is_any_sign(
    const struct hf_source_tokens *tokens, uint32_t at, const char *const *signs);

#endif
