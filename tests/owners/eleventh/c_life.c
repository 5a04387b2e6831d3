/* Runs the game of life on a quad tree: squares that are the same are one node, and what follows from a node is computed once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *nw, *ne, *sw, *se;
    struct node *result, *chain;
    uint64_t population;
    int level;
};

struct universe {
    struct node **buckets;
    size_t size, nodes;
    struct node *dead, *alive;
    struct node *root;
    uint64_t generation;
};

static struct universe u;

static size_t hash_of(const struct node *a, const struct node *b, const struct node *c, const struct node *d)
{
    uint64_t h = (uintptr_t)a * 3 + (uintptr_t)b * 5003 + (uintptr_t)c * 1000003 + (uintptr_t)d * 777767777u;
    return (h ^ h >> 29) & (u.size - 1);
}

static void rehash(void)
{
    struct node **old = u.buckets;
    size_t n = u.size;
    u.size *= 2;
    u.buckets = calloc(u.size, sizeof(*u.buckets));
    for (size_t i = 0; i < n; i++)
        for (struct node *p = old[i], *next; p; p = next) {
            next = p->chain;
            size_t h = hash_of(p->nw, p->ne, p->sw, p->se);
            p->chain = u.buckets[h];
            u.buckets[h] = p;
        }
    free(old);
}

static struct node *new_node(int level)
{
    struct node *p = calloc(1, sizeof(*p));
    p->level = level;
    return p;
}

static struct node *join(struct node *nw, struct node *ne, struct node *sw, struct node *se)
{
    size_t h = hash_of(nw, ne, sw, se);
    for (struct node *p = u.buckets[h]; p; p = p->chain)
        if (p->nw == nw && p->ne == ne && p->sw == sw && p->se == se)
            return p;
    if (u.nodes > u.size) {
        rehash();
        h = hash_of(nw, ne, sw, se);
    }
    struct node *p = new_node(nw->level + 1); /* guilty */
    p->nw = nw, p->ne = ne, p->sw = sw, p->se = se;
    p->population = nw->population + ne->population + sw->population + se->population;
    p->chain = u.buckets[h];
    u.buckets[h] = p;
    u.nodes++;
    return p;
}

static struct node *life(const struct node *c, unsigned neighbours)
{
    return neighbours == 3 || (c->population && neighbours == 2) ? u.alive : u.dead;
}

/* One generation of a square of four by four. */
static struct node *base_case(const struct node *p)
{
    const struct node *g[4][4] = {{p->nw->nw, p->nw->ne, p->ne->nw, p->ne->ne}, {p->nw->sw, p->nw->se, p->ne->sw, p->ne->se},
                                  {p->sw->nw, p->sw->ne, p->se->nw, p->se->ne}, {p->sw->sw, p->sw->se, p->se->sw, p->se->se}};
    struct node *out[2][2];
    for (int y = 1; y < 3; y++)
        for (int x = 1; x < 3; x++) {
            unsigned n = 0;
            for (int k = 0; k < 9; k++)
                n += k == 4 ? 0 : (unsigned)g[y + k / 3 - 1][x + k % 3 - 1]->population;
            out[y - 1][x - 1] = life(g[y][x], n);
        }
    return join(out[0][0], out[0][1], out[1][0], out[1][1]);
}

static struct node *centre(struct node *p)
{
    return join(p->nw->se, p->ne->sw, p->sw->ne, p->se->nw);
}

static struct node *successor(struct node *p)
{
    if (p->result)
        return p->result;
    if (p->level == 2)
        return p->result = base_case(p);
    struct node *n = join(p->nw->ne, p->ne->nw, p->nw->se, p->ne->sw);
    struct node *w = join(p->nw->sw, p->nw->se, p->sw->nw, p->sw->ne), *e = join(p->ne->sw, p->ne->se, p->se->nw, p->se->ne);
    struct node *s = join(p->sw->ne, p->se->nw, p->sw->se, p->se->sw), *m = centre(p);
    struct node *a = successor(p->nw), *b = successor(n), *c = successor(p->ne), *d = successor(w), *f = successor(m);
    struct node *g = successor(e), *h = successor(p->sw), *i = successor(s), *k = successor(p->se);
    return p->result = join(centre(join(a, b, d, f)), centre(join(b, c, f, g)), centre(join(d, f, h, i)), centre(join(f, g, i, k)));
}

static struct node *empty(int level)
{
    if (level == 0)
        return u.dead;
    struct node *e = empty(level - 1);
    return join(e, e, e, e);
}

static struct node *soup(int level, uint32_t *seed)
{
    if (level == 0) {
        *seed = *seed * 1103515245u + 12345u;
        return *seed >> 16 & 1 ? u.alive : u.dead;
    }
    struct node *a = soup(level - 1, seed), *b = soup(level - 1, seed), *c = soup(level - 1, seed);
    return join(a, b, c, soup(level - 1, seed));
}

static struct node *pad(struct node *p)
{
    struct node *e = empty(p->level - 1);
    return join(join(e, e, e, p->nw), join(e, e, p->ne, e), join(e, p->sw, e, e), join(p->se, e, e, e));
}

int main(void)
{
    uint32_t seed = 7;
    u.size = 1 << 12;
    u.buckets = calloc(u.size, sizeof(*u.buckets));
    u.dead = new_node(0);
    u.alive = new_node(0);
    u.alive->population = 1;
    u.root = soup(7, &seed);
    for (int i = 0; i < 120; i++, u.generation++) {
        u.root = successor(pad(u.root));
        if (i % 40 == 0)
            printf("%lu: %lu alive, %zu nodes\n", (unsigned long)u.generation, (unsigned long)u.root->population, u.nodes);
    }
    return 0;
}
