/*
 * usage_line.h: what was in use over time, in one line, and in JSON.
 */
#ifndef HF_RENDER_USAGE_LINE_H
#define HF_RENDER_USAGE_LINE_H

#include "base/strings/out.h"
#include "profile/capture_facts.h"

#define HF_USAGE_LINE_MAX 256

/*
 * "in use over 12 s: ▁▂▅█▂▁, at most 312.0 MiB; 1.4 GiB allocated, 118.0 MiB/s". Nothing if that
 * would say nothing: for less than a second or a mebibyte, or where all that there is, is allocated
 * in the first eighth of the time.
 */
void hf_usage_line_put(const struct hf_capture_facts *capture, struct hf_out *out);

/* {"span_ns": 4194304, "in_use": [...], "allocated": [...]} */
void hf_usage_line_json(const struct hf_usage_curve *curve, struct hf_out *out);

#endif
