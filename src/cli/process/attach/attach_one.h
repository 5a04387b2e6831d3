/*
 * attach_one.h: attaching to one process: a worker without rights follows it, and what that has
 * recorded outlives it.
 */
#ifndef HF_CLI_ATTACH_ONE_H
#define HF_CLI_ATTACH_ONE_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* In a shielded worker (os/process/shielded_worker.h). `words`: of the command line. */
HF_MUST_CHECK enum hf_status hf_attach_to_one(struct hf_attach_options *options,
    struct hf_session_options *how, char **words, struct hf_error *err);

#endif
