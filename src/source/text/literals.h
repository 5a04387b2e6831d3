/*
 * literals.h: strings, patterns, templates and here documents of a source, in all its languages:
 * each becomes one token. What does not end, ends with the text.
 *
 * Example:
 *
 *     struct hf_source_tokens tokens = {0};
 *     struct hf_script_reader reader = {.tokens = &tokens, .text = HF_TEXT("'a' + b"), .line = 1};
 *     if (hf_script_takes_string(&reader))
 *         hf_out_string(out, "one token, and the reader is behind it");
 *     hf_source_tokens_done(&tokens);
 */
#ifndef HF_SOURCE_TEXT_LITERALS_H
#define HF_SOURCE_TEXT_LITERALS_H

#include "source/text/script_reader.h"

/* A value may begin here, no operator between two: "/" begins a pattern, "<<" a here document. */
bool hf_script_expects_value(const struct hf_script_reader *reader);

/* What closes an opening bracket; any other sign closes itself. */
char hf_script_closing(char open);

/* The end of what is quoted from `at`, where its first sign stands; it may hold pairs of that.
 * *is_filled: something is put into it. */
size_t hf_script_quoted(const struct hf_script_reader *reader, size_t at, bool *is_filled);

/* True: one stands here, and is taken. */
bool hf_script_takes_string(struct hf_script_reader *reader);

/* "<<~EOT", "<<'EOT'", "<<<EOT": the text begins on the next line, and ends with its word. */
bool hf_script_takes_heredoc(struct hf_script_reader *reader);

/* At the begin of a line: the lines of here documents are no tokens. */
void hf_script_skip_heredocs(struct hf_script_reader *reader);

#endif
