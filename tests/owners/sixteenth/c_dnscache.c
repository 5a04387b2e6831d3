/* dnscache - caching resolver: answers from upstream are kept in a bounded LRU. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 8192
#define MAX_ANSWERS 4000

struct rr { uint16_t type; uint32_t ttl; uint8_t rdata[16]; };

struct answer {
    struct answer *hnext, *older, *newer;
    char *qname;
    uint32_t expires;
    int n;
    struct rr *rrs;
};

struct neg {
    struct neg *hnext;
    uint32_t expires;
    uint16_t rcode;
    char soa[180];
    char qname[];
};

static struct answer *answers[BUCKETS], *newest, *oldest;
static struct neg *negatives[BUCKETS];
static int n_answers;
static uint32_t clock_s;
static unsigned long hits, neg_hits, upstream;

static void *grab(size_t n)
{
    void *p = malloc(n);
    if (!p) exit(1);
    return p;
}

static unsigned hname(const char *s)
{
    unsigned h = 0;
    for (; *s; s++) h = h * 131u + (unsigned char)*s;
    return h % BUCKETS;
}

static void unlink_answer(struct answer *a)
{
    struct answer **pp = &answers[hname(a->qname)];
    while (*pp != a) pp = &(*pp)->hnext;
    *pp = a->hnext;
    if (a->newer) a->newer->older = a->older; else newest = a->older;
    if (a->older) a->older->newer = a->newer; else oldest = a->newer;
    n_answers--;
    free(a->rrs);
    free(a->qname);
    free(a);
}

static void put_answer(const char *qname, const struct rr *rrs, int n)
{
    struct answer *a = grab(sizeof *a);
    a->qname = strdup(qname);
    a->n = n;
    a->rrs = grab(sizeof *rrs * (size_t)n);
    memcpy(a->rrs, rrs, sizeof *rrs * (size_t)n);
    a->expires = clock_s + rrs[0].ttl;
    unsigned b = hname(qname);
    a->hnext = answers[b];
    answers[b] = a;
    a->newer = NULL;
    a->older = newest;
    if (newest) newest->newer = a; else oldest = a;
    newest = a;
    if (++n_answers > MAX_ANSWERS) unlink_answer(oldest);
}

static void put_negative(const char *qname, uint16_t rcode, const char *soa)
{
    size_t len = strlen(qname) + 1;
    struct neg *e = grab(sizeof *e + len); /* guilty */
    unsigned b = hname(qname);
    memcpy(e->qname, qname, len);
    snprintf(e->soa, sizeof e->soa, "%s", soa);
    e->rcode = rcode;
    e->expires = clock_s + 60;
    e->hnext = negatives[b];
    negatives[b] = e;
}

static struct answer *get_answer(const char *qname)
{
    for (struct answer *a = answers[hname(qname)]; a; a = a->hnext)
        if (!strcmp(a->qname, qname)) {
            if (a->expires > clock_s) return a;
            unlink_answer(a);
            return NULL;
        }
    return NULL;
}

static int known_missing(const char *qname)
{
    for (struct neg *e = negatives[hname(qname)]; e; e = e->hnext)
        if (e->expires > clock_s && !strcmp(e->qname, qname)) return 1;
    return 0;
}

static int ask_upstream(const char *qname, struct rr **out)
{
    upstream++;
    if (strstr(qname, ".dnsbl.")) return 0;
    int n = 1 + (int)(strlen(qname) % 5);
    *out = grab(sizeof **out * (size_t)n);
    for (int i = 0; i < n; i++) {
        (*out)[i].type = 1;
        (*out)[i].ttl = 120;
        memset((*out)[i].rdata, i, 16);
    }
    return n;
}

static void query(const char *qname)
{
    struct rr *rrs = NULL;
    if (get_answer(qname)) { hits++; return; }
    if (known_missing(qname)) { neg_hits++; return; }
    int n = ask_upstream(qname, &rrs);
    if (n) put_answer(qname, rrs, n);
    else put_negative(qname, 3, "dnsbl.example. hostmaster.example. 2024010101 7200 900 1209600 60");
    free(rrs);
}

int main(void)
{
    char name[128];
    uint32_t x = 99;
    for (unsigned i = 0; i < 180000; i++) {
        x = x * 1103515245u + 12345u;
        if ((x >> 16) % 10 < 7) snprintf(name, sizeof name, "%u.%u.%u.%u.dnsbl.example", x >> 24, (x >> 16) & 255, (x >> 8) & 255, i & 255);
        else snprintf(name, sizeof name, "www%u.site%u.example", (x >> 20) % 4, (x >> 10) % 3000);
        query(name);
        if (i % 1000 == 0) { clock_s++; usleep(10000); }
    }
    printf("hits %lu neg %lu upstream %lu cached %d\n", hits, neg_hits, upstream, n_answers);
    return 0;
}
