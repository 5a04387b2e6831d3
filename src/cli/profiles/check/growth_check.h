/*
 * growth_check.h: whether the memory of a process grows more than it may.
 *
 * What is checked is the process without the places that are suppressed. A budget counts as
 * exceeded when the lower end of an interval is above it, that of the slope or that of what was
 * gained by value (statistics/gain.h): sampling alone does not fail a gate, and no growth passes
 * for coming late. A limit counts as exceeded when the whole interval of the time to it lies within
 * the time that is given; a leak began after a time if the whole interval of its onset lies there.
 *
 * Where every allocation was recorded, and nothing lost, there is nothing that sampling could
 * explain: the numbers themselves are compared, and intervals play no part.
 */
#ifndef HF_CLI_GROWTH_CHECK_H
#define HF_CLI_GROWTH_CHECK_H

#include "answer/history/process_history.h"
#include "base/containers/arena.h"
#include "cli/profiles/check/growth_limits.h"
#include "render/shared_leaks.h"
#include "render/table/check_report.h"

/* The first four are the caller's. Free with hf_growth_check_done. */
struct hf_growth_check {
    struct hf_process_history *process; /* judged; borrowed */
    struct hf_growth_limits limits;
    struct hf_text name; /* of the process, if there are several; in `texts` */
    const struct hf_shared_leaks *together;
    struct hf_check checks[HF_CHECKS_MAX];
    size_t count;
    struct hf_arena texts;
};

/*
 * Adds the checks of the process. One with too few profiles to judge is an error (HF_ERR_USAGE),
 * or, as one of several, a check that is left open.
 */
HF_MUST_CHECK enum hf_status hf_growth_check_run(
    struct hf_growth_check *c, bool is_one_of, struct hf_error *err);

void hf_growth_check_done(struct hf_growth_check *c);

#endif
