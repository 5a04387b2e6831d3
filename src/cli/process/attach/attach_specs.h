/*
 * attach_specs.h: which functions attach watches: built-in specs, and files with others.
 */
#ifndef HF_CLI_ATTACH_SPECS_H
#define HF_CLI_ATTACH_SPECS_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* Texts of specs that are files, which the session borrows. All-zero is none. */
struct hf_attach_specs {
    char *files[HF_SESSION_SPECS_MAX];
    size_t count;
};

/* Sets the specs of `session` as --what and --spec say. Call done also after an error. */
HF_MUST_CHECK enum hf_status hf_attach_specs_choose(struct hf_attach_specs *specs,
    const struct hf_attach_options *options, struct hf_session_options *session,
    struct hf_error *err);
void hf_attach_specs_done(struct hf_attach_specs *specs);

/* --print-spec */
HF_MUST_CHECK enum hf_status hf_attach_specs_print(const char *name, struct hf_error *err);

#endif
