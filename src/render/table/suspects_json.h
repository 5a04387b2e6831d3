/*
 * suspects_json.h: suspects (analysis/suspects.h) as JSON, in the same words for tables and pages.
 *
 *     {"name": "...", "value": n, "percent": 64.1, "sentence": "...", "suppression": "leak:...",
 *      "points": [n, n, ...]
 *
 * `points` is what it held at each point of a series, the oldest first.
 */
#ifndef HF_RENDER_SUSPECTS_JSON_H
#define HF_RENDER_SUSPECTS_JSON_H

#include "analysis/suspects.h"
#include "base/strings/out.h"

/* Writes the object of one suspect up to its closing brace: more members may follow. */
void hf_suspect_json(const struct hf_suspect *suspect, size_t points, struct hf_out *out);

#endif
