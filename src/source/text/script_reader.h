/*
 * script_reader.h: where the reader of a source is in its text, and the tokens that it has put so
 * far: what those share that read names and signs (tokens.c), literals (literals.h) and comments
 * (comments.h).
 *
 * Example:
 *
 *     struct hf_source_tokens tokens = {0};
 *     struct hf_script_reader reader = {.tokens = &tokens, .text = HF_TEXT("# a\nb"), .line = 1};
 *     if (hf_script_sees(&reader, "#"))
 *         hf_script_skip_past(&reader, "\n"); // reader.line is 2
 */
#ifndef HF_SOURCE_TEXT_SCRIPT_READER_H
#define HF_SOURCE_TEXT_SCRIPT_READER_H

#include "source/text/tokens.h"

#define HF_SCRIPT_HEREDOCS 4
#define HF_SCRIPT_CONDITIONS 20 /* "#if" within each other: of deeper ones, both branches */
#define HF_SCRIPT_BRACKETS 1000 /* open at once; deeper ones have no other */

struct hf_script_reader {
    struct hf_source_tokens *tokens;
    struct hf_text text;
    enum hf_source_language language;
    size_t at, line_at;
    uint32_t line;
    bool is_first, is_out_of_memory;
    uint32_t open[HF_SCRIPT_BRACKETS];
    size_t depth;
    size_t conditions[HF_SCRIPT_CONDITIONS], condition_depth; /* how many were open at each "#if" */
    struct hf_text heredocs[HF_SCRIPT_HEREDOCS]; /* that begin on the next line: their last words */
    size_t heredoc_count;
};

/* The letter so far ahead; '\0': the text ends before. */
char hf_script_char(const struct hf_script_reader *reader, size_t ahead);

bool hf_script_sees(const struct hf_script_reader *reader, const char *string);

/* Letters of which names are made; those that are not ASCII are. A part may be a digit. */
bool hf_script_is_letter(char c);
bool hf_script_is_part(char c);

/* Goes on to `to`, and counts the lines. */
void hf_script_skip(struct hf_script_reader *reader, size_t to);

/* Behind the first `string` from here, or to the end. */
void hf_script_skip_past(struct hf_script_reader *reader, const char *string);

/* The last token; NULL: there is none. */
struct hf_source_token *hf_script_last(const struct hf_script_reader *reader);

/* A token of that kind, on this line. */
struct hf_source_token hf_script_token(
    const struct hf_script_reader *reader, enum hf_source_kind kind);

/* Adds a token that stands in [begin, end). Without memory, that of nowhere. */
struct hf_source_token *hf_script_put(
    struct hf_script_reader *reader, struct hf_source_token token, size_t begin, size_t end);

#endif
