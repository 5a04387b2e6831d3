/* Sessions are kept in a list, what is parsed is lost, a cache is full: for what holds blocks, and
 * what does not any more. Writes "r" when the cache is full, and leaks until its standard input
 * ends. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node {
    struct node *next;
    char rest[1000];
};
static struct node *volatile registry;
static void *volatile cache[64], *volatile large;
/* So that no pointer to what was lost stays on the stack. */
static __attribute__((noinline)) void wipe(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}
static __attribute__((noinline)) void *fresh(size_t size)
{
    return memset(malloc(size), 0, size);
}
static __attribute__((noinline)) void start_up(void)
{
    large = fresh(4 << 20);
}
static __attribute__((noinline)) void session_open(void)
{
    struct node *node = fresh(sizeof *node);
    node->next = registry;
    registry = node;
}
static __attribute__((noinline)) void parse_request(void)
{
    void *volatile *lost = fresh(3000);
    *lost = fresh(500);
}
static __attribute__((noinline)) void cache_load(int i)
{
    free(cache[i % 64]);
    cache[i % 64] = fresh(20000);
}
int main(void)
{
    start_up();
    for (int i = 0; i < 64; i++)
        cache_load(i);
    (void)!write(1, "r", 1);
    fcntl(0, F_SETFL, O_NONBLOCK);
    char byte;
    for (int i = 0; read(0, &byte, 1) != 0; i++) {
        session_open();
        parse_request();
        cache_load(i);
        wipe();
        usleep(2000);
    }
}
