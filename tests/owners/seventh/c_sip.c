/* The user agent server of a telephone exchange: transactions and dialogs, each with a pool of its own. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

typedef struct ua_str {
    char *ptr;
    size_t slen;
} ua_str;

typedef struct ua_block {
    struct ua_block *next;
    char *cur, *end;
} ua_block;

typedef struct ua_pool {
    ua_block *blocks;
    size_t increment;
} ua_pool;

typedef struct ua_hdr {
    TAILQ_ENTRY(ua_hdr) link;
    ua_str name, value;
} ua_hdr;
TAILQ_HEAD(ua_hdrs, ua_hdr);

typedef struct ua_dialog {
    LIST_ENTRY(ua_dialog) link;
    ua_pool *pool;
    ua_str call_id, from_tag, to_tag;
    struct ua_hdrs routes;
    unsigned cseq;
    bool confirmed;
} ua_dialog;
LIST_HEAD(ua_dialogs, ua_dialog);

typedef struct ua_tsx {
    ua_pool *pool;
    ua_str branch;
    struct ua_hdrs headers;
} ua_tsx;

#define BUCKETS 1024
static struct ua_dialogs dialogs[BUCKETS];
static unsigned count[3];

static ua_block *block_new(size_t size)
{
    ua_block *b = malloc(sizeof *b + size);
    if (b == NULL) exit(1);
    b->cur = (char *)(b + 1);
    b->end = b->cur + size;
    b->next = NULL;
    return b;
}

static ua_pool *pool_create(size_t initial, size_t increment)
{
    ua_block *b = block_new(initial);
    ua_pool *p = (ua_pool *)b->cur;
    b->cur += sizeof *p;
    p->blocks = b;
    p->increment = increment;
    return p;
}

static void *pool_alloc(ua_pool *p, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if ((size_t)(p->blocks->end - p->blocks->cur) < size) {
        ua_block *b = block_new(size > p->increment ? size : p->increment);
        b->next = p->blocks;
        p->blocks = b;
    }
    void *at = p->blocks->cur;
    p->blocks->cur += size;
    return at;
}

static void pool_release(ua_pool *p)
{
    for (ua_block *b = p->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

static ua_str strdup_in(ua_pool *p, const char *s)
{
    ua_str made = {.slen = strlen(s)};
    made.ptr = memcpy(pool_alloc(p, made.slen), s, made.slen);
    return made;
}

static void add_header(ua_pool *p, struct ua_hdrs *list, const char *name, const char *value)
{
    ua_hdr *h = pool_alloc(p, sizeof *h);
    h->name = strdup_in(p, name);
    h->value = strdup_in(p, value);
    TAILQ_INSERT_TAIL(list, h, link);
}

static bool str_eq(const ua_str *a, const char *b)
{
    return a->slen == strlen(b) && memcmp(a->ptr, b, a->slen) == 0;
}

static unsigned bucket(const char *call_id)
{
    unsigned h = 5381;
    while (*call_id) h = h * 33 + (unsigned char)*call_id++;
    return h % BUCKETS;
}

static ua_dialog *dlg_init(ua_dialog *d, const char *call_id, const char *tag)
{
    d->call_id = strdup_in(d->pool, call_id);
    d->to_tag = strdup_in(d->pool, tag);
    TAILQ_INIT(&d->routes);
    LIST_INSERT_HEAD(&dialogs[bucket(call_id)], d, link);
    return d;
}

static ua_dialog *dlg_find(const char *call_id, const char *tag)
{
    ua_dialog *d;
    LIST_FOREACH (d, &dialogs[bucket(call_id)], link)
        if (str_eq(&d->call_id, call_id) && (!tag || str_eq(&d->to_tag, tag))) return d;
    return NULL;
}

static void dlg_create_uas(const char *call_id, const char *tag)
{
    ua_pool *pool = pool_create(512, 512);
    ua_dialog *d = pool_alloc(pool, sizeof *d);
    memset(d, 0, sizeof *d);
    d->pool = pool;
    dlg_init(d, call_id, tag);
    d->confirmed = true;
}

/* A proxy asked several telephones, and one more is ringing. */
static void dlg_fork(const ua_dialog *first, const char *call_id, const char *tag)
{
    ua_pool *pool = pool_create(512, 512); /* guilty */
    ua_dialog *d = pool_alloc(pool, sizeof *d);
    memset(d, 0, sizeof *d);
    d->pool = pool;
    dlg_init(d, call_id, tag);
    for (unsigned i = 0; i < 3; i++) add_header(pool, &d->routes, "Record-Route", "<sip:proxy.example.net;lr;transport=tcp>");
    d->cseq = first->cseq;
    count[1]++;
}

static void dlg_end(const char *call_id, const char *tag)
{
    ua_dialog *d = dlg_find(call_id, tag);
    if (d == NULL) return;
    LIST_REMOVE(d, link);
    pool_release(d->pool);
    count[2]++;
}

static ua_tsx *tsx_create(const char *branch)
{
    ua_pool *pool = pool_create(1024, 512);
    ua_tsx *t = pool_alloc(pool, sizeof *t);
    t->pool = pool;
    t->branch = strdup_in(pool, branch);
    TAILQ_INIT(&t->headers);
    return t;
}

static void on_request(const char *method, const char *call_id, const char *tag)
{
    ua_tsx *t = tsx_create("z9hG4bK-4711");
    add_header(t->pool, &t->headers, "Call-ID", call_id);
    add_header(t->pool, &t->headers, "Via", "SIP/2.0/TCP pbx.example.net;branch=z9hG4bK-4711");
    if (strcmp(method, "INVITE") == 0) dlg_create_uas(call_id, tag), count[0]++;
    else if (strcmp(method, "BYE") == 0) dlg_end(call_id, tag);
    pool_release(t->pool);
}

static void on_provisional(const char *call_id, const char *tag)
{
    ua_dialog *first = dlg_find(call_id, NULL);
    if (first && !dlg_find(call_id, tag)) dlg_fork(first, call_id, tag);
}

int main(void)
{
    char call[64], tag[32];
    for (unsigned i = 0; i < 26000; i++) {
        snprintf(call, sizeof call, "%08x-%u@pbx.example.net", i * 2654435761u, i);
        on_request("INVITE", call, "t0");
        for (unsigned k = 1; k <= i % 4; k++) {
            snprintf(tag, sizeof tag, "t%u", k);
            on_provisional(call, tag);
        }
        on_request("BYE", call, "t0");
    }
    printf("%u calls, %u forked, %u ended\n", count[0], count[1], count[2]);
    return 0;
}
