/* Four in a row, solved by alpha-beta with a table of what was seen. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t U64;
enum { COLS = 7, ROWS = 6, DEPTH = 14 };

typedef struct Pool {
    struct Pool *next;
    size_t used;
    char bytes[64 * 1024];
} Pool;

typedef struct Node {
    struct Node *next;
    U64 mine, all;
    int depth, score;
    unsigned char line[24];
} Node;

typedef struct Position {
    U64 mine, all;
    int ply;
} Position;

typedef struct {
    Node **buckets;
    size_t mask, count;
    Pool *pool;
} Table;

static void *PoolTake(Pool **pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (*pool == NULL || (*pool)->used + size > sizeof (*pool)->bytes) {
        Pool *fresh = malloc(sizeof(Pool));
        if (fresh == NULL)
            exit(2);
        fresh->used = 0;
        fresh->next = *pool;
        *pool = fresh;
    }
    void *p = (*pool)->bytes + (*pool)->used;
    (*pool)->used += size;
    return p;
}

static void TableInit(Table *t, size_t buckets)
{
    t->buckets = calloc(buckets, sizeof *t->buckets);
    t->mask = buckets - 1;
    t->count = 0;
    t->pool = NULL;
}

static U64 Key(U64 mine, U64 all)
{
    U64 k = (mine * 0x9E3779B97F4A7C15u) ^ (all * 0xC2B2AE3D27D4EB4Fu);
    return k ^ (k >> 29);
}

static Node *TableProbe(Table *t, const Position *p)
{
    for (Node *n = t->buckets[Key(p->mine, p->all) & t->mask]; n; n = n->next)
        if (n->mine == p->mine && n->all == p->all)
            return n;
    return NULL;
}

/* No position is ever replaced, as it would be in a table of a fixed size. */
static void TableStore(Table *t, const Position *p, int depth, int score)
{
    Node *n = PoolTake(&t->pool, sizeof *n); /* guilty */
    n->mine = p->mine;
    n->all = p->all;
    n->depth = depth;
    n->score = score;
    Node **b = &t->buckets[Key(p->mine, p->all) & t->mask];
    n->next = *b;
    *b = n;
    t->count++;
}

static int HasFour(U64 b)
{
    static const int d[] = {1, 6, 7, 8};
    for (int i = 0; i < 4; i++) {
        U64 m = b & (b >> d[i]);
        if (m & (m >> 2 * d[i]))
            return 1;
    }
    return 0;
}

static int CanPlay(const Position *p, int c)
{
    return !(p->all >> (c * 7 + ROWS - 1) & 1);
}

static Position Play(const Position *p, int c)
{
    Position q = {p->mine ^ p->all, p->all, p->ply + 1};
    q.all |= p->all + ((U64)1 << c * 7);
    return q;
}

static long visited;

static int Search(Table *t, const Position *p, int depth, int alpha, int beta)
{
    visited++;
    if (HasFour(p->mine ^ p->all))
        return -100 + p->ply;
    if (depth == 0 || p->ply == COLS * ROWS)
        return 0;
    Node *seen = TableProbe(t, p);
    if (seen && seen->depth >= depth)
        return seen->score;
    int best = -1000;
    for (int i = 0; i < COLS && alpha < beta; i++) {
        int c = COLS / 2 + (i % 2 ? (i + 1) / 2 : -(i / 2));
        if (!CanPlay(p, c))
            continue;
        Position q = Play(p, c);
        int s = -Search(t, &q, depth - 1, -beta, -alpha);
        if (s > best)
            best = s;
        if (s > alpha)
            alpha = s;
    }
    TableStore(t, p, depth, best);
    return best;
}

int main(int argc, char **argv)
{
    Table table;
    Position start = {0};
    int depth = argc > 1 ? atoi(argv[1]) : DEPTH;
    TableInit(&table, 1 << 18);
    int score = Search(&table, &start, depth, -1000, 1000);
    printf("depth %d: score %d, %ld visited, %zu in the table\n", depth, score, visited, table.count);
    return 0;
}
