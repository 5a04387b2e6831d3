/* A software synthesizer that plays a score: channels with programs, plucked strings as voices, a pedal, and a mixer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 48000
#define CHANNELS 8
#define BLOCK 256

typedef struct voice {
    struct voice *next;
    int channel, key, released, silent;
    int length, at;
    float level, damping;
    float *string;
} Voice;

typedef struct program {
    char name[16];
    float damping, brightness;
} Program;

typedef struct channel {
    const Program *program;
    int pedal, volume;
    Voice *voices;
    long notes;
} Channel;

typedef struct synth {
    Channel channels[CHANNELS];
    Program *bank;
    float mix[BLOCK];
    double energy, peak;
    long blocks;
} Synth;

static unsigned seed = 5;

static int rnd(int below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 10) % (unsigned)below);
}

static void load_bank(Synth *s)
{
    static const char *const names[] = {"guitar", "harp", "koto", "clavinet"};
    s->bank = calloc(4, sizeof(Program));
    if (!s->bank)
        exit(1);
    for (int i = 0; i < 4; i++) {
        snprintf(s->bank[i].name, sizeof(s->bank[i].name), "%s", names[i]);
        s->bank[i].damping = 0.90f + 0.02f * (float)i;
        s->bank[i].brightness = 0.4f + 0.1f * (float)i;
    }
    for (int i = 0; i < CHANNELS; i++) {
        s->channels[i].program = &s->bank[i % 4];
        s->channels[i].volume = 100;
    }
}

static Voice *voice_new(const Program *p, int key, int velocity)
{
    double hertz = 440.0 * pow(2.0, (key - 69) / 12.0);
    Voice *v = calloc(1, sizeof(*v));
    if (!v)
        exit(1);
    v->key = key;
    v->length = (int)(RATE / hertz) + 2;
    v->damping = p->damping;
    v->level = (float)velocity / 127.0f;
    v->string = malloc((size_t)v->length * sizeof(float));
    if (!v->string)
        exit(1);
    for (int i = 0; i < v->length; i++)
        v->string[i] = ((float)rnd(2001) / 1000.0f - 1.0f) * p->brightness;
    return v;
}

static void note_on(Synth *s, int channel, int key, int velocity)
{
    Channel *c = &s->channels[channel];
    Voice *v = voice_new(c->program, key, velocity); /* guilty */
    v->channel = channel;
    v->next = c->voices;
    c->voices = v;
    c->notes++;
}

static void note_off(Synth *s, int channel, int key)
{
    Channel *c = &s->channels[channel];
    if (c->pedal)
        return;
    for (Voice *v = c->voices; v; v = v->next)
        if (v->key == key && !v->released) {
            v->released = 1;
            return;
        }
}

static void pedal(Synth *s, int channel, int down)
{
    Channel *c = &s->channels[channel];
    c->pedal = down;
    if (!down)
        for (Voice *v = c->voices; v && !v->silent; v = v->next)
            v->released = 1;
}

static void pluck(Voice *v, float *out, float gain)
{
    float loudest = 0;
    for (int i = 0; i < BLOCK; i++) {
        int next = v->at + 1 == v->length ? 0 : v->at + 1;
        float sample = v->string[v->at];
        out[i] += sample * v->level * gain;
        v->string[v->at] = 0.5f * (sample + v->string[next]) * v->damping;
        v->at = next;
        if (fabsf(sample) > loudest)
            loudest = fabsf(sample);
    }
    if (v->released)
        v->level *= 0.6f;
    if (loudest * v->level < 0.001f)
        v->silent = 1;
}

static void render(Synth *s)
{
    memset(s->mix, 0, sizeof(s->mix));
    for (int i = 0; i < CHANNELS; i++)
        for (Voice *v = s->channels[i].voices; v; v = v->next)
            if (!v->silent)
                pluck(v, s->mix, (float)s->channels[i].volume / 127.0f);
    for (int i = 0; i < BLOCK; i++) {
        s->energy += s->mix[i] * s->mix[i];
        if (fabs(s->mix[i]) > s->peak)
            s->peak = fabs(s->mix[i]);
    }
    s->blocks++;
}

static int *compose(int notes)
{
    int *score = malloc((size_t)notes * sizeof(int));
    if (!score)
        exit(1);
    int key = 40;
    for (int i = 0; i < notes; i++) {
        key += rnd(9) - 4;
        key = key < 24 ? 30 : key > 64 ? 52 : key;
        score[i] = key;
    }
    return score;
}

int main(void)
{
    Synth *s = calloc(1, sizeof(*s));
    if (!s)
        return 1;
    load_bank(s);
    int notes = 11000;
    int *score = compose(notes);
    for (int i = 0; i < notes; i++) {
        int channel = i % CHANNELS;
        if (i % 97 == 0)
            pedal(s, channel, rnd(2));
        note_on(s, channel, score[i], 40 + rnd(80));
        if (i >= CHANNELS)
            note_off(s, channel, score[i - CHANNELS]);
        if (i % 12 == 11)
            render(s);
    }
    free(score);
    for (int i = 0; i < CHANNELS; i++)
        printf("%d %s: %ld notes\n", i, s->channels[i].program->name, s->channels[i].notes);
    printf("%ld blocks, energy %.1f, peak %.2f\n", s->blocks, s->energy, s->peak);
    return 0;
}
