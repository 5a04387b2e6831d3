/*
 * comments.h: what is no code in a source: comments, attributes of Rust, and directives of C's
 * preprocessor, of whose branches the first is read.
 *
 * Example:
 *
 *     struct hf_source_tokens tokens = {0};
 *     struct hf_script_reader reader = {
 *         .tokens = &tokens, .text = HF_TEXT("# a"), .language = HF_SOURCE_PYTHON, .line = 1};
 *     if (hf_script_takes_comment(&reader))
 *         hf_out_string(out, "there is no token");
 */
#ifndef HF_SOURCE_TEXT_COMMENTS_H
#define HF_SOURCE_TEXT_COMMENTS_H

#include "source/text/script_reader.h"

/* True: one begins here, and the reader is behind it. */
bool hf_script_takes_comment(struct hf_script_reader *reader);
bool hf_script_takes_directive(struct hf_script_reader *reader);

#endif
