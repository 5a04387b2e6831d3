#include "net/http_target.h"

#include "base/text.h"
#include "net/curl.h"
#include "net/http_line.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool hf_http_is_url(const char *text)
{
    return strncasecmp(text, "http://", strlen("http://")) == 0 ||
           strncasecmp(text, "https://", strlen("https://")) == 0;
}

/* `host` as it stands in a URL. Names below .localhost are this machine by RFC 6761. */
static bool is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    char address[INET6_ADDRSTRLEN];
    struct hf_text name = hf_text_of(host);
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
    if (hf_text_starts(name, "[") && hf_text_ends(name, "]")) {
        int size = snprintf(address, sizeof address, "%.*s", (int)(name.size - 2), host + 1);
        return size > 0 && (size_t)size < sizeof address &&
               inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
    }
    static const char last_label[] = ".localhost";
    size_t size = strlen(last_label);
    return strcasecmp(host, last_label + 1) == 0 ||
           (name.size > size && strcasecmp(host + name.size - size, last_label) == 0);
}

/* A copy of one part of the URL; NULL, with *failed set, if there is none. */
static char *http_target_copy_part(
    const struct hf_http *http, const CURLU *url, CURLUPart part, unsigned flags, bool *failed)
{
    char *text = NULL, *copy = NULL;
    if (http->curl.url_get(url, part, &text, flags) == CURLUE_OK && text != NULL)
        copy = strdup(text);
    http->curl.free(text);
    *failed = *failed || copy == NULL;
    return copy;
}

static enum hf_status read_target(
    const struct hf_http *http, CURLU *url, struct hf_http_target *target, struct hf_error *err)
{
    bool failed = false, has_no_query = false;
    char *path = http_target_copy_part(http, url, CURLUPART_PATH, 0, &failed);
    char *query = http_target_copy_part(http, url, CURLUPART_QUERY, 0, &has_no_query);
    char *scheme = http_target_copy_part(http, url, CURLUPART_SCHEME, 0, &failed);
    char *port = http_target_copy_part(http, url, CURLUPART_PORT, CURLU_DEFAULT_PORT, &failed);
    target->host = http_target_copy_part(http, url, CURLUPART_HOST, 0, &failed);
    target->url = http_target_copy_part(http, url, CURLUPART_URL, 0, &failed);
    if (http->curl.url_set(url, CURLUPART_USER, NULL, 0) != CURLUE_OK ||
        http->curl.url_set(url, CURLUPART_PASSWORD, NULL, 0) != CURLUE_OK)
        failed = true;
    target->shown = http_target_copy_part(http, url, CURLUPART_URL, 0, &failed);
    if (!failed && asprintf(&target->host_port, "%s:%s", target->host, port) < 0) {
        target->host_port = NULL;
        failed = true;
    }
    if (!failed) {
        target->has_path = strcmp(path, "/") != 0 || !has_no_query;
        target->is_https = strcmp(scheme, "https") == 0;
        target->is_loopback = is_loopback(target->host);
    }
    free(path);
    free(query);
    free(scheme);
    free(port);
    return failed ? hf_error_memory(err) : HF_OK;
}

enum hf_status hf_http_target_init(struct hf_http *http, struct hf_http_target *target,
    const char *url, const char *path, struct hf_error *err)
{
    *target = (struct hf_http_target){0};
    if (hf_broker_is_there()) {
        enum hf_status asked = hf_http_line_target(target, url, path, err);
        if (asked != HF_OK)
            hf_http_target_done(target);
        return asked;
    }
    if (!hf_http_is_url(url))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a URL 'http://HOST:PORT', found '%s'", url);
    CURLU *parts = http->curl.url();
    if (parts == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    CURLUcode code = http->curl.url_set(parts, CURLUPART_URL, url, 0);
    if (code == CURLUE_OK)
        code = http->curl.url_set(parts, CURLUPART_FRAGMENT, NULL, 0);
    if (code == CURLUE_OK && path != NULL) {
        code = http->curl.url_set(parts, CURLUPART_PATH, path, 0);
        if (code == CURLUE_OK)
            code = http->curl.url_set(parts, CURLUPART_QUERY, NULL, 0);
    }
    if (code == CURLUE_OUT_OF_MEMORY)
        status = hf_error_memory(err);
    else if (code != CURLUE_OK) /* not the URL itself: it may hold a password */
        status = hf_error_set(err, HF_ERR_USAGE,
            "the URL is malformed: %s; expected 'http://HOST:PORT'", http->curl.url_strerror(code));
    if (status == HF_OK)
        status = read_target(http, parts, target, err);
    http->curl.url_cleanup(parts);
    if (status != HF_OK)
        hf_http_target_done(target);
    return status;
}

void hf_http_target_done(struct hf_http_target *target)
{
    free(target->url);
    free(target->shown);
    free(target->host_port);
    free(target->host);
    *target = (struct hf_http_target){0};
}
