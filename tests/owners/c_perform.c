/* A wrapper of malloc whose name says nothing, called from all over the program. */
#include <stdlib.h>

struct block {
    struct block *next;
};

static struct block *kept;
static void *volatile other[4];

__attribute__((noinline)) static void *perform(size_t size)
{
    void *block = malloc(size == 0 ? 1 : size);
    if (block == NULL)
        abort();
    return block;
}

__attribute__((noinline)) static void start_log(void)
{
    other[0] = perform(2 << 20);
}

__attribute__((noinline)) static void start_net(void)
{
    other[1] = perform(3 << 20);
}

__attribute__((noinline)) static void start_disk(void)
{
    other[2] = perform(1 << 20);
}

__attribute__((noinline)) static void start_clock(void)
{
    other[3] = perform(1 << 20);
}

__attribute__((noinline)) static void accept_client(int i)
{
    struct block *block = perform(900 + (size_t)i % 200); /* guilty */
    block->next = kept;
    kept = block;
}

int main(void)
{
    start_log();
    start_net();
    start_disk();
    start_clock();
    for (int i = 0; i < 60000; i++)
        accept_client(i);
    return 0;
}
