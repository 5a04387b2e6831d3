/*
 * top_report.h: the places that hold the memory of a fleet, for people and as JSON
 * ("heapflame.fleet-top/1").
 */
#ifndef HF_CLI_FLEET_TOP_REPORT_H
#define HF_CLI_FLEET_TOP_REPORT_H

#include "answer/fleet/fleet_top.h"

#define HF_FLEET_TOP_SCHEMA "heapflame.fleet-top/1"

/* At most so many rows; 0: all. */
HF_MUST_CHECK enum hf_status hf_fleet_top_text(const struct hf_fleet *fleet,
    const struct hf_fleet_top *top, uint64_t rows, struct hf_out *out, struct hf_error *err);
void hf_fleet_top_json(const struct hf_fleet *fleet, const struct hf_fleet_top *top, uint64_t rows,
    struct hf_out *out);

#endif
