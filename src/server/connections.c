#include "server/connections.h"

#include "base/limits.h"
#include "server/peer_user.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)
#define CONNECTIONS_ASK_SECONDS 10
#define CONNECTIONS_TAKE_SECONDS 300
#define IDLE_SECONDS 20               /* the library's own clock, beside ours */
#define HEAD_BYTES ((size_t)16 << 10) /* of a request with its headers, and of an answer's */

/* A connection, while there is one. */
struct client {
    struct client *next;
    struct hf_connections *connections;
    int socket;
    uint64_t due_ns; /* it is cut off then */
};

static const struct hf_reply_header every_answer[] = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Connection", "close"},
};

/* When the library wants to be called again, or somebody is to be cut off. */
static void connections_set_due(struct hf_connections *connections)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    uint64_t due_ns = HF_LOOP_NEVER;
    if (connections->httpd.get_timeout(connections->daemon, &wait_ms) == MHD_YES)
        due_ns = hf_loop_now_ns() + wait_ms * MS_NS;
    for (const struct client *client = connections->first; client != NULL; client = client->next) {
        if (client->due_ns < due_ns)
            due_ns = client->due_ns;
    }
    connections->source.due_ns = due_ns;
}

static enum hf_status connections_turn(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_connections *connections = context;
    uint64_t now_ns = hf_loop_now_ns();
    /* The library sees it end then, and closes it. */
    for (struct client *client = connections->first; client != NULL; client = client->next) {
        if (client->due_ns <= now_ns) {
            (void)shutdown(client->socket, SHUT_RDWR);
            client->due_ns = HF_LOOP_NEVER;
        }
    }
    /* When the most are there, the library stops to listen; only the call after the one that closed
     * some begins again. */
    uint64_t closed_count;
    do {
        closed_count = connections->closed_count;
        (void)connections->httpd.run(connections->daemon);
    } while (connections->closed_count != closed_count);
    connections_set_due(connections);
    return HF_OK;
}

static void forget_client(struct client *client)
{
    struct client **at = &client->connections->first;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    free(client);
}

static void notice_connection(void *context, struct MHD_Connection *connection,
    void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct hf_connections *connections = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        connections->closed_count++;
        if (*socket_context != NULL)
            forget_client(*socket_context);
        return;
    }
    const union MHD_ConnectionInfo *info =
        connections->httpd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL || info == NULL) {
        if (info != NULL)
            (void)shutdown(info->connect_fd, SHUT_RDWR);
        free(client);
        return;
    }
    *client = (struct client){connections->first, connections, info->connect_fd,
        hf_loop_now_ns() + CONNECTIONS_ASK_SECONDS * SECOND_NS};
    connections->first = client;
    *socket_context = client;
}

static void put_end_address(int (*ask)(int, struct sockaddr *restrict, socklen_t *restrict),
    int socket, char out_text[INET6_ADDRSTRLEN])
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {0};
    socklen_t size = sizeof address;
    out_text[0] = '\0';
    if (ask(socket, &address.any, &size) != 0)
        return;
    const void *bytes = address.any.sa_family == AF_INET6 ? (const void *)&address.six.sin6_addr
                                                          : (const void *)&address.four.sin_addr;
    (void)inet_ntop(address.any.sa_family, bytes, out_text, INET6_ADDRSTRLEN);
}

/* The library calls this first, with the target as it came; what it returns is the request's. */
static void *begin_visit(void *context, const char *target, struct MHD_Connection *connection)
{
    struct hf_connections *connections = context;
    struct hf_visit *visit = calloc(1, sizeof *visit);
    const union MHD_ConnectionInfo *info =
        connections->httpd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (visit == NULL)
        return NULL;
    visit->connections = connections;
    visit->connection = connection;
    visit->client = info != NULL ? info->socket_context : NULL;
    if (strlen(target) < sizeof visit->target)
        (void)snprintf(visit->target, sizeof visit->target, "%s", target);
    return visit;
}

static void end_visit(void *context, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode code)
{
    (void)connection;
    (void)code;
    struct hf_connections *connections = context;
    struct hf_visit *visit = *request;
    if (visit == NULL)
        return;
    if (connections->gone != NULL && visit->was_seen)
        connections->gone(connections->context, visit);
    if (visit->response != NULL)
        connections->httpd.destroy_response(visit->response);
    free(visit);
    *request = NULL;
}

static bool is_header(struct hf_text name, const char *known)
{
    return name.size == strlen(known) && strncasecmp(name.data, known, name.size) == 0;
}

static enum MHD_Result see_header(void *context, enum MHD_ValueKind kind, const char *name,
    size_t name_size, const char *value, size_t value_size)
{
    (void)kind;
    struct hf_visit *visit = context;
    const struct hf_text key = {name, name_size}, text = {value != NULL ? value : "", value_size};
    struct hf_text *kept = is_header(key, "Host")            ? &visit->host
                           : is_header(key, "Authorization") ? &visit->authorization
                                                             : NULL;
    if (kept != NULL) {
        visit->is_strange = visit->is_strange || kept->data != NULL;
        *kept = text;
    }
    bool has_body = is_header(key, "Transfer-Encoding") ||
                    (is_header(key, "Content-Length") && !hf_text_is(text, "0"));
    visit->is_strange = visit->is_strange || has_body;
    return MHD_YES;
}

static void see_request(struct hf_visit *visit, const char *method)
{
    const struct hf_httpd *httpd = &visit->connections->httpd;
    visit->method = hf_text_of(method);
    visit->was_seen = true;
    (void)httpd->get_connection_values_n(visit->connection, MHD_HEADER_KIND, see_header, visit);
    if (visit->client != NULL) {
        put_end_address(getsockname, visit->client->socket, visit->own_address);
        put_end_address(getpeername, visit->client->socket, visit->peer_address);
        visit->has_peer_user = hf_peer_user_find(visit->client->socket, &visit->peer_user);
    }
}

