/* A time server: answers requests, signs them for those who have a key, and watches who asks too often. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 16, KEYS = 16, MIN_INTERVAL = 2 };

struct address {
    uint32_t words[4];
};

struct ntp_packet {
    uint8_t flags, stratum;
    int8_t poll, precision;
    uint32_t delay, dispersion, reference;
    uint64_t stamps[4];
    uint32_t key;
    uint64_t mac[2];
};

struct client {
    struct client *chain, *newer, *older;
    struct address address;
    uint64_t first, last;
    uint32_t count, dropped;
    uint16_t port;
    uint8_t version, mode;
};

struct server {
    struct client *table[TABLE], *newest, *oldest;
    uint64_t now, answers, limited, refused;
    uint8_t *keys[KEYS];
    struct client **report;
};

static uint64_t rnd(void)
{
    static uint64_t s = 0x2545f4914f6cdd1dull;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

static void *emalloc(size_t size)
{
    void *p = calloc(1, size);
    if (!p)
        abort();
    return p;
}

static unsigned address_hash(const struct address *a)
{
    uint32_t h = a->words[0] * 0x85ebca6bu ^ a->words[1] ^ a->words[2] * 0xc2b2ae35u ^ a->words[3];
    return (h ^ h >> 16) % TABLE;
}

static void sign(const struct server *s, struct ntp_packet *p, uint64_t mac[2])
{
    const uint8_t *key = s->keys[p->key % KEYS], *bytes = (const uint8_t *)p;
    uint64_t a = 0xcbf29ce484222325ull, b = 0x84222325cbf29ce4ull;
    for (int round = 0; round < 12; round++)
        for (size_t i = 0; i < 48; i++) {
            a = (a ^ bytes[i] ^ key[i % 20]) * 0x100000001b3ull;
            b = (b + a) * 0x9e3779b97f4a7c15ull;
        }
    mac[0] = a;
    mac[1] = b;
}

static void unlink_client(struct server *s, struct client *c)
{
    *(c->newer ? &c->newer->older : &s->newest) = c->older;
    *(c->older ? &c->older->newer : &s->oldest) = c->newer;
}

static struct client *mru_note(struct server *s, const struct address *from, uint16_t port)
{
    unsigned h = address_hash(from);
    struct client *c = s->table[h];
    while (c && memcmp(&c->address, from, sizeof(*from)) != 0)
        c = c->chain;
    if (c) {
        unlink_client(s, c);
    } else {
        c = emalloc(sizeof(*c)); /* guilty */
        c->address = *from;
        c->first = s->now;
        c->chain = s->table[h];
        s->table[h] = c;
    }
    c->port = port;
    c->count++;
    c->newer = NULL;
    c->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = c;
    s->newest = c;
    return c;
}

static void respond(struct server *s, const struct address *from, uint16_t port, struct ntp_packet *p)
{
    struct client *c = mru_note(s, from, port);
    uint64_t mac[2], since = s->now - c->last;
    c->last = s->now;
    if (c->count > 1 && since < MIN_INTERVAL) {
        c->dropped++;
        s->limited++;
        return;
    }
    if (p->key) {
        sign(s, p, mac);
        if (mac[0] != p->mac[0] || mac[1] != p->mac[1]) {
            s->refused++;
            return;
        }
    }
    p->stratum = 2;
    p->stamps[2] = p->stamps[3] = s->now << 32;
    if (p->key)
        sign(s, p, p->mac);
    s->answers++;
}

/* The last clients, for the monitoring command. */
static unsigned monitor(struct server *s, size_t most)
{
    unsigned busy = 0;
    s->report = emalloc(most * sizeof(*s->report));
    size_t n = 0;
    for (struct client *c = s->newest; c && n < most; c = c->older)
        s->report[n++] = c;
    for (size_t i = 0; i < n; i++)
        busy += s->report[i]->count > 2;
    free(s->report);
    return busy;
}

static void load_keys(struct server *s)
{
    for (int k = 0; k < KEYS; k++) {
        s->keys[k] = emalloc(20);
        for (int i = 0; i < 20; i++)
            s->keys[k][i] = (uint8_t)rnd();
    }
}

int main(void)
{
    struct server *s = emalloc(sizeof(*s));
    unsigned busy = 0;
    load_keys(s);
    for (int i = 0; i < 520000; i++, s->now += i % 50 == 0) {
        struct address from = {{0x20010db8, (uint32_t)(rnd() % 3 ? rnd() : rnd() % 500), 0, 1}};
        struct ntp_packet p = {.flags = 0x23, .poll = 6, .key = (uint32_t)(rnd() % 8 ? 0 : 1 + rnd() % 15)};
        if (p.key)
            sign(s, &p, p.mac);
        respond(s, &from, (uint16_t)rnd(), &p);
        if (i % 1000 == 0)
            busy = monitor(s, 600);
    }
    printf("%lu answers, %lu limited, %lu refused, %u busy\n", (unsigned long)s->answers, (unsigned long)s->limited,
           (unsigned long)s->refused, busy);
    return 0;
}
