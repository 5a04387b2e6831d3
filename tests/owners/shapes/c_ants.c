#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FOREACH(p, list) for (p = (list); p; p = p->next)
struct trail { float x[30], y[30]; struct trail *next; };
struct ant { float x, y; struct trail *trail; struct ant *next; };
static struct ant *colony;
static struct trail *spare;
static struct trail *trail_get(void)
{
    if (spare) { struct trail *t = spare; spare = t->next; return t; }
    return malloc(sizeof(struct trail));
}
static void trail_put(struct trail *t) { t->next = spare; spare = t; }
static void hatch(void)
{
    struct ant *a = calloc(1, sizeof *a);
    a->next = colony;
    colony = a;
}
static void lay(struct ant *a, unsigned turn)
{
    struct trail *t = trail_get();
    for (int i = 0; i < 30; i++) { t->x[i] = a->x + (float)i; t->y[i] = a->y; }
    a->x += (float)(turn % 7);
    t->next = a->trail;
    a->trail = t; /* guilty */
}
static void scout(unsigned turn)
{
    struct trail *t = trail_get();
    memset(t, (int)turn, sizeof *t);
    trail_put(t);
}
static void step(unsigned turn)
{
    struct ant *a;
    FOREACH (a, colony) { if (((size_t)a->x + turn) % 3) lay(a, turn); else scout(turn); }
}
int main(void)
{
    for (int i = 0; i < 50; i++) hatch();
    for (unsigned t = 0; t < 4000; t++) step(t);
    printf("%f\n", (double)colony->x);
    return 0;
}
