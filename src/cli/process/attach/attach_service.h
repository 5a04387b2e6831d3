/*
 * attach_service.h: what the worker of attach may ask of its broker: to put in and read probes.
 */
#ifndef HF_CLI_ATTACH_SERVICE_H
#define HF_CLI_ATTACH_SERVICE_H

#include "attach/session/session.h"
#include "cli/reader.h"

/* Borrows the keeper. */
struct hf_reader_service hf_attach_service(
    struct hf_keeper *keeper, const struct hf_session_options *how);

#endif
