/* lbconf - load balancer whose pools are reloaded whenever service discovery reports a change. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct server { struct server *next; char addr[32]; int weight; unsigned long hits; };
struct pool { struct pool *next; char *name; struct server *servers; int total_weight; };
struct config {
    unsigned version;
    struct pool *pools;
    struct config *previous;
};

static struct config *active;
static char *last_error;
static unsigned long picked, missed;

static void *need(size_t n)
{
    void *p = calloc(1, n);
    if (!p) { perror("lbconf"); exit(1); }
    return p;
}

static char *substr(const char *b, size_t n)
{
    char *s = need(n + 1);
    memcpy(s, b, n);
    return s;
}

static void fail(const char *what, const char *at)
{
    free(last_error);
    last_error = need(120);
    snprintf(last_error, 120, "%s near \"%.40s\"", what, at);
}

static struct server *parse_server(const char *line, size_t n)
{
    struct server *s = need(sizeof *s);
    char *t = substr(line, n);
    if (sscanf(t, " %31s weight=%d", s->addr, &s->weight) != 2) {
        fail("bad server", t);
        free(s);
        s = NULL;
    }
    free(t);
    return s;
}

static struct pool *parse_pool(const char **cur)
{
    const char *p = *cur + 5;
    size_t n = strcspn(p, "\n");
    struct pool *po = need(sizeof *po);
    po->name = substr(p, n);
    p += n + 1;
    while (*p == ' ') {
        n = strcspn(p, "\n");
        struct server *s = parse_server(p, n);
        if (s) {
            s->next = po->servers;
            po->servers = s;
            po->total_weight += s->weight;
        }
        p += n + 1;
    }
    *cur = p;
    return po;
}

static struct config *parse_config(const char *text)
{
    struct config *c = need(sizeof *c);
    while (!strncmp(text, "pool ", 5)) {
        struct pool *po = parse_pool(&text);
        po->next = c->pools;
        c->pools = po;
    }
    if (*text) fail("unknown directive", text);
    return c;
}

static void free_config(struct config *c)
{
    for (struct pool *p = c->pools, *np; p; p = np) {
        np = p->next;
        for (struct server *s = p->servers, *ns; s; s = ns) { ns = s->next; free(s); }
        free(p->name);
        free(p);
    }
    free(c);
}

static void reload(const char *text)
{
    struct config *next = parse_config(text);
    if (!next->pools) {
        free_config(next);
        return;
    }
    next->version = active ? active->version + 1 : 1;
    next->previous = active; /* guilty */
    active = next;
}

static struct server *pick(const char *pool, unsigned key)
{
    for (struct pool *p = active->pools; p; p = p->next) {
        if (strcmp(p->name, pool)) continue;
        int w = (int)(key % (unsigned)p->total_weight);
        for (struct server *s = p->servers; s; s = s->next)
            if ((w -= s->weight) < 0) return s;
    }
    return NULL;
}

static char *discover(unsigned round)
{
    size_t cap = 1 << 16, n = 0;
    char *t = need(cap);
    if (round % 37 == 5) { strcpy(t, "# empty\n"); return t; }
    for (unsigned p = 0; p < 24; p++) {
        n += (size_t)snprintf(t + n, cap - n, "pool svc%u\n", p);
        for (unsigned s = 0; s < 12 + (round + p) % 20; s++)
            n += (size_t)snprintf(t + n, cap - n, "  10.%u.%u.%u:8080 weight=%u\n", p, s, round % 250, 1 + s % 5);
    }
    return t;
}

int main(void)
{
    char name[16];
    for (unsigned round = 0; round < 1300; round++) {
        char *text = discover(round);
        reload(text);
        free(text);
        for (unsigned k = 0; k < 200; k++) {
            snprintf(name, sizeof name, "svc%u", k % 26);
            struct server *s = pick(name, k * 7919u + round);
            if (s) { s->hits++; picked++; } else missed++;
        }
        usleep(600);
    }
    printf("version %u picked %lu missed %lu (%s)\n", active->version, picked, missed, last_error);
    return 0;
}
