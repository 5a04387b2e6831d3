/* A library of the system that allocates for the program: streams of zlib that are never ended. */
#include <stdlib.h>
#include <zlib.h>

static z_stream *streams;
static char *volatile window;

__attribute__((noinline)) static void open_window(void)
{
    window = malloc(1 << 20);
}

__attribute__((noinline)) static int open_stream(int number)
{
    return deflateInit(&streams[number], 6); /* guilty */
}

int main(void)
{
    streams = calloc(400, sizeof *streams);
    open_window();
    for (int i = 0; i < 400; i++)
        if (open_stream(i) != Z_OK)
            return 1;
    return 0;
}
