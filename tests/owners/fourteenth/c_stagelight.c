/* Plays the light of a theatre: a patch of dimmers, cues with fades, effects chosen from a table of functions, and frames of 512 channels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 512

struct fade {
    struct fade *next;
    const struct effect *effect;
    int channel, done;
    float from, to, start, length;
    float curve[24];
};

struct effect {
    const char *name;
    void (*prepare)(struct fade *f);
    float (*level)(const struct fade *f, float part);
};

static void even(struct fade *f)
{
    for (int i = 0; i < 24; i++)
        f->curve[i] = (float)i / 23;
}

static void soft(struct fade *f)
{
    for (int i = 0; i < 24; i++)
        f->curve[i] = 0.5f - 0.5f * cosf(3.14159f * (float)i / 23);
}

static float by_curve(const struct fade *f, float part)
{
    int i = (int)(part * 23);
    return f->from + (f->to - f->from) * f->curve[i > 23 ? 23 : i];
}

static float flicker(const struct fade *f, float part)
{
    return by_curve(f, part) * (0.9f + 0.1f * sinf(part * 90 + (float)f->channel));
}

static const struct effect effects[] = {{"fade", even, by_curve}, {"soft", soft, by_curve}, {"candle", soft, flicker}};

struct console {
    float level[CHANNELS];
    unsigned char frame[CHANNELS];
    unsigned char *patch;
    struct fade *running;
    float now;
    long frames, faded;
};

struct cue {
    const struct effect *effect;
    float length;
    int first, count;
    float *levels;
};

static unsigned state = 3;

static unsigned die(unsigned sides)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 12) % sides;
}

static struct cue *cue_new(int number)
{
    struct cue *c = malloc(sizeof(*c));
    c->effect = &effects[die(3)];
    c->length = 0.5f + (float)die(40) / 10;
    c->first = (int)die(400);
    c->count = 40 + number % 72;
    c->levels = malloc((size_t)c->count * sizeof(float));
    for (int i = 0; i < c->count; i++)
        c->levels[i] = (float)die(101) / 100;
    return c;
}

static void begin(struct console *k, const struct cue *c, int channel, float to)
{
    for (struct fade *f = k->running; f && f->start >= k->now - 1; f = f->next)
        if (f->channel == channel)
            f->done = 1;
    struct fade *f = calloc(1, sizeof(*f)); /* guilty */
    f->effect = c->effect;
    f->channel = channel;
    f->from = k->level[channel];
    f->to = to;
    f->start = k->now;
    f->length = c->length;
    f->effect->prepare(f);
    f->next = k->running;
    k->running = f;
}

static void advance(struct console *k, float until)
{
    for (struct fade *f = k->running; f && f->start > k->now - 8; f = f->next) {
        float part = (until - f->start) / f->length;
        if (f->done)
            continue;
        if (part >= 1) {
            part = 1;
            f->done = 1;
            k->faded++;
        }
        k->level[f->channel] = f->effect->level(f, part);
    }
    k->now = until;
}

static void send(struct console *k)
{
    for (int i = 0; i < CHANNELS; i++)
        k->frame[k->patch[i] | (i & 256)] = (unsigned char)(255 * k->level[i]);
    k->frames++;
}

int main(void)
{
    struct console k = {.patch = malloc(CHANNELS)};
    for (int i = 0; i < CHANNELS; i++)
        k.patch[i] = (unsigned char)(i * 37);
    for (int night = 0; night < 12; night++)
        for (int n = 0; n < 300; n++) {
            struct cue *c = cue_new(n);
            for (int i = 0; i < c->count; i++)
                begin(&k, c, (c->first + i) % CHANNELS, c->levels[i]);
            for (int step = 0; step < 50; step++) {
                advance(&k, k.now + 0.1f);
                send(&k);
            }
            free(c->levels);
            free(c);
        }
    unsigned sum = 0;
    for (int i = 0; i < CHANNELS; i++)
        sum += k.frame[i];
    printf("%ld frames, %ld fades ended, last frame %u\n", k.frames, k.faded, sum);
    free(k.patch);
    return 0;
}
