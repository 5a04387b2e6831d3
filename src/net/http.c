#include "net/http.h"

#include "base/library.h"
#include "base/limits.h"
#include "base/strings/units.h"
#include "base/text.h"
#include "config.h"
#include "net/curl.h"
#include "net/http_broker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define USER_AGENT "heapflame/" HF_VERSION
#define US_PER_SECOND 1000000L

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
        *out_http = http; /* http_broker.h: asks nobody itself */
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

/* One transfer. */
struct transfer {
    struct hf_http *http;
    const struct hf_http_request *request;
    CURL *easy;
    struct hf_out body;
    uint64_t limit_bytes;
    bool is_too_long, is_too_slow;
    curl_off_t mark_us, mark_bytes; /* when its speed was looked at, and what had come then */
    char *no_proxy;                 /* NULL: as the environment says */
    char reason[CURL_ERROR_SIZE];
};

static size_t receive(char *data, size_t unit, size_t count, void *context)
{
    struct transfer *t = context;
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
static bool is_slow(struct transfer *t, curl_off_t done)
{
    curl_off_t now_us = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &now_us);
    bool is_begun = done > 0 && done >= t->mark_bytes && t->mark_bytes >= 0;
    if (is_begun && now_us - t->mark_us < HF_LIMIT_HTTP_SLOW_SECONDS * US_PER_SECOND)
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
    struct transfer *t = context;
    (void)up_all;
    (void)up;
    if (done > 0)
        hf_watch_update(&t->request->watch, (uint64_t)done, all > 0 ? (uint64_t)all : 0);
    t->is_too_slow = is_slow(t, done);
    return t->is_too_slow;
}

static bool set_number(struct transfer *t, CURLoption option, long value)
{
    return t->http->curl.easy_setopt(t->easy, option, value) == CURLE_OK;
}

static bool set_pointer(struct transfer *t, CURLoption option, const void *value)
{
    return t->http->curl.easy_setopt(t->easy, option, value) == CURLE_OK;
}

/* The host beside what the environment excludes already. A redirect elsewhere uses the proxy. */
static bool bypass_proxy(struct transfer *t)
{
    const struct hf_http_target *target = t->request->target;
    if (!target->is_loopback)
        return true;
    const char *known = getenv("no_proxy");
    if (known == NULL)
        known = getenv("NO_PROXY");
    const char *host = target->host;
    int inner = host[0] == '[' ? (int)strlen(host) - 2 : 0;
    /* Versions of libcurl differ in whether an IPv6 address stands in brackets here. */
    if (asprintf(&t->no_proxy, "%s,%.*s,%s", host, inner, inner != 0 ? host + 1 : "",
            known != NULL ? known : "") < 0) {
        t->no_proxy = NULL;
        return false;
    }
    return set_pointer(t, CURLOPT_NOPROXY, t->no_proxy);
}

static long left_us(const struct transfer *t)
{
    long all_us = HF_LIMIT_HTTP_SECONDS * US_PER_SECOND;
    return t->http->spent_us < all_us ? all_us - (long)t->http->spent_us : 0;
}

