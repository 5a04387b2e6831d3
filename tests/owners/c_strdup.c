/* strdup: the block is allocated in libc. */
#include <stdlib.h>
#include <string.h>

static char **headers;
static char *volatile greeting;

__attribute__((noinline)) static void add_header(size_t number, const char *text)
{
    headers[number] = strdup(text); /* guilty */
}

__attribute__((noinline)) static void greet(void)
{
    greeting = strdup("hello");
}

int main(void)
{
    static char text[1500];
    memset(text, 'h', sizeof text - 1);
    headers = calloc(40000, sizeof *headers);
    greet();
    for (size_t i = 0; i < 40000; i++)
        add_header(i, text);
    return 0;
}
