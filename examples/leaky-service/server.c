#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Forms of one field are all this service reads. */
#define BODY_MAX_BYTES 255

struct server {
    struct MHD_Daemon *daemon;
    server_handler *handler;
    void *context;
};

struct request {
    struct MHD_Connection *connection;
    const char *method;
    const char *path;
    size_t body_size;
    bool body_is_too_long;
    char body[BODY_MAX_BYTES + 1];
};

__attribute__((format(printf, 4, 0))) static void set_body(struct reply *reply, unsigned status,
    const char *content_type, const char *format, va_list arguments)
{
    reply->status = status;
    reply->content_type = content_type;
    (void)vsnprintf(reply->text, sizeof reply->text, format, arguments);
}

void reply_text(struct reply *reply, unsigned status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_body(reply, status, "text/plain; charset=utf-8", format, arguments);
    va_end(arguments);
}

void reply_json(struct reply *reply, unsigned status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_body(reply, status, "application/json", format, arguments);
    va_end(arguments);
}

const char *request_method(const struct request *request)
{
    return request->method;
}

const char *request_path(const struct request *request)
{
    return request->path;
}

const char *request_body(const struct request *request)
{
    return request->body;
}

const char *request_query(const struct request *request, const char *name)
{
    const char *value = NULL;
    size_t size = 0;

    enum MHD_Result is_found = MHD_lookup_connection_value_n(
        request->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value, &size);
    if (is_found == MHD_NO)
        return NULL;
    return value != NULL ? value : "";
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, const struct reply *reply)
{
    struct MHD_Response *response;
    enum MHD_Result result = MHD_NO;

    if (reply->body_fd >= 0)
        response = MHD_create_response_from_fd(reply->body_fd_size, reply->body_fd);
    else
        response = MHD_create_response_from_buffer(
            strlen(reply->text), (void *)(uintptr_t)reply->text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) {
        // The response owns the descriptor from its creation on; without one it is still ours.
        if (reply->body_fd >= 0)
            close(reply->body_fd);
        return MHD_NO;
    }

    if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type) &&
        (reply->allow == NULL ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow)))
        result = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static void append_body(struct request *request, const char *data, size_t size)
{
    if (size > BODY_MAX_BYTES - request->body_size) {
        request->body_is_too_long = true;
        return;
    }
    memcpy(request->body + request->body_size, data, size);
    request->body_size += size;
}

/* libmicrohttpd calls this several times per request: first when the headers are complete (*state
 * is NULL then), once for each piece of the body, and last, with an empty piece, for the answer. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
    const char *path, const char *method, const char *version, const char *upload_data,
    size_t *upload_size, void **state)
{
    struct server *server = context;
    struct request *request = *state;
    struct reply reply = {.route = "(unknown path)", .body_fd = -1};

    (void)version;
    if (request == NULL) {
        request = calloc(1, sizeof *request);
        if (request == NULL)
            return MHD_NO;
        *state = request;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        append_body(request, upload_data, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }

    request->connection = connection;
    request->method = method;
    request->path = path;
    reply_text(&reply, 200, "%s", "");
    if (request->body_is_too_long)
        reply_text(&reply, 413, "The body may have %d bytes at most.\n", BODY_MAX_BYTES);
    else
        server->handler(server->context, request, &reply);

    // The log has the route, not the path: a path is the client's and may hold line breaks.
    fprintf(stderr, "%s %s %u\n", method, reply.route, reply.status);
    return send_reply(connection, &reply);
}

static void on_request_end(void *context, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode reason)
{
    (void)context;
    (void)connection;
    (void)reason;
    free(*state);
    *state = NULL;
}

struct server *server_start(uint16_t port, server_handler *handler, void *context)
{
    // Loopback only: anyone who reaches this port may fill the memory of the machine.
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };

    struct server *server = malloc(sizeof *server);
    if (server == NULL) {
        fputs("leaky-service: out of memory at start\n", stderr);
        return NULL;
    }
    *server = (struct server){.handler = handler, .context = context};
    server->daemon = MHD_start_daemon(MHD_USE_EPOLL, port, NULL, NULL, on_request, server,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED,
        on_request_end, NULL, MHD_OPTION_END);
    if (server->daemon == NULL) {
        fprintf(stderr, "leaky-service: cannot listen on 127.0.0.1:%u: %s\n", (unsigned)port,
            strerror(errno));
        free(server);
        return NULL;
    }
    return server;
}

uint16_t server_port(const struct server *server)
{
    return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

bool server_run(struct server *server, int stop_fd)
{
    // All sockets of the daemon hide behind one epoll descriptor, which can be polled like any.
    struct pollfd fds[] = {
        {.fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
            .events = POLLIN},
        {.fd = stop_fd, .events = POLLIN},
    };

    while ((fds[1].revents & POLLIN) == 0) {
        MHD_UNSIGNED_LONG_LONG wanted_ms;
        int timeout_ms = -1;

        if (MHD_get_timeout(server->daemon, &wanted_ms) == MHD_YES)
            timeout_ms = wanted_ms < INT_MAX ? (int)wanted_ms : INT_MAX;
        if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR) {
            fprintf(stderr, "leaky-service: poll: %s\n", strerror(errno));
            return false;
        }
        if (MHD_run(server->daemon) == MHD_NO) {
            fputs("leaky-service: the HTTP library gave up\n", stderr);
            return false;
        }
    }
    return true;
}

void server_stop(struct server *server)
{
    if (server == NULL)
        return;
    MHD_stop_daemon(server->daemon);
    free(server);
}
