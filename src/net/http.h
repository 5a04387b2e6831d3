/*
 * http.h: an HTTP client: one request, one answer in memory.
 *
 * libcurl does the work; it is loaded when the first client is made. Only http and https are
 * spoken, also after a redirect (at most HF_LIMIT_HTTP_REDIRECTS, and never from https to http).
 * A loopback address is asked directly whatever http_proxy says. No .netrc is read, no cookie
 * kept. An answer compressed with gzip is decompressed. Limits: HF_LIMIT_HTTP_* (base/limits.h);
 * the time is that of all requests of one client together, and a server that has begun to answer
 * must go on. Errors name no password (base/credentials.h).
 *
 * Vocabulary: *status* is the number in the answer's first line. Every status is an answer, not an
 * error: the caller knows what it means.
 *
 * Safety: one thread at a time.
 */
#ifndef HF_NET_HTTP_H
#define HF_NET_HTTP_H

#include "base/attr.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "base/watch.h"
#include "net/http_target.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_HTTP_TYPE_MAX 128

enum hf_http_method { HF_HTTP_GET, HF_HTTP_POST };

struct hf_http_request {
    enum hf_http_method method;
    const struct hf_http_target *target;
    const char *form;          /* body of a POST, "activate=true"; NULL: empty */
    uint64_t body_limit_bytes; /* 0: HF_LIMIT_HTTP_BODY */
    struct hf_watch watch;     /* told how much of the answer has come, as it is sent */
};

struct hf_http_answer {
    int status;
    char content_type[HF_HTTP_TYPE_MAX]; /* "" if there was none; cut if longer */
    struct hf_out body;                  /* in memory */
};

/* HF_ERR_SYSTEM, naming the package, if libcurl is missing. Free with hf_http_free. */
HF_MUST_CHECK enum hf_status hf_http_new(struct hf_http **out_http, struct hf_error *err);
void hf_http_free(struct hf_http *http);

/*
 * Asks, and waits for the whole answer. HF_ERR_NETWORK if there is none; HF_ERR_LIMIT if it is
 * longer than the limit. Free the answer with hf_http_answer_done.
 */
HF_MUST_CHECK enum hf_status hf_http_ask(struct hf_http *http,
    const struct hf_http_request *request, struct hf_http_answer *out_answer, struct hf_error *err);
void hf_http_answer_done(struct hf_http_answer *answer);

/* "Not Found" for 404; "" for a status that is rare. */
const char *hf_http_reason(int status);

#endif
