/* logscan - reads access records and keeps counters per route and host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define NBUCKET 65536
#define NSTAT 512
#define WINDOW 20000

struct sym {
    struct sym *next;
    uint32_t hash;
    uint32_t len;
    char text[];
};

struct record {
    const struct sym *method, *host, *route, *trace;
    int status;
    int micros;
};

struct stat_row {
    const struct sym *route;
    unsigned long hits;
    unsigned *samples;
};

static struct sym *symtab[NBUCKET];
static unsigned long nsyms;
static struct stat_row stats[NSTAT];
static unsigned long errors;
static uint64_t rs = 88172645463325252ull;

static uint64_t rnd64(void)
{
    rs ^= rs << 7; rs ^= rs >> 9;
    return rs;
}

static const struct sym *intern(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    struct sym **b = &symtab[h % NBUCKET];
    for (struct sym *p = *b; p; p = p->next)
        if (p->hash == h && p->len == len && memcmp(p->text, s, len) == 0)
            return p;
    struct sym *n = malloc(sizeof *n + len + 1);
    if (!n) abort();
    n->hash = h;
    n->len = (uint32_t)len;
    memcpy(n->text, s, len);
    n->text[len] = 0;
    n->next = *b;
    *b = n;
    nsyms++;
    return n;
}

static const char *skip_field(const char *p)
{
    while (*p && *p != '|') p++;
    return *p ? p + 1 : p;
}

static const char *parse_method(struct record *r, const char *p)
{
    const char *e = strchr(p, ' ');
    r->method = intern(p, (size_t)(e - p));
    return e + 1;
}

static const char *parse_host_route(struct record *r, const char *p)
{
    const char *slash = strchr(p, '/');
    const char *bar = strchr(slash, '|');
    r->host = intern(p, (size_t)(slash - p));
    r->route = intern(slash, (size_t)(bar - slash));
    return bar + 1;
}

static const char *parse_trace(struct record *r, const char *p)
{
    const char *e = strchr(p, '|');
    if (strncmp(p, "tp=", 3) != 0) {
        r->trace = NULL;
        return e + 1;
    }
    r->trace = intern(p + 3, (size_t)(e - p - 3)); /* guilty */
    return e + 1;
}

static struct record *parse_line(const char *line)
{
    struct record *r = calloc(1, sizeof *r);
    if (!r) abort();
    const char *p = parse_method(r, line);
    p = parse_host_route(r, p);
    p = parse_trace(r, p);
    r->status = atoi(p);
    p = skip_field(p);
    r->micros = atoi(p);
    return r;
}

static void add_sample(const struct record *r)
{
    struct stat_row *row = &stats[r->route->hash % NSTAT];
    if (!row->samples) {
        row->route = r->route;
        row->samples = calloc(WINDOW / 4, sizeof(unsigned));
    }
    row->samples[row->hits++ % (WINDOW / 4)] = (unsigned)r->micros;
    if (r->status >= 500) errors++;
}

static char *make_line(void)
{
    static const char *verbs[] = { "GET", "POST", "PUT", "DELETE" };
    char *line = malloc(512);
    if (!line) abort();
    snprintf(line, 512,
             "%s app%u.internal/v1/res%u|tp=00-%016llx%016llx-%016llx;tenant=%u;baggage=%016llx%016llx%016llx%016llx|%d|%u",
             verbs[rnd64() % 4], (unsigned)(rnd64() % 40), (unsigned)(rnd64() % 150),
             (unsigned long long)rnd64(), (unsigned long long)rnd64(), (unsigned long long)rnd64(),
             (unsigned)(rnd64() % 1000),
             (unsigned long long)rnd64(), (unsigned long long)rnd64(),
             (unsigned long long)rnd64(), (unsigned long long)rnd64(),
             rnd64() % 50 ? 200 : 503, (unsigned)(rnd64() % 90000));
    return line;
}

int main(void)
{
    unsigned long lines = 0;
    for (int chunk = 0; chunk < 360; chunk++) {
        for (int i = 0; i < 900; i++) {
            char *line = make_line();
            struct record *r = parse_line(line);
            add_sample(r);
            free(r);
            free(line);
            lines++;
        }
        usleep(6500);
    }
    printf("lines=%lu symbols=%lu errors=%lu\n", lines, nsyms, errors);
    return 0;
}
