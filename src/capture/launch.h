/*
 * launch.h: starting a program under the agent.
 *
 * Its environment gets LD_PRELOAD, with the agent before what is there, and HEAPFLAME_CONF, with
 * what is there before our settings: of two the last counts.
 */
#ifndef HF_CAPTURE_LAUNCH_H
#define HF_CAPTURE_LAUNCH_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct hf_launch {
    const char *const *argv; /* ends with NULL */
    const char *agent;       /* path of the object */
    const char *settings;    /* "prof:true,period:65536" */
    bool children_too;       /* what it starts is recorded as well */
    const sigset_t *signals; /* the mask that it starts with */
};

/*
 * Starts it. HF_ERR_SYSTEM: there is no such program, or the agent's path cannot be in LD_PRELOAD.
 * *out_pidfd: close it.
 */
HF_MUST_CHECK enum hf_status hf_launch_start(
    const struct hf_launch *launch, pid_t *out_pid, int *out_pidfd, struct hf_error *err);

#endif
