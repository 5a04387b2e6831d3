/*
 * lost_check.h: whether more memory of a process is lost than it may: that to which nothing leads
 * any more (heap/graph/block_graph.h).
 *
 * What a thread is about to hand out or to free may seem lost for that moment. So a process that
 * fails is looked at once more, and the second look counts.
 *
 * Example:
 *
 *     struct hf_common common = {0};
 *     const struct hf_lost_check check = {.common = &common, .pid = 4711, .limit_bytes = 65536};
 *     status = hf_lost_check_run(&check, err); // common.code is 1 if it failed
 */
#ifndef HF_CLI_LOST_CHECK_H
#define HF_CLI_LOST_CHECK_H

#include "cli/command.h"

struct hf_lost_check {
    struct hf_common *common; /* its exit status is set */
    uint32_t pid;
    uint64_t limit_bytes; /* so much may be lost */
    bool is_json;
    const char *output; /* the report; NULL: standard output */
    const char *junit;  /* the report as JUnit's XML; NULL: nowhere */
};

/* Errors as of hf_heap_reader_run (heap_reader.h), or the report could not be written. */
HF_MUST_CHECK enum hf_status hf_lost_check_run(
    const struct hf_lost_check *check, struct hf_error *err);

#endif
