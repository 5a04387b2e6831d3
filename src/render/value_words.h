/*
 * value_words.h: what a value is, in words that go after its amount: "129.6 MiB in use".
 *
 * Example:
 *
 *     const char *words = hf_value_words(HF_TEXT("inuse_objects"));
 *     hf_out_string(out, words != NULL ? words : "");   // " objects in use"
 */
#ifndef HF_RENDER_VALUE_WORDS_H
#define HF_RENDER_VALUE_WORDS_H

#include "base/text.h"

/* With a blank before them; NULL: a type that others made. */
const char *hf_value_words(struct hf_text type_name);

#endif
