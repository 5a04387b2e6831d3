/*
 * line.h: a file of specs or rules, line by line, and each line word by word.
 *
 * Words are apart by blanks; "#" begins a comment. What is not as expected ends the line: every
 * function that returns false for it has set the status and the error, with the column.
 */
#ifndef HF_SPEC_LINE_H
#define HF_SPEC_LINE_H

#include "base/attr.h"
#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_spec_line {
    const char *name; /* of the file */
    uint32_t number;
    struct hf_text text;
    size_t at;           /* in it */
    struct hf_text rest; /* of the file: the lines behind this one */
    enum hf_status status;
    struct hf_error *err;
};

/*
 * Begins before the first line of a text, a copy of which lives as long as `arena`; `name` and
 * `err` are set. False, with the status: it is longer than HF_LIMIT_SPEC_BYTES, or there is no
 * memory.
 */
bool hf_spec_begin(struct hf_spec_line *line, struct hf_arena *arena, struct hf_text text);

/* Goes to the next line; false, and nothing is said, if there is none. */
bool hf_spec_next_line(struct hf_spec_line *line);

/* Says that something else was expected here, or at a place before, and what is there. False. */
bool hf_spec_expected(struct hf_spec_line *line, const char *what);
bool hf_spec_expected_at(struct hf_spec_line *line, size_t at, const char *what);

/* What is not taken yet. */
struct hf_text hf_spec_rest(const struct hf_spec_line *line);

/* Takes `text`; false, and nothing is said, if something else is next. */
bool hf_spec_take(struct hf_spec_line *line, const char *text);

/* Goes to the next word; false, and nothing is said, if there is none. */
bool hf_spec_next_word(struct hf_spec_line *line);

/* Takes what stands from here to the end of the word. */
struct hf_text hf_spec_take_text(struct hf_spec_line *line);

/* Which of `words` comes next, and is all of its word; -1, and nothing is said: none. */
HF_MUST_CHECK int hf_spec_take_word(struct hf_spec_line *line, const char *const *words, int count);

/* A decimal number, or a hexadecimal one after "0x". */
HF_MUST_CHECK bool hf_spec_take_number(struct hf_spec_line *line, uint64_t *out_number);

#endif
