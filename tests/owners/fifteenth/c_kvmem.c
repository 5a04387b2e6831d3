/* kvmem - in-memory key/value engine with versioned rows, plus a load driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define BUCKETS 4096
#define KEYS 3000
#define PAGE 8192
#define PAGES 384

struct version {
    uint64_t txid;
    struct version *prev;
    uint32_t len;
    char *data;
};

struct row {
    struct row *next;
    char *key;
    struct version *head;
};

struct request {
    char op;
    char key[32];
    char *value;
    uint32_t len;
};

static struct row *table[BUCKETS];
static uint8_t *page_cache[PAGES];
static uint64_t txid;
static unsigned long gets, hits, sets;
static uint32_t s = 12345;

static uint32_t rnd(void)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}

static void *emalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) { fputs("out of memory\n", stderr); exit(1); }
    return p;
}

static unsigned bucket_of(const char *key)
{
    unsigned h = 0;
    while (*key) h = h * 131 + (unsigned char)*key++;
    return h % BUCKETS;
}

static struct row *find_row(const char *key, int create)
{
    struct row **b = &table[bucket_of(key)];
    for (struct row *r = *b; r; r = r->next)
        if (!strcmp(r->key, key)) return r;
    if (!create) return NULL;
    struct row *r = emalloc(sizeof *r);
    r->key = strdup(key);
    r->head = NULL;
    r->next = *b;
    *b = r;
    return r;
}

static void kv_put(const char *key, const char *data, uint32_t len)
{
    struct row *r = find_row(key, 1);
    struct version *v = emalloc(sizeof *v);
    v->txid = ++txid;
    v->len = len;
    v->data = emalloc(len); /* guilty */
    memcpy(v->data, data, len);
    v->prev = r->head;
    r->head = v;
}

static const struct version *kv_get(const char *key, uint64_t as_of)
{
    struct row *r = find_row(key, 0);
    if (!r) return NULL;
    const struct version *v = r->head;
    while (v && v->txid > as_of) v = v->prev;
    return v;
}

static const uint8_t *page_in(unsigned no)
{
    unsigned slot = no % PAGES;
    if (!page_cache[slot]) page_cache[slot] = emalloc(PAGE);
    memset(page_cache[slot], (int)(no & 0xff), PAGE);
    return page_cache[slot];
}

static struct request *read_request(void)
{
    struct request *q = emalloc(sizeof *q);
    unsigned d = rnd() % 10;
    q->op = d < 5 ? 'S' : d < 9 ? 'G' : 'P';
    snprintf(q->key, sizeof q->key, "acct:%05u", rnd() % KEYS);
    q->len = 0;
    q->value = NULL;
    if (q->op == 'S') {
        q->len = 300 + rnd() % 900;
        q->value = emalloc(q->len);
        memset(q->value, 'a' + (int)(q->len % 26), q->len);
    }
    return q;
}

static void exec_get(const struct request *q)
{
    const struct version *v = kv_get(q->key, txid);
    gets++;
    if (v) {
        char *reply = emalloc(v->len + 64);
        int n = snprintf(reply, 64, "VALUE %s %u\r\n", q->key, v->len);
        memcpy(reply + n, v->data, v->len);
        hits += reply[n] != 0;
        free(reply);
    }
}

static void exec_set(const struct request *q)
{
    kv_put(q->key, q->value, q->len);
    sets++;
}

static void exec_page(const struct request *q)
{
    const uint8_t *p = page_in(bucket_of(q->key));
    hits += p[100] & 1;
}

static void serve(int n)
{
    for (int i = 0; i < n; i++) {
        struct request *q = read_request();
        switch (q->op) {
        case 'S': exec_set(q); break;
        case 'G': exec_get(q); break;
        default: exec_page(q); break;
        }
        free(q->value);
        free(q);
    }
}

int main(void)
{
    for (int i = 0; i < 420; i++) {
        serve(350);
        usleep(8500);
    }
    printf("tx=%llu sets=%lu gets=%lu hits=%lu\n", (unsigned long long)txid, sets, gets, hits);
    return 0;
}
