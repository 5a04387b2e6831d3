/*
 * fleet_time.h: times in a question about a fleet: "2026-11-29 14:00" or "2026-11-29", which are
 * UTC, or how long before the newest profile: "24h", "30m".
 *
 * Example:
 *
 *     int64_t ms;
 *     status = hf_fleet_time_read("since", "2026-11-29 14:00", 0, &ms, err);
 *     if (status == HF_OK)
 *         hf_fleet_time_put(ms, out);
 */
#ifndef HF_ANSWER_FLEET_TIME_H
#define HF_ANSWER_FLEET_TIME_H

#include "base/error.h"
#include "base/strings/out.h"

#define HF_FLEET_LAST_MS INT64_C(253402300799999) /* the last of the year 9999 */

/* `option`: whose value it is, for the error, which is HF_ERR_USAGE. */
HF_MUST_CHECK enum hf_status hf_fleet_time_read(
    const char *option, const char *text, int64_t newest_ms, int64_t *out_ms, struct hf_error *err);

/* "2026-11-29 14:00:00" */
void hf_fleet_time_put(int64_t ms, struct hf_out *out);

#endif
