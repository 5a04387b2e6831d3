/* An event loop with timers, and a client of a message service on it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loop loop_t;
typedef void (*timer_cb)(loop_t *, void *);

typedef struct {
    uint64_t due;
    timer_cb cb;
    void *data;
} timer_entry_t;

struct loop {
    timer_entry_t *heap;
    size_t n, cap;
    uint64_t now;
};

static void loop_at(loop_t *l, uint64_t ms, timer_cb cb, void *data)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 16;
        l->heap = realloc(l->heap, l->cap * sizeof *l->heap);
    }
    size_t i = l->n++;
    timer_entry_t e = {l->now + ms, cb, data};
    for (; i && l->heap[(i - 1) / 2].due > e.due; i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = e;
}

static timer_entry_t loop_pop(loop_t *l)
{
    timer_entry_t top = l->heap[0], e = l->heap[--l->n];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < l->n; i = c) {
        if (c + 1 < l->n && l->heap[c + 1].due < l->heap[c].due)
            c++;
        if (l->heap[c].due >= e.due)
            break;
        l->heap[i] = l->heap[c];
    }
    l->heap[i] = e;
    return top;
}

static void loop_run(loop_t *l, uint64_t until)
{
    while (l->n && l->heap[0].due <= until) {
        timer_entry_t e = loop_pop(l);
        l->now = e.due;
        e.cb(l, e.data);
    }
}

typedef struct {
    size_t len;
    uint8_t bytes[];
} packet_t;

typedef struct {
    uint32_t sequence;
    packet_t *window[64];
    uint64_t sent, again;
} conn_t;

typedef struct {
    conn_t *conn;
    uint32_t sequence;
    bool acked;
    packet_t *packet;
} retry_t;

static packet_t *packet_make(const void *bytes, size_t len)
{
    packet_t *p = malloc(sizeof *p + len);
    p->len = len;
    memcpy(p->bytes, bytes, len);
    return p;
}

static void on_retry(loop_t *l, void *data)
{
    retry_t *r = data;
    (void)l;
    if (!r->acked)
        r->conn->again++;
    free(r->packet);
    free(r);
}

/* Nobody takes the timer away when the other side has answered, and it is a long one. */
static void send_reliably(loop_t *l, conn_t *c, const uint8_t *bytes, size_t len)
{
    retry_t *r = calloc(1, sizeof *r);
    r->conn = c;
    r->sequence = ++c->sequence;
    r->packet = packet_make(bytes, len); /* guilty */
    loop_at(l, 30 * 60 * 1000, on_retry, r);
    c->sent += len;
}

static void on_ack(loop_t *l, void *data)
{
    conn_t *c = data;
    free(c->window[c->sequence % 64]);
    c->window[c->sequence % 64] = packet_make("ack", 4);
    loop_at(l, 5, on_ack, c);
}

static void on_tick(loop_t *l, void *data)
{
    uint8_t state[1100];
    memset(state, (int)l->now, sizeof state);
    send_reliably(l, data, state, 300 + l->now % 800);
    loop_at(l, 10, on_tick, data);
}

int main(void)
{
    loop_t loop = {0};
    conn_t conns[8] = {0};
    for (int i = 0; i < 8; i++) {
        loop_at(&loop, (uint64_t)i, on_tick, &conns[i]);
        loop_at(&loop, (uint64_t)i, on_ack, &conns[i]);
    }
    loop_run(&loop, 80 * 1000);
    printf("%llu bytes, %zu timers\n", (unsigned long long)conns[0].sent, loop.n);
    return 0;
}
