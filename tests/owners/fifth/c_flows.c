/*
 * flows: puts TCP streams together from packets that come in any order.
 *
 * Memory is by slabs, so that there is one call of the system's allocator for many segments.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES (128u << 10)
#define MSS 700

typedef struct slab {
    struct slab *prev;
    _Alignas(16) uint8_t mem[];
} slab;

typedef struct {
    size_t item;
    slab *current;
    size_t used;
    void *free_items;
    const char *what;
} slab_cache;

struct segment {
    struct segment *next;
    uint32_t seq, len;
    uint8_t data[MSS];
};

struct flow {
    struct flow *next;
    uint32_t id, expect;
    uint64_t delivered;
    struct segment *queue, *last;
    bool closed;
};

static slab_cache segments = {.item = sizeof(struct segment), .what = "segments"};
static slab_cache flows = {.item = sizeof(struct flow), .what = "flows"};
static struct flow *table[256];

static bool slab_refill(slab_cache *c)
{
    void *p;
    if (posix_memalign(&p, 4096, SLAB_BYTES) != 0) {
        fprintf(stderr, "no memory for %s\n", c->what);
        return false;
    }
    slab *s = p;
    s->prev = c->current;
    c->current = s;
    c->used = 0;
    return true;
}

static void *slab_get(slab_cache *c)
{
    if (c->free_items) {
        void *p = c->free_items;
        memcpy(&c->free_items, p, sizeof(void *));
        return p;
    }
    if (!c->current || c->used + c->item > SLAB_BYTES - sizeof(slab))
        if (!slab_refill(c))
            return NULL;
    void *p = c->current->mem + c->used;
    c->used += (c->item + 15) & ~(size_t)15;
    return p;
}

static void slab_put(slab_cache *c, void *p)
{
    memcpy(p, &c->free_items, sizeof(void *));
    c->free_items = p;
}

static struct flow *flow_find(uint32_t id)
{
    struct flow **at = &table[id * 2654435761u >> 24], *f;
    for (f = *at; f; f = f->next)
        if (f->id == id)
            return f;
    f = slab_get(&flows);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->id = id;
    f->next = *at;
    return *at = f;
}

static struct segment *segment_new(uint32_t seq, const uint8_t *data, uint32_t len)
{
    struct segment *s = slab_get(&segments);
    if (s) {
        s->seq = seq;
        s->len = len;
        s->next = NULL;
        memcpy(s->data, data, len);
    }
    return s;
}

static void deliver(struct flow *f, const uint8_t *data, uint32_t len)
{
    (void)data;
    f->delivered += len;
    f->expect += len;
}

/* A segment that came too early waits. When one was lost for good, all that follow wait for ever, without a window. */
static int reassemble(struct flow *f, uint32_t seq, const uint8_t *data, uint32_t len)
{
    if (seq == f->expect) {
        deliver(f, data, len);
        while (f->queue && f->queue->seq <= f->expect) {
            struct segment *s = f->queue;
            if (s->seq == f->expect)
                deliver(f, s->data, s->len);
            f->queue = s->next;
            slab_put(&segments, s);
        }
        return 0;
    }
    if (seq < f->expect)
        return 0;
    struct segment *s = segment_new(seq, data, len), **at = &f->queue; /* guilty */
    if (!s)
        return -1;
    if (*at && f->last->seq < seq)
        at = &f->last->next;
    while (*at && (*at)->seq < seq)
        at = &(*at)->next;
    if (!*at)
        f->last = s;
    s->next = *at;
    *at = s;
    return 1;
}

static uint32_t hash(uint32_t x)
{
    x ^= 2463534242u;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x;
}

int main(void)
{
    uint8_t payload[MSS];
    uint64_t waiting = 0, done = 0;
    memset(payload, 'p', sizeof payload);
    for (uint32_t round = 0; round < 450; round++)
        for (uint32_t id = 0; id < 900; id++) {
            struct flow *f = flow_find(id);
            uint32_t packet = round ^ (hash(id + (round / 2 << 10)) % 4 == 0 ? 1 : 0);
            if (!f)
                return 1;
            if (id % 6 == 0 && packet == 70 + id % 90)
                continue;
            int r = reassemble(f, packet * MSS, payload, MSS);
            if (r < 0)
                return 1;
            waiting += (uint64_t)r;
        }
    for (int b = 0; b < 256; b++)
        for (struct flow *f = table[b]; f; f = f->next)
            done += f->delivered;
    printf("%lu bytes delivered, %lu waited\n", (unsigned long)done, (unsigned long)waiting);
    return 0;
}
