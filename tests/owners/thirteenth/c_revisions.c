/* A store of configuration for a cluster: keys with revisions, leases, and clients that watch prefixes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

typedef struct revision {
    struct revision *older;
    long number;
    size_t length;
    char *value;
} Revision;

typedef struct key {
    struct key *next;
    char *name;
    Revision *newest;
    int lease;
} Key;

typedef struct watch {
    struct watch *next;
    char prefix[32];
    long events, bytes;
} Watch;

typedef struct lease {
    int id;
    long until;
} Lease;

typedef struct store {
    Key *keys[BUCKETS];
    Watch *watches;
    Lease *leases;
    int lease_count;
    long revision, clock, expired;
} Store;

static unsigned seed = 3;

static unsigned rnd(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

static unsigned hash(const char *name)
{
    unsigned h = 2166136261u;
    while (*name)
        h = (h ^ (unsigned char)*name++) * 16777619u;
    return h % BUCKETS;
}

static char *copy_bytes(const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        exit(1);
    memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}

static Revision *revision_new(long number, const char *value, size_t length)
{
    Revision *r = malloc(sizeof(*r));
    if (!r)
        exit(1);
    r->number = number;
    r->older = NULL;
    r->length = length;
    r->value = copy_bytes(value, length);
    return r;
}

static Key *find(Store *s, const char *name)
{
    for (Key *k = s->keys[hash(name)]; k; k = k->next)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

static Key *find_or_add(Store *s, const char *name)
{
    Key *k = find(s, name);
    if (k)
        return k;
    k = calloc(1, sizeof(*k));
    if (!k)
        exit(1);
    k->name = copy_bytes(name, strlen(name));
    Key **slot = &s->keys[hash(name)];
    k->next = *slot;
    *slot = k;
    return k;
}

static void notify(Store *s, const char *name, size_t length)
{
    for (Watch *w = s->watches; w; w = w->next)
        if (!strncmp(name, w->prefix, strlen(w->prefix))) {
            w->events++;
            w->bytes += (long)length;
        }
}

static long put(Store *s, const char *name, const char *value, size_t length, int lease)
{
    Key *k = find_or_add(s, name);
    Revision *r = revision_new(++s->revision, value, length); /* guilty */
    r->older = k->newest;
    k->newest = r;
    k->lease = lease;
    notify(s, name, length);
    return r->number;
}

static const Revision *get(Store *s, const char *name, long at)
{
    const Key *k = find(s, name);
    const Revision *r = k ? k->newest : NULL;
    while (r && at && r->number > at)
        r = r->older;
    return r;
}

static void watch(Store *s, const char *prefix)
{
    Watch *w = calloc(1, sizeof(*w));
    if (!w)
        exit(1);
    snprintf(w->prefix, sizeof(w->prefix), "%s", prefix);
    w->next = s->watches;
    s->watches = w;
}

static int grant_lease(Store *s, long seconds)
{
    Lease *more = realloc(s->leases, (size_t)(s->lease_count + 1) * sizeof(Lease));
    if (!more)
        exit(1);
    s->leases = more;
    s->leases[s->lease_count] = (Lease){s->lease_count + 1, s->clock + seconds};
    return ++s->lease_count;
}

static void tick(Store *s)
{
    s->clock++;
    for (int i = 0; i < s->lease_count; i++)
        if (s->leases[i].until == s->clock) {
            s->expired++;
            s->leases[i].until = s->clock + 400;
        }
}

static size_t describe(char *out, size_t room, const char *node, int load)
{
    int n = snprintf(out, room, "{\"node\":\"%s\",\"load\":%d,\"zones\":[", node, load);
    for (int i = 0; i < 6 + load % 9; i++)
        n += snprintf(out + n, room - (size_t)n, "%s\"zone-%d-%u\"", i ? "," : "", i, rnd(1000));
    n += snprintf(out + n, room - (size_t)n, "],\"healthy\":%s}", load < 90 ? "true" : "false");
    return (size_t)n;
}

int main(void)
{
    Store s = {0};
    watch(&s, "/nodes/");
    watch(&s, "/jobs/1");
    for (int i = 0; i < 20; i++)
        grant_lease(&s, 100 + (long)rnd(300));
    long seen = 0, compared = 0;
    for (int i = 0; i < 110000; i++) {
        char name[48], node[16], value[512];
        snprintf(node, sizeof(node), "n%u", rnd(240));
        snprintf(name, sizeof(name), "%s%s", rnd(4) ? "/nodes/" : "/jobs/", node);
        size_t length = describe(value, sizeof(value), node, (int)rnd(100));
        long number = put(&s, name, value, length, 1 + (int)rnd(20));
        const Revision *now = get(&s, name, 0), *before = get(&s, name, number - 1);
        compared += before && before->length == now->length;
        seen += number % 1000 == 0;
        if (i % 50 == 0)
            tick(&s);
    }
    for (const Watch *w = s.watches; w; w = w->next)
        printf("%s: %ld events, %ld bytes\n", w->prefix, w->events, w->bytes);
    printf("revision %ld, %ld of equal length, %ld leases expired, %ld marks\n", s.revision, compared, s.expired, seen);
    return 0;
}
