/*
 * clock.h: the time, without a system call where there must be none.
 *
 * The kernel's vDSO answers in user space; of the fine clocks it asks the system where the machine
 * has no clock that can be read there, of the coarse ones never. With the gate shut only these are
 * read, and where there is no vDSO the clock stands still.
 */
#ifndef HF_AGENT_CLOCK_H
#define HF_AGENT_CLOCK_H

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* How the time is read: begun with the agent, stopped before the gate is shut. */
struct hf_clock {
    bool is_coarse;      /* what is fine is not read any more */
    bool is_stopped;     /* nor is anything */
    uint64_t stopped_ns; /* monotonic */
};
extern HF_HIDDEN struct hf_clock hf_clock;

/* In ns; `clock` is CLOCK_MONOTONIC or CLOCK_MONOTONIC_COARSE. */
static inline uint64_t hf_clock_now(clockid_t clock)
{
    struct timespec now = {0};
    if (HF_UNLIKELY(hf_clock.is_coarse)) {
        if (hf_clock.is_stopped)
            return hf_clock.stopped_ns;
        clock = CLOCK_MONOTONIC_COARSE;
    }
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
