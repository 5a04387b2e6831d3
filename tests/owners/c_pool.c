/* A pool that gives out pieces of chunks: the chunk is allocated for whoever happens to come. */
#include <stdlib.h>

struct pool {
    char *at, *end;
};

static struct pool pool;
static char *volatile last;

__attribute__((noinline)) static char *chunk_new(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) static char *pool_take(struct pool *from, size_t size)
{
    if ((size_t)(from->end - from->at) < size || from->at == NULL) {
        from->at = chunk_new(65536);
        if (from->at == NULL)
            abort();
        from->end = from->at + 65536;
    }
    from->at += size;
    return from->at - size;
}

__attribute__((noinline)) static void index_page(int number)
{
    last = pool_take(&pool, 800 + (size_t)number % 50); /* guilty */
}

__attribute__((noinline)) static void name_page(int number)
{
    last = pool_take(&pool, 8 + (size_t)number % 5);
}

__attribute__((noinline)) static void read_options(void)
{
    for (int i = 0; i < 2000; i++)
        last = pool_take(&pool, 40);
}

int main(void)
{
    read_options();
    for (int i = 0; i < 70000; i++) {
        index_page(i);
        name_page(i);
    }
    return 0;
}
