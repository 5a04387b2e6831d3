/* A caching resolver of names: asks a server, keeps answers for as long as they live, and those that say "no such name" too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384

enum { NOERROR = 0, SERVFAIL = 2, NXDOMAIN = 3 };

struct rrset {
    uint16_t type, count;
    uint32_t ttl;
    uint8_t data[];
};

struct entry {
    struct entry *next;
    char *name;
    struct rrset *rrset;
    long expires;
};

struct negative {
    struct negative *next;
    long expires;
    uint16_t type;
    char soa[80];
    char name[];
};

struct cache {
    struct entry *positive[BUCKETS];
    struct negative *negative[BUCKETS];
    unsigned long hits, misses, entries;
};

static unsigned name_hash(const char *name)
{
    unsigned h = 0;
    while (*name)
        h = h * 131 + (unsigned char)*name++;
    return h % BUCKETS;
}

static struct rrset *rrset_new(uint16_t type, uint16_t count, uint32_t ttl)
{
    struct rrset *set = malloc(sizeof(*set) + (size_t)count * 4);
    if (!set)
        abort();
    set->type = type;
    set->count = count;
    set->ttl = ttl;
    for (int i = 0; i < count * 4; i++)
        set->data[i] = (uint8_t)(i * 7 + type);
    return set;
}

static void cache_expire(struct cache *cache, unsigned bucket, long now)
{
    for (struct entry **at = &cache->positive[bucket]; *at;) {
        struct entry *e = *at;
        if (e->expires > now) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        free(e->rrset);
        free(e->name);
        free(e);
        cache->entries--;
    }
}

static void cache_put(struct cache *cache, const char *name, struct rrset *rrset, long now)
{
    unsigned bucket = name_hash(name);
    cache_expire(cache, bucket, now);
    struct entry *e = malloc(sizeof(*e));
    e->name = strdup(name);
    e->rrset = rrset;
    e->expires = now + rrset->ttl;
    e->next = cache->positive[bucket];
    cache->positive[bucket] = e;
    cache->entries++;
}

static void cache_put_negative(struct cache *cache, const char *name, uint16_t type, const char *soa, long now)
{
    size_t len = strlen(name) + 1;
    struct negative *n = malloc(sizeof(*n) + len); /* guilty */
    if (!n)
        abort();
    memcpy(n->name, name, len);
    snprintf(n->soa, sizeof(n->soa), "%s hostmaster.%s 2024010100 7200", soa, soa);
    n->type = type;
    n->expires = now + 900;
    unsigned bucket = name_hash(name);
    n->next = cache->negative[bucket];
    cache->negative[bucket] = n;
}

static int cache_get(struct cache *cache, const char *name, long now, int *code)
{
    unsigned bucket = name_hash(name);
    for (struct entry *e = cache->positive[bucket]; e; e = e->next)
        if (e->expires > now && strcmp(e->name, name) == 0) {
            *code = NOERROR;
            return 1;
        }
    for (struct negative *n = cache->negative[bucket]; n && n->expires > now; n = n->next)
        if (strcmp(n->name, name) == 0) {
            *code = NXDOMAIN;
            return 1;
        }
    return 0;
}

static struct rrset *ask_upstream(const char *name, uint16_t type)
{
    if (strstr(name, ".rbl."))
        return NULL;
    return rrset_new(type, (uint16_t)(1 + strlen(name) % 4), 60 + strlen(name) * 3);
}

static int resolve(struct cache *cache, const char *name, uint16_t type, long now)
{
    int code;
    if (cache_get(cache, name, now, &code)) {
        cache->hits++;
        return code;
    }
    cache->misses++;
    struct rrset *answer = ask_upstream(name, type);
    if (!answer) {
        cache_put_negative(cache, name, type, "rbl.example.org", now);
        return NXDOMAIN;
    }
    cache_put(cache, name, answer, now);
    return NOERROR;
}

int main(void)
{
    static struct cache cache;
    unsigned long codes[4] = {0};
    uint32_t state = 3;
    for (long i = 0; i < 420000; i++) {
        char name[80];
        state = state * 1664525u + 1013904223u;
        uint32_t r = state >> 4;
        if (i % 2)
            snprintf(name, sizeof(name), "%u.%u.%u.%u.rbl.example.org", r & 255, r >> 8 & 255, r >> 16 & 255, r >> 20 & 255);
        else
            snprintf(name, sizeof(name), "www%u.shop.example.com", r % 30000);
        codes[resolve(&cache, name, 1, i / 40)]++;
    }
    printf("%lu hits, %lu misses, %lu entries, %lu without\n", cache.hits, cache.misses, cache.entries, codes[NXDOMAIN]);
    return 0;
}
