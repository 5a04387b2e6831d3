/*
 * outliers_report.h: the nodes on which a place grows otherwise than on the others, for people and
 * as JSON ("heapflame.fleet-outliers/1").
 */
#ifndef HF_CLI_FLEET_OUTLIERS_REPORT_H
#define HF_CLI_FLEET_OUTLIERS_REPORT_H

#include "answer/fleet/fleet_outliers.h"

#define HF_FLEET_OUTLIERS_SCHEMA "heapflame.fleet-outliers/1"

/* At most so many rows; 0: all. */
HF_MUST_CHECK enum hf_status hf_fleet_outliers_text(const struct hf_fleet *fleet,
    const struct hf_fleet_outliers *outliers, uint64_t rows, struct hf_out *out,
    struct hf_error *err);
void hf_fleet_outliers_json(const struct hf_fleet *fleet, const struct hf_fleet_outliers *outliers,
    uint64_t rows, struct hf_out *out);

#endif
