/* A malloc that ends the program when memory is out, under its usual name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **lines;
static size_t count;
static char *volatile scratch;

__attribute__((noinline)) static void *xmalloc(size_t size)
{
    void *block = malloc(size);
    if (block == NULL) {
        (void)fputs("out of memory\n", stderr);
        exit(1);
    }
    return block;
}

__attribute__((noinline)) static char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xmalloc(size), text, size);
}

__attribute__((noinline)) static void open_window(void)
{
    scratch = xmalloc(3 << 20);
}

__attribute__((noinline)) static void read_config(int number)
{
    char line[1200];
    memset(line, 'a' + number % 26, sizeof line - 1);
    line[sizeof line - 1] = '\0';
    lines[count++] = xstrdup(line); /* guilty */
}

int main(void)
{
    lines = xmalloc(50000 * sizeof *lines);
    open_window();
    for (int i = 0; i < 50000; i++)
        read_config(i);
    return 0;
}
