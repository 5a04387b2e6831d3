/* dhcpd - small address server for a lab network, driven by a packet generator. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL 4096
#define HBITS 12
#define LEASE_TICKS 3000

enum { DISCOVER = 1, REQUEST = 3, RELEASE = 7 };

struct packet {
    int type;
    uint32_t xid;
    uint8_t mac[6];
    size_t optlen;
    uint8_t opts[];
};

struct lease {
    uint8_t mac[6];
    char *hostname;
    unsigned until;
};

struct offer {
    struct offer *next;
    uint32_t xid;
    int slot;
    uint8_t mac[6];
    size_t optlen;
    uint8_t opts[];
};

static struct lease leases[POOL];
static struct offer *offers[1 << HBITS];
static unsigned now;
static unsigned long n_acks, n_naks, n_offers;

static void *must(void *p)
{
    if (!p) { perror("dhcpd"); exit(1); }
    return p;
}

static uint32_t rnd(void)
{
    static uint64_t s = 88172645463325252ull;
    s ^= s << 13; s ^= s >> 7; s ^= s << 17;
    return (uint32_t)(s >> 16);
}

static unsigned bucket(uint32_t xid) { return (xid * 2654435761u) >> (32 - HBITS); }

static int pick_slot(const uint8_t *mac)
{
    unsigned h = mac[3] * 65599u + mac[4] * 257u + mac[5];
    for (unsigned i = 0; i < 64; i++) {
        unsigned k = (h + i) % POOL;
        if (leases[k].until < now || !memcmp(leases[k].mac, mac, 6)) return (int)k;
    }
    return -1;
}

static char *hostname_option(const uint8_t *o, size_t n)
{
    size_t i = 0;
    while (i + 2 <= n && o[i] != 255) {
        if (o[i] == 12) {
            char *s = must(malloc(o[i + 1] + 1u));
            memcpy(s, o + i + 2, o[i + 1]);
            s[o[i + 1]] = 0;
            return s;
        }
        i += 2u + o[i + 1];
    }
    return NULL;
}

static void on_discover(const struct packet *p)
{
    int slot = pick_slot(p->mac);
    if (slot < 0) { n_naks++; return; }
    struct offer *of = must(malloc(sizeof *of + p->optlen)); /* guilty */
    of->xid = p->xid;
    of->slot = slot;
    memcpy(of->mac, p->mac, 6);
    of->optlen = p->optlen;
    memcpy(of->opts, p->opts, p->optlen);
    of->next = offers[bucket(p->xid)];
    offers[bucket(p->xid)] = of;
    n_offers++;
}

static void on_request(const struct packet *p)
{
    struct offer **pp = &offers[bucket(p->xid)];
    while (*pp && (*pp)->xid != p->xid) pp = &(*pp)->next;
    struct offer *of = *pp;
    if (!of) { n_naks++; return; }
    *pp = of->next;
    struct lease *l = &leases[of->slot];
    free(l->hostname);
    l->hostname = hostname_option(of->opts, of->optlen);
    memcpy(l->mac, of->mac, 6);
    l->until = now + LEASE_TICKS;
    free(of);
    n_acks++;
}

static void on_release(const struct packet *p)
{
    for (int i = 0; i < POOL; i++)
        if (!memcmp(leases[i].mac, p->mac, 6)) leases[i].until = 0;
}

static struct packet *next_packet(int type, uint32_t xid, uint32_t client)
{
    size_t n = 300 + rnd() % 500;
    struct packet *p = must(malloc(sizeof *p + n));
    p->type = type;
    p->xid = xid;
    p->mac[0] = 2; p->mac[1] = 0; p->mac[2] = 0;
    p->mac[3] = client >> 16; p->mac[4] = client >> 8; p->mac[5] = client;
    p->optlen = n;
    memset(p->opts, 0, n);
    p->opts[0] = 12;
    p->opts[1] = (uint8_t)snprintf((char *)p->opts + 2, 40, "host-%06x.lab", client);
    p->opts[2 + p->opts[1]] = 255;
    return p;
}

static void dispatch(struct packet *p)
{
    switch (p->type) {
    case DISCOVER: on_discover(p); break;
    case REQUEST: on_request(p); break;
    case RELEASE: on_release(p); break;
    }
    free(p);
}

int main(void)
{
    for (now = 1; now <= 120000; now++) {
        uint32_t client = rnd() % 200000, xid = rnd();
        dispatch(next_packet(DISCOVER, xid, client));
        if (rnd() % 10 < 2) dispatch(next_packet(REQUEST, xid, client));
        if (rnd() % 400 == 0) dispatch(next_packet(RELEASE, 0, client));
        if (now % 400 == 0) usleep(9000);
    }
    printf("offers %lu acks %lu naks %lu\n", n_offers, n_acks, n_naks);
    return 0;
}
