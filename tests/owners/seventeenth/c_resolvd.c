/* Stub resolver with an answer cache. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 16384

struct rrset {
    int count;
    uint32_t ttl;
    struct { uint8_t addr[16]; uint16_t type; } rr[12];
};

struct entry {
    struct entry *chain;
    uint64_t expires;
    struct rrset *answer;
    char name[];
};

static struct entry *table[BUCKETS];
static uint64_t clock_s;
static unsigned long hits, misses, stale;
static uint64_t seed = 88172645463325252ull;

static uint32_t next_rand(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static uint32_t hash_name(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 16777619u;
    return h % BUCKETS;
}

static uint8_t *wire_query(const char *name, size_t *len)
{
    size_t n = strlen(name);
    uint8_t *pkt = malloc(n + 32);
    memset(pkt, 0, 12);
    memcpy(pkt + 12, name, n);
    *len = n + 16;
    return pkt;
}

static struct rrset *upstream_ask(const char *name)
{
    size_t len;
    uint8_t *pkt = wire_query(name, &len);
    struct rrset *rs = malloc(sizeof *rs);
    rs->count = 1 + next_rand() % 12;
    rs->ttl = 5 + next_rand() % 60;
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 16; k++)
            rs->rr[i].addr[k] = pkt[(12 + i + k) % len];
        rs->rr[i].type = i < rs->count ? 1 : 0;
    }
    free(pkt);
    return rs;
}

static struct rrset *cache_lookup(const char *name)
{
    for (struct entry *e = table[hash_name(name)]; e; e = e->chain) {
        if (strcmp(e->name, name) == 0) {
            if (e->expires >= clock_s)
                return e->answer;
            stale++;
        }
    }
    return NULL;
}

static void cache_store(const char *name, struct rrset *answer)
{
    uint32_t h = hash_name(name);
    size_t n = strlen(name) + 1;
    struct entry *e = malloc(sizeof *e + n); /* guilty */
    memcpy(e->name, name, n);
    e->answer = answer;
    e->expires = clock_s + answer->ttl;
    e->chain = table[h];
    table[h] = e;
}

static const struct rrset *resolve(const char *name)
{
    struct rrset *rs = cache_lookup(name);
    if (rs) {
        hits++;
        return rs;
    }
    misses++;
    rs = upstream_ask(name);
    cache_store(name, rs);
    return rs;
}

static void make_qname(char *out, size_t cap)
{
    if (next_rand() % 4 == 0)
        snprintf(out, cap, "www.site%u.example.net", next_rand() % 300);
    else
        snprintf(out, cap, "%08x%04x.lists.blk%u.example.org", next_rand(),
                 next_rand() & 0xffff, next_rand() % 5);
}

int main(void)
{
    char qname[128];
    unsigned long answers = 0;
    for (int step = 0; step < 250; step++) {
        clock_s++;
        for (int q = 0; q < 900; q++) {
            make_qname(qname, sizeof qname);
            answers += resolve(qname)->count;
        }
        usleep(7000);
    }
    printf("hits %lu misses %lu stale %lu answers %lu\n", hits, misses, stale, answers);
    usleep(150000);
    return 0;
}
