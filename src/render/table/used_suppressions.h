/*
 * used_suppressions.h: which suppressions were used, and how often: a part of the reports of
 * growth.
 *
 * Text: a line "suppressed 3: leak:PATTERN" for each that was used.
 * JSON: the member "suppressions": [{"pattern", "hits"}], of all.
 */
#ifndef HF_RENDER_USED_SUPPRESSIONS_H
#define HF_RENDER_USED_SUPPRESSIONS_H

#include "analysis/suppressions.h"
#include "base/strings/out.h"

void hf_used_suppressions_text(const struct hf_suppressions *suppressions, struct hf_out *out);
void hf_used_suppressions_json(const struct hf_suppressions *suppressions, struct hf_out *out);

#endif
