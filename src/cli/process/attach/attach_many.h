/*
 * attach_many.h: attaching to several processes: a head (attach_tree.h), a look of its own for each
 * (attach/session/looks.h), and one profile of all (attach_sum.h).
 */
#ifndef HF_CLI_ATTACH_MANY_H
#define HF_CLI_ATTACH_MANY_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* In a shielded worker (os/process/shielded_worker.h). `words`: of the command line. */
HF_MUST_CHECK enum hf_status hf_attach_to_many(struct hf_attach_options *options,
    struct hf_session_options *how, char **words, struct hf_error *err);

#endif
