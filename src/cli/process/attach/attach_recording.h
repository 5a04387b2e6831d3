/*
 * attach_recording.h: following the calls of a process until the time is over or a signal ends it.
 */
#ifndef HF_CLI_ATTACH_RECORDING_H
#define HF_CLI_ATTACH_RECORDING_H

#include "attach/session/looks.h"
#include "cli/process/attach/attach_options.h"

/*
 * Records, and shows on a terminal how far it is. `look`: of several processes, this one, which is
 * silent, and ends when its head says so; NULL: the only one.
 */
HF_MUST_CHECK enum hf_status hf_attach_record(const struct hf_attach_options *options,
    struct hf_session *session, const struct hf_look *look, struct hf_error *err);

#endif
