/*
 * graph_label.h: a name as the lines of a box.
 *
 * A long C++ or Rust name would make its box as wide as the page. Of a long name the template
 * arguments and parameters are shown as an ellipsis, so that what remains is what a reader looks
 * for, and it is broken where a reader would break it: after "::", "," and blanks, before "<" and
 * "(", and only when a line is full. What is longer even so is cut, and an ellipsis says so.
 */
#ifndef HF_RENDER_GRAPH_LABEL_H
#define HF_RENDER_GRAPH_LABEL_H

#include "base/strings/out.h"
#include "base/text.h"

/* Writes the name, escaped for a quoted DOT string, each line followed by DOT's "\n". */
void hf_graph_label(struct hf_text name, struct hf_out *out);

#endif
