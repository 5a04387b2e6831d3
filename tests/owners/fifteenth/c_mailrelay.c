/* mailrelay - small store-and-forward relay used in the staging network. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define MX_SLOTS   256
#define BATCH      50
#define ROUNDS     400

struct message {
    unsigned long id;
    char *from;
    char *rcpt;
    char *body;
    size_t body_len;
};

struct bounce {
    struct bounce *next;
    unsigned long msg_id;
    int code;
    char *rcpt;
    char *reason;
    char *original;
};

struct mx_entry {
    char domain[64];
    unsigned char *record;
    size_t len;
    unsigned hits;
};

static struct mx_entry *mx_cache[MX_SLOTS];
static struct {
    struct bounce *head;
    unsigned long total;
} postmaster;
static unsigned long delivered, rejected;
static uint32_t seed = 20231;

static uint32_t rnd(void)
{
    seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
    return seed;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) die("malloc");
    return p;
}

static char *xstrndup(const char *s, size_t n)
{
    char *d = xmalloc(n + 1);
    memcpy(d, s, n);
    d[n] = 0;
    return d;
}

static const struct mx_entry *resolve_mx(const char *rcpt)
{
    const char *domain = strchr(rcpt, '@') + 1;
    unsigned h = 5381;
    for (const char *p = domain; *p; p++) h = h * 33 + (unsigned char)*p;
    struct mx_entry **slot = &mx_cache[h % MX_SLOTS];
    if (*slot && strcmp((*slot)->domain, domain) == 0) {
        (*slot)->hits++;
        return *slot;
    }
    if (*slot) {
        free((*slot)->record);
        free(*slot);
    }
    struct mx_entry *e = xmalloc(sizeof *e);
    snprintf(e->domain, sizeof e->domain, "%s", domain);
    e->len = 8192;
    e->record = xmalloc(e->len);
    memset(e->record, (int)(h & 0xff), e->len);
    e->hits = 1;
    *slot = e;
    return e;
}

static struct message *receive_message(unsigned long id)
{
    char addr[96];
    struct message *m = xmalloc(sizeof *m);
    m->id = id;
    int n = snprintf(addr, sizeof addr, "user%u@corp.example", rnd() % 900);
    m->from = xstrndup(addr, n);
    n = snprintf(addr, sizeof addr, "client%u@dom%u.example", rnd() % 5000, rnd() % 700);
    m->rcpt = xstrndup(addr, n);
    m->body_len = 4000 + rnd() % 12000;
    m->body = xmalloc(m->body_len + 1);
    for (size_t i = 0; i < m->body_len; i++)
        m->body[i] = "abcdefghij klmno\n"[(i + id) % 17];
    m->body[m->body_len] = 0;
    return m;
}

static void free_message(struct message *m)
{
    free(m->from);
    free(m->rcpt);
    free(m->body);
    free(m);
}

/* Keep enough of a failed message for the postmaster's digest. */
static void record_bounce(const struct message *m, int code)
{
    char reason[128];
    int n = snprintf(reason, sizeof reason, "%d remote refused <%s> for message %lu",
                     code, m->rcpt, m->id);
    struct bounce *b = xmalloc(sizeof *b);
    b->msg_id = m->id;
    b->code = code;
    b->rcpt = xstrndup(m->rcpt, strlen(m->rcpt));
    b->reason = xstrndup(reason, n);
    b->original = xstrndup(m->body, m->body_len); /* guilty */
    b->next = postmaster.head;
    postmaster.head = b;
    postmaster.total++;
}

static int smtp_transfer(const struct message *m, const struct mx_entry *mx)
{
    char *wire = xmalloc(m->body_len * 2 + 64);
    size_t o = 0;
    for (size_t i = 0; i < m->body_len; i++) {
        if (m->body[i] == '\n') wire[o++] = '\r';
        wire[o++] = m->body[i];
    }
    int sum = mx->record[o % mx->len];
    free(wire);
    return (rnd() % 10) < 3 ? 550 : 250 + (sum & 0);
}

static void deliver_batch(struct message **q, int n)
{
    for (int i = 0; i < n; i++) {
        const struct mx_entry *mx = resolve_mx(q[i]->rcpt);
        int code = smtp_transfer(q[i], mx);
        if (code >= 500) {
            record_bounce(q[i], code);
            rejected++;
        } else {
            delivered++;
        }
        free_message(q[i]);
    }
}

int main(void)
{
    struct message *q[BATCH];
    unsigned long id = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BATCH; i++)
            q[i] = receive_message(++id);
        deliver_batch(q, BATCH);
        if (round % 100 == 99)
            printf("delivered=%lu rejected=%lu last bounce=%lu\n", delivered, rejected,
                   postmaster.head ? postmaster.head->msg_id : 0);
        usleep(9000);
    }
    return 0;
}
