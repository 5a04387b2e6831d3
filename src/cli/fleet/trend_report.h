/*
 * trend_report.h: the places of a fleet that grow, for people and as JSON
 * ("heapflame.fleet-trend/1"): over the fleet, or for each build on each of its nodes.
 */
#ifndef HF_CLI_FLEET_TREND_REPORT_H
#define HF_CLI_FLEET_TREND_REPORT_H

#include "answer/fleet/fleet_trend.h"

#define HF_FLEET_TREND_SCHEMA "heapflame.fleet-trend/1"

/* At most so many rows; 0: all. By build if the answer is. */
HF_MUST_CHECK enum hf_status hf_fleet_trend_text(const struct hf_fleet *fleet,
    const struct hf_fleet_trend *trend, uint64_t rows, struct hf_out *out, struct hf_error *err);
void hf_fleet_trend_json(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    uint64_t rows, struct hf_out *out);

#endif