/* Hands the answer to the library. */
static enum MHD_Result answer_visit(struct hf_visit *visit)
{
    const struct hf_httpd *httpd = &visit->connections->httpd;
    if (visit->response == NULL)
        return MHD_NO;
    if (visit->client != NULL)
        visit->client->due_ns = hf_loop_now_ns() + CONNECTIONS_TAKE_SECONDS * SECOND_NS;
    return httpd->queue_response(visit->connection, visit->status, visit->response);
}

/* Called when the headers are complete, again after a wait, and for each piece of a body. */
static enum MHD_Result hear_request(void *context, struct MHD_Connection *connection,
    const char *target, const char *method, const char *version, const char *body,
    size_t *body_size, void **request)
{
    (void)connection;
    (void)target;
    (void)version;
    (void)body;
    struct hf_connections *connections = context;
    struct hf_visit *visit = *request;
    if (visit == NULL || *body_size != 0 || (connections->is_over && !visit->was_seen))
        return MHD_NO;
    if (!visit->was_seen) {
        see_request(visit, method);
        connections->come(connections->context, visit);
        if (visit->is_waiting)
            return MHD_YES;
    }
    return answer_visit(visit);
}

static struct MHD_Response *make_response(
    const struct hf_httpd *httpd, const struct hf_reply *reply)
{
    if (reply->fd < 0) /* the cast is safe: it is copied */
        return httpd->create_response_from_buffer(
            reply->text.size, (void *)(uintptr_t)reply->text.data, MHD_RESPMEM_MUST_COPY);
    int fd = fcntl(reply->fd, F_DUPFD_CLOEXEC, 0);
    struct MHD_Response *response =
        fd >= 0 ? httpd->create_response_from_fd64(reply->size, fd) : NULL;
    if (response == NULL && fd >= 0)
        close(fd);
    return response;
}

static bool add_headers(
    const struct hf_httpd *httpd, struct MHD_Response *response, const struct hf_reply *reply)
{
    bool is_added = httpd->add_response_header(response, "Content-Type", reply->type) == MHD_YES;
    for (size_t i = 0; i < HF_COUNT(every_answer); i++)
        is_added = is_added && httpd->add_response_header(response, every_answer[i].name,
                                   every_answer[i].value) == MHD_YES;
    for (size_t i = 0; i < HF_REPLY_HEADERS_MAX && reply->headers[i].name != NULL; i++)
        is_added = is_added && httpd->add_response_header(response, reply->headers[i].name,
                                   reply->headers[i].value) == MHD_YES;
    return is_added;
}

void hf_visit_reply(struct hf_visit *visit, const struct hf_reply *reply)
{
    struct hf_connections *connections = visit->connections;
    const struct hf_httpd *httpd = &connections->httpd;
    struct MHD_Response *response = make_response(httpd, reply);
    /* Without one of its headers, an answer is not one that a browser may have. */
    if (response != NULL && !add_headers(httpd, response, reply)) {
        httpd->destroy_response(response);
        response = NULL;
    }
    visit->response = response;
    visit->status = response != NULL ? reply->status : 0;
    if (!visit->is_waiting)
        return;
    visit->is_waiting = false;
    httpd->resume_connection(visit->connection);
    connections->source.due_ns = hf_loop_now_ns();
}

void hf_visit_wait(struct hf_visit *visit)
{
    visit->is_waiting = true;
    if (visit->client != NULL)
        visit->client->due_ns = HF_LOOP_NEVER;
    visit->connections->httpd.suspend_connection(visit->connection);
}

enum hf_status hf_connections_begin(
    struct hf_connections *connections, int socket, struct hf_loop *loop, struct hf_error *err)
{
    struct hf_httpd *httpd = &connections->httpd;
    enum hf_status status = hf_httpd_load(httpd, err);
    if (status == HF_OK) {
        connections->daemon = httpd->start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
            NULL, hear_request, connections, MHD_OPTION_LISTEN_SOCKET, socket,
            MHD_OPTION_CONNECTION_LIMIT, HF_LIMIT_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEAD_BYTES,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, begin_visit, connections,
            MHD_OPTION_NOTIFY_COMPLETED, end_visit, connections, MHD_OPTION_NOTIFY_CONNECTION,
            notice_connection, connections, MHD_OPTION_END);
        if (connections->daemon == NULL)
            status =
                hf_error_set(err, HF_ERR_SYSTEM, "libmicrohttpd cannot start an HTTP server here");
    }
    if (connections->daemon == NULL) {
        close(socket);
        return status;
    }
    const union MHD_DaemonInfo *info =
        httpd->get_daemon_info(connections->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL)
        return hf_error_set(err, HF_ERR_SYSTEM, "libmicrohttpd has no epoll here");
    connections->loop = loop;
    connections->source = (struct hf_loop_source){
        .fd = info->epoll_fd, .events = POLLIN, .wake = connections_turn, .context = connections};
    connections_set_due(connections);
    hf_loop_add(loop, &connections->source);
    return HF_OK;
}

void hf_connections_end(struct hf_connections *connections)
{
    if (connections->loop != NULL)
        hf_loop_remove(connections->loop, &connections->source);
    connections->is_over = true; /* if one who comes now waited, the library would call abort() */
    if (connections->daemon != NULL) {
        (void)connections->httpd.run(connections->daemon); /* what was answered last goes out */
        connections->httpd.stop_daemon(connections->daemon);
    }
    connections->daemon = NULL;
}
