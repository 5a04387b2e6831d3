/*
 * json.h: strings and numbers of a JSON document that is written piece by piece. What one stands
 * behind (a comma, a bracket, a new line) is `before`.
 *
 * Example:
 *
 *     hf_out_char(out, '{');
 *     hf_json_member(out, "", "name", HF_TEXT("main"));
 *     hf_json_member(out, ", ", "file", HF_TEXT("main.c"));
 *     hf_out_char(out, '}');
 */
#ifndef HF_BASE_JSON_H
#define HF_BASE_JSON_H

#include "base/strings/out.h"
#include "base/text.h"

/* before "text" */
void hf_json_string(struct hf_out *out, const char *before, struct hf_text text);

/* before "name": "text"; the name is ours. */
void hf_json_member(struct hf_out *out, const char *before, const char *name, struct hf_text text);

/* before 1.5; what is not finite is null. */
void hf_json_number(struct hf_out *out, const char *before, double number);

#endif
