/* Answers questions about tides: harmonic constants of ports, curves of a day, high and low water, and a table of what was computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORTS 60
#define PARTS 5
#define POINTS 48
#define BUCKETS 8192

struct constituent {
    double speed, amplitude, phase;
};

struct port {
    char name[20];
    double mean;
    struct constituent parts[PARTS];
};

struct curve {
    struct curve *chain;
    int port;
    long from;
    float level[POINTS];
};

struct extreme {
    float level;
    int point;
};

static struct port *ports;
static struct curve *computed[BUCKETS];
static long asked, found;

static unsigned random_state = 5;

static double uniform(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) / 16777216.0;
}

static void load_ports(void)
{
    static const double speeds[PARTS] = {28.984, 30.0, 28.44, 15.041, 13.943};
    ports = calloc(PORTS, sizeof(*ports));
    if (!ports)
        exit(1);
    for (int i = 0; i < PORTS; i++) {
        snprintf(ports[i].name, sizeof(ports[i].name), "port %d", i);
        ports[i].mean = 2 + 3 * uniform();
        for (int k = 0; k < PARTS; k++)
            ports[i].parts[k] = (struct constituent){speeds[k], 1.8 * uniform() / (k + 1), 360 * uniform()};
    }
}

static float level_at(const struct port *p, long second)
{
    double level = p->mean;
    for (int k = 0; k < PARTS; k++)
        level += p->parts[k].amplitude * cos((p->parts[k].speed * (double)second / 3600 - p->parts[k].phase) * 3.14159265 / 180);
    return (float)level;
}

static unsigned bucket_of(int port, long from)
{
    return (unsigned)((unsigned long)from * 2654435761u + (unsigned)port * 40503u) % BUCKETS;
}

/* The water in the day after a moment, every half an hour. */
static const struct curve *curve_from(int port, long from)
{
    unsigned bucket = bucket_of(port, from);
    asked++;
    for (struct curve *c = computed[bucket]; c; c = c->chain)
        if (c->port == port && c->from == from) {
            found++;
            return c;
        }
    struct curve *c = malloc(sizeof(*c)); /* guilty */
    if (!c)
        exit(1);
    c->port = port;
    c->from = from;
    for (int i = 0; i < POINTS; i++)
        c->level[i] = level_at(&ports[port], from + i * 1800L);
    c->chain = computed[bucket];
    computed[bucket] = c;
    return c;
}

static int extremes(const struct curve *c, struct extreme *out)
{
    int n = 0;
    for (int i = 1; i < POINTS - 1; i++)
        if ((c->level[i] - c->level[i - 1]) * (c->level[i + 1] - c->level[i]) <= 0)
            out[n++] = (struct extreme){c->level[i], i};
    return n;
}

static size_t answer(char *out, size_t room, int port, long second)
{
    struct extreme *e = malloc(POINTS * sizeof(*e));
    int n = extremes(curve_from(port, second), e);
    size_t at = (size_t)snprintf(out, room, "%s:", ports[port].name);
    for (int i = 0; i < n && at < room; i++)
        at += (size_t)snprintf(out + at, room - at, " %.2f m in %d min", (double)e[i].level, e[i].point * 30);
    free(e);
    return at;
}

/* May a ship with this draught pass the bar within the next hours? */
static int may_pass(int port, long second, float draught, int hours)
{
    const struct curve *c = curve_from(port, second);
    for (int i = 0; i < hours * 2 && i < POINTS; i++)
        if (c->level[i] > draught)
            return 1;
    return 0;
}

int main(void)
{
    char text[512];
    size_t bytes = 0;
    long passed = 0;
    load_ports();
    for (long i = 0; i < 150000; i++) {
        long now = 1764000000 + i * 3 + (long)(uniform() * 3);
        int port = (int)(uniform() * PORTS);
        bytes += answer(text, sizeof(text), port, now);
        if (i % 3 == 0)
            passed += may_pass(port, now, 4.5f, 3);
    }
    printf("%ld questions, %ld known before, %zu bytes, %ld ships passed\n", asked, found, bytes, passed);
    printf("%s\n", text);
    free(ports);
    return 0;
}
