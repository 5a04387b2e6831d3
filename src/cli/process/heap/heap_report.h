/*
 * heap_report.h: the heaps of a process as text and as JSON: who holds their blocks, what nobody
 * holds, and how large they are.
 */
#ifndef HF_CLI_HEAP_REPORT_H
#define HF_CLI_HEAP_REPORT_H

#include "answer/heap/resident_parts.h"
#include "base/strings/out.h"
#include "heap/graph/census.h"
#include "heap/graph/class_census.h"
#include "heap/graph/holders.h"

struct hf_heap_report {
    uint32_t pid;
    uint64_t stopped_ns; /* how long its threads stood still; 0: they were not stopped */
    const struct hf_heap *heap;
    const struct hf_block_graph *graph;
    const struct hf_holders *holders;
    const struct hf_heap_census *census;
    const struct hf_class_census *classes;
    const struct hf_resident_parts *resident;
    size_t rows; /* of holders, of sizes, and of classes, at most */
};

/* "its threads stood still for 3.1 ms" */
void hf_heap_put_stop(uint64_t stopped_ns, struct hf_out *out);

void hf_heap_text(const struct hf_heap_report *report, struct hf_out *out);

/* docs/json/heap-1.schema.json */
void hf_heap_json(const struct hf_heap_report *report, struct hf_out *out);

#endif
