/*
 * reader.h: commands that read bytes of strangers do all of their work in a worker without rights
 * (os/process/sandbox.h). What is left to the command itself is to answer for it.
 */
#ifndef HF_CLI_READER_H
#define HF_CLI_READER_H

#include "cli/command.h"

/*
 * Starts the worker. In it, *out_is_worker: the caller goes on with the work, and exits. In the
 * command the work is done, and *out_code is what to exit with. HF_ERR_SYSTEM, and HF_ERR_INPUT if
 * a file killed the worker: there is no answer.
 */
HF_MUST_CHECK enum hf_status hf_reader_begin(const struct hf_command *command,
    const struct hf_common *common, char **words, bool *out_is_worker, int *out_code,
    struct hf_error *err);

#endif
