/*
 * heap_reader.h: reads the heaps of a process in a worker without rights
 * (os/process/standby.h), which gets the snapshot by its descriptors and writes the report.
 */
#ifndef HF_CLI_HEAP_READER_H
#define HF_CLI_HEAP_READER_H

#include "cli/command.h"
#include "memory/snapshot.h"

struct hf_heap_reader_options {
    struct hf_common common;
    bool is_json, wants_lost;
    uint64_t rows;
    double input_budget; /* base/budget.h; 0: not given */
};

/* HF_ERR_INPUT: there is no heap that heapflame can read, or the worker died of it. */
HF_MUST_CHECK enum hf_status hf_heap_reader_report(const struct hf_heap_reader_options *options,
    const struct hf_snapshot *snapshot, uint32_t pid, struct hf_error *err);

#endif
