/*
 * top_live.h: the table of a process, shown again every two seconds until the process ends, with
 * alarms above it and, below each leak, what holds its blocks (live_held.h).
 *
 * Without `wants_who`, this is the work of a reader. With it, the caller is the parent of one: only
 * who has the rights may stop the process (cli/heap_reader.h).
 */
#ifndef HF_CLI_TOP_LIVE_H
#define HF_CLI_TOP_LIVE_H

#include "cli/leak_options.h"
#include "cli/report.h"

struct hf_top_live {
    const struct hf_report_options *report;
    const struct hf_leak_options *leaks;
    const char *name; /* of the process, as it was given */
    uint32_t pid;
    bool wants_who;
};

/* Until the process ends, which is no error. Standard output is a terminal. */
HF_MUST_CHECK enum hf_status hf_top_live_show(const struct hf_top_live *top, struct hf_error *err);

#endif
