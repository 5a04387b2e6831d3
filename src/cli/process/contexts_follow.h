/*
 * contexts_follow.h: what groups of memory contexts hold over time (`contexts --follow`): each
 * group is a place of a history (answer/history/process_history.h) with its trend and verdict, by
 * its shape alone, because nobody knows when the memory of a context was allocated.
 */
#ifndef HF_CLI_CONTEXTS_FOLLOW_H
#define HF_CLI_CONTEXTS_FOLLOW_H

#include "attach/postgres/postgres.h"
#include "cli/command.h"

struct hf_contexts_follow {
    struct hf_common *common;
    const struct hf_postgres *postgres;
    uint64_t every_ns, duration_ns; /* duration 0: until the process ends, or Ctrl-C */
    uint64_t rows;                  /* 0: all */
    bool is_json, keeps_idents;
};

/* Reads the tree until the end, and prints the verdicts of what was read. */
HF_MUST_CHECK enum hf_status hf_contexts_follow(
    const struct hf_contexts_follow *follow, struct hf_error *err);

#endif
