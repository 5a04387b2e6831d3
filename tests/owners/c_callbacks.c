/* An event loop that calls handlers, each of which allocates; one never gives back. */
#include <stdlib.h>

typedef void handler(int event);

static void *volatile kept;

__attribute__((noinline)) static void on_timer(int event)
{
    free(malloc(100 + (size_t)event % 10));
}

__attribute__((noinline)) static void on_resize(int event)
{
    if (event < 3)
        kept = malloc(1 << 20);
}

__attribute__((noinline)) static void on_message(int event)
{
    void **message = malloc(3000 + (size_t)event % 10); /* guilty */
    *message = kept;
    kept = message;
}

__attribute__((noinline)) static void dispatch(handler *volatile *handlers, int event)
{
    handlers[event % 3](event);
}

int main(void)
{
    handler *volatile handlers[] = {on_timer, on_resize, on_message};
    for (int i = 0; i < 60000; i++)
        dispatch(handlers, i);
    return 0;
}
