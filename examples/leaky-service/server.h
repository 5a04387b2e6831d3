/*
 * HTTP on the loopback interface: one thread, one event loop, libmicrohttpd underneath and visible
 * nowhere else.
 *
 * One thread is a choice. Handlers may then share state without locks, and every stack in a profile
 * starts at main(), which makes the first flame graph of a newcomer easy to read.
 */
#ifndef LEAKY_SERVICE_SERVER_H
#define LEAKY_SERVICE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;
struct request;

/* What a handler fills in. It starts as an empty 200 text/plain. */
struct reply {
    unsigned status;
    const char *content_type; // a literal
    const char *allow;        // a literal: the method to use instead, with status 405; else NULL
    const char *route;        // a literal: what the log calls this request
    int body_fd;              // the body, when >= 0; the server closes it
    size_t body_fd_size;
    char text[512]; // the body otherwise
};

__attribute__((format(printf, 3, 4))) void reply_text(
    struct reply *reply, unsigned status, const char *format, ...);
__attribute__((format(printf, 3, 4))) void reply_json(
    struct reply *reply, unsigned status, const char *format, ...);

/* Views into the request, valid until the handler returns. */
const char *request_method(const struct request *request);
const char *request_path(const struct request *request);
const char *request_body(const struct request *request);
/* NULL when the query has no such parameter; "" when it has no value. */
const char *request_query(const struct request *request, const char *name);

/* Answers one request. `context` is what server_start() was given. */
typedef void server_handler(void *context, const struct request *request, struct reply *reply);

/* Listens on 127.0.0.1. Port 0 lets the kernel choose: server_port() says which. Returns NULL, with
 * a sentence on stderr, when that fails. */
struct server *server_start(uint16_t port, server_handler *handler, void *context);
uint16_t server_port(const struct server *server);

/* Serves until `stop_fd` is readable. Returns false, with a sentence on stderr, on failure. */
bool server_run(struct server *server, int stop_fd);

/* Closes all connections and frees the server. Accepts NULL. */
void server_stop(struct server *server);

#endif
