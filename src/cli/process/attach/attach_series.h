/*
 * attach_series.h: attach that looks again and again (--every), and judges what it saw.
 *
 * One process records, as for a single profile; this one, its *head*, asks it for a look each time,
 * has that read by a worker without rights (attach_series_worker.h), and prints a leak when one is
 * certain. A look that is not over when the next is due costs that one. The head may be told to end
 * at any time; what was seen until then is judged.
 *
 * Of who records a part of the time, looks are judged at distances of two periods at least: so each
 * cohort of blocks has a window in it (attach/session/duty.h), and a pause between windows is never
 * taken for one of the process.
 */
#ifndef HF_CLI_ATTACH_SERIES_H
#define HF_CLI_ATTACH_SERIES_H

#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"

/* HF_ERR_USAGE for an output that no profile can be written to. Before anything is started. */
HF_MUST_CHECK enum hf_status hf_attach_series_check(
    const struct hf_attach_options *options, struct hf_error *err);

/* `words`: of the command line. Errors as of hf_attach_to_one. */
HF_MUST_CHECK enum hf_status hf_attach_in_series(struct hf_attach_options *options,
    struct hf_session_options *how, char **words, struct hf_error *err);

#endif
