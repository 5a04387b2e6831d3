/* Solves warehouse puzzles by breadth-first search over where the man and the boxes are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 9, HEIGHT = 9, CELLS = WIDTH * HEIGHT, BOXES = 3, BUCKETS = 1 << 17 };

struct position {
    uint8_t man, boxes[BOXES];
};

struct state {
    struct state *chain;  /* of its bucket */
    struct state *parent; /* where it came from */
    struct state *next;   /* in the queue */
    struct position at;
    char move;
};

struct solver {
    const char *level;
    struct state **buckets;
    struct state *head, *tail;
    uint8_t dead[CELLS];
    unsigned long seen;
};

static const int step[4] = {-WIDTH, WIDTH, -1, 1};

static unsigned hash_position(const struct position *p)
{
    unsigned h = p->man;
    for (int i = 0; i < BOXES; i++)
        h = h * 0x9e3779b1u + p->boxes[i];
    return (h ^ h >> 15) % BUCKETS;
}

static void sort_boxes(struct position *p)
{
    for (int i = 1; i < BOXES; i++)
        for (int k = i; k > 0 && p->boxes[k] < p->boxes[k - 1]; k--) {
            uint8_t t = p->boxes[k];
            p->boxes[k] = p->boxes[k - 1];
            p->boxes[k - 1] = t;
        }
}

static int box_at(const struct position *p, int cell)
{
    for (int i = 0; i < BOXES; i++)
        if (p->boxes[i] == cell)
            return i;
    return -1;
}

static void find_dead_cells(struct solver *s)
{
    for (int c = 0; c < CELLS; c++) {
        int vertical = s->level[c] != '#' && (s->level[c - WIDTH] == '#' || s->level[c + WIDTH] == '#');
        int horizontal = s->level[c] != '#' && (s->level[c - 1] == '#' || s->level[c + 1] == '#');
        s->dead[c] = (uint8_t)(vertical && horizontal && s->level[c] != '.');
    }
}

static void visit(struct solver *s, const struct position *p, struct state *parent, char move)
{
    unsigned h = hash_position(p);
    for (struct state *o = s->buckets[h]; o; o = o->chain)
        if (memcmp(&o->at, p, sizeof(*p)) == 0)
            return;
    struct state *state = malloc(sizeof(*state)); /* guilty */
    state->at = *p;
    state->parent = parent;
    state->move = move;
    state->next = NULL;
    state->chain = s->buckets[h];
    s->buckets[h] = state;
    if (s->tail)
        s->tail->next = state;
    else
        s->head = state;
    s->tail = state;
    s->seen++;
}

static void expand(struct solver *s, struct state *from)
{
    for (int d = 0; d < 4; d++) {
        struct position p = from->at;
        int to = p.man + step[d], box = box_at(&p, to);
        if (s->level[to] == '#')
            continue;
        if (box >= 0) {
            int beyond = to + step[d];
            if (s->level[beyond] == '#' || s->dead[beyond] || box_at(&p, beyond) >= 0)
                continue;
            p.boxes[box] = (uint8_t)beyond;
            sort_boxes(&p);
        }
        p.man = (uint8_t)to;
        visit(s, &p, from, (box >= 0 ? "UDLR" : "udlr")[d]);
    }
}

static int solved(const struct solver *s, const struct position *p)
{
    int home = 0;
    for (int i = 0; i < BOXES; i++)
        home += s->level[p->boxes[i]] == '.';
    return home == BOXES;
}

static char *path_of(const struct state *state)
{
    size_t n = 0;
    for (const struct state *p = state; p->parent; p = p->parent)
        n++;
    char *path = malloc(n + 1);
    path[n] = '\0';
    for (; state->parent; state = state->parent)
        path[--n] = state->move;
    return path;
}

static void solve(const char *level, struct position start)
{
    struct solver s = {.level = level, .buckets = calloc(BUCKETS, sizeof(struct state *))};
    find_dead_cells(&s);
    sort_boxes(&start);
    visit(&s, &start, NULL, ' ');
    for (struct state *at = s.head; at; at = at->next) {
        if (solved(&s, &at->at)) {
            char *path = path_of(at);
            printf("%lu states: %s\n", s.seen, path);
            free(path);
            break;
        }
        expand(&s, at);
    }
    free(s.buckets);
}

int main(void)
{
    solve("##########.    .##       ##       ##   #   ##       ##       ##.      ##########", (struct position){40 + 9, {22, 30, 57}});
    solve("##########..   ###       ##   #   ##       ##       ##  #    ##.      ##########", (struct position){31, {41, 42, 50}});
    solve("##########.     ##       ##    #  ##.      ##       ##   #   ##      .##########", (struct position){31, {24, 42, 48}});
    return 0;
}
