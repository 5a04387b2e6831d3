/*
 * generics.h: the arguments of templates and of generic types, which say nothing of where a value
 * goes: "make_shared<Order>(x)" is read as "make_shared(x)".
 *
 * Example:
 *
 *     struct hf_source_tokens tokens;
 *     if (!hf_source_tokens_find(&tokens, HF_TEXT("f<T>(x)"), HF_SOURCE_C))
 *         return hf_error_memory(err);
 *     hf_source_drop_generics(&tokens);
 *     if (tokens.count == 4)
 *         hf_out_string(out, "f, (, x and ) are left");
 *     hf_source_tokens_done(&tokens);
 */
#ifndef HF_SOURCE_GENERICS_H
#define HF_SOURCE_GENERICS_H

#include "source/text/tokens.h"

/* Drops them, of C++ and Rust. Before the outline is found. */
void hf_source_drop_generics(struct hf_source_tokens *tokens);

#endif
