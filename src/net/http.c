#include "net/http.h"

#include "base/library.h"
#include "base/limits.h"
#include "base/strings/units.h"
#include "base/text.h"
#include "net/curl.h"
#include "net/http_line.h"
#include "net/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define FUNCTION(name)                                                                             \
    {                                                                                              \
        "curl_" #name, offsetof(struct hf_curl, name)                                              \
    }

static const struct hf_library_function functions[] = {
    FUNCTION(global_init),
    FUNCTION(global_cleanup),
    FUNCTION(easy_init),
    FUNCTION(easy_cleanup),
    FUNCTION(easy_setopt),
    FUNCTION(easy_getinfo),
    FUNCTION(easy_perform),
    FUNCTION(easy_strerror),
    FUNCTION(multi_init),
    FUNCTION(multi_cleanup),
    FUNCTION(multi_add_handle),
    FUNCTION(multi_remove_handle),
    FUNCTION(multi_perform),
    FUNCTION(multi_poll), /* 7.66 */
    FUNCTION(multi_info_read),
    FUNCTION(slist_append),
    FUNCTION(slist_free_all),
    FUNCTION(url),
    FUNCTION(url_cleanup),
    FUNCTION(url_set),
    FUNCTION(url_get),
    FUNCTION(url_strerror), /* 7.80 */
    FUNCTION(free),
};

static const struct hf_library libcurl = {
    .file = "libcurl.so.4",
    .package = "libcurl4",
    .purpose = "to fetch a URL",
    .functions = functions,
    .function_count = HF_COUNT(functions),
};

enum hf_status hf_http_new(struct hf_http **out_http, struct hf_error *err)
{
    struct hf_http *http = calloc(1, sizeof *http);
    if (http == NULL)
        return hf_error_memory(err);
    if (hf_broker_is_there()) {
        *out_http = http; /* http_line.h: asks nobody itself */
        return HF_OK;
    }
    enum hf_status status = hf_library_load(&libcurl, &http->curl, err);
    if (status == HF_OK) {
        CURLcode code = http->curl.global_init(CURL_GLOBAL_DEFAULT);
        http->is_initialised = code == CURLE_OK;
        if (code != CURLE_OK)
            status = hf_error_set(err, HF_ERR_SYSTEM, "%s does not start: %s", libcurl.file,
                http->curl.easy_strerror(code));
    }
    if (status != HF_OK) {
        hf_http_free(http);
        return status;
    }
    *out_http = http;
    return HF_OK;
}

void hf_http_free(struct hf_http *http)
{
    if (http == NULL)
        return;
    if (http->is_initialised)
        http->curl.global_cleanup();
    free(http);
}

/* One request. */
struct fetch {
    struct hf_http *http;
    const struct hf_http_request *request;
    struct hf_transfer transfer;
    struct hf_out body;
    uint64_t limit_bytes;
    bool is_too_long, is_too_slow;
    curl_off_t mark_us, mark_bytes; /* when its speed was looked at, and what had come then */
};

static size_t receive(char *data, size_t unit, size_t count, void *context)
{
    struct fetch *t = context;
    size_t size = unit * count; /* unit is 1, and curl gives at most CURL_MAX_WRITE_SIZE */
    if (size > t->limit_bytes - t->body.size) {
        t->is_too_long = true;
        return 0;
    }
    hf_out_bytes(&t->body, data, size);
    return t->body.error.status == HF_OK ? size : 0;
}

/*
 * CURLOPT_LOW_SPEED_LIMIT would also count the time in which a server makes what it sends, which
 * is long for a large heap.
 */
static bool is_slow(struct fetch *t, curl_off_t done)
{
    curl_off_t now_us = 0;
    (void)t->http->curl.easy_getinfo(t->transfer.easy, CURLINFO_TOTAL_TIME_T, &now_us);
    bool is_begun = done > 0 && done >= t->mark_bytes && t->mark_bytes >= 0;
    if (is_begun && now_us - t->mark_us < HF_LIMIT_HTTP_SLOW_SECONDS * HF_US_PER_SECOND)
        return false;
    bool slow =
        is_begun && done - t->mark_bytes < HF_LIMIT_HTTP_SLOW_BYTES * HF_LIMIT_HTTP_SLOW_SECONDS;
    t->mark_us = now_us;
    t->mark_bytes = done > 0 ? done : -1;
    return slow;
}

/* curl's numbers, before decompression; called at least once a second. */
static int http_tell(
    void *context, curl_off_t all, curl_off_t done, curl_off_t up_all, curl_off_t up)
{
    struct fetch *t = context;
    (void)up_all;
    (void)up;
    if (done > 0)
        hf_watch_update(&t->request->watch, (uint64_t)done, all > 0 ? (uint64_t)all : 0);
    t->is_too_slow = is_slow(t, done);
    return t->is_too_slow;
}

static long left_us(const struct fetch *t)
{
    long all_us = HF_LIMIT_HTTP_SECONDS * HF_US_PER_SECOND;
    return t->http->spent_us < all_us ? all_us - (long)t->http->spent_us : 0;
}

