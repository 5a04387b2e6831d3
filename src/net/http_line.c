#include "net/http_line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the broker says of what went wrong. */
static enum hf_status take_error(const struct hf_broker_answer *answer, struct hf_error *err)
{
    enum hf_status status = (enum hf_status)answer->flags;
    if (status == HF_OK || status > HF_ERR_NETWORK)
        return hf_error_system(err, answer->error, "cannot ask the server");
    return hf_error_set(err, status, "%s", answer->text);
}

enum hf_status hf_http_line_debug_servers(const struct hf_debug_servers_question *asked,
    struct hf_debug_servers_answer *out_answer, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_HTTP_LINE_DEBUG,
        .flags = asked->refused,
        .number = asked->most_bytes,
        .first = hf_text_of(asked->path),
        .second = hf_text_of(asked->what),
        .fd = -1,
    };
    hf_broker_ask(&question, &answer);
    if (answer.error != 0)
        return take_error(&answer, err);
    out_answer->outcome = (enum hf_debug_servers_outcome)answer.flags;
    out_answer->server = (unsigned)answer.number;
    out_answer->fd = answer.fd;
    size_t size = strnlen(answer.text, sizeof out_answer->said - 1);
    memcpy(out_answer->said, answer.text, size);
    out_answer->said[size] = '\0';
    return HF_OK;
}

static char *take_part(const struct hf_broker_answer *answer, size_t *at, bool *failed)
{
    size_t size = *at <= answer->size ? strlen(answer->text + *at) : 0;
    char *copy = *at <= answer->size ? strdup(answer->text + *at) : NULL;
    *at += size + 1;
    *failed = *failed || copy == NULL;
    return copy;
}

enum hf_status hf_http_line_target(
    struct hf_http_target *target, const char *url, const char *path, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_HTTP_LINE_TARGET,
        .flags = path != NULL,
        .first = hf_text_of(url),
        .second = hf_text_of(path != NULL ? path : ""),
        .fd = -1,
    };
    size_t at = 0;
    bool failed = false;
    *target = (struct hf_http_target){0};
    hf_broker_ask(&question, &answer);
    if (answer.error != 0)
        return take_error(&answer, err);
    target->url = take_part(&answer, &at, &failed);
    target->shown = take_part(&answer, &at, &failed);
    target->host_port = take_part(&answer, &at, &failed);
    target->host = take_part(&answer, &at, &failed);
    target->has_path = (answer.flags & HF_HTTP_LINE_HAS_PATH) != 0;
    target->is_loopback = (answer.flags & HF_HTTP_LINE_IS_LOOPBACK) != 0;
    target->is_https = (answer.flags & HF_HTTP_LINE_IS_HTTPS) != 0;
    return failed ? hf_error_memory(err) : HF_OK;
}

static enum hf_status read_body(int fd, struct hf_out *body, struct hf_error *err)
{
    char block[65536];
    ssize_t got;
    off_t at = 0;
    while ((got = pread(fd, block, sizeof block, at)) > 0) {
        hf_out_bytes(body, block, (size_t)got);
        at += got;
    }
    return got == 0 && body->error.status == HF_OK ? HF_OK : hf_error_memory(err);
}

enum hf_status hf_http_line_ask(const struct hf_http_request *request, uint32_t spent_seconds,
    struct hf_http_answer *out_answer, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const char *form = request->form;
    const struct hf_broker_question question = {
        .kind = HF_HTTP_LINE_ASK,
        .flags = (request->method == HF_HTTP_POST ? HF_HTTP_LINE_POST : 0) |
                 (form != NULL ? HF_HTTP_LINE_HAS_FORM : 0) |
                 spent_seconds * HF_HTTP_LINE_SPENT_SECOND,
        .number = request->body_limit_bytes,
        .first = hf_text_of(request->target->url),
        .second = hf_text_of(form != NULL ? form : ""),
        .fd = -1,
    };
    *out_answer = (struct hf_http_answer){0};
    hf_broker_ask(&question, &answer);
    if (answer.error != 0)
        return take_error(&answer, err);
    out_answer->status = (int)answer.number;
    size_t size = strnlen(answer.text, sizeof out_answer->content_type - 1);
    memcpy(out_answer->content_type, answer.text, size);
    enum hf_status status =
        answer.fd >= 0 ? read_body(answer.fd, &out_answer->body, err) : hf_error_memory(err);
    if (answer.fd >= 0)
        close(answer.fd);
    return status;
}
