/*
 * attach_result.h: what attach has found, written to its output and said on standard error.
 */
#ifndef HF_CLI_ATTACH_RESULT_H
#define HF_CLI_ATTACH_RESULT_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* Of a session that has recorded. */
HF_MUST_CHECK enum hf_status hf_attach_write_session(
    struct hf_attach_options *options, struct hf_session *session, struct hf_error *err);

/* Frees the profile and the ages. */
HF_MUST_CHECK enum hf_status hf_attach_write_result(struct hf_attach_options *options,
    const struct hf_session *session, struct hf_profile *profile, struct hf_live_ages *ages,
    struct hf_error *err);

#endif
