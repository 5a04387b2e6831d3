/*
 * live_curve.h: the memory in use over time, as a live table has it (live/usage.h).
 */
#ifndef HF_FORMATS_LIVE_CURVE_H
#define HF_FORMATS_LIVE_CURVE_H

#include "live/reader.h"
#include "profile/capture_facts.h"

/* Its points, and what is in use now. `after_ns`: the time since the table was made, whose last
 * part has no point while nothing is allocated; 0: not known. None if the table has no curve. */
struct hf_usage_curve hf_live_curve_read(const struct hf_live_snapshot *table, uint64_t after_ns);

#endif
