/*
 * http_broker.h: answers a worker without rights (os/process/sandbox.h) that asks for URLs to be
 * taken apart, and for what servers have (http_line.h).
 *
 * The broker asks only servers that the command line names by a URL, and those of DEBUGINFOD_URLS
 * for debug files and sections of them; redirects are followed as http.h has it.
 */
#ifndef HF_NET_HTTP_BROKER_H
#define HF_NET_HTTP_BROKER_H

#include "net/http_line.h"

/* All is borrowed. */
struct hf_http_broker {
    const char *const *words; /* of the command line; ends with NULL */
    /* Called around a transfer from a host, or of a debug file: how to watch it, and that it is
     * over. NULL: nobody watches. */
    struct hf_watch (*watch)(void *context, const char *what);
    void (*watched)(void *context);
    void (*tell)(void *context, const char *sentence); /* hf_debug_servers_listener; or NULL */
    void *context;
};

/* A hf_broker_service (os/process/broker.h) with a struct hf_http_broker as its context. */
void hf_http_broker_serve(
    void *context, const struct hf_broker_question *question, struct hf_broker_answer *answer);

#endif
