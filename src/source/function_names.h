/*
 * function_names.h: what a function of a source is called, in the source and in profiles.
 *
 * Example:
 *
 *     hf_out_text(out, hf_source_bare_name(HF_TEXT("pool::Mempool<int>::add(int)"))); // "add"
 */
#ifndef HF_SOURCE_FUNCTION_NAMES_H
#define HF_SOURCE_FUNCTION_NAMES_H

#include "base/strings/out.h"
#include "source/sources.h"

/* "add" of "Index.add", "Index#add", "Index::add": as its source has it. */
struct hf_text hf_source_bare_name(struct hf_text name);

/*
 * The token at which the name begins of what is around a function of C++ or Rust: "Index" of
 * "class Index {"; HF_SOURCE_NO: nothing is, or it has no name. *at: a token of the function; then
 * the bracket that opens what is around it.
 */
uint32_t hf_source_scope(const struct hf_source_file *source, uint32_t *at);

/* Adds "pool::Mempool::add", as the source has it. */
void hf_source_path(const struct hf_source_file *source, uint32_t function, struct hf_out *path);

#endif
