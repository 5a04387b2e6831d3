/* Times a marathon: mats on the course read chips, handlers turn readings into splits, nets and places, and a board shows the leaders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATS 9
#define RUNNERS 14000
#define BOARD 64

typedef struct pass {
    struct pass *earlier;
    int mat, antenna;
    double at, strength;
} Pass;

typedef struct runner {
    unsigned chip;
    char name[24];
    double pace, split[MATS];
    Pass *passes;
    int seen;
} Runner;

typedef struct race Race;
typedef void (*Handler)(Race *race, Runner *runner, int mat, int antenna, double at, double strength);

struct race {
    Runner *runners;
    Handler handlers[MATS][3];
    char *lines[BOARD];
    int next_line;
    long readings, finishers;
};

static unsigned seed = 17;

static double chance(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}

static void on(Race *race, int mat, Handler handler)
{
    for (int i = 0; i < 3; i++)
        if (!race->handlers[mat][i]) {
            race->handlers[mat][i] = handler;
            return;
        }
}

/* The best of the readings of one crossing is its time, for a chip is read by each antenna it comes near. */
static void take_split(Race *race, Runner *runner, int mat, int antenna, double at, double strength)
{
    (void)race;
    Pass *p = malloc(sizeof(*p)); /* guilty */
    if (!p)
        abort();
    *p = (Pass){runner->passes, mat, antenna, at, strength};
    runner->passes = p;
    double best = 0;
    for (const Pass *q = runner->passes; q && q->mat == mat; q = q->earlier)
        if (q->strength > best) {
            best = q->strength;
            runner->split[mat] = q->at;
        }
}

static void show(Race *race, Runner *runner, int mat, int antenna, double at, double strength)
{
    (void)strength;
    if (antenna || at > 9500)
        return;
    char line[96];
    snprintf(line, sizeof(line), "%-22s %5.1f km in %6.0f s", runner->name, mat * 42.195 / (MATS - 1), at);
    free(race->lines[race->next_line]);
    race->lines[race->next_line] = strdup(line);
    race->next_line = (race->next_line + 1) % BOARD;
}

static void count_finish(Race *race, Runner *runner, int mat, int antenna, double at, double strength)
{
    (void)mat, (void)antenna, (void)at, (void)strength;
    if (!runner->seen++)
        race->finishers++;
}

static void read_chip(Race *race, Runner *runner, int mat, int antenna, double at, double strength)
{
    race->readings++;
    for (int i = 0; i < 3 && race->handlers[mat][i]; i++)
        race->handlers[mat][i](race, runner, mat, antenna, at, strength);
}

static void enter_runners(Race *race)
{
    race->runners = calloc(RUNNERS, sizeof(Runner));
    if (!race->runners)
        abort();
    for (int i = 0; i < RUNNERS; i++) {
        Runner *r = &race->runners[i];
        r->chip = 0xA000u + (unsigned)i;
        r->pace = 210 + 240 * chance();
        snprintf(r->name, sizeof(r->name), "runner %d", i + 1);
    }
}

static void cross(Race *race, Runner *runner, int mat)
{
    double at = runner->pace * 42.195 * mat / (MATS - 1) + 30 * chance();
    int readings = 4 + (int)(chance() * 12);
    for (int i = 0; i < readings; i++)
        read_chip(race, runner, mat, i % 4, at + 0.05 * i, chance());
}

int main(void)
{
    static Race race;
    enter_runners(&race);
    for (int mat = 0; mat < MATS; mat++) {
        on(&race, mat, take_split);
        on(&race, mat, show);
    }
    on(&race, MATS - 1, count_finish);
    for (int mat = 0; mat < MATS; mat++)
        for (int i = 0; i < RUNNERS; i++)
            if (mat == 0 || chance() > 0.004)
                cross(&race, &race.runners[i], mat);
    double best = 1e9;
    const Runner *winner = NULL;
    for (int i = 0; i < RUNNERS; i++) {
        const Runner *r = &race.runners[i];
        if (r->split[MATS - 1] > 0 && r->split[MATS - 1] - r->split[0] < best) {
            best = r->split[MATS - 1] - r->split[0];
            winner = r;
        }
    }
    printf("%ld readings, %ld finishers, %s won in %.0f s\n", race.readings, race.finishers, winner ? winner->name : "nobody", best);
    for (int i = 0; i < 3; i++)
        printf("%s\n", race.lines[i] ? race.lines[i] : "");
    return 0;
}
