/* Small outbound mail queue: accepts messages, tries delivery, keeps deferred mail for later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum verdict { DELIVERED, TEMP_FAIL, PERM_FAIL };

struct message {
    unsigned id;
    char from[64];
    char to[96];
    char *body;
    size_t body_len;
};

struct deferred {
    struct deferred *next;
    unsigned id;
    int attempts;
    long next_try;
    char to[96];
    char *body;
    size_t body_len;
};

static struct deferred *defer_head;
static long now_tick;
static unsigned long n_ok, n_temp, n_perm, n_retry;
static unsigned rng = 2463534242u;

static unsigned rnd(unsigned n)
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return rng % n;
}

static char *compose_body(size_t *len)
{
    size_t want = 600 + rnd(9000), pos = 0;
    char *b = malloc(want + 96);
    while (pos < want)
        pos += sprintf(b + pos, "Dear customer %u, your invoice %u is attached.\r\n",
                       rnd(100000), rnd(1000000));
    *len = pos;
    return b;
}

static struct message *message_new(unsigned id)
{
    struct message *m = calloc(1, sizeof *m);
    m->id = id;
    snprintf(m->from, sizeof m->from, "billing@shop%u.example", rnd(20));
    snprintf(m->to, sizeof m->to, "user%u@host%u.example", rnd(100000), rnd(400));
    m->body = compose_body(&m->body_len);
    return m;
}

static void message_free(struct message *m)
{
    free(m->body);
    free(m);
}

static enum verdict smtp_try(const char *to, const char *body, size_t len)
{
    unsigned sum = 0;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + (unsigned char)body[i];
    unsigned r = (sum ^ rnd(1u << 30)) % 100;
    if (strstr(to, "host7") != NULL)
        return PERM_FAIL;
    return r < 40 ? DELIVERED : r < 60 ? TEMP_FAIL : PERM_FAIL;
}

static void queue_defer(const struct message *m)
{
    struct deferred *d = malloc(sizeof *d);
    d->id = m->id;
    d->attempts = 1;
    d->next_try = now_tick + 50;
    memcpy(d->to, m->to, sizeof d->to);
    d->body_len = m->body_len;
    d->body = malloc(m->body_len + 1); /* guilty */
    memcpy(d->body, m->body, m->body_len);
    d->body[m->body_len] = 0;
    d->next = defer_head;
    defer_head = d;
}

static void queue_run(void)
{
    int budget = 8;
    for (struct deferred **pp = &defer_head; *pp && budget > 0;) {
        struct deferred *d = *pp;
        if (d->next_try > now_tick) {
            pp = &d->next;
            continue;
        }
        budget--;
        n_retry++;
        d->attempts++;
        d->next_try = now_tick + 50L * d->attempts * d->attempts;
        if (rnd(10) == 0 && smtp_try(d->to, d->body, d->body_len) == DELIVERED) {
            *pp = d->next;
            free(d->body);
            free(d);
            n_ok++;
        } else {
            pp = &d->next;
        }
    }
}

static void accept_message(unsigned id)
{
    struct message *m = message_new(id);
    switch (smtp_try(m->to, m->body, m->body_len)) {
    case DELIVERED:
        n_ok++;
        break;
    case TEMP_FAIL:
        n_temp++;
        queue_defer(m);
        break;
    case PERM_FAIL:
        n_perm++;
        queue_defer(m);
        break;
    }
    message_free(m);
}

int main(void)
{
    for (unsigned id = 1; id <= 19000; id++) {
        now_tick++;
        accept_message(id);
        if (id % 100 == 0) {
            queue_run();
            usleep(9000);
        }
    }
    printf("ok %lu temp %lu perm %lu retries %lu\n", n_ok, n_temp, n_perm, n_retry);
    usleep(200000);
    return 0;
}
