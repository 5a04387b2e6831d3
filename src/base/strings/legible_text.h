/*
 * legible_text.h: the last thing before a terminal or a log: text of which nothing but its lines
 * and tabs is obeyed.
 *
 * Names are escaped where they are put into a text (escape.h). This is for the whole of one,
 * whatever is in it: what was escaped stays as it is, what was forgotten is escaped now.
 */
#ifndef HF_BASE_LEGIBLE_TEXT_H
#define HF_BASE_LEGIBLE_TEXT_H

#include "base/strings/out.h"
#include "base/text.h"

/* As hf_escape_terminal, but for '\n' and '\t'. */
void hf_legible_text_put(struct hf_out *out, struct hf_text lines);

/* A writer before another one; text comes to it in pieces, which may end within a character. */
struct hf_legible_text {
    struct hf_out *to; /* flushed with each piece */
    char kept[3];      /* the start of a character */
    size_t kept_size;
};

/* `legible` must stay where it is. */
struct hf_out hf_legible_text_out(struct hf_legible_text *legible);

/* Call it when the writer is finished: a character that was begun has no more bytes. */
HF_MUST_CHECK enum hf_status hf_legible_text_finish(
    struct hf_legible_text *legible, struct hf_error *err);

#endif
