/* Looks for port scans: a thread that captures, a queue with a bound, a thread that watches sources, and a list of those to be blocked. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE 1024
#define SOURCES 4096
#define BLOCKED 200

struct packet {
    unsigned source, target;
    unsigned short port, flags;
    unsigned char head[24];
    long at;
};

struct probe {
    long at;
    unsigned target;
    unsigned short port;
    unsigned char head[24];
};

struct source {
    unsigned address;
    int blocked, n, room;
    struct probe *probes;
    struct source *next;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t fed, eaten;
    struct packet *items[QUEUE];
    int head, n, closed;
};

struct watch {
    struct queue queue;
    struct source *table[SOURCES];
    char *blocked[BLOCKED];
    long packets, alarms;
};

static void queue_put(struct queue *q, struct packet *p)
{
    pthread_mutex_lock(&q->lock);
    while (q->n == QUEUE)
        pthread_cond_wait(&q->eaten, &q->lock);
    q->items[(q->head + q->n++) % QUEUE] = p;
    pthread_cond_signal(&q->fed);
    pthread_mutex_unlock(&q->lock);
}

static struct packet *queue_get(struct queue *q)
{
    struct packet *p = NULL;
    pthread_mutex_lock(&q->lock);
    while (!q->n && !q->closed)
        pthread_cond_wait(&q->fed, &q->lock);
    if (q->n) {
        p = q->items[q->head];
        q->head = (q->head + 1) % QUEUE;
        q->n--;
        pthread_cond_signal(&q->eaten);
    }
    pthread_mutex_unlock(&q->lock);
    return p;
}

static void *capture(void *argument)
{
    struct watch *w = argument;
    unsigned r = 11;
    for (long i = 0; i < 1200000; i++) {
        struct packet *p = malloc(sizeof(*p));
        r = r * 1664525u + 1013904223u;
        p->source = 0xc0a80000u + (r >> 20) % 1500;
        p->target = 0x0a000000u + (r >> 12) % 254;
        p->port = (unsigned short)(p->source % 97 ? (r >> 8) % 3 * 363 + 80 : (r >> 5) % 60000);
        p->flags = r >> 30 ? 0x02 : 0x10;
        p->at = i / 40;
        memset(p->head, (int)(r >> 9), sizeof(p->head));
        queue_put(&w->queue, p);
    }
    pthread_mutex_lock(&w->queue.lock);
    w->queue.closed = 1;
    pthread_cond_broadcast(&w->queue.fed);
    pthread_mutex_unlock(&w->queue.lock);
    return NULL;
}

static struct source *source_of(struct watch *w, unsigned address)
{
    struct source **s = &w->table[address % SOURCES];
    while (*s && (*s)->address != address)
        s = &(*s)->next;
    if (!*s) {
        *s = calloc(1, sizeof(**s));
        (*s)->address = address;
    }
    return *s;
}

/* How many different ports did it try in the last minute? The probes are kept in order of time. */
static int note_probe(struct source *s, const struct packet *p)
{
    if (s->n == s->room) {
        s->room = s->room ? s->room + s->room / 2 : 16;
        s->probes = realloc(s->probes, (size_t)s->room * sizeof(*s->probes)); /* guilty */
        if (!s->probes)
            abort();
    }
    struct probe *last = &s->probes[s->n++];
    *last = (struct probe){.at = p->at, .target = p->target, .port = p->port};
    memcpy(last->head, p->head, sizeof(last->head));
    unsigned long long seen[4] = {0};
    int different = 0;
    for (int i = s->n - 1; i >= 0 && i > s->n - 100 && s->probes[i].at > p->at - 60000; i--) {
        unsigned bit = s->probes[i].port % 256;
        different += !(seen[bit / 64] >> bit % 64 & 1);
        seen[bit / 64] |= 1ull << bit % 64;
    }
    return different;
}

static void alarm_about(struct watch *w, struct source *s, int ports)
{
    char **slot = &w->blocked[w->alarms++ % BLOCKED];
    free(*slot);
    *slot = malloc(80);
    snprintf(*slot, 80, "%u.%u.%u.%u tried %d ports", s->address >> 24, s->address >> 16 & 255, s->address >> 8 & 255, s->address & 255, ports);
    s->blocked = 1;
}

static void *observe(void *argument)
{
    struct watch *w = argument;
    for (struct packet *p; (p = queue_get(&w->queue)); free(p)) {
        w->packets++;
        if (!(p->flags & 0x02))
            continue;
        struct source *s = source_of(w, p->source);
        int ports = note_probe(s, p);
        if (ports > 40 && !s->blocked)
            alarm_about(w, s, ports);
    }
    return NULL;
}

int main(void)
{
    static struct watch w = {.queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .fed = PTHREAD_COND_INITIALIZER, .eaten = PTHREAD_COND_INITIALIZER}};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, observe, &w);
    pthread_create(&threads[1], NULL, capture, &w);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld packets, %ld sources blocked, the first: %s\n", w.packets, w.alarms, w.blocked[0] ? w.blocked[0] : "none");
    return 0;
}
