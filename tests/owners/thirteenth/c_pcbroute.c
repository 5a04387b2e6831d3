/* Routes the nets of a circuit board on a grid of two layers: a wave for each net, rip-up where it is stuck, several passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 150
#define LAYERS 2
#define CELLS (SIZE * SIZE * LAYERS)

typedef struct net {
    int from, to, length;
    int *path;
} Net;

typedef struct board {
    short owner[CELLS]; /* 0: free, -1: pad or hole, n: net n */
    unsigned char cost[CELLS];
    int routed, wire, vias;
} Board;

typedef struct pass {
    struct pass *next;
    int number, score;
    Board *board;
} Pass;

typedef struct router {
    Board *board;
    Net *nets;
    int count;
    Pass *passes;
    int *distance, *queue;
} Router;

static unsigned seed = 77;

static int rnd(int below)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 8) % (unsigned)below);
}

static int step(int cell, int direction)
{
    int layer = cell / (SIZE * SIZE), y = cell / SIZE % SIZE, x = cell % SIZE;
    switch (direction) {
    case 0: return x + 1 < SIZE ? cell + 1 : -1;
    case 1: return x > 0 ? cell - 1 : -1;
    case 2: return y + 1 < SIZE ? cell + SIZE : -1;
    case 3: return y > 0 ? cell - SIZE : -1;
    default: return layer ? cell - SIZE * SIZE : cell + SIZE * SIZE;
    }
}

static Board *board_copy(const Board *b)
{
    Board *copy = malloc(sizeof(*copy));
    if (!copy)
        exit(1);
    *copy = *b;
    return copy;
}

static int wave(Router *r, int number)
{
    Net *n = &r->nets[number];
    int head = 0, tail = 0;
    memset(r->distance, 0, CELLS * sizeof(int));
    r->distance[n->from] = 1;
    r->queue[tail++] = n->from;
    while (head < tail) {
        int cell = r->queue[head++];
        if (cell == n->to)
            return 1;
        for (int d = 0; d < 5; d++) {
            int other = step(cell, d);
            if (other < 0 || r->distance[other] || (r->board->owner[other] && other != n->to))
                continue;
            r->distance[other] = r->distance[cell] + 1;
            r->queue[tail++] = other;
        }
    }
    return 0;
}

static void backtrace(Router *r, int number)
{
    Net *n = &r->nets[number];
    n->length = r->distance[n->to];
    n->path = malloc((size_t)n->length * sizeof(int));
    if (!n->path)
        exit(1);
    int cell = n->to;
    for (int i = n->length - 1; i >= 0; i--) {
        n->path[i] = cell;
        if (cell != n->from && cell != n->to)
            r->board->owner[cell] = (short)(number + 1);
        for (int d = 0; d < 5; d++) {
            int other = step(cell, d);
            if (other >= 0 && r->distance[other] == r->distance[cell] - 1 && r->distance[other] > 0) {
                r->board->vias += d == 4;
                cell = other;
                break;
            }
        }
    }
    r->board->wire += n->length;
    r->board->routed++;
}

static void rip_up(Router *r, int number)
{
    Net *n = &r->nets[number];
    for (int i = 1; i + 1 < n->length; i++)
        r->board->owner[n->path[i]] = 0;
    r->board->wire -= n->length;
    r->board->routed--;
    free(n->path);
    n->path = NULL;
    n->length = 0;
}

/* The board as it was after a pass, to go back to the best one. */
static void keep_pass(Router *r, int number)
{
    Pass *p = malloc(sizeof(*p));
    if (!p)
        exit(1);
    p->number = number;
    p->score = r->board->routed * 1000 - r->board->wire / 10 - r->board->vias;
    p->board = board_copy(r->board); /* guilty */
    p->next = r->passes;
    r->passes = p;
}

static const Pass *best(const Router *r)
{
    const Pass *b = r->passes;
    for (const Pass *p = r->passes; p; p = p->next)
        if (p->score > b->score)
            b = p;
    return b;
}

static void place_pads(Router *r, int nets)
{
    r->count = nets;
    r->nets = calloc((size_t)nets, sizeof(Net));
    r->board = calloc(1, sizeof(Board));
    r->distance = malloc(CELLS * sizeof(int));
    r->queue = malloc(CELLS * sizeof(int));
    if (!r->nets || !r->board || !r->distance || !r->queue)
        exit(1);
    for (int i = 0; i < nets; i++) {
        do
            r->nets[i].from = rnd(SIZE * SIZE);
        while (r->board->owner[r->nets[i].from]);
        r->board->owner[r->nets[i].from] = -1;
        do
            r->nets[i].to = rnd(SIZE * SIZE);
        while (r->board->owner[r->nets[i].to]);
        r->board->owner[r->nets[i].to] = -1;
    }
}

/* One pass: a few nets are taken up to try for something shorter, then all that are open are laid. */
static void route(Router *r, int pass)
{
    for (int k = 0; k < 5; k++) {
        int any = rnd(r->count);
        if (r->nets[any].path)
            rip_up(r, any);
    }
    for (int i = 0; i < r->count; i++) {
        if (r->nets[i].path)
            continue;
        if (wave(r, i)) {
            backtrace(r, i);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            int victim = rnd(r->count);
            if (r->nets[victim].path)
                rip_up(r, victim);
        }
    }
    keep_pass(r, pass);
}

int main(void)
{
    Router r = {0};
    place_pads(&r, 150);
    for (int pass = 1; pass <= 240; pass++)
        route(&r, pass);
    const Pass *b = best(&r);
    printf("best is pass %d: %d of %d nets, %d cells of wire, %d vias\n", b->number, b->board->routed, r.count, b->board->wire, b->board->vias);
    return 0;
}
