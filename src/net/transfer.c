#include "net/transfer.h"

#include "base/limits.h"
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_AGENT "heapflame/" HF_VERSION

bool hf_transfer_set(const struct hf_transfer *t, CURLoption option, long value)
{
    return t->http->curl.easy_setopt(t->easy, option, value) == CURLE_OK;
}

bool hf_transfer_point(const struct hf_transfer *t, CURLoption option, const void *value)
{
    return t->http->curl.easy_setopt(t->easy, option, value) == CURLE_OK;
}

long hf_transfer_status(const struct hf_transfer *t)
{
    long status = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

bool hf_transfer_is_connected(const struct hf_transfer *t)
{
    curl_off_t connected = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_CONNECT_TIME_T, &connected);
    return connected != 0;
}

/* The host beside what the environment excludes already. A redirect elsewhere uses the proxy. */
static bool bypass_proxy(struct hf_transfer *t)
{
    const struct hf_http_target *target = t->target;
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
    return hf_transfer_point(t, CURLOPT_NOPROXY, t->no_proxy);
}

enum hf_status hf_transfer_lacks(struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "libcurl lacks an option that is needed to fetch a URL; 7.85 or newer has it");
}

enum hf_status hf_transfer_init(struct hf_transfer *t, struct hf_http *http,
    const struct hf_http_target *target, struct hf_error *err)
{
    *t = (struct hf_transfer){.http = http, .target = target, .easy = http->curl.easy_init()};
    if (t->easy == NULL)
        return hf_error_memory(err);
    bool ok = hf_transfer_point(t, CURLOPT_ERRORBUFFER, t->reason) &&
              hf_transfer_point(t, CURLOPT_URL, target->url) &&
              hf_transfer_point(t, CURLOPT_USERAGENT, USER_AGENT) &&
              hf_transfer_point(t, CURLOPT_ACCEPT_ENCODING, "gzip") &&
              hf_transfer_point(t, CURLOPT_PROTOCOLS_STR, "http,https") &&
              hf_transfer_point(
                  t, CURLOPT_REDIR_PROTOCOLS_STR, target->is_https ? "https" : "http,https") &&
              hf_transfer_set(t, CURLOPT_FOLLOWLOCATION, 1) &&
              hf_transfer_set(t, CURLOPT_MAXREDIRS, HF_LIMIT_HTTP_REDIRECTS) &&
              hf_transfer_set(t, CURLOPT_CONNECTTIMEOUT, HF_LIMIT_HTTP_CONNECT_SECONDS) &&
              hf_transfer_set(t, CURLOPT_NOSIGNAL, 1) &&
              hf_transfer_set(t, CURLOPT_NETRC, CURL_NETRC_IGNORED) && bypass_proxy(t);
    if (ok)
        return HF_OK;
    hf_transfer_done(t);
    return hf_transfer_lacks(err);
}

void hf_transfer_done(struct hf_transfer *t)
{
    if (t->easy != NULL)
        t->http->curl.easy_cleanup(t->easy);
    free(t->no_proxy);
    *t = (struct hf_transfer){0};
}

/* A refused connection is the server's own only where no proxy can stand in between. */
static bool may_use_proxy(const struct hf_transfer *t)
{
    static const char *const names[] = {
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < HF_COUNT(names) && !t->target->is_loopback; i++) {
        if (getenv(names[i]) != NULL)
            return true;
    }
    return false;
}

static enum hf_status explain_connect(
    const struct hf_transfer *t, const char *where, struct hf_error *err)
{
    long number = 0;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
    if (may_use_proxy(t))
        return hf_error_set(err, HF_ERR_NETWORK, "cannot connect to %s: %s", where, t->reason);
    if (number == ECONNREFUSED)
        return hf_error_set(err, HF_ERR_NETWORK,
            "nothing listens at %s; is the server running, and is this its HTTP port?", where);
    if (number != 0) {
        hf_error_system(err, (int)number, "cannot connect to %s", where);
        if (err != NULL)
            err->status = HF_ERR_NETWORK;
        return HF_ERR_NETWORK;
    }
    return hf_error_set(err, HF_ERR_NETWORK, "cannot connect to %s: %s", where, t->reason);
}

/* An answer without a status line is "HTTP/0.9" to curl, a protocol like another. */
static enum hf_status explain_protocol(
    const struct hf_transfer *t, const char *where, struct hf_error *err)
{
    if (hf_transfer_status(t) == 0)
        return hf_error_set(err, HF_ERR_NETWORK, "the server at %s does not speak HTTP", where);
    return hf_error_set(err, HF_ERR_NETWORK,
        "%s redirects to a URL that is not followed; expected %s", where,
        t->target->is_https ? "https" : "http or https");
}

static enum hf_status explain_code(
    const struct hf_transfer *t, CURLcode code, const char *where, struct hf_error *err)
{
    switch (code) {
    case CURLE_COULDNT_CONNECT: return explain_connect(t, where, err);
    case CURLE_OPERATION_TIMEDOUT:
        return hf_error_set(err, HF_ERR_NETWORK,
            "no connection to %s within %ld seconds (HF_LIMIT_HTTP_CONNECT_SECONDS)", where,
            HF_LIMIT_HTTP_CONNECT_SECONDS);
    case CURLE_COULDNT_RESOLVE_HOST:
        return hf_error_set(err, HF_ERR_NETWORK, "cannot resolve the host name in %s", where);
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
        return hf_error_set(err, HF_ERR_NETWORK, "the server at %s does not speak HTTP", where);
    case CURLE_PEER_FAILED_VERIFICATION:
        return hf_error_set(
            err, HF_ERR_NETWORK, "the certificate of %s is not trusted: %s", where, t->reason);
    case CURLE_OUT_OF_MEMORY: return hf_error_memory(err);
    default:
        return hf_error_set(err, HF_ERR_NETWORK, "no answer from %s: %s", where,
            t->reason[0] != '\0' ? t->reason : t->http->curl.easy_strerror(code));
    }
}

enum hf_status hf_transfer_explain(const struct hf_transfer *t, CURLcode code, struct hf_error *err)
{
    long redirects = 0;
    char *last_url = NULL, *where = NULL;
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_REDIRECT_COUNT, &redirects);
    (void)t->http->curl.easy_getinfo(t->easy, CURLINFO_EFFECTIVE_URL, &last_url);
    if (redirects > 0 && last_url != NULL && code != CURLE_TOO_MANY_REDIRECTS &&
        asprintf(&where, "%s (where %s redirects to)", last_url, t->target->host_port) < 0)
        where = NULL;
    enum hf_status status =
        explain_code(t, code, where != NULL ? where : t->target->host_port, err);
    free(where);
    return status;
}
