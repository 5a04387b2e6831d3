/*
 * escape.h: one escaper for each place that names of the input end up in.
 *
 * Every escaper shows what is there: a byte that is no UTF-8 as \xNN, a code point that hides or
 * reorders text (utf8.h) as \u{NN}; the rest as itself, with the destination's own escapes.
 * The output is valid UTF-8 whatever the input was.
 *
 * Example:
 *
 *     struct hf_text function = HF_TEXT("operator<");
 *     hf_out_string(out, "<title>");
 *     hf_escape_xml(out, function);
 *     hf_out_string(out, "</title>");
 */
#ifndef HF_BASE_ESCAPE_H
#define HF_BASE_ESCAPE_H

#include "base/strings/out.h"
#include "base/text.h"

/* XML 1.0 and HTML, element content and quoted attribute values alike: & < > " ' */
void hf_escape_xml(struct hf_out *out, struct hf_text text);

/* Inside a JSON string, also inside <script>: " \ and < > & as \u00NN. No quotes around it. */
void hf_escape_json(struct hf_out *out, struct hf_text text);

/* Inside a quoted DOT string: " and \ (Graphviz escString: every backslash doubled). */
void hf_escape_dot(struct hf_out *out, struct hf_text text);

/* A terminal or log line: nothing that moves a cursor or starts an escape sequence. */
void hf_escape_terminal(struct hf_out *out, struct hf_text text);

/* A frame of a folded stack: as for a terminal, and ';' as \x3b. */
void hf_escape_folded(struct hf_out *out, struct hf_text text);

#endif
