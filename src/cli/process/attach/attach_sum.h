/*
 * attach_sum.h: the one profile of all processes that were followed, in which each process is a
 * frame outermost.
 */
#ifndef HF_CLI_ATTACH_SUM_H
#define HF_CLI_ATTACH_SUM_H

#include "answer/names.h"
#include "attach/session/looks.h"

/*
 * The profile of all, named, with the ages of its stacks. The session is their sum, for what is
 * said of the result. An error: none was recorded, and why the first was not.
 */
HF_MUST_CHECK enum hf_status hf_attach_sum(const struct hf_looks *looks,
    const struct hf_session_options *how, const struct hf_request_names *names,
    struct hf_session *out_sum, struct hf_profile **out_profile, struct hf_live_ages *out_ages,
    struct hf_error *err);

#endif
