/* A route server: peers announce and withdraw prefixes; those that come and go too often are suppressed for a while. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIXES = 12000, PEERS = 6, SUPPRESS = 3000, REUSE = 750 };

struct as_path {
    uint16_t length;
    uint32_t hops[];
};

struct flap {
    struct flap *next;
    struct as_path *path;
    uint32_t when;
    uint8_t withdrawn;
};

struct route {
    struct as_path *path; /* NULL: withdrawn */
    double penalty;
    uint32_t changed;
    struct flap *flaps;
    uint8_t suppressed;
};

struct update {
    uint32_t prefix;
    uint8_t peer, withdraw;
    uint16_t hops;
    uint32_t path[24];
};

struct rib {
    struct route *routes[PEERS];
    uint32_t now;
    unsigned long best_changed, suppressed;
    int8_t best[PREFIXES];
};

static uint64_t seed = 11;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % below;
}

static struct as_path *path_new(const uint32_t *hops, uint16_t length)
{
    struct as_path *p = malloc(sizeof(*p) + length * sizeof(*hops));
    if (p == NULL)
        exit(1);
    p->length = length;
    memcpy(p->hops, hops, length * sizeof(*hops));
    return p;
}

static void decay(struct route *r, uint32_t now)
{
    r->penalty *= exp(-0.693 * (now - r->changed) / 900.0);
    r->changed = now;
    if (r->suppressed && r->penalty < REUSE)
        r->suppressed = 0;
}

static void flapped(struct rib *rib, struct route *r, const struct update *u)
{
    decay(r, rib->now);
    r->penalty += u->withdraw ? 1000 : 500;
    if (r->penalty > SUPPRESS && !r->suppressed) {
        r->suppressed = 1;
        rib->suppressed++;
    }
    struct flap *f = malloc(sizeof(*f));
    f->path = path_new(u->path, u->hops); /* guilty */
    f->when = rib->now;
    f->withdrawn = u->withdraw;
    f->next = r->flaps;
    r->flaps = f;
}

static void decide(struct rib *rib, uint32_t prefix)
{
    int8_t best = -1;
    for (int8_t p = 0; p < PEERS; p++) {
        const struct route *r = &rib->routes[p][prefix];
        if (r->path && !r->suppressed && (best < 0 || r->path->length < rib->routes[best][prefix].path->length))
            best = p;
    }
    rib->best_changed += best != rib->best[prefix];
    rib->best[prefix] = best;
}

static void receive(struct rib *rib, const struct update *u)
{
    struct route *r = &rib->routes[u->peer][u->prefix];
    if (u->withdraw) {
        if (r->path == NULL)
            return;
        flapped(rib, r, u);
        free(r->path);
        r->path = NULL;
    } else {
        if (r->path || r->changed)
            flapped(rib, r, u);
        free(r->path);
        r->path = path_new(u->path, u->hops);
        r->changed = rib->now;
    }
    decide(rib, u->prefix);
}

static void next_update(struct update *u)
{
    u->peer = (uint8_t)rnd(PEERS);
    u->prefix = rnd(10) < 8 ? rnd(PREFIXES / 20) : rnd(PREFIXES);
    u->withdraw = rnd(3) == 0;
    u->hops = (uint16_t)(3 + rnd(9));
    for (int i = 0; i < u->hops; i++)
        u->path[i] = 64512 + rnd(1000);
}

static unsigned show_flapping(const struct rib *rib, int peer)
{
    unsigned shown = 0;
    for (uint32_t p = 0; p < PREFIXES; p++) {
        const struct flap *f = rib->routes[peer][p].flaps;
        for (int i = 0; f && i < 5; i++, f = f->next)
            shown += f->withdrawn || f->path->length > 8;
    }
    return shown;
}

int main(void)
{
    struct rib *rib = calloc(1, sizeof(*rib));
    struct update u;
    unsigned shown = 0;
    for (int p = 0; p < PEERS; p++)
        rib->routes[p] = calloc(PREFIXES, sizeof(struct route));
    memset(rib->best, -1, sizeof(rib->best));
    for (int i = 0; i < 750000; i++, rib->now += i % 20 == 0) {
        next_update(&u);
        receive(rib, &u);
        if (i % 10000 == 0)
            shown += show_flapping(rib, i / 10000 % PEERS);
    }
    printf("best routes changed %lu times, %lu suppressed, %u shown\n", rib->best_changed, rib->suppressed, shown);
    return 0;
}
