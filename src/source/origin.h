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
 */
#ifndef HF_SOURCE_ORIGIN_H
#define HF_SOURCE_ORIGIN_H

#include "source/question.h"

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

/* What it puts into its object is what it makes: by its name, or because only constructors call it,
 * for the object that they make. */
bool hf_source_is_constructor(const struct hf_source_at *at, uint32_t function);

/* The name at `token` is the object itself, or is known to the whole program. */
bool hf_source_is_state(const struct hf_source_at *at, uint32_t token);

/* The function has a variable of its own of that name: "my x", "for x", "x =". */
bool hf_source_declares(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* Of a script: what the name at `token` leads to is no part of one object: "push @all, $self". */
bool hf_source_is_of_all(const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The function returns what its object has: "return self.windows[symbol]". */
bool hf_source_gives_state(const struct hf_source_at *at, uint32_t place);

/* By all that assigns to the variable in the function. */
struct hf_source_origin hf_source_origin_of(
    const struct hf_source_at *at, uint32_t function, struct hf_text name);

#endif
