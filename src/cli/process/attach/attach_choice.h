/*
 * attach_choice.h: from the command line to what a session is told: which process, for how long, at
 * what price, by which backend. Which functions, attach_specs.h says.
 */
#ifndef HF_CLI_ATTACH_CHOICE_H
#define HF_CLI_ATTACH_CHOICE_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* HF_ERR_USAGE for what makes no sense. Of --cgroup and --unit the process is not set. */
HF_MUST_CHECK enum hf_status hf_attach_choose(const struct hf_attach_options *options,
    const struct hf_operands *operands, struct hf_session_options *session, struct hf_error *err);

#endif
