/* A DHCP server: answers DISCOVER with an offer and REQUEST with a lease. Telephones that roam send a DISCOVER with a new,
 * random hardware address each time, and most take the offer of another server. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISCOVER = 1, OFFER, REQUEST, ACK = 5, RELEASE = 7 };
enum { OPT_HOSTNAME = 12, OPT_VENDOR = 60, OPT_PARAMS = 55, HASH_SIZE = 65536 };

struct option {
    struct option *next;
    uint8_t code, len;
    uint8_t data[];
};

struct packet {
    uint8_t type, mac[6];
    uint32_t xid, address;
    struct option *options;
};

struct offer {
    struct offer *next;
    uint8_t mac[6];
    uint32_t xid, address;
    long expires;
    struct option *options;
};

struct lease {
    struct lease *next;
    uint8_t mac[6];
    uint32_t address;
    long until;
    char hostname[64];
};

struct subnet {
    uint32_t first, size, next_free;
    struct offer *offers[HASH_SIZE];
    struct lease *leases[HASH_SIZE];
    unsigned long sent[8];
};

static long now;

static void *safe_malloc(size_t size)
{
    void *p = calloc(1, size);
    if (p == NULL) {
        perror("dhcpd");
        exit(1);
    }
    return p;
}

static unsigned mac_hash(const uint8_t *mac)
{
    unsigned h = 0;
    for (int i = 0; i < 6; i++)
        h = h * 33 + mac[i];
    return h % HASH_SIZE;
}

static struct option *option_add(struct option **list, uint8_t code, const void *data, size_t len)
{
    struct option *opt = safe_malloc(sizeof(*opt) + len);
    opt->code = code;
    opt->len = (uint8_t)len;
    memcpy(opt->data, data, len);
    opt->next = *list;
    *list = opt;
    return opt;
}

static struct option *options_copy(const struct option *from)
{
    struct option *list = NULL;
    for (; from; from = from->next)
        option_add(&list, from->code, from->data, from->len);
    return list;
}

static void options_free(struct option *list)
{
    while (list) {
        struct option *next = list->next;
        free(list);
        list = next;
    }
}

static const struct option *option_find(const struct option *list, uint8_t code)
{
    while (list && list->code != code)
        list = list->next;
    return list;
}

static struct offer *offer_find(struct subnet *net, const struct packet *p)
{
    struct offer *o = net->offers[mac_hash(p->mac)];
    while (o && (memcmp(o->mac, p->mac, 6) != 0 || o->xid != p->xid))
        o = o->next;
    return o;
}

static void offer_drop(struct subnet *net, struct offer *gone)
{
    struct offer **at = &net->offers[mac_hash(gone->mac)];
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    options_free(gone->options);
    free(gone);
}

static void handle_discover(struct subnet *net, const struct packet *p)
{
    struct offer *offer = safe_malloc(sizeof(*offer));
    memcpy(offer->mac, p->mac, 6);
    offer->xid = p->xid;
    offer->address = net->first + net->next_free++ % net->size;
    offer->expires = now + 120;
    offer->options = options_copy(p->options); /* guilty */
    unsigned h = mac_hash(p->mac);
    offer->next = net->offers[h];
    net->offers[h] = offer;
    net->sent[OFFER]++;
}

static void handle_request(struct subnet *net, const struct packet *p)
{
    struct offer *offer = offer_find(net, p);
    if (offer == NULL)
        return;
    struct lease **at = &net->leases[mac_hash(p->mac)];
    while (*at && memcmp((*at)->mac, p->mac, 6) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = safe_malloc(sizeof(**at));
        memcpy((*at)->mac, p->mac, 6);
    }
    const struct option *name = option_find(offer->options, OPT_HOSTNAME);
    if (name)
        snprintf((*at)->hostname, sizeof((*at)->hostname), "%.*s", name->len, (const char *)name->data);
    (*at)->address = offer->address;
    (*at)->until = now + 86400;
    offer_drop(net, offer);
    net->sent[ACK]++;
}

static void receive(struct subnet *net, const struct packet *p)
{
    if (p->type == DISCOVER)
        handle_discover(net, p);
    else if (p->type == REQUEST)
        handle_request(net, p);
}

static uint32_t rnd(void)
{
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

int main(void)
{
    static const uint8_t params[] = {1, 3, 6, 15, 26, 28, 51, 58, 59, 43};
    struct subnet *net = safe_malloc(sizeof(*net));
    net->first = 0x0a000002;
    net->size = 65000;
    for (int i = 0; i < 260000; i++, now += i % 3 == 0) {
        struct packet p = {.type = DISCOVER, .xid = rnd()};
        char name[40];
        uint32_t random[2] = {i % 4 == 0 ? (uint32_t)(i / 4 % 50000) * 2654435761u : rnd(), i % 4 == 0 ? 7 : rnd()};
        memcpy(p.mac, random, 6);
        option_add(&p.options, OPT_HOSTNAME, name, (size_t)snprintf(name, sizeof(name), "phone-%08x", random[0]));
        option_add(&p.options, OPT_VENDOR, "android-dhcp-13", 15);
        option_add(&p.options, OPT_PARAMS, params, sizeof(params));
        receive(net, &p);
        if (i % 4 == 0) {
            p.type = REQUEST;
            receive(net, &p);
        }
        options_free(p.options);
    }
    printf("%lu offers, %lu leases\n", net->sent[OFFER], net->sent[ACK]);
    return 0;
}
