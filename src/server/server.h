/*
 * server.h: shows the memory of all recorded processes of a host over HTTP: `heapflame serve`.
 *
 *     /                                   the processes, as a page
 *     /process/PID/flame                  the flame graph of one, as a page
 *     /process/PID/debug/pprof/heap       its profile, as Go's pprof reads it: bytes in use first
 *     /process/PID/debug/pprof/allocs     the same: bytes ever allocated first
 *     /metrics                            all of them in numbers, for Prometheus
 *
 * Only GET and HEAD are answered, and nothing is written because of one. Whose requests are
 * answered: access.h. What a client can make the server do is bounded: connections.h, errands.h.
 */
#ifndef HF_SERVER_SERVER_H
#define HF_SERVER_SERVER_H

#include "base/containers/name_list.h"
#include "base/error.h"

#include <stdbool.h>

#define HF_SERVER_LISTEN "127.0.0.1:9464"

/* All is borrowed. */
struct hf_server_options {
    const char *listen;             /* NULL: HF_SERVER_LISTEN */
    const char *token_file;         /* NULL: no token, which only a loopback address may have */
    struct hf_name_list host_names; /* access.h */
    bool keeps_rights;              /* profiles are made with all rights: --no-sandbox */
    bool is_verbose;                /* a sentence for each request */
    void (*tell)(void *context, const char *sentence); /* not escaped */
    void *context;
};

/* Until SIGINT or SIGTERM comes. HF_ERR_USAGE: the options; HF_ERR_SYSTEM: it cannot listen. */
HF_MUST_CHECK enum hf_status hf_server_run(
    const struct hf_server_options *options, struct hf_error *err);

#endif
