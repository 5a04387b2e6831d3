/* Call switch: sets up calls, samples media quality, writes a summary at hang-up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 200

struct sample {
    uint32_t ts;
    uint16_t jitter, loss;
    int16_t level_in, level_out;
};

struct call {
    struct call *next;
    uint64_t id;
    char caller[24], callee[24];
    uint32_t started, ended;
    struct sample *samples;
    size_t nsamples, cap;
};

static struct call *lines[LINES];
static struct call *completed;
static uint64_t next_id = 1000;
static uint32_t clock_ms;
static uint32_t lfsr = 0xACE1u;
static unsigned long total_calls, bad_calls;

static uint32_t noise(void)
{
    lfsr = lfsr * 1664525u + 1013904223u;
    return lfsr >> 10;
}

static void call_setup(int line)
{
    struct call *c = calloc(1, sizeof *c);
    c->id = next_id++;
    snprintf(c->caller, sizeof c->caller, "+4930%07u", noise() % 10000000);
    snprintf(c->callee, sizeof c->callee, "+4989%07u", noise() % 10000000);
    c->started = clock_ms;
    lines[line] = c;
}

static void media_sample(struct call *c)
{
    if (c->nsamples == c->cap) {
        c->cap = c->cap ? c->cap + c->cap / 2 : 32;
        c->samples = realloc(c->samples, c->cap * sizeof *c->samples);
    }
    struct sample *s = &c->samples[c->nsamples++];
    s->ts = clock_ms;
    s->jitter = noise() % 60;
    s->loss = noise() % 8;
    s->level_in = (int16_t)noise();
    s->level_out = (int16_t)noise();
}

static double call_score(const struct call *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->nsamples; i++)
        sum += 4.4 - c->samples[i].loss * 0.2 - c->samples[i].jitter * 0.01;
    return c->nsamples ? sum / c->nsamples : 0;
}

static char *cdr_line(const struct call *c)
{
    char *s = malloc(160);
    snprintf(s, 160, "%llu;%s;%s;%u;%u;%.2f", (unsigned long long)c->id, c->caller, c->callee,
             c->started, c->ended - c->started, call_score(c));
    return s;
}

static void hangup(int line, FILE *cdr)
{
    struct call *c = lines[line];
    c->ended = clock_ms;
    char *text = cdr_line(c);
    fprintf(cdr, "%s\n", text);
    free(text);
    if (call_score(c) < 3.3)
        bad_calls++;
    total_calls++;
    c->next = completed;
    completed = c; /* guilty */
    lines[line] = NULL;
}

static void report_last(void)
{
    if (completed)
        printf("last call %llu %s -> %s, %zu samples\n", (unsigned long long)completed->id,
               completed->caller, completed->callee, completed->nsamples);
}

int main(void)
{
    FILE *cdr = fopen("/dev/null", "w");
    if (!cdr)
        return 1;
    for (int tick = 0; tick < 25000; tick++) {
        clock_ms += 20;
        for (int l = 0; l < LINES; l++) {
            if (!lines[l]) {
                if (noise() % 50 == 0)
                    call_setup(l);
            } else if (noise() % 400 == 0) {
                hangup(l, cdr);
            } else {
                media_sample(lines[l]);
            }
        }
        if (tick % 100 == 0)
            usleep(8000);
    }
    fclose(cdr);
    report_last();
    printf("%lu calls, %lu poor\n", total_calls, bad_calls);
    usleep(150000);
    return 0;
}
