/* Reads technical drawings: blocks of lines and circles, blocks within blocks, inserts that are turned and scaled, extents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LINE, CIRCLE, INSERT };

typedef struct entity {
    struct entity *next;
    enum kind kind;
    int layer, block;
    double x, y, x2, y2, radius, turn, scale;
} Entity;

typedef struct block {
    char name[24];
    Entity *first;
    int count;
} Block;

typedef struct matrix {
    double a, b, x, y;
} Matrix;

typedef struct drawing {
    Block *blocks;
    int block_count;
    Entity *inserts;
    Entity *shapes;
    long shape_count, by_layer[16];
    double left, right, bottom, top;
} Drawing;

static unsigned seed = 14;

static double coordinate(double span)
{
    seed = seed * 1103515245u + 12345u;
    return span * (double)((seed >> 8) % 10000u) / 10000.0;
}

static Entity *entity_new(enum kind kind, int layer)
{
    Entity *e = calloc(1, sizeof(*e));
    if (!e)
        exit(1);
    e->kind = kind;
    e->layer = layer;
    e->scale = 1;
    return e;
}

static Entity *entity_copy(const Entity *e)
{
    Entity *copy = entity_new(e->kind, e->layer);
    *copy = *e;
    copy->next = NULL;
    return copy;
}

static void block_add(Block *b, Entity *e)
{
    e->next = b->first;
    b->first = e;
    b->count++;
}

static void read_block(Drawing *d, int number)
{
    Block *b = &d->blocks[number];
    snprintf(b->name, sizeof(b->name), "PART_%03d", number);
    int simple = 4 + number % 7;
    for (int i = 0; i < simple; i++) {
        Entity *e = entity_new(i % 3 ? LINE : CIRCLE, (number + i) % 16);
        e->x = coordinate(10);
        e->y = coordinate(10);
        e->x2 = coordinate(10);
        e->y2 = coordinate(10);
        e->radius = 0.5 + coordinate(2);
        block_add(b, e);
    }
    for (int i = 0; number > 8 && i < 3; i++) {
        Entity *e = entity_new(INSERT, 0);
        e->block = number / 2 - i;
        e->x = coordinate(40);
        e->y = coordinate(40);
        e->turn = coordinate(6.28);
        e->scale = 0.3 + coordinate(0.5);
        block_add(b, e);
    }
}

static Matrix within(const Matrix *m, const Entity *insert)
{
    double c = cos(insert->turn) * insert->scale, s = sin(insert->turn) * insert->scale;
    Matrix r = {m->a * c - m->b * s, m->a * s + m->b * c, 0, 0};
    r.x = m->a * insert->x - m->b * insert->y + m->x;
    r.y = m->b * insert->x + m->a * insert->y + m->y;
    return r;
}

static void transform(Entity *e, const Matrix *m)
{
    double x = e->x, y = e->y, x2 = e->x2, y2 = e->y2;
    e->x = m->a * x - m->b * y + m->x;
    e->y = m->b * x + m->a * y + m->y;
    e->x2 = m->a * x2 - m->b * y2 + m->x;
    e->y2 = m->b * x2 + m->a * y2 + m->y;
    e->radius *= sqrt(m->a * m->a + m->b * m->b);
}

/* Puts what a block has into the drawing, turned and scaled as its insert says. */
static void explode(Drawing *d, int number, const Matrix *m)
{
    for (const Entity *e = d->blocks[number].first; e; e = e->next) {
        if (e->kind == INSERT) {
            Matrix inner = within(m, e);
            explode(d, e->block, &inner);
            continue;
        }
        Entity *shape = entity_copy(e); /* guilty */
        transform(shape, m);
        shape->next = d->shapes;
        d->shapes = shape;
        d->shape_count++;
        d->by_layer[shape->layer]++;
    }
}

static void extents(Drawing *d)
{
    d->left = d->bottom = 1e9;
    d->right = d->top = -1e9;
    for (const Entity *e = d->shapes; e; e = e->next) {
        double r = e->kind == CIRCLE ? e->radius : 0;
        d->left = fmin(d->left, fmin(e->x - r, e->kind == LINE ? e->x2 : e->x));
        d->right = fmax(d->right, fmax(e->x + r, e->kind == LINE ? e->x2 : e->x));
        d->bottom = fmin(d->bottom, fmin(e->y - r, e->kind == LINE ? e->y2 : e->y));
        d->top = fmax(d->top, fmax(e->y + r, e->kind == LINE ? e->y2 : e->y));
    }
}

static void read_inserts(Drawing *d, int count)
{
    for (int i = 0; i < count; i++) {
        Entity *e = entity_new(INSERT, 0);
        e->block = d->block_count - 1 - i % (d->block_count / 2);
        e->x = coordinate(2000);
        e->y = coordinate(1400);
        e->turn = coordinate(6.28);
        e->next = d->inserts;
        d->inserts = e;
    }
}

static double length_of_lines(const Drawing *d, int layer)
{
    double sum = 0;
    for (const Entity *e = d->shapes; e; e = e->next)
        if (e->kind == LINE && e->layer == layer)
            sum += hypot(e->x2 - e->x, e->y2 - e->y);
    return sum;
}

int main(void)
{
    Drawing d = {.block_count = 120};
    d.blocks = calloc((size_t)d.block_count, sizeof(Block));
    if (!d.blocks)
        return 1;
    for (int i = 0; i < d.block_count; i++)
        read_block(&d, i);
    read_inserts(&d, 1400);
    const Matrix plain = {1, 0, 0, 0};
    for (const Entity *e = d.inserts; e; e = e->next) {
        Matrix m = within(&plain, e);
        explode(&d, e->block, &m);
    }
    extents(&d);
    printf("%ld shapes in %.0f x %.0f, %ld on layer 3 with %.1f of lines\n", d.shape_count, d.right - d.left, d.top - d.bottom, d.by_layer[3], length_of_lines(&d, 3));
    return 0;
}
