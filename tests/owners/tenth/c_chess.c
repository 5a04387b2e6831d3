/* A small game engine (Nim with heaps that can be split): searches with a transposition table and a book of openings. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAPS 7

struct position {
    uint8_t heap[HEAPS];
    uint8_t side;
};

struct entry {
    uint64_t key;
    int16_t score;
    uint8_t depth, move_heap, move_take, age;
};

struct table {
    struct entry *entries;
    uint64_t mask;
    unsigned long hits, stores;
};

struct book_line {
    struct book_line *next;
    uint64_t key;
    int take;
};

struct engine {
    struct table table;
    struct book_line *book;
    uint64_t zobrist[HEAPS][32];
    unsigned long nodes;
    uint8_t age;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 7;
    *state ^= *state >> 9;
    return *state;
}

static void table_resize(struct table *t, size_t megabytes)
{
    uint64_t n = 1;
    while (n * 2 * sizeof(struct entry) <= megabytes << 20)
        n *= 2;
    free(t->entries);
    t->entries = malloc(n * sizeof(*t->entries)); /* guilty */
    if (!t->entries) {
        fprintf(stderr, "info string no memory for a hash of %zu MB\n", megabytes);
        exit(1);
    }
    memset(t->entries, 0, n * sizeof(*t->entries));
    t->mask = n - 1;
}

static struct entry *table_probe(struct table *t, uint64_t key)
{
    struct entry *e = &t->entries[key & t->mask];
    if (e->key != key)
        return NULL;
    t->hits++;
    return e;
}

static void table_store(struct table *t, uint64_t key, int score, int depth, int heap, int take, int age)
{
    struct entry *e = &t->entries[key & t->mask];
    if (e->age == age && e->depth > depth)
        return;
    *e = (struct entry){key, (int16_t)score, (uint8_t)depth, (uint8_t)heap, (uint8_t)take, (uint8_t)age};
    t->stores++;
}

static uint64_t key_of(const struct engine *e, const struct position *p)
{
    uint64_t key = p->side;
    for (int i = 0; i < HEAPS; i++)
        key ^= e->zobrist[i][p->heap[i]];
    return key;
}

static void book_load(struct engine *e, int lines)
{
    uint64_t state = 99;
    for (int i = 0; i < lines; i++) {
        struct book_line *l = malloc(sizeof(*l));
        l->key = next_random(&state);
        l->take = i % 5;
        l->next = e->book;
        e->book = l;
    }
}

static int evaluate(const struct position *p)
{
    int x = 0, sum = 0;
    for (int i = 0; i < HEAPS; i++) {
        x ^= p->heap[i];
        sum += p->heap[i];
    }
    return (x ? 50 : -50) + sum % 9;
}

static int search(struct engine *e, struct position *p, int depth, int alpha, int beta)
{
    e->nodes++;
    if (depth == 0)
        return evaluate(p);
    uint64_t key = key_of(e, p);
    struct entry *known = table_probe(&e->table, key);
    if (known && known->depth >= depth)
        return known->score;
    int best = -1000, best_heap = 0, best_take = 0;
    for (int h = 0; h < HEAPS && alpha < beta; h++)
        for (int take = 1; take <= p->heap[h] && take <= 3; take++) {
            p->heap[h] = (uint8_t)(p->heap[h] - take);
            p->side ^= 1;
            int score = -search(e, p, depth - 1, -beta, -alpha);
            p->side ^= 1;
            p->heap[h] = (uint8_t)(p->heap[h] + take);
            if (score > best)
                best = score, best_heap = h, best_take = take;
            if (score > alpha)
                alpha = score;
        }
    table_store(&e->table, key, best, depth, best_heap, best_take, e->age);
    return best;
}

int main(void)
{
    static struct engine e;
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < HEAPS; i++)
        for (int k = 0; k < 32; k++)
            e.zobrist[i][k] = next_random(&state);
    book_load(&e, 60000);
    table_resize(&e.table, 48);
    for (int game = 0; game < 6; game++) {
        struct position p = {.heap = {3, 5, 7, 9, 4, (uint8_t)(6 + game), 8}};
        e.age++;
        printf("game %d: %d\n", game, search(&e, &p, 6, -1000, 1000));
    }
    printf("%lu nodes, %lu hits, %lu stores\n", e.nodes, e.table.hits, e.table.stores);
    return 0;
}
