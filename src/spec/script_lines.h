/*
 * script_lines.h: whether a line of a script keeps what it makes, or gives it to its caller.
 *
 * There is no parser here of any language, but what lines of Python, Ruby, Perl, PHP, JavaScript
 * and Lua have in common: functions begin with a header and end where the indentation does; a
 * statement that begins with "return" gives its value away, in Ruby the last one of a function
 * too; one that begins with a variable of the function fills it ("my %fields", "$text .= ...",
 * "rows.append(...)", "push @rows, ..."). What fills a variable that is returned is given away
 * with it, provided that no line of the function stores it as well. Where that is not plain, a line
 * keeps what it makes.
 *
 * Example:
 *
 *     struct hf_script_lines lines;
 *     struct hf_text text = HF_TEXT("def table(rows):\n  out = []\n  out += rows\n  return out\n");
 *     if (!hf_script_lines_find(&lines, text))
 *         return hf_error_memory(err);
 *     enum hf_script_use use = hf_script_line_use(&lines, 3, HF_SCRIPT_PYTHON);
 *     hf_out_string(out, use == HF_SCRIPT_HANDS_ON ? "its caller's" : "its own");
 *     hf_script_lines_done(&lines);
 *
 * Each call looks at no more than 20,000 lines (HF_SCRIPT_LINES_SEEN), of up to 400 on each side:
 * in a function whose variables all flow into one another a line keeps what it makes, as far as is
 * known.
 */
#ifndef HF_SPEC_SCRIPT_LINES_H
#define HF_SPEC_SCRIPT_LINES_H

#include "base/error.h"
#include "base/text.h"

#define HF_SCRIPT_LINES_SEEN 20000u

enum hf_script_language { HF_SCRIPT_OTHER, HF_SCRIPT_PYTHON, HF_SCRIPT_RUBY };

/* What becomes of the value that a line makes. */
enum hf_script_use {
    HF_SCRIPT_KEEPS,    /* it is stored, or nobody can tell */
    HF_SCRIPT_PASSES,   /* it fills a variable of the function, which nobody else sees */
    HF_SCRIPT_HANDS_ON, /* it is returned, at once or with the variable that it fills */
};

/* The lines of a text. All-zero: none. */
struct hf_script_lines {
    struct hf_text text; /* borrowed */
    uint32_t *starts;    /* of each line, in bytes */
    size_t count, capacity;
};

/* Finds the lines of `text`; false: no memory. Free with done. */
HF_MUST_CHECK bool hf_script_lines_find(struct hf_script_lines *lines, struct hf_text text);
void hf_script_lines_done(struct hf_script_lines *lines);

/* What becomes of what this line makes; lines are counted from 1, and one that is not there keeps.
 */
enum hf_script_use hf_script_line_use(
    const struct hf_script_lines *lines, uint32_t line, enum hf_script_language language);

#endif
