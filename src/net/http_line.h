/*
 * http_line.h: http.h and debug_servers.h in a worker without rights (os/process/sandbox.h): its
 * broker (http_broker.h) takes URLs apart, and asks the servers. The functions of those two lead
 * here by themselves.
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
#ifndef HF_NET_HTTP_LINE_H
#define HF_NET_HTTP_LINE_H

#include "net/debug_servers.h"
#include "net/http.h"
#include "os/broker_line.h"

/* Flags of TARGET and ASK. */
enum { HF_HTTP_LINE_HAS_PATH = 1, HF_HTTP_LINE_IS_LOOPBACK = 2, HF_HTTP_LINE_IS_HTTPS = 4 };
enum { HF_HTTP_LINE_POST = 1, HF_HTTP_LINE_HAS_FORM = 2, HF_HTTP_LINE_SPENT_SECOND = 256 };

enum { HF_HTTP_LINE_TARGET = HF_BROKER_SERVICES, HF_HTTP_LINE_ASK, HF_HTTP_LINE_DEBUG };

/* What is set of a target or an answer is the caller's to free, also after an error. */
HF_MUST_CHECK enum hf_status hf_http_line_target(
    struct hf_http_target *target, const char *url, const char *path, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_http_line_ask(const struct hf_http_request *request,
    uint32_t spent_seconds, struct hf_http_answer *out_answer, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_http_line_debug_servers(
    const struct hf_debug_servers_question *question, struct hf_debug_servers_answer *out_answer,
    struct hf_error *err);

#endif
