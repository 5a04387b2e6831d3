/* evpipe - event pipeline with pluggable filters; one reader and one worker. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define RING 512
#define TOTAL 60000

struct event {
    uint64_t key;
    uint32_t ip;
    uint32_t len;
    char *payload;
};

struct filter_ops {
    const char *name;
    void *(*open)(void);
    int (*process)(void *self, struct event *ev);   /* 0 = drop */
};

static struct event *ring[RING];
static unsigned r_head, r_tail;
static int closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static void *zalloc(size_t n)
{
    void *p = calloc(1, n);
    if (!p) abort();
    return p;
}

static void free_event(struct event *ev)
{
    free(ev->payload);
    free(ev);
}

/* ---- sampling ---- */
struct sampler { unsigned n, every; };
static void *sample_open(void)
{
    struct sampler *s = zalloc(sizeof *s);
    s->every = 10;
    return s;
}
static int sample_process(void *self, struct event *ev)
{
    struct sampler *s = self;
    (void)ev;
    return ++s->n % s->every != 0;
}

/* ---- geo annotation, fixed number of regions ---- */
struct geo { char *region[256]; };
static void *geo_open(void) { return zalloc(sizeof(struct geo)); }
static int geo_process(void *self, struct event *ev)
{
    struct geo *g = self;
    unsigned k = ev->ip >> 24;
    if (!g->region[k]) {
        g->region[k] = zalloc(12 * 1024);
        memset(g->region[k], 'A' + (int)(k % 26), 12 * 1024 - 1);
    }
    ev->payload[0] = g->region[k][ev->ip & 0xff];
    return 1;
}

/* ---- duplicate suppression ---- */
struct seen { struct seen *next; uint64_t key; uint32_t len; char body[]; };
struct dedup { struct seen *tab[8192]; unsigned long dups; };
static void *dedup_open(void) { return zalloc(sizeof(struct dedup)); }
static int dedup_process(void *self, struct event *ev)
{
    struct dedup *d = self;
    struct seen **b = &d->tab[ev->key % 8192];
    for (struct seen *p = *b; p; p = p->next)
        if (p->key == ev->key && p->len == ev->len && !memcmp(p->body + 1, ev->payload + 1, ev->len - 1)) {
            d->dups++;
            return 0;
        }
    struct seen *n = zalloc(sizeof *n + ev->len); /* guilty */
    n->key = ev->key;
    n->len = ev->len;
    memcpy(n->body, ev->payload, ev->len);
    n->next = *b;
    *b = n;
    return 1;
}

static const struct filter_ops filters[] = {
    { "sample", sample_open, sample_process },
    { "geo", geo_open, geo_process },
    { "dedup", dedup_open, dedup_process },
};
#define NFILTERS (sizeof filters / sizeof filters[0])

static void *worker_main(void *arg)
{
    unsigned long *emitted = arg;
    void *state[NFILTERS];
    for (size_t i = 0; i < NFILTERS; i++) state[i] = filters[i].open();
    for (;;) {
        pthread_mutex_lock(&lock);
        while (r_head == r_tail && !closed) pthread_cond_wait(&not_empty, &lock);
        if (r_head == r_tail) { pthread_mutex_unlock(&lock); break; }
        struct event *ev = ring[r_tail++ % RING];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
        int keep = 1;
        for (size_t i = 0; i < NFILTERS && keep; i++)
            keep = filters[i].process(state[i], ev);
        *emitted += (unsigned)keep;
        free_event(ev);
    }
    return NULL;
}

static struct event *read_event(uint64_t n)
{
    uint64_t h = (n % 7 == 0 ? n / 2 : n) * 0x9E3779B97F4A7C15ull;
    struct event *ev = zalloc(sizeof *ev);
    ev->key = h;
    ev->ip = (uint32_t)(h >> 32);
    ev->len = 600 + (uint32_t)(h % 1200);
    ev->payload = zalloc(ev->len);
    memset(ev->payload, (int)(h & 0x7f), ev->len);
    return ev;
}

int main(void)
{
    pthread_t th;
    unsigned long emitted = 0;
    pthread_create(&th, NULL, worker_main, &emitted);
    for (uint64_t n = 0; n < TOTAL; n++) {
        struct event *ev = read_event(n);
        pthread_mutex_lock(&lock);
        while (r_head - r_tail == RING) pthread_cond_wait(&not_full, &lock);
        ring[r_head++ % RING] = ev;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
        if (n % 150 == 0) usleep(9000);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    pthread_join(th, NULL);
    printf("emitted %lu of %d\n", emitted, TOTAL);
    return 0;
}
