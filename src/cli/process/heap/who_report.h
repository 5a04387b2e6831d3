/*
 * who_report.h: which places hold the memory of a process and what keeps their blocks, as text and
 * as JSON.
 */
#ifndef HF_CLI_WHO_REPORT_H
#define HF_CLI_WHO_REPORT_H

#include "analysis/growth/growth.h"
#include "answer/heap/holdings.h"
#include "cli/process/heap/block_path.h"

struct hf_who_report {
    uint32_t pid;
    uint64_t stopped_ns; /* how long its threads stood still; 0: they were not stopped */
    const struct hf_holdings_of *of;
    const struct hf_holdings *holdings;
    struct hf_block_paths *paths; /* of the same */
    /* By which its places were chosen; NULL: they are all. */
    const struct hf_growth *growth;
    const char *verdict; /* that they have; NULL: they grow */
    size_t chosen_count;
};

/* HF_ERR_MEMORY only. */
HF_MUST_CHECK enum hf_status hf_who_text(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err);

/* docs/json/who-1.schema.json */
HF_MUST_CHECK enum hf_status hf_who_json(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err);

#endif
