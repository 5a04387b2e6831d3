/*
 * pool: a program with an allocator of its own, which tells heapflame what it hands out.
 *
 * The pool takes pieces of 64 KiB from malloc and cuts blocks off them; blocks are not freed one by
 * one, but all at once when the pool is emptied. Without the four calls a profile shows
 * pool_grow as the only place that allocates. With them it shows who holds what:
 *
 *     LD_PRELOAD=libheapflame.so HEAPFLAME_CONF=prof:true,lg_prof_sample:0 ./pool pool.heap
 *     heapflame top pool.heap
 */
#include <heapflame/heapflame.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_BYTES 65536

struct piece {
    struct piece *next;
    size_t used;
    char bytes[PIECE_BYTES - 2 * sizeof(size_t)];
};

struct pool {
    struct piece *first;
};

static void pool_grow(struct pool *pool)
{
    struct piece *piece = malloc(sizeof *piece);
    if (piece == NULL)
        exit(EXIT_FAILURE);
    *piece = (struct piece){.next = pool->first};
    pool->first = piece;
    heapflame_pool_add(piece);
}

__attribute__((noinline)) static void *pool_take(struct pool *pool, size_t size)
{
    if (pool->first == NULL || size > sizeof pool->first->bytes - pool->first->used)
        pool_grow(pool);
    void *block = pool->first->bytes + pool->first->used;
    pool->first->used += (size + 15) / 16 * 16;
    heapflame_pool_alloc(block, size);
    return block;
}

static void pool_empty(struct pool *pool)
{
    while (pool->first != NULL) {
        struct piece *piece = pool->first;
        pool->first = piece->next;
        heapflame_pool_reset(piece->bytes, piece->used);
        free(piece);
    }
}

__attribute__((noinline)) static void read_names(struct pool *pool, int count)
{
    for (int i = 0; i < count; i++)
        *(int *)pool_take(pool, 40) = i;
}

__attribute__((noinline)) static void read_values(struct pool *pool, int count)
{
    for (int i = 0; i < count; i++)
        *(int *)pool_take(pool, 1000) = i;
}

int main(int argc, char **argv)
{
    struct pool request = {0}, cache = {0};

    read_values(&request, 1000); /* done with before the dump */
    read_names(&cache, 1009);
    read_values(&cache, 401);
    pool_empty(&request);
    int error = argc > 1 ? heapflame_dump(argv[1]) : 0;
    if (error == ENOENT)
        printf("not profiled: start me under heapflame's agent\n");
    pool_empty(&cache);
    return error == 0 || error == ENOENT ? EXIT_SUCCESS : EXIT_FAILURE;
}