static bool http_prepare(struct transfer *t)
{
    const struct hf_http_request *request = t->request;
    const struct hf_http_target *target = request->target;
    const char *form = request->form != NULL ? request->form : "";
    bool ok =
        set_pointer(t, CURLOPT_ERRORBUFFER, t->reason) &&
        set_pointer(t, CURLOPT_URL, target->url) && set_pointer(t, CURLOPT_USERAGENT, USER_AGENT) &&
        set_pointer(t, CURLOPT_ACCEPT_ENCODING, "gzip") &&
        set_pointer(t, CURLOPT_PROTOCOLS_STR, "http,https") &&
        set_pointer(t, CURLOPT_REDIR_PROTOCOLS_STR, target->is_https ? "https" : "http,https") &&
        set_number(t, CURLOPT_FOLLOWLOCATION, 1) &&
        set_number(t, CURLOPT_MAXREDIRS, HF_LIMIT_HTTP_REDIRECTS) &&
        set_number(t, CURLOPT_CONNECTTIMEOUT, HF_LIMIT_HTTP_CONNECT_SECONDS) &&
        set_number(t, CURLOPT_TIMEOUT_MS, left_us(t) / 1000 + 1) &&
        set_number(t, CURLOPT_NOSIGNAL, 1) && set_number(t, CURLOPT_NETRC, CURL_NETRC_IGNORED) &&
        set_number(t, CURLOPT_NOPROGRESS, 0) && set_pointer(t, CURLOPT_XFERINFODATA, t) &&
        t->http->curl.easy_setopt(t->easy, CURLOPT_XFERINFOFUNCTION, http_tell) == CURLE_OK &&
        set_pointer(t, CURLOPT_WRITEDATA, t) &&
        t->http->curl.easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK;
    if (ok && request->method == HF_HTTP_POST)
        ok = set_number(t, CURLOPT_POST, 1) &&
             set_number(t, CURLOPT_POSTFIELDSIZE, (long)strlen(form)) &&
             set_pointer(t, CURLOPT_COPYPOSTFIELDS, form);
    return ok && bypass_proxy(t);
}

/* A refused connection is the server's own only where no proxy can stand in between. */
static bool may_use_proxy(const struct transfer *t)
{
    static const char *const names[] = {
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < HF_COUNT(names) && !t->request->target->is_loopback; i++) {
        if (getenv(names[i]) != NULL)
            return true;
    }
    return false;
}

static enum hf_status explain_connect(
    const struct transfer *t, const char *where, struct hf_error *err)
{
    long number = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
    if (may_use_proxy(t))
        return hf_error_set(err, HF_ERR_NETWORK, "cannot connect to %s: %s", where, t->reason);
    if (number == ECONNREFUSED)
        return hf_error_set(err, HF_ERR_NETWORK,
            "nothing listens at %s; does the server run, and is this its HTTP port?", where);
    if (number != 0) {
        hf_error_system(err, (int)number, "cannot connect to %s", where);
        if (err != NULL)
            err->status = HF_ERR_NETWORK;
        return HF_ERR_NETWORK;
    }
    return hf_error_set(err, HF_ERR_NETWORK, "cannot connect to %s: %s", where, t->reason);
}

static enum hf_status explain_timeout(
    const struct transfer *t, const char *where, struct hf_error *err)
{
    curl_off_t connected = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_CONNECT_TIME_T, &connected);
    if (connected == 0 && left_us(t) > 0)
        return hf_error_set(err, HF_ERR_NETWORK,
            "no connection to %s within %ld seconds (HF_LIMIT_HTTP_CONNECT_SECONDS)", where,
            HF_LIMIT_HTTP_CONNECT_SECONDS);
    return hf_error_set(err, HF_ERR_NETWORK,
        "%s did not finish its answer within %ld seconds (HF_LIMIT_HTTP_SECONDS)", where,
        HF_LIMIT_HTTP_SECONDS);
}

/* An answer without a status line is "HTTP/0.9" to curl, a protocol like another. */
static enum hf_status explain_protocol(
    const struct transfer *t, const char *where, struct hf_error *err)
{
    long status = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 0)
        return hf_error_set(err, HF_ERR_NETWORK, "what listens at %s does not speak HTTP", where);
    return hf_error_set(err, HF_ERR_NETWORK,
        "%s redirects to a URL that is not followed; only %s is", where,
        t->request->target->is_https ? "https" : "http or https");
}