static bool http_prepare(struct fetch *t)
{
    const struct hf_http_request *request = t->request;
    const struct hf_transfer *transfer = &t->transfer;
    const char *form = request->form != NULL ? request->form : "";
    bool ok = hf_transfer_set(transfer, CURLOPT_TIMEOUT_MS, left_us(t) / 1000 + 1) &&
              hf_transfer_set(transfer, CURLOPT_NOPROGRESS, 0) &&
              hf_transfer_point(transfer, CURLOPT_XFERINFODATA, t) &&
              t->http->curl.easy_setopt(transfer->easy, CURLOPT_XFERINFOFUNCTION, http_tell) ==
                  CURLE_OK &&
              hf_transfer_point(transfer, CURLOPT_WRITEDATA, t) &&
              t->http->curl.easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK;
    if (ok && request->method == HF_HTTP_POST)
        ok = hf_transfer_set(transfer, CURLOPT_POST, 1) &&
             hf_transfer_set(transfer, CURLOPT_POSTFIELDSIZE, (long)strlen(form)) &&
             hf_transfer_point(transfer, CURLOPT_COPYPOSTFIELDS, form);
    return ok;
}

static enum hf_status http_explain(const struct fetch *t, CURLcode code, struct hf_error *err)
{
    const char *host_port = t->request->target->host_port;
    if (t->is_too_long) {
        char limit[HF_UNITS_MAX];
        return hf_error_set(err, HF_ERR_LIMIT,
            "the answer of %s is longer than %s (HF_LIMIT_HTTP_BODY); let the server write its "
            "profile to a file",
            host_port, hf_units_bytes(t->limit_bytes, limit));
    }
    if (t->is_too_slow)
        return hf_error_set(err, HF_ERR_NETWORK,
            "%s sends less than %ld bytes a second (HF_LIMIT_HTTP_SLOW_BYTES) for %ld seconds "
            "(HF_LIMIT_HTTP_SLOW_SECONDS); let the server write its profile to a file",
            host_port, HF_LIMIT_HTTP_SLOW_BYTES, HF_LIMIT_HTTP_SLOW_SECONDS);
    if (t->body.error.status != HF_OK)
        return hf_error_memory(err);
    bool is_late = code == CURLE_OPERATION_TIMEDOUT &&
                   (hf_transfer_is_connected(&t->transfer) || left_us(t) == 0);
    if (is_late)
        return hf_error_set(err, HF_ERR_NETWORK,
            "%s did not finish its answer within %ld seconds (HF_LIMIT_HTTP_SECONDS)", host_port,
            HF_LIMIT_HTTP_SECONDS);
    return hf_transfer_explain(&t->transfer, code, err);
}

static enum hf_status perform(
    struct fetch *t, struct hf_http_answer *out_answer, struct hf_error *err)
{
    const struct hf_curl *curl = &t->http->curl;
    if (!http_prepare(t))
        return hf_transfer_lacks(err);
    curl_off_t took_us = 0;
    CURLcode code = curl->easy_perform(t->transfer.easy);
    (void)curl->easy_getinfo(t->transfer.easy, CURLINFO_TOTAL_TIME_T, &took_us);
    t->http->spent_us += took_us;
    if (code != CURLE_OK)
        return http_explain(t, code, err);
    int status = (int)hf_transfer_status(&t->transfer);
    char *type = NULL;
    (void)curl->easy_getinfo(t->transfer.easy, CURLINFO_CONTENT_TYPE, &type);
    *out_answer = (struct hf_http_answer){.status = status, .body = t->body};
    (void)snprintf(
        out_answer->content_type, sizeof out_answer->content_type, "%s", type != NULL ? type : "");
    t->body = (struct hf_out){0};
    return HF_OK;
}

static enum hf_status http_ask_broker(struct hf_http *http, const struct hf_http_request *request,
    struct hf_http_answer *out_answer, struct hf_error *err)
{
    struct timespec begin, end;
    uint32_t spent_seconds = (uint32_t)(http->spent_us / HF_US_PER_SECOND);
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    enum hf_status status = hf_http_line_ask(request, spent_seconds, out_answer, err);
    if (status != HF_OK)
        hf_http_answer_done(out_answer);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    http->spent_us +=
        (end.tv_sec - begin.tv_sec) * HF_US_PER_SECOND + (end.tv_nsec - begin.tv_nsec) / 1000;
    return status;
}

enum hf_status hf_http_ask(struct hf_http *http, const struct hf_http_request *request,
    struct hf_http_answer *out_answer, struct hf_error *err)
{
    if (hf_broker_is_there())
        return http_ask_broker(http, request, out_answer, err);
    struct fetch t = {
        .http = http,
        .request = request,
        .limit_bytes =
            request->body_limit_bytes != 0 ? request->body_limit_bytes : HF_LIMIT_HTTP_BODY,
    };
    enum hf_status status = hf_transfer_init(&t.transfer, http, request->target, err);
    if (status == HF_OK)
        status = perform(&t, out_answer, err);
    hf_transfer_done(&t.transfer);
    hf_out_done(&t.body);
    return status;
}

void hf_http_answer_done(struct hf_http_answer *answer)
{
    hf_out_done(&answer->body);
}

const char *hf_http_reason(int status)
{
    switch (status) {
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "";
    }
}
