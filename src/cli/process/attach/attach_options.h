/*
 * attach_options.h: what the command line of attach says.
 */
#ifndef HF_CLI_ATTACH_OPTIONS_H
#define HF_CLI_ATTACH_OPTIONS_H

#include "cli/report.h"

#define HF_OLDER_UNSAID UINT64_MAX

struct hf_attach_options {
    struct hf_report_options report; /* -o is its view.output */
    struct hf_name_list specs;
    const char *pid, *what, *overhead, *backend, *printed, *cgroup, *unit;
    uint64_t duration_ns, older_ns, period_bytes,
        stack_bytes;   /* older: HF_OLDER_UNSAID; others: 0 */
    uint64_t every_ns; /* 0: not a series */
    uint64_t keep;     /* profiles of a series beside those that stay anyway; 0: all */
    const char *duty;
    uint64_t seed;
    bool all_contexts, parents, tree;
};

/* Its workers are the command's. */
extern const struct hf_command hf_cmd_attach;

#endif