static enum hf_status explain_code(
    const struct transfer *t, CURLcode code, const char *where, struct hf_error *err)
{
    switch (code) {
    case CURLE_COULDNT_CONNECT: return explain_connect(t, where, err);
    case CURLE_OPERATION_TIMEDOUT: return explain_timeout(t, where, err);
    case CURLE_COULDNT_RESOLVE_HOST:
        return hf_error_set(
            err, HF_ERR_NETWORK, "the name in %s is not known to the resolver", where);
    case CURLE_TOO_MANY_REDIRECTS:
        return hf_error_set(err, HF_ERR_NETWORK,
            "%s redirects more than %ld times (HF_LIMIT_HTTP_REDIRECTS)", where,
            HF_LIMIT_HTTP_REDIRECTS);
    case CURLE_UNSUPPORTED_PROTOCOL: return explain_protocol(t, where, err);
    case CURLE_GOT_NOTHING:
        return hf_error_set(
            err, HF_ERR_NETWORK, "%s closed the connection without an answer", where);
    case CURLE_PARTIAL_FILE:
        return hf_error_set(
            err, HF_ERR_NETWORK, "%s closed the connection in the middle of its answer", where);
    case CURLE_WEIRD_SERVER_REPLY:
        return hf_error_set(err, HF_ERR_NETWORK, "what listens at %s does not speak HTTP", where);
    case CURLE_PEER_FAILED_VERIFICATION:
        return hf_error_set(
            err, HF_ERR_NETWORK, "the certificate of %s is not trusted: %s", where, t->reason);
    case CURLE_OUT_OF_MEMORY: return hf_error_memory(err);
    default:
        return hf_error_set(err, HF_ERR_NETWORK, "no answer from %s: %s", where,
            t->reason[0] != '\0' ? t->reason : t->http->curl.easy_strerror(code));
    }
}

static enum hf_status http_explain(const struct transfer *t, CURLcode code, struct hf_error *err)
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
    long redirects = 0;
    char *last_url = NULL, *where = NULL;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_REDIRECT_COUNT, &redirects);
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_EFFECTIVE_URL, &last_url);
    if (redirects > 0 && last_url != NULL && code != CURLE_TOO_MANY_REDIRECTS &&
        asprintf(&where, "%s (where %s redirects to)", last_url, host_port) < 0)
        where = NULL;
    enum hf_status status = explain_code(t, code, where != NULL ? where : host_port, err);
    free(where);
    return status;
}

static enum hf_status perform(
    struct transfer *t, struct hf_http_answer *out_answer, struct hf_error *err)
{
    const struct hf_curl *curl = &t->http->curl;
    if (!http_prepare(t))
        return hf_error_set(err, HF_ERR_SYSTEM,
            "%s lacks an option that is needed %s; 7.85 or newer has it", libcurl.file,
            libcurl.purpose);
    curl_off_t took_us = 0;
    CURLcode code = curl->easy_perform(t->easy);
    (void)curl->easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &took_us);
    t->http->spent_us += took_us;
    if (code != CURLE_OK)
        return http_explain(t, code, err);
    long status = 0;
    char *type = NULL;
    (void)curl->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl->easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    *out_answer = (struct hf_http_answer){.status = (int)status, .body = t->body};
    (void)snprintf(
        out_answer->content_type, sizeof out_answer->content_type, "%s", type != NULL ? type : "");
    t->body = (struct hf_out){0};
    return HF_OK;
}

static enum hf_status http_ask_broker(struct hf_http *http, const struct hf_http_request *request,
    struct hf_http_answer *out_answer, struct hf_error *err)
{
    struct timespec begin, end;
    uint32_t spent_seconds = (uint32_t)(http->spent_us / US_PER_SECOND);
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    enum hf_status status = hf_http_broker_ask(request, spent_seconds, out_answer, err);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    http->spent_us +=
        (end.tv_sec - begin.tv_sec) * US_PER_SECOND + (end.tv_nsec - begin.tv_nsec) / 1000;
    return status;
}

enum hf_status hf_http_ask(struct hf_http *http, const struct hf_http_request *request,
    struct hf_http_answer *out_answer, struct hf_error *err)
{
    if (hf_broker_is_there())
        return http_ask_broker(http, request, out_answer, err);
    struct transfer t = {
        .http = http,
        .request = request,
        .limit_bytes =
            request->body_limit_bytes != 0 ? request->body_limit_bytes : HF_LIMIT_HTTP_BODY,
        .easy = http->curl.easy_init(),
    };
    if (t.easy == NULL)
        return hf_error_memory(err);
    enum hf_status status = perform(&t, out_answer, err);
    http->curl.easy_cleanup(t.easy);
    hf_out_done(&t.body);
    free(t.no_proxy);
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
