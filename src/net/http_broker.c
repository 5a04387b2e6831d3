#include "net/http_broker.h"

#include "base/text.h"
#include "net/curl.h"
#include "net/debug_servers.h"
#include "net/http.h"
#include "os/broker_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void put_bytes(struct hf_broker_answer *answer, const char *text, size_t size)
{
    if (size >= sizeof answer->text - answer->size)
        size = sizeof answer->text - 1 - answer->size;
    memcpy(answer->text + answer->size, text, size);
    answer->size += size;
}

/* With its NUL. */
static void put_part(struct hf_broker_answer *answer, const char *text)
{
    put_bytes(answer, text, strlen(text) + 1);
}

static bool is_same_server(
    struct hf_http *http, const char *url, const struct hf_http_target *target)
{
    struct hf_http_target other;
    if (!hf_http_is_url(url) || hf_http_target_init(http, &other, url, NULL, NULL) != HF_OK)
        return false;
    bool is_same =
        strcmp(other.host_port, target->host_port) == 0 && other.is_https == target->is_https;
    hf_http_target_done(&other);
    return is_same;
}

/* jeprof's "HOST:PORT" is a URL without its beginning. */
static bool is_same_host(
    struct hf_http *http, const char *host_port, const struct hf_http_target *target)
{
    char *url;
    if (strpbrk(host_port, ":/") == NULL || hf_http_is_url(host_port) ||
        asprintf(&url, "http://%s", host_port) < 0)
        return false;
    bool is_same = is_same_server(http, url, target);
    free(url);
    return is_same;
}

/* By a word of the command line that is a URL, or "--option=URL". */
static bool http_broker_is_named(
    const struct hf_http_broker *broker, struct hf_http *http, const struct hf_http_target *target)
{
    for (const char *const *word = broker->words; *word != NULL; word++) {
        const char *equals = strchr(*word, '=');
        if (is_same_server(http, *word, target) || is_same_host(http, *word, target) ||
            (strncmp(*word, "--", 2) == 0 && equals != NULL &&
                is_same_server(http, equals + 1, target)))
            return true;
    }
    return false;
}

static void answer_target(const struct hf_http_target *target, struct hf_broker_answer *answer)
{
    put_part(answer, target->url);
    put_part(answer, target->shown);
    put_part(answer, target->host_port);
    put_part(answer, target->host);
    answer->size--; /* the last NUL is there anyway */
    answer->flags = (target->has_path ? HF_HTTP_LINE_HAS_PATH : 0) |
                    (target->is_loopback ? HF_HTTP_LINE_IS_LOOPBACK : 0) |
                    (target->is_https ? HF_HTTP_LINE_IS_HTTPS : 0);
}

static bool http_broker_put_body(const struct hf_http_answer *body, struct hf_broker_answer *answer)
{
    struct hf_text bytes = hf_out_view(&body->body);
    answer->fd = memfd_create("body", MFD_CLOEXEC);
    while (answer->fd >= 0 && bytes.size != 0) {
        ssize_t written = write(answer->fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes = hf_text_from(bytes, written > 0 ? (size_t)written : 0);
    }
    return answer->fd >= 0;
}

static enum hf_status transfer(const struct hf_http_broker *broker, struct hf_http *http,
    const struct hf_broker_question *question, const struct hf_http_target *target,
    struct hf_broker_answer *answer, struct hf_error *err)
{
    struct hf_http_answer body;
    bool is_post = (question->flags & HF_HTTP_LINE_POST) != 0;
    struct hf_http_request request = {
        .method = is_post ? HF_HTTP_POST : HF_HTTP_GET,
        .target = target,
        .form = (question->flags & HF_HTTP_LINE_HAS_FORM) != 0 ? question->second.data : NULL,
        .body_limit_bytes = question->number,
    };
    if (!http_broker_is_named(broker, http, target))
        return hf_error_set(err, HF_ERR_NETWORK, "%s was not requested", target->host_port);
    if (broker->watch != NULL)
        request.watch = broker->watch(broker->context, target->host_port);
    http->spent_us = (curl_off_t)(question->flags / HF_HTTP_LINE_SPENT_SECOND) * 1000000;
    enum hf_status status = hf_http_ask(http, &request, &body, err);
    if (broker->watch != NULL)
        broker->watched(broker->context);
    if (status != HF_OK)
        return status;
    answer->number = (uint64_t)body.status;
    put_bytes(answer, body.content_type, strlen(body.content_type));
    bool is_put = http_broker_put_body(&body, answer);
    hf_http_answer_done(&body);
    return is_put ? HF_OK : hf_error_memory(err);
}

static enum hf_status answer_debug(const struct hf_http_broker *broker,
    const struct hf_broker_question *question, struct hf_broker_answer *answer,
    struct hf_error *err)
{
    struct hf_debug_servers_answer found;
    struct hf_debug_servers_question asked = {
        .path = question->first.data,
        .what = question->second.data,
        .refused = question->flags,
        .most_bytes = question->number,
        .listener = {broker->tell, broker->context},
    };
    if (!hf_debug_servers_is_path(question->first))
        return hf_error_set(err, HF_ERR_NETWORK, "%s was not requested", asked.path);
    if (broker->watch != NULL)
        asked.watch = broker->watch(broker->context, asked.what);
    enum hf_status status = hf_debug_servers_ask(&asked, &found, err);
    if (broker->watch != NULL)
        broker->watched(broker->context);
    if (status != HF_OK)
        return status;
    answer->flags = found.outcome;
    answer->number = found.server;
    answer->fd = found.fd;
    put_bytes(answer, found.said, strlen(found.said));
    return HF_OK;
}

void hf_http_broker_serve(
    void *context, const struct hf_broker_question *question, struct hf_broker_answer *answer)
{
    const struct hf_http_broker *broker = context;
    struct hf_http *http;
    struct hf_http_target target;
    struct hf_error error = {0};
    const char *path = question->kind == HF_HTTP_LINE_TARGET && question->flags != 0
                           ? question->second.data
                           : NULL;
    if (question->kind == HF_HTTP_LINE_DEBUG) {
        if (answer_debug(broker, question, answer, &error) != HF_OK)
            hf_broker_answer_error(answer, error.status, error.text);
        return;
    }
    enum hf_status status = hf_http_new(&http, &error);
    if (status != HF_OK) {
        hf_broker_answer_error(answer, status, error.text);
        return;
    }
    status = hf_http_target_init(http, &target, question->first.data, path, &error);
    if (status == HF_OK) {
        if (question->kind == HF_HTTP_LINE_TARGET)
            answer_target(&target, answer);
        else
            status = transfer(broker, http, question, &target, answer, &error);
        hf_http_target_done(&target);
    }
    if (status != HF_OK)
        hf_broker_answer_error(answer, status, error.text);
    hf_http_free(http);
}
