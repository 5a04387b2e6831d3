/*
 * transfer.h: what every transfer by libcurl has in common: how it is asked, by whom, and what a
 * failure means. For the files of net/ alone.
 */
#ifndef HF_NET_TRANSFER_H
#define HF_NET_TRANSFER_H

#include "base/attr.h"
#include "base/error.h"
#include "net/curl.h"
#include "net/http_target.h"

#define HF_US_PER_SECOND 1000000L

/* All-zero is none; http and target are borrowed. */
struct hf_transfer {
    struct hf_http *http;
    const struct hf_http_target *target;
    CURL *easy;
    char *no_proxy; /* NULL: as the environment says */
    char reason[CURL_ERROR_SIZE];
};

/*
 * A GET of the target, by the rules of http.h; time and body are the caller's. It stays where it
 * is until it is done. HF_ERR_SYSTEM: libcurl lacks an option.
 */
HF_MUST_CHECK enum hf_status hf_transfer_init(struct hf_transfer *transfer, struct hf_http *http,
    const struct hf_http_target *target, struct hf_error *err);
void hf_transfer_done(struct hf_transfer *transfer);

HF_MUST_CHECK bool hf_transfer_set(
    const struct hf_transfer *transfer, CURLoption option, long value);
HF_MUST_CHECK bool hf_transfer_point(
    const struct hf_transfer *transfer, CURLoption option, const void *value);

/* HF_ERR_SYSTEM: setting an option failed, which must not. */
HF_MUST_CHECK enum hf_status hf_transfer_lacks(struct hf_error *err);

/* Of the answer so far; 0: there is none. */
long hf_transfer_status(const struct hf_transfer *transfer);

/* False while no server was reached. */
bool hf_transfer_is_connected(const struct hf_transfer *transfer);

/*
 * What went wrong, for people. CURLE_OPERATION_TIMEDOUT is explained here where no connection
 * came in time (HF_LIMIT_HTTP_CONNECT_SECONDS); else the caller knows what time was up.
 */
HF_MUST_CHECK enum hf_status hf_transfer_explain(
    const struct hf_transfer *transfer, CURLcode code, struct hf_error *err);

#endif
