/*
 * attach_service.h: what the worker of attach may ask of its broker: to put in and read probes.
 */
#ifndef HF_CLI_ATTACH_SERVICE_H
#define HF_CLI_ATTACH_SERVICE_H

#include "attach/session/session.h"
#include "cli/reader.h"

/* Borrows the keeper, and the recording of `how`, which survives the worker. */
struct hf_reader_service hf_attach_service(
    struct hf_keeper *keeper, const struct hf_session_options *how);

/*
 * The worker has ended. If it died, and only the kernel knows what is in use, another reads that
 * into the recording: it comes back from here without common->has_code, and ends.
 */
HF_MUST_CHECK enum hf_status hf_attach_gather(struct hf_common *common,
    const struct hf_session_options *how, char **words, const struct hf_reader_service *service,
    struct hf_error *err);

#endif
