/* Sorts the baggage of an airport: belts as rings of linked bags, scanners, diverters by flight, and a desk that codes what was unreadable. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    struct link *prev, *next;
};

#define ENTRY(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

static inline void ring_init(struct link *h) { h->prev = h->next = h; }
static inline int ring_empty(const struct link *h) { return h->next == h; }

static inline void ring_add(struct link *h, struct link *n)
{
    n->prev = h->prev;
    n->next = h;
    h->prev->next = n;
    h->prev = n;
}

static inline void ring_take(struct link *n)
{
    n->prev->next = n->next;
    n->next->prev = n->prev;
    ring_init(n);
}

struct scan {
    int width, height;
    unsigned char pixels[];
};

struct bag {
    struct link belt;
    char tag[24];
    int flight;
    struct scan *scan;
};

struct chute {
    int loaded;
    struct link bags;
};

struct hall {
    struct link belt, desk;
    struct chute chutes[24];
    unsigned char *filter;
    long moved, coded, lost;
};

static unsigned number = 77;

static unsigned roll(unsigned n)
{
    number = number * 69069u + 5u;
    return (number >> 12) % n;
}

static struct bag *check_in(int serial)
{
    struct bag *b = calloc(1, sizeof(*b));
    ring_init(&b->belt);
    b->flight = (int)roll(24);
    if (roll(12))
        snprintf(b->tag, sizeof(b->tag), "0220%06d", serial % 1000000);
    return b;
}

/* A scan of the bag in grey, smoothed by the filter of the machine. */
static void x_ray(struct hall *h, struct bag *b)
{
    int w = 48 + (int)roll(32), t = 40;
    struct scan *s = malloc(sizeof(*s) + (size_t)(w * t));
    s->width = w;
    s->height = t;
    for (int i = 0; i < w * t; i++)
        s->pixels[i] = h->filter[(i * 31 + b->flight + (int)number) & 4095];
    b->scan = s;
}

static void load(struct hall *h, struct bag *b)
{
    struct chute *c = &h->chutes[b->flight];
    ring_add(&c->bags, &b->belt);
    if (++c->loaded % 60)
        return;
    while (!ring_empty(&c->bags)) {
        struct bag *out = ENTRY(c->bags.next, struct bag, belt);
        ring_take(&out->belt);
        free(out->scan);
        free(out);
        h->moved++;
    }
}

static void divert(struct hall *h, struct bag *b)
{
    x_ray(h, b); /* guilty */
    ring_add(&h->desk, &b->belt);
}

static void step(struct hall *h)
{
    struct bag *b = ENTRY(h->belt.next, struct bag, belt);
    ring_take(&b->belt);
    if (b->tag[0])
        load(h, b);
    else
        divert(h, b);
}

static void code_some(struct hall *h)
{
    for (int n = 0; n < 2 && !ring_empty(&h->desk); n++) {
        struct bag *b = ENTRY(h->desk.prev, struct bag, belt);
        ring_take(&b->belt);
        snprintf(b->tag, sizeof(b->tag), "M%08ld", ++h->coded);
        load(h, b);
    }
}

int main(void)
{
    static struct hall h;
    ring_init(&h.belt);
    ring_init(&h.desk);
    h.filter = malloc(4096);
    for (int i = 0; i < 4096; i++)
        h.filter[i] = (unsigned char)(i * i >> 4);
    for (int i = 0; i < 24; i++)
        ring_init(&h.chutes[i].bags);
    for (int i = 0; i < 300000; i++) {
        ring_add(&h.belt, &check_in(i)->belt);
        if (roll(3))
            while (!ring_empty(&h.belt))
                step(&h);
        if (i % 64 == 0)
            code_some(&h);
    }
    for (const struct link *l = h.desk.next; l != &h.desk; l = l->next)
        h.lost++;
    printf("%ld bags flew, %ld coded by hand, %ld still at the desk\n", h.moved, h.coded, h.lost);
    return 0;
}
