/*
 * trial.h: whether a seccomp filter that was there before the agent lets its calls pass.
 *
 * Nothing can be asked about a filter, and a call that it kills for is the last. So a child makes
 * each call that the agent makes, with arguments that do no harm, and either comes to the end of
 * the list or not. The parent waits by CLONE_VFORK, which is no call; the child is no child that
 * the program's wait(2) would see.
 *
 * That clone(2) itself may be called is known where the parent process is under the same filters:
 * it made this one. It is taken for granted under a container's or a service manager's own filter
 * (the parent is nobody here, or process 1). Under any other, which a launcher put there for this
 * program alone, nothing is tried, but if HEAPFLAME_CONF says `filtered:true`.
 */
#ifndef HF_AGENT_TRIAL_H
#define HF_AGENT_TRIAL_H

#include "base/attr.h"

#include <stdbool.h>

/* True if there is no filter, or it lets all pass. `trusts`: the user says that it does. Makes no
 * call that the loader has not made to bring the agent here. */
HF_MUST_CHECK bool hf_trial_passes(bool trusts);

#endif
