/*
 * words.h: the words that say what becomes of a value, of all languages of scripts together, as
 * what a word means in one it seldom is something else in another; and those of C, C++ and Rust.
 *
 * Example:
 *
 *     struct hf_source_tokens tokens;
 *     if (!hf_source_tokens_find(&tokens, HF_TEXT("rows.append(x)"), HF_SOURCE_PYTHON))
 *         return hf_error_memory(err);
 *     bool stores = hf_source_means(&tokens, 2, HF_SOURCE_VERB);
 *     if (stores)
 *         hf_out_string(out, "x is put into rows");
 *     hf_source_tokens_done(&tokens);
 */
#ifndef HF_SOURCE_WORDS_H
#define HF_SOURCE_WORDS_H

#include "source/text/tokens.h"

enum hf_source_meaning {
    HF_SOURCE_OBJECT,   /* the object that a function is called for, or its class */
    HF_SOURCE_MAKER,    /* functions that give again what they are given, or a container of it */
    HF_SOURCE_MAKING,   /* methods that do */
    HF_SOURCE_SAME,     /* methods that give again what they are called for */
    HF_SOURCE_MAPPER,   /* functions that are given a function, and give what that gave */
    HF_SOURCE_VERB,     /* they put their argument into what they are called for */
    HF_SOURCE_GROWER,   /* what they are called for takes more memory; of C, C++ and Rust only */
    HF_SOURCE_MEASURE,  /* they say how much is there, or whether; of scripts */
    HF_SOURCE_GETTER,   /* they give what a container holds */
    HF_SOURCE_BLOCKING, /* signs beside a value of which then something else is made */
    HF_SOURCE_BLOCKING_BEFORE, /* words before a value, the same */
    HF_SOURCE_BLOCKING_BEHIND, /* words behind it */
    HF_SOURCE_LEAVING,         /* what stands behind goes to the caller */
    HF_SOURCE_NOTHING,         /* values that nobody keeps */
    HF_SOURCE_DECLARING,       /* words before a variable where it is new */
    HF_SOURCE_COUNTED,         /* pointers of Rust that count: a clone of one is the same value */
};

/* Whether the word or sign that stands there means that; false behind the last. */
bool hf_source_means(
    const struct hf_source_tokens *tokens, uint32_t at, enum hf_source_meaning meaning);

#endif
