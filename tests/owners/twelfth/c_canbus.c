/* A gateway of a lorry: decodes frames of the CAN bus, watches limits, and stores trouble codes with a freeze frame. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SIGNALS 48
#define N_CODES 40
#define FREEZE 3

struct frame {
    uint32_t id;
    uint8_t length, data[8];
    uint32_t ms;
};

struct signal {
    const char *name;
    uint32_t id;
    int start, bits;
    double scale, offset, low, high;
    double value;
    int code;
};

struct snapshot {
    struct snapshot *earlier;
    uint32_t ms;
    int n;
    double values[]; /* of all signals */
};

struct trouble {
    int code, count, healed;
    struct snapshot *latest;
};

struct gateway {
    struct signal signals[N_SIGNALS];
    struct trouble troubles[N_CODES];
    uint32_t frames, unknown, reports;
    struct frame *queue;
    int queue_length, queue_room;
};

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void define_signals(struct gateway *g)
{
    static const char *const names[] = {"rpm", "coolant", "oil", "boost", "speed", "brake", "fuel", "axle"};
    for (int i = 0; i < N_SIGNALS; i++) {
        struct signal *s = &g->signals[i];
        s->name = names[i % 8];
        s->id = 0x100 + (uint32_t)i / 4;
        s->start = (i % 4) * 16;
        s->bits = 16;
        s->scale = 0.125;
        s->offset = -400;
        s->low = -100 - i;
        s->high = 7350 + 3 * i;
        s->code = i % N_CODES;
    }
    for (int i = 0; i < N_CODES; i++)
        g->troubles[i].code = 0xC000 + i;
}

static double extract(const struct frame *f, const struct signal *s)
{
    uint64_t raw = 0;
    for (int i = 0; i < 8; i++)
        raw |= (uint64_t)f->data[i] << 8 * i;
    raw = raw >> s->start & ((1ull << s->bits) - 1);
    return (double)raw * s->scale + s->offset;
}

static void dtc_set(struct gateway *g, int code, uint32_t now)
{
    struct trouble *t = &g->troubles[code];
    struct snapshot *s = malloc(sizeof(*s) + N_SIGNALS * sizeof(double)); /* guilty */
    if (!s)
        return;
    s->ms = now;
    s->n = N_SIGNALS;
    for (int i = 0; i < N_SIGNALS; i++)
        s->values[i] = g->signals[i].value;
    s->earlier = t->latest;
    t->latest = s;
    t->count++;
    t->healed = 0;
}

static void enqueue(struct gateway *g, const struct frame *f)
{
    if (g->queue_length == g->queue_room) {
        g->queue_room = g->queue_room ? g->queue_room * 2 : 64;
        g->queue = realloc(g->queue, (size_t)g->queue_room * sizeof(*g->queue));
        if (!g->queue)
            exit(1);
    }
    g->queue[g->queue_length++] = *f;
}

static void decode(struct gateway *g, const struct frame *f)
{
    int known = 0;
    for (int i = 0; i < N_SIGNALS; i++) {
        struct signal *s = &g->signals[i];
        if (s->id != f->id)
            continue;
        known = 1;
        s->value = extract(f, s);
        if (s->value < s->low || s->value > s->high)
            dtc_set(g, s->code, f->ms);
        else if (g->troubles[s->code].healed < 40)
            g->troubles[s->code].healed++;
    }
    g->frames++;
    g->unknown += !known;
}

static void drain(struct gateway *g)
{
    for (int i = 0; i < g->queue_length; i++)
        decode(g, &g->queue[i]);
    g->queue_length = 0;
}

/* What a workshop's tool asks: the codes with their last freeze frames. */
static size_t report(struct gateway *g)
{
    size_t room = 4096, used = 0;
    char *text = malloc(room);
    if (!text)
        return 0;
    for (int i = 0; i < N_CODES; i++) {
        const struct snapshot *s = g->troubles[i].latest;
        for (int k = 0; s && k < FREEZE; k++, s = s->earlier) {
            if (room - used < 200) {
                char *more = realloc(text, room *= 2);
                if (!more)
                    break;
                text = more;
            }
            used += (size_t)snprintf(text + used, room - used, "%X #%d at %u: %.1f %.1f\n", g->troubles[i].code,
                                     g->troubles[i].count, s->ms, s->values[0], s->values[1]);
        }
    }
    free(text);
    g->reports++;
    return used;
}

static void drive(struct gateway *g, uint32_t ms)
{
    struct frame f = {.id = 0x100 + rnd() % 13, .length = 8, .ms = ms};
    for (int i = 0; i < 4; i++) {
        double wave = 4000 + 2500 * sin(ms / 900.0 + i);
        uint16_t raw = (uint16_t)((wave + 400) * 8);
        if (rnd() % 30 == 0)
            raw = 0xffff;
        f.data[2 * i] = (uint8_t)raw;
        f.data[2 * i + 1] = (uint8_t)(raw >> 8);
    }
    enqueue(g, &f);
}

int main(void)
{
    struct gateway *g = calloc(1, sizeof(*g));
    size_t bytes = 0;
    if (!g)
        return 1;
    define_signals(g);
    for (uint32_t ms = 0; ms < 600000; ms++) {
        drive(g, ms);
        if (ms % 50 == 49)
            drain(g);
        if (ms % 60000 == 0)
            bytes += report(g);
    }
    printf("%u frames, %u unknown, %u reports of %zu bytes\n", g->frames, g->unknown, g->reports, bytes);
    free(g->queue);
    return 0;
}
