/* linkmgr - keeps a set of uplinks alive; timers drive everything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define LINKS 64
#define RTT_POINTS 8192

typedef void (*timer_cb)(void *arg);

struct timer {
    uint64_t due;
    timer_cb cb;
    void *arg;
};

struct link {
    int id;
    int up;
    unsigned flaps;
    unsigned beats;
    size_t out_len;
    uint32_t *rtt;
};

struct probe {
    struct link *link;
    unsigned seq;
    uint8_t packet[2400];
};

static struct timer *heap;
static size_t heap_len, heap_cap;
static uint64_t now_ms;
static struct link links[LINKS];
static unsigned long probes_sent, flushed;
static unsigned rng = 991;

static unsigned rnd(unsigned n)
{
    rng = rng * 22695477u + 1u;
    return (rng >> 9) % n;
}

static void timer_add(uint64_t delay, timer_cb cb, void *arg)
{
    if (heap_len == heap_cap) {
        heap_cap = heap_cap ? heap_cap * 2 : 256;
        heap = realloc(heap, heap_cap * sizeof *heap);
        if (!heap) abort();
    }
    size_t i = heap_len++;
    struct timer t = { now_ms + delay, cb, arg };
    while (i && heap[(i - 1) / 2].due > t.due) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = t;
}

static void run_due(void)
{
    while (heap_len && heap[0].due <= now_ms) {
        struct timer t = heap[0], last = heap[--heap_len];
        size_t i = 0;
        for (;;) {
            size_t c = 2 * i + 1;
            if (c >= heap_len) break;
            if (c + 1 < heap_len && heap[c + 1].due < heap[c].due) c++;
            if (last.due <= heap[c].due) break;
            heap[i] = heap[c];
            i = c;
        }
        if (heap_len) heap[i] = last;
        t.cb(t.arg);
    }
}

static void heartbeat(void *arg)
{
    struct link *l = arg;
    uint8_t *msg = malloc(512);
    memset(msg, l->id, 512);
    l->beats++;
    l->out_len += msg[17] + 12;
    free(msg);
    timer_add(50, heartbeat, l);
}

struct flush_job { struct link *link; char *buf; size_t n; };

static void do_flush(void *arg)
{
    struct flush_job *j = arg;
    flushed += j->n;
    free(j->buf);
    free(j);
}

static void queue_flush(struct link *l)
{
    struct flush_job *j = malloc(sizeof *j);
    j->link = l;
    j->n = 1024 + l->out_len % 4096;
    j->buf = malloc(j->n);
    memset(j->buf, 'x', j->n);
    l->out_len = 0;
    timer_add(30, do_flush, j);
    l->beats++;
}

static void send_probe(void *arg)
{
    struct probe *p = arg;
    probes_sent++;
    if (p->link->up) p->link->flaps = 0;
    free(p);
}

/* Long-interval health probe, rearmed whenever a link comes back. */
static void schedule_probe(struct link *l)
{
    struct probe *p = malloc(sizeof *p); /* guilty */
    if (!p) abort();
    p->link = l;
    p->seq = l->flaps;
    memset(p->packet, 0x5a ^ l->id, sizeof p->packet);
    timer_add(15 * 60 * 1000, send_probe, p);
    l->up = 1;
}

static void note_rtt(struct link *l, unsigned us)
{
    if (!l->rtt) l->rtt = calloc(RTT_POINTS, sizeof *l->rtt);
    l->rtt[l->beats % RTT_POINTS] = us;
}

static void on_carrier_lost(struct link *l)
{
    l->up = 0;
    l->flaps++;
}

static void poll_links(void)
{
    for (int i = 0; i < LINKS; i++) {
        struct link *l = &links[i];
        note_rtt(l, 500 + rnd(9000));
        if (l->up && rnd(3) == 0) on_carrier_lost(l);
        else if (!l->up) schedule_probe(l);
        if (rnd(4) == 0) queue_flush(l);
    }
}

int main(void)
{
    for (int i = 0; i < LINKS; i++) {
        links[i].id = i;
        links[i].up = 1;
        timer_add(rnd(50), heartbeat, &links[i]);
    }
    for (int tick = 0; tick < 450; tick++) {
        for (int k = 0; k < 4; k++) {
            poll_links();
            now_ms += 10;
            run_due();
        }
        usleep(8500);
    }
    printf("timers=%zu probes=%lu flushed=%lu\n", heap_len, probes_sent, flushed);
    return 0;
}
