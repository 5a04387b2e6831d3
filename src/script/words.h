/*
 * words.h: the words that say what becomes of a value, of all languages of scripts together, as
 * what a word means in one it seldom is something else in another; and those of C, C++ and Rust.
 *
 * Example:
 *
 *     struct hf_script_tokens tokens;
 *     if (!hf_script_tokens_find(&tokens, HF_TEXT("rows.append(x)"), HF_SCRIPT_PYTHON))
 *         return hf_error_memory(err);
 *     bool stores = hf_script_means(&tokens, 2, HF_SCRIPT_VERB);
 *     if (stores)
 *         hf_out_string(out, "x is put into rows");
 *     hf_script_tokens_done(&tokens);
 */
#ifndef HF_SCRIPT_WORDS_H
#define HF_SCRIPT_WORDS_H

#include "script/tokens.h"

enum hf_script_meaning {
    HF_SCRIPT_OBJECT,   /* the object that a function is called for, or its class */
    HF_SCRIPT_MAKER,    /* functions that give again what they are given, or a container of it */
    HF_SCRIPT_MAKING,   /* methods that do */
    HF_SCRIPT_SAME,     /* methods that give again what they are called for */
    HF_SCRIPT_MAPPER,   /* functions that are given a function, and give what that gave */
    HF_SCRIPT_VERB,     /* they put their argument into what they are called for */
    HF_SCRIPT_GROWER,   /* what they are called for takes more memory; of C, C++ and Rust only */
    HF_SCRIPT_GETTER,   /* they give what a container holds */
    HF_SCRIPT_BLOCKING, /* signs beside a value of which then something else is made */
    HF_SCRIPT_BLOCKING_BEFORE, /* words before a value, the same */
    HF_SCRIPT_BLOCKING_BEHIND, /* words behind it */
    HF_SCRIPT_LEAVING,         /* what stands behind goes to the caller */
    HF_SCRIPT_NOTHING,         /* values that nobody keeps */
    HF_SCRIPT_DECLARING,       /* words before a variable where it is new */
};

/* Whether the word or sign that stands there means that; false behind the last. */
bool hf_script_means(
    const struct hf_script_tokens *tokens, uint32_t at, enum hf_script_meaning meaning);

#endif
