// A server of files, without the sockets: requests come from a generator. For /status the last thousand requests are kept.
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf {
    char *data;
    size_t len, cap;
    bool failed;
};

static void buf_reserve(struct buf *b, size_t more)
{
    if (b->failed || b->len + more <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < b->len + more)
        cap *= 2;
    char *data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return;
    }
    b->data = data;
    b->cap = cap;
}

static void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    buf_reserve(b, (size_t)n + 1);
    if (b->failed)
        return;
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t)n + 1, format, args);
    va_end(args);
    b->len += (size_t)n;
}

static void buf_reset(struct buf *b) { b->len = 0; }

struct request {
    char method[8], path[200], agent[200];
    unsigned client;
};

struct connection {
    struct request req;
    struct buf head, body;
    int status;
};

#define LAST 1000
static struct {
    struct buf lines[1 << 20];
    unsigned first, next;
} history;

static void remember(const struct connection *c)
{
    struct buf *line = &history.lines[history.next++];
    buf_printf(line, "%u.%u.%u.%u \"%s %s HTTP/1.1\" %d %zu \"%s\"", c->req.client >> 24, c->req.client >> 16 & 255,
               c->req.client >> 8 & 255, c->req.client & 255, c->req.method, c->req.path, c->status, c->body.len,
               c->req.agent); // guilty
    if (history.next - history.first > LAST)
        buf_reset(&history.lines[history.first++]);
}

static void not_found(struct connection *c)
{
    c->status = 404;
    buf_printf(&c->body, "<html><body><h1>404</h1><p>There is no %s here.</p></body></html>", c->req.path);
}

static void status_page(struct connection *c)
{
    c->status = 200;
    buf_printf(&c->body, "<html><body><pre>");
    for (unsigned i = history.first; i < history.next; i++)
        if (history.lines[i].data)
            buf_printf(&c->body, "%s\n", history.lines[i].data);
    buf_printf(&c->body, "</pre></body></html>");
}

static void static_file(struct connection *c)
{
    c->status = 200;
    for (int i = 0; i < 5; i++)
        buf_printf(&c->body, "line %d of %s\n", i, c->req.path);
}

static const struct route {
    const char *prefix;
    void (*handler)(struct connection *);
} routes[] = {{"/status", status_page}, {"/files/", static_file}, {"/", not_found}};

static void serve(struct connection *c)
{
    buf_reset(&c->head);
    buf_reset(&c->body);
    for (const struct route *r = routes; r->prefix; r++)
        if (!strncmp(c->req.path, r->prefix, strlen(r->prefix))) {
            r->handler(c);
            break;
        }
    buf_printf(&c->head, "HTTP/1.1 %d\r\nContent-Length: %zu\r\n\r\n", c->status, c->body.len);
    remember(c);
}

int main(void)
{
    enum { Connections = 64 };
    struct connection *all = calloc(Connections, sizeof *all);
    size_t sent = 0;
    for (unsigned i = 0; i < 150000; i++) {
        struct connection *c = &all[i % Connections];
        strcpy(c->req.method, i % 11 ? "GET" : "HEAD");
        snprintf(c->req.path, sizeof c->req.path, i % 20000 == 7 ? "/status" : i % 3 ? "/files/docs/manual-%u.html" : "/old/%u", i);
        snprintf(c->req.agent, sizeof c->req.agent, "Mozilla/5.0 (X11; Linux x86_64; rv:%u.0) Gecko/20100101 Firefox/%u.0", i % 140, i % 140);
        c->req.client = i * 2654435761u;
        serve(c);
        sent += c->head.len + c->body.len;
    }
    printf("%zu bytes sent\n", sent);
    for (int i = 0; i < Connections; i++)
        free(all[i].head.data), free(all[i].body.data);
    free(all);
    return 0;
}
