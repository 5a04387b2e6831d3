/*
 * leftover_tables.h: live tables of dead processes that no command needs any more.
 *
 * A table outlives its process, so that the last profile can be had of one that was killed. What is
 * left when that was had, or nobody wanted it, takes memory: tables lie in tmpfs. A leftover is the
 * table of a process that is dead, as far as can be seen from here: not that of a process of
 * another pid namespace (a container that shares the folder), which may be alive; not one that a
 * watcher looks at, nor one of a `heapflame run` that goes on.
 */
#ifndef HF_CAPTURE_LEFTOVER_TABLES_H
#define HF_CAPTURE_LEFTOVER_TABLES_H

#include "base/error.h"
#include "live/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_leftover_table {
    uint32_t pid;
    uint64_t bytes;    /* that it takes, not that it says it has */
    uint64_t age_ns;   /* since it was last written to, as far as the file system says */
    bool is_unborn;    /* its process was killed before anything was recorded */
    char command[256]; /* "" of an unborn one; as the process said: not escaped */
};

/* True if there is one at `path`. */
bool hf_leftover_table_at(const char *path, struct hf_leftover_table *out);

/* Removes it, and the marks beside it. HF_ERR_SYSTEM: it is none any more, or cannot be removed. */
HF_MUST_CHECK enum hf_status hf_leftover_table_remove(const char *path, struct hf_error *err);

#endif
