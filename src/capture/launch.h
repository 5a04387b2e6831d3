/*
 * launch.h: starts a program under the agent, or with the options of its own profiler.
 *
 * LD_PRELOAD gets the agent before what is there. The settings go behind what is in their variable:
 * of two the last counts.
 */
#ifndef HF_CAPTURE_LAUNCH_H
#define HF_CAPTURE_LAUNCH_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct hf_launch {
    const char *const *argv; /* ends with NULL */
    const char *agent;       /* path of the object; NULL: nothing is preloaded */
    const char *variable;    /* "HEAPFLAME_CONF" */
    const char *settings;    /* "prof:true,period:65536" */
    bool names_process;      /* adds "pid:N": what it starts in turn is not recorded */
    const sigset_t *signals; /* the mask that it starts with */
};

/*
 * Starts it. HF_ERR_SYSTEM: there is no such program, or the agent's path cannot be in LD_PRELOAD.
 * *out_pidfd: close it.
 */
HF_MUST_CHECK enum hf_status hf_launch_start(
    const struct hf_launch *launch, pid_t *out_pid, int *out_pidfd, struct hf_error *err);

#endif
