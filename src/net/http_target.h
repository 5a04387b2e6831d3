/*
 * http_target.h: where a URL leads, taken apart by libcurl, which asks by the same rules.
 */
#ifndef HF_NET_HTTP_TARGET_H
#define HF_NET_HTTP_TARGET_H

#include "base/attr.h"
#include "base/error.h"

#include <stdbool.h>

struct hf_http; /* http.h */

/* The strings are owned by it. */
struct hf_http_target {
    char *url;       /* complete, with user and password: never for messages */
    char *shown;     /* the same without user and password: for messages */
    char *host_port; /* "localhost:4000": for messages */
    char *host;      /* "localhost", "[::1]" */
    bool has_path;   /* more than "/", or a query */
    bool is_loopback, is_https;
};

/*
 * Takes `url` apart, after putting `path` in the place of its path if that is not NULL; a fragment
 * is dropped. HF_ERR_USAGE if it is no http or https URL. Free with hf_http_target_done.
 */
HF_MUST_CHECK enum hf_status hf_http_target_init(struct hf_http *http,
    struct hf_http_target *target, const char *url, const char *path, struct hf_error *err);
void hf_http_target_done(struct hf_http_target *target);

/* True for "http://..." and "https://...", in letters of either case. Needs no libcurl. */
bool hf_http_is_url(const char *text);

#endif
