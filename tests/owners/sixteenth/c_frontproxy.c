/* frontproxy - keep-alive HTTP front end; request bodies come from a load generator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define MAXCONN 1400
#define BACKENDS 6

struct header { char name[24]; char *value; };

struct conn {
    int id, requests;
    char *body;
    size_t cap, len;
    struct header *hdr;
    int nhdr;
};

struct backend { const char *host; unsigned long bytes, reqs; char *last; };

static struct conn *conns[MAXCONN];
static struct backend backends[BACKENDS];
static uint32_t seed = 2463534242u;

static uint32_t rnd(void)
{
    seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
    return seed;
}

static void *grow(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p) abort();
    return p;
}

static struct conn *accept_conn(int id)
{
    struct conn *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->id = id;
    return c;
}

static void parse_headers(struct conn *c)
{
    c->nhdr = 4 + (int)(rnd() % 8);
    c->hdr = grow(NULL, (size_t)c->nhdr * sizeof *c->hdr);
    for (int i = 0; i < c->nhdr; i++) {
        snprintf(c->hdr[i].name, sizeof c->hdr[i].name, "X-Field-%d", i);
        c->hdr[i].value = grow(NULL, 64);
        snprintf(c->hdr[i].value, 64, "value-%d-%u", c->id, rnd());
    }
}

static void drop_headers(struct conn *c)
{
    for (int i = 0; i < c->nhdr; i++) free(c->hdr[i].value);
    free(c->hdr);
    c->hdr = NULL;
    c->nhdr = 0;
}

static void recv_chunk(char *to, size_t n)
{
    memset(to, 'a' + (int)(n % 26), n);
}

static void read_body(struct conn *c, size_t content_length)
{
    c->len = 0;
    while (c->len < content_length) {
        size_t n = content_length - c->len;
        if (n > 4096) n = 4096;
        if (c->len + n > c->cap) {
            c->cap = c->cap ? c->cap * 2 : 1024;
            while (c->cap < c->len + n) c->cap *= 2;
            c->body = grow(c->body, c->cap); /* guilty */
        }
        recv_chunk(c->body + c->len, n);
        c->len += n;
    }
}

static struct backend *route(const struct conn *c)
{
    uint32_t h = 5381;
    for (int i = 0; i < c->nhdr; i++)
        for (const char *s = c->hdr[i].value; *s; s++) h = h * 33 + (unsigned char)*s;
    return &backends[h % BACKENDS];
}

static void forward(struct backend *b, const struct conn *c)
{
    char *msg = grow(NULL, c->len + 128);
    int n = snprintf(msg, 128, "POST /in HTTP/1.1\r\nHost: %s\r\nContent-Length: %zu\r\n\r\n", b->host, c->len);
    memcpy(msg + n, c->body, c->len);
    b->bytes += (size_t)n + c->len;
    b->reqs++;
    free(b->last);
    b->last = msg;
}

static void serve(struct conn *c)
{
    uint32_t r = rnd() % 100;
    parse_headers(c);
    read_body(c, r < 92 ? 200 + rnd() % 900 : 20000 + rnd() % 40000);
    forward(route(c), c);
    drop_headers(c);
    c->requests++;
    c->len = 0;
}

int main(void)
{
    for (int i = 0; i < BACKENDS; i++) backends[i].host = "app.internal";
    for (long n = 0; n < 60000; n++) {
        uint32_t k = rnd() % MAXCONN;
        if (!conns[k]) conns[k] = accept_conn((int)k);
        serve(conns[k]);
        if (n % 200 == 0) usleep(10000);
    }
    unsigned long bytes = 0;
    for (int i = 0; i < BACKENDS; i++) bytes += backends[i].bytes;
    printf("forwarded %lu bytes\n", bytes);
    return 0;
}
