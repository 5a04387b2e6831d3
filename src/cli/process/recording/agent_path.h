/*
 * agent_path.h: where the agent of this installation is: beside the command, in the tree it was
 * built in or in the prefix it was installed in, which may have been moved.
 */
#ifndef HF_CLI_AGENT_PATH_H
#define HF_CLI_AGENT_PATH_H

#include "base/error.h"

#include <limits.h>

/* HF_ERR_SYSTEM, with the places it was looked for, if it is not there. */
HF_MUST_CHECK enum hf_status hf_agent_path(char out_path[PATH_MAX], struct hf_error *err);

#endif
