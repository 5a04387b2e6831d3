/* Things in a dungeon. Each kind has its operations, in a table, as one does it in C. */
#include <stdio.h>
#include <stdlib.h>

struct entity;
struct world;

struct entity_ops {
    const char *name;
    void (*update)(struct world *, struct entity *);
    void (*dispose)(struct entity *);
};

struct entity {
    const struct entity_ops *ops;
    struct entity *next;
    float x, y, vx, vy;
    int age, dead;
};

struct monster { struct entity base; int hunger; char memory[512]; };
struct torch { struct entity base; float glow; };
struct decal { struct entity base; float color[4], normal[3]; unsigned char mask[32 * 32]; };

struct world {
    struct entity *first;
    unsigned tick, count[3], born;
    unsigned seed;
};

static unsigned dice(struct world *w, unsigned sides)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 9) % sides;
}

#define NEW(w, type, operations, ...) ((struct type *)entity_add((w), sizeof(struct type), &(operations), __VA_ARGS__))

static struct entity *entity_add(struct world *w, size_t size, const struct entity_ops *ops, float x, float y)
{
    struct entity *e = calloc(1, size);
    if (!e) {
        perror(ops->name);
        exit(1);
    }
    e->ops = ops;
    e->x = x;
    e->y = y;
    e->next = w->first;
    w->first = e;
    w->born++;
    return e;
}

static void plain_dispose(struct entity *e) { free(e); }

static void decal_update(struct world *w, struct entity *e)
{
    struct decal *d = (struct decal *)e;
    (void)w;
    if (d->color[3] > 0.01f)
        d->color[3] *= 0.999f;
}

static const struct entity_ops decal_ops = {"decal", decal_update, plain_dispose};

/* Where a torch drips there is a mark from then on. They fade and cannot be seen, but stay. */
static void torch_update(struct world *w, struct entity *e)
{
    struct torch *t = (struct torch *)e;
    t->glow = 0.5f + dice(w, 100) / 200.0f;
    if (dice(w, 10) == 0) {
        struct decal *d = NEW(w, decal, decal_ops, e->x + dice(w, 5), e->y + dice(w, 5)); /* guilty */
        d->color[0] = d->color[3] = t->glow;
        for (int i = 0; i < 1024; i++)
            d->mask[i] = (unsigned char)dice(w, 256);
    }
}

static void monster_update(struct world *w, struct entity *e);
static const struct entity_ops torch_ops = {"torch", torch_update, plain_dispose};
static const struct entity_ops monster_ops = {"monster", monster_update, plain_dispose};

static void monster_update(struct world *w, struct entity *e)
{
    struct monster *m = (struct monster *)e;
    m->memory[w->tick % sizeof m->memory] = (char)(dice(w, 9) - 4);
    e->x += m->memory[w->tick % sizeof m->memory];
    if (++m->hunger > 30 && dice(w, 4) == 0) {
        struct monster *child = NEW(w, monster, monster_ops, e->x, e->y);
        child->hunger = 5;
        e->dead = 1;
    }
}

static void world_update(struct world *w)
{
    struct entity *stop = w->first;
    for (struct entity *e = stop; e; e = e->next) {
        e->age++;
        e->ops->update(w, e);
    }
    for (struct entity **p = &w->first; *p;) {
        struct entity *e = *p;
        if (e->dead) {
            *p = e->next;
            e->ops->dispose(e);
        } else
            p = &e->next;
    }
    w->tick++;
}

static void world_fill(struct world *w)
{
    for (int i = 0; i < 700; i++)
        NEW(w, monster, monster_ops, dice(w, 400), dice(w, 400));
    for (int i = 0; i < 400; i++)
        NEW(w, torch, torch_ops, dice(w, 400), dice(w, 400))->glow = 1;
}

int main(void)
{
    struct world w = {.seed = 7};
    world_fill(&w);
    while (w.tick < 850)
        world_update(&w);
    for (struct entity *e = w.first; e; e = e->next)
        w.count[e->ops == &torch_ops ? 0 : e->ops == &monster_ops ? 1 : 2]++;
    printf("%u torches, %u monsters, %u decals of %u\n", w.count[0], w.count[1], w.count[2], w.born);
    return 0;
}
