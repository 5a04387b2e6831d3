/*
 * http_broker.h: http.h where a worker without rights (os/process/sandbox.h) asks: its broker takes
 * URLs apart, and asks the servers. The functions of http.h lead here by themselves.
 *
 * The broker asks only servers that the command line names by a URL, and those of DEBUGINFOD_URLS
 * for debug files and sections of them; redirects are followed as http.h has it.
 *
 * Questions (os/broker_line.h), both sides of which are this program:
 *
 *   TARGET  first: URL, second: path; flags: 1 there is a path
 *           -> text: url NUL shown NUL host_port NUL host; flags: 1 has_path, 2 loopback, 4 https
 *   ASK     first: URL, second: form; flags: 1 POST, 2 there is a form, and 256 for
 *           each second that was spent of HF_LIMIT_HTTP_SECONDS; number: limit, in bytes
 *           -> number: status, fd: the body, text: content type
 *   DEBUG   first: path, second: for whom; flags: refused servers; number: most bytes
 *           -> flags: outcome, number: server, fd: the file, text: said (debug_servers.h)
 *   All     -> error, flags: enum hf_status, text: the sentence
 */
#ifndef HF_NET_HTTP_BROKER_H
#define HF_NET_HTTP_BROKER_H

#include "net/debug_servers.h"
#include "net/http.h"
#include "os/broker_line.h"

enum { HF_HTTP_BROKER_TARGET = HF_BROKER_SERVICES, HF_HTTP_BROKER_ASK, HF_HTTP_BROKER_DEBUG };

/* The worker's side. */
HF_MUST_CHECK enum hf_status hf_http_broker_target(
    struct hf_http_target *target, const char *url, const char *path, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_http_broker_ask(const struct hf_http_request *request,
    uint32_t spent_seconds, struct hf_http_answer *out_answer, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_http_broker_debug_servers(
    const struct hf_debug_servers_question *question, struct hf_debug_servers_answer *out_answer,
    struct hf_error *err);

/* The broker's side; all is borrowed. */
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
